import DaybookBytes
import DaybookEngine
import Foundation

/// Files that successful runs of a job have read to the end, according to the history.
package struct IngestedFiles: IngestedInputs {
    /// A file by properties that need no read of its content.
    private struct Key: Hashable {
        var path: String
        var bytes: Int
    }

    /// XXH128 of all imported contents of a file of that size.
    private var contents: [Key: Set<String>] = [:]
    /// The content that was read last, by path.
    private var last: [String: IngestedFile] = [:]
    /// The files that were read with each content, by size and XXH128, the last one last.
    private var byContent: [Int: [String: [IngestedFile]]] = [:]
    private let mask: SecretMask
    /// Base directory of the job's paths.
    private let directory: String

    /// - Parameters:
    ///   - mask: mask by which the history hides secrets in file names.
    ///   - jobFile: the job file; `-` for standard input.
    package init(mask: SecretMask, ofJob jobFile: String) {
        self.mask = mask
        directory = mask.masking(FilePath.canonical(jobFile == "-" ? "." : JobFile.directory(of: jobFile)))
    }

    /// Adds a content of a file; those of one path in the order in which they were read.
    ///
    /// - Parameters:
    ///   - run: the run that read it; nil where it is not known any more.
    ///   - started: when that run began, in microseconds since 1970.
    ///   - days: the days of its rows, where the import asked for them.
    ///   - isCopy: whether the run left it out, since it has the bytes of another file.
    ///   - isOutput: whether it is an output of the job, which runs read where they add to it.
    package mutating func add(
        path: String,
        bytes: Int,
        xxh128: String,
        run: String?,
        started: Int64? = nil,
        days: DaysOfFile? = nil,
        isCopy: Bool = false,
        isOutput: Bool = false
    ) {
        let key = key(path, bytes)
        contents[key, default: []].insert(xxh128)
        let file = IngestedFile(
            path: path,
            place: key.path,
            bytes: bytes,
            xxh128: xxh128,
            run: run,
            started: started,
            days: days,
            isCopy: isCopy,
            isOutput: isOutput
        )
        last[key.path] = file
        byContent[bytes, default: [:]][xxh128, default: []].append(file)
    }

    /// Key of a path in any spelling: `in/a.csv`, `./in//a.csv`, and absolute.
    private func key(_ path: String, _ bytes: Int) -> Key {
        Key(path: FilePath.tidied(FilePath.join(directory, path)), bytes: bytes)
    }

    /// The files that are not among those of a run, in order.
    package func gone(besides names: some Sequence<String>) -> [String] {
        let there = Set(names.map { key(mask.masking($0), 0).path })
        return last.filter { !there.contains($0.key) && !$0.value.isCopy }.map(\.value.path).sorted()
    }

    package func gone(
        _ day: FileDay,
        besides found: [InputPath],
        _ patterns: [PathPattern],
        areCopiesOne: Bool
    ) -> [IngestedFile] {
        let there = Set(found.map { key(mask.masking($0.name), 0).path })
        let missing = last.filter { !there.contains($0.key) && !$0.value.isCopy }
        return missing.sorted { $0.key < $1.key }.compactMap { path, file in
            let days = day.isOfRows ? file.daysOfRows(in: day.column.text) : day.day(ofPath: path).map { [$0] }
            guard let days, file.isFound(by: patterns) else { return nil }
            if areCopiesOne, isRenamed(file, day, there) { return nil }
            return file.of(days)
        }
    }

    /// Whether its bytes came again under another name, which is there, whatever that file has by now.
    private func isRenamed(_ file: IngestedFile, _ day: FileDay, _ there: Set<String>) -> Bool {
        var (open, seen) = ([file], Set<String>())
        while let next = open.popLast() {
            guard seen.insert(next.place).inserted else { continue }
            let same = byContent[next.bytes]?[next.xxh128] ?? []
            // A file that was renamed is left out as a copy, or read anew with its day.
            let own = same.lastIndex { $0.place == next.place } ?? same.count
            for (place, other) in same.enumerated() where other.isCopy || place > own {
                guard day.day(ofPath: other.path) == day.day(ofPath: file.path) else { continue }
                if there.contains(other.place) { return true }
                if let last = last[other.place] { open.append(last) }
            }
        }
        return false
    }

    package func days(of input: InputPath, in column: String) -> Set<CalendarDay>? {
        last[key(mask.masking(input.name), 0).path]?.daysOfRows(in: column)
    }

    package func holds(_ version: InputVersion, of address: String) -> Bool {
        contents[key(mask.masking(address), 0)]?.contains(version.digest.xxh128) ?? false
    }

    package func delivery(
        _ input: InputPath,
        with companions: [String],
        asLast: Bool
    ) throws(DaybookError) -> Delivery {
        guard !input.isReadOnce else { return .new }
        let delivery = try delivery(input, asLast: asLast)
        if case .sameBytes(let others) = delivery, !companions.isEmpty {
            // Rows may stand in a companion alone, so such a file is nobody's copy.
            if try input.hasCompanion(companions) { return .new }
            let alone = others.filter { other in !companions.contains { last[other.place + $0] != nil } }
            return alone.isEmpty ? .new : .sameBytes(alone)
        }
        guard case .taken = delivery else { return delivery }
        for ending in companions {
            let companion = input.companion(ending)
            let found: InputIdentity?
            do { found = try companion.identity() } catch { throw .cannotRead(input, error) }
            guard let found, found.size > 0 else { continue }
            if case .taken = try self.delivery(companion, asLast: asLast) { continue }
            return last[key(mask.masking(input.name), 0).path].map(Delivery.otherBytes) ?? .new
        }
        return .taken
    }

    private func delivery(_ input: InputPath, asLast: Bool) throws(DaybookError) -> Delivery {
        do throws(SystemFailure) {
            guard let found = try input.identity(), found.kind == .file else { return .new }
            let key = key(mask.masking(input.name), found.size)
            let earlier = last[key.path].flatMap { asLast && $0.isFormerName ? nil : $0 }
            guard earlier != nil || byContent[found.size] != nil else { return .new }
            let content = try input.digest().xxh128
            if let earlier {
                let isKnown = asLast ? earlier.xxh128 == content : contents[key]?.contains(content) == true
                return isKnown ? .taken : .otherBytes(earlier)
            }
            // A file that has other bytes by now has these no more.
            let others = (byContent[found.size]?[content] ?? []).filter { !asLast || last[$0.place]?.xxh128 == content }
            return others.isEmpty ? .new : .sameBytes(others)
        } catch { throw .cannotRead(input, error) }
    }
}

/// A marker file in the state directory that names a job's last successful incremental run.
///
/// The history lists the inputs of such runs. If it was lost, was put aside, or is an older copy, it does not know the run of the
/// marker, which keeps the next run from reading all files again, and giving their rows twice.
struct IngestMarker {
    private let directory: String
    private let file: String
    private let job: JobKey

    private static let limit = 1 << 16

    /// - Parameters:
    ///   - job: with its path as the history stores it.
    ///   - history: the file of the history, beside which the markers are.
    init(of job: JobKey, besideHistory history: String) {
        self.job = job
        directory = FilePath.join(FilePath.directory(of: history), "taken")
        file = FilePath.join(directory, String(SHA256Digest.of("\(job.name)\u{0}\(job.path)").prefix(32)))
    }

    /// The named run; nil without a marker.
    func run() throws(DaybookError) -> String? {
        let bytes: Bytes?
        do { bytes = try WholeFile.read(file, limit: IngestMarker.limit) } catch { throw .cannotRead(file, error) }
        guard let bytes else { return nil }
        return String(bytes.text(0..<bytes.count).prefix { $0 != "\n" })
    }

    func remove() { unlink(file.systemPath) }

    /// A failure stops nothing, since the marker matters only if the history is lost, and then an older run serves as well.
    func leave(_ run: String) {
        mkdir(directory.systemPath, 0o777)
        try? WholeFile.replace(file, with: Bytes("\(run)\n\(job.name)\n\(job.path)\n"), by: file + ".new")
    }
}

extension HistoryFile {
    /// Whether the history knows the inputs of all runs of a job, up to the run that a marker names.
    ///
    /// The marker is written after the history, so it may name an earlier run. A history that was begun anew may know the run
    /// itself, but not its predecessors; it then has no `taken_by` for the job.
    fileprivate func knowsIngested(by run: String, of job: JobKey) throws(SQLiteError) -> Bool {
        let sql = """
            SELECT 1 FROM jobs WHERE name = ?1 AND path = ?2 AND taken_by IS NOT NULL
                AND (?3 IN (taken_by, taken_before) OR EXISTS (SELECT 1 FROM runs WHERE run = ?3))
            """
        return try !database.rows(sql, job.name, job.path, run) { $0.integer(0) }.isEmpty
    }

    /// Earlier names or paths under which this job ran incrementally, later than under its own: jobs of its name whose files are
    /// gone, and jobs of other names in its file.
    private func formerJobs(of job: JobKey) throws(DaybookError) -> [JobKey] {
        let sql = """
            SELECT name, path FROM jobs WHERE path <> '' AND (name = ?1) <> (path = ?2)
                AND taken_order > ifnull((SELECT taken_order FROM jobs WHERE name = ?1 AND path = ?2), 0)
            """
        let jobs = try rows(sql, [job.name, job.path]) {
            (name: $0.text(0) ?? "", path: jobPaths.whole($0.text(1) ?? ""))
        }
        return jobs.filter { $0.name != job.name || access($0.path.systemPath, F_OK) != 0 }
    }

    /// Notes a run as the last incremental one of its job, unless the inputs of its predecessors are unknown: the history was put
    /// aside since the run began, and this is the first run of a new one.
    func noteIngested(by record: RunRecord, of job: JobKey, _ marker: IngestMarker) throws(SQLiteError) {
        if record.takesAll != true {
            let last: String?
            // A marker that cannot be read may name any run.
            do throws(DaybookError) { last = try marker.run() } catch { return }
            if let last, try !knowsIngested(by: last, of: job) { return }
        }
        // A number, for the names of runs sort by their second alone, and clocks are put back.
        let sql = """
            UPDATE jobs SET taken_before = taken_by, taken_by = ?, taken_order = (SELECT ifnull(max(taken_order), 0) + 1 FROM jobs)
            WHERE name = ? AND path = ?
            """
        try SQLiteStatement(database, sql).run([record.run, job.name, job.path])
    }
}

extension StateDirectory {
    /// The history, if it knows the inputs of all incremental runs of a job; nil if there were none.
    ///
    /// Refuses a lost history, and one that does not know an incremental job: reading all files would give rows twice.
    ///
    /// - Parameter isOneOfSeveral: whether one file is several jobs, named by params.
    func historyOfIngested(by job: JobKey, isOneOfSeveral: Bool) throws(DaybookError) -> HistoryFile? {
        do throws(DaybookError) {
            try HistoryKeeper.takeEntries(of: self)
            let history = try HistoryFile.openToRead(in: self)
            let file = HistoryFile.path(in: self)
            let kept = (job.name, JobPaths(inHistory: file).kept(job.path))
            try checkNothingWaits()
            try history?.checkName(of: kept, isOneOfSeveral: isOneOfSeveral)
            guard let last = try IngestMarker(of: kept, besideHistory: file).run() else { return history }
            let isKnown = try history?.attempt { () throws(SQLiteError) in
                try history?.knowsIngested(by: last, of: kept) ?? false
            }
            guard isKnown == true else {
                throw .machine("taken-unknown", "the history at '\(file)' does not know the last run that took files")
            }
            return history
        } catch {
            guard error.code != DaybookError.interrupted.code else { throw error }
            throw .ingestedUnknown(error)
        }
    }

    /// Refuses if runs wait for the history, for they may have read files.
    private func checkNothingWaits() throws(DaybookError) {
        guard let names = try? DirectoryListing.names(in: entries), names.contains(where: { $0.hasSuffix(".json") })
        else { return }
        throw .machine(
            "taken-unknown",
            "runs wait in '\(entries)' that could not be brought into the history",
            hint:
                "let '\(path)' be written to, and the next command brings them in; those of a newer version, that version does"
        )
    }
}

extension HistoryFile {
    /// Refuses a job whose file or name changed since its last incremental run: under the new one it has read nothing.
    fileprivate func checkName(of job: JobKey, isOneOfSeveral: Bool) throws(DaybookError) {
        let former = try formerJobs(of: job).first { $0.name == job.name || !isOneOfSeveral }
        guard let former else { return }
        let isRenamed = former.name != job.name
        throw .machine(
            "taken-unknown",
            isRenamed
                ? "job '\(job.name)' was called '\(former.name)' when it last took what is new, and a job is known by its name"
                : "job '\(job.name)' was '\(former.path)' when it last took what is new, and a job is known by its path",
            hint: isRenamed
                ? "'daybook history adopt' gives it the past of '\(former.name)'; or give it its name back, or read all with '--full-refresh', "
                    + "after which the job is known by its new name"
                : "'daybook history adopt' gives it the past of that file; or move the file back, or give a job that is another one another "
                    + "name; or read all with '--full-refresh', after which the job is known by its new path"
        )
    }
}

extension DaybookError {
    /// What is new cannot be known without the history.
    static func ingestedUnknown(_ reason: DaybookError) -> DaybookError {
        let way: String? =
            switch reason.code {
            case "damaged-history": nil
            case "cannot-keep-history":
                "run again when it can be used: another process may hold it, or this user may not read it"
            default: reason.hint
            }
        return .machine(
            "taken-unknown",
            "what earlier runs have read cannot be told: \(reason.message)",
            hint: way
                ?? "bring the history back, of which a damaged one is kept as 'history.sqlite.damaged-…', or read all with "
                + "'--full-refresh'; an output with 'append' would then have all rows twice, so remove it first"
        )
    }
}

import DaybookBytes

/// Files that match the paths of a source in one run, and the files among them to read.
///
/// The days of a run are those of all its imports, so the files to read are known when all imports have looked.
package struct FoundInputs: Sendable {
    private struct File {
        let input: InputPath
        /// The days that it belongs to; empty where files belong to no days.
        let days: Set<CalendarDay>
        /// The days that it belonged to when it was read last.
        var before: Set<CalendarDay> = []
        var isTaken = false
        /// Whether no run has read a file of this name.
        var isNew = false
        /// Why it is read, for an import that need not read it.
        var reason: String?
        /// The file whose bytes it has, in words, where it is left out for that.
        var copied: String?
        /// The digest of its bytes, for a copy.
        var digest: FileDigest?
        /// What it was before it was renamed to another day.
        var former: IngestedFile?
        /// The file of another day whose bytes it has, and which is gone.
        var equal: IngestedFile?
        /// What is told of it, where its bytes are others by now.
        var changed: String?

        var lastDay: CalendarDay? { days.max() }
        /// Whether it is read although it has no rows of any day.
        var isNewWithoutDay: Bool { !isTaken && days.isEmpty && before.isEmpty }
        /// Whether an earlier run read it as it is.
        var isKnown: Bool { isTaken && copied == nil && changed == nil }

        var allDays: Set<CalendarDay> { days.union(before) }
    }

    private var files: [File] = []
    private let intake: FileIntake
    /// Endings of files that belong to a file of the source.
    private let companions: [String]
    private let patterns: [PathPattern]
    /// The paths of the other imports of the job.
    private let otherPatterns: [PathPattern]
    /// Files of the import that earlier runs have read and that are gone.
    private var gone: [IngestedFile] = []
    /// Whether the run that is repeated tells which files are read.
    private let isChosen: Bool
    /// Paths, as the job writes them, that match no file and need not match any.
    package private(set) var absent: [String] = []
    /// The days that the files to read belong to, with those to be made anew; empty if the import names no days.
    package private(set) var days: Set<CalendarDay> = []
    /// What came again and is left out, in words.
    private(set) var remarks: [String] = []
    /// What came again or late, and is to be told.
    private(set) var warnings: [JobWarning] = []
    /// Files left out that have the bytes of another, by which later runs know their names.
    private(set) var copies: [RunOutcome.Input] = []

    /// - Parameters:
    ///   - asOf: the day of the run.
    ///   - made: directories that the run makes for its outputs, which may be missing at the first run.
    ///   - hasRows: whether a file has rows.
    ///   - scan: the days of the rows of a file, where the import asks for these; nil if they do not matter.
    init(
        _ source: SourceKind,
        besides others: [SourceKind],
        _ settings: RunSettings,
        asOf: CalendarDay,
        made: [String],
        hasRows: (InputPath) throws(DaybookError) -> Bool,
        scan: ((InputPath) throws(DaybookError) -> Set<CalendarDay>)?
    ) throws(DaybookError) {
        let (known, chosen, redo) = (settings.ingested, settings.chosen, settings.redo)
        (intake, companions, isChosen) = (source.intake, source.companions, chosen != nil)
        let patterns = { (source: SourceKind) in
            source.patterns.map { PathPattern($0.text, from: settings.directory, in: settings.origin) }
        }
        self.patterns = patterns(source)
        otherPatterns = others.flatMap(patterns)
        var seen: [String: InputPath] = [:]
        for (path, pattern) in zip(source.patterns, self.patterns) {
            let found: [InputPath]
            do throws(DaybookError) { found = try pattern.expand() } catch {
                guard intake.isOptional, error.code == "input-not-found" else { throw error.located(at: path.place) }
                if let missing = pattern.missingDirectory,
                    !made.contains(where: { ($0 + "/").hasPrefix(FilePath.tidied(missing) + "/") })
                {
                    // An empty directory is a day without files. A missing directory is an unmounted disk, or a mistake in
                    // the path.
                    throw DaybookError(
                        "input-directory-missing",
                        "the directory '\(missing)', in which '\(path.text)' is looked for, is not there",
                        at: path.place,
                        hint:
                            "is its disk mounted? 'optional' lets a directory hold no such file, and the directory itself must be there",
                        blame: .machine
                    )
                }
                absent.append(path.text)
                continue
            }
            let before = files.count
            for input in found {
                if chosen?.holds(input) == false {
                    if intake.isNewOnly { files.append(File(input: input, days: [], isTaken: true)) }
                    continue
                }
                // Every row of a file that is read twice would count twice, which is never intended.
                if let other = seen.updateValue(
                    input,
                    forKey: input.isStandardInput ? "-" : input.canonical ?? input.path
                ) {
                    let both = other.name == input.name ? "twice" : "as '\(other.name)' and as '\(input.name)'"
                    throw DaybookError(
                        "input-twice",
                        "one file is read \(both)",
                        at: path.place,
                        hint: "name it once; patterns may overlap"
                    )
                }
                var delivery: Delivery?
                if intake.isNewOnly, let known, chosen == nil, redo == nil || intake.day?.isOfRows == true {
                    delivery = try known.delivery(input, with: source.companions, asLast: intake.day != nil)
                }
                let (days, before) = try days(of: input, delivery, known, scan)
                var file = File(input: input, days: days, before: before)
                if redo != nil, intake.isNewOnly {
                    // What is new waits for a run of its own: the outputs that would get it are left alone.
                    file.isTaken = days.isEmpty
                } else if let delivery {
                    try judge(&file, delivery, asOf)
                }
                files.append(file)
            }
            // A repeated run did not find any.
            if before == files.count { absent.append(path.text) }
        }
        guard let day = intake.day else { return }
        if !isChosen, let known {
            let areCopiesOne = intake.redelivery.sameBytes != .take
            gone = known.gone(day, besides: files.map(\.input), self.patterns, areCopiesOne: areCopiesOne)
            try findRenamed(known, hasRows)
        }
        days = daysToRead
        if let redo { days = days.union(gone.flatMap(\.days)).filter(redo.contains) }
    }

    /// Finds files that are gone under other names. One that was renamed to another day has left its own, which is made anew;
    /// files without rows are alike, and leave nothing.
    ///
    /// Two days may have equal files, of which the earlier one was put away. A file that came or was written since, or
    /// that could be one of several, is therefore taken for one of its own, and no row of the other day is touched.
    private mutating func findRenamed(
        _ known: any IngestedInputs,
        _ hasRows: (InputPath) throws(DaybookError) -> Bool
    ) throws(DaybookError) {
        let sizes = Set(gone.map(\.bytes))
        var same: [String: [Int]] = [:]
        for index in files.indices where !files[index].isKnown && files[index].input.size.map(sizes.contains) == true {
            same[try files[index].input.contentDigest().xxh128, default: []].append(index)
        }
        let lack = gone.filter { lost in same[lost.xxh128]?.contains { files[$0].days == lost.days } == false }
        let alike = Dictionary(grouping: lack, by: \.xxh128).mapValues(\.count)
        for lost in gone {
            guard let found = same[lost.xxh128] else { continue }
            if !found.contains(where: { files[$0].days == lost.days }) {
                let mayBeRenamed = intake.redelivery.sameBytes != .take && alike[lost.xxh128] == 1
                var new: Int?
                for index in found where new == nil {
                    let input = files[index].input
                    if case .taken = try known.delivery(input, with: companions, asLast: true) { continue }
                    guard try hasRows(input) else { continue }
                    if mayBeRenamed, lost.wasRead(after: input) { new = index } else { files[index].equal = lost }
                }
                guard let new else { continue }
                files[new].before.formUnion(lost.days)
                files[new].former = lost
            }
            gone.removeAll { $0.place == lost.place }
        }
    }

    /// The days that a file belongs to, and those that it belonged to when it was read last.
    private func days(
        of input: InputPath,
        _ delivery: Delivery?,
        _ known: (any IngestedInputs)?,
        _ scan: ((InputPath) throws(DaybookError) -> Set<CalendarDay>)?
    ) throws(DaybookError) -> (now: Set<CalendarDay>, before: Set<CalendarDay>) {
        guard let form = intake.day else { return ([], []) }
        guard form.isOfRows else {
            guard let day = form.day(ofPath: input.name) else { throw form.refusal(of: input.shown) }
            return ([day], [])
        }
        let before = known?.days(of: input, in: form.column.text)
        if case .taken? = delivery, let before { return (before, before) }
        return (try scan?(input) ?? [], before ?? [])
    }

    /// Applies the policies of the import to a file that may have come again or late.
    private mutating func judge(_ file: inout File, _ delivery: Delivery, _ asOf: CalendarDay) throws(DaybookError) {
        let name = file.input.shown
        switch delivery {
        case .taken: file.isTaken = true
        case .otherBytes(let earlier):
            let text = "'\(name)' has other bytes than \(earlier.whenTaken)"
            file.reason = "other bytes than \(earlier.whenTaken)"
            switch intake.redelivery.otherBytes {
            case .redo: break
            case .warn:
                (file.isTaken, file.changed) = (true, text)
            case .fail:
                let day = file.lastDay.map { "'--redo \($0)' makes its day anew, and " } ?? ""
                throw .data(
                    "redelivered",
                    text,
                    hint:
                        "\(day)'redelivery: { other_bytes: redo }' at the import reads such files, and 'warn' leaves them out"
                )
            }
        case .sameBytes, .new:
            // Of another day, the same bytes are other rows.
            if case .sameBytes(let others) = delivery,
                let earlier = others.last(where: {
                    intake.dayOfName?.day(ofPath: $0.path) == intake.dayOfName?.day(ofPath: file.input.name)
                        && isOwn($0)
                })
            {
                if try leavesOut(&file, "those of '\(earlier.path)', \(earlier.whichTook)") { return }
            }
            (file.isNew, file.reason) = (true, "new")
            guard let late = intake.late, let day = file.lastDay, asOf.number - day.number > late.days else { return }
            let text =
                "'\(name)' comes \(DisplayText.count(Int(asOf.number - day.number), "day")) after its day, more than \(late.days)"
            switch late.then {
            case .accept: break
            case .warn: warnings.append(JobWarning("late-delivery", text))
            case .fail:
                let hint = "'--redo \(day)' reads it; or move it away, or say 'then: warn' under 'late'"
                throw .data("late-delivery", text, hint: hint)
            }
        }
    }

    /// Whether a file was read by this import, whose path may have been another then.
    private func isOwn(_ file: IngestedFile) -> Bool {
        file.isFound(by: patterns) || !file.isOutput && !file.isFound(by: otherPatterns)
    }

    /// Whether a file with the bytes of another is left out.
    private func leavesOut(_ file: inout File, _ others: String) throws(DaybookError) -> Bool {
        switch intake.redelivery.sameBytes {
        case .take: return false
        case .skip:
            (file.isTaken, file.copied, file.digest) = (true, others, try file.input.contentDigest())
            return true
        case .fail:
            throw .data(
                "redelivered",
                "the bytes of '\(file.input.shown)' are \(others)",
                hint: "move it away; 'redelivery: { same_bytes: take }' at the import reads both"
            )
        }
    }

    /// The days that a run makes which makes some days: with all files of a day come those of their other days.
    func reach(of wanted: Set<CalendarDay>) -> Set<CalendarDay> {
        files.reduce(into: wanted) { if !$1.allDays.isDisjoint(with: wanted) { $0.formUnion($1.allDays) } }
    }

    private var daysToRead: Set<CalendarDay> {
        files.reduce(into: []) { if !$1.isTaken { $0.formUnion($1.allDays) } }
    }

    /// The days of the rows of a file, where the import reads them from a column.
    func days(of input: InputPath) -> DaysOfFile? {
        guard let day = intake.day, day.isOfRows, let file = files.first(where: { $0.input.path == input.path }) else {
            return nil
        }
        return DaysOfFile(column: day.column.text, days: file.days)
    }

    /// Reads all files of each of the run's days, and none of other days; of chosen files, those. Where two files have the
    /// same bytes, one of them.
    mutating func take(_ wanted: Set<CalendarDay>) throws(DaybookError) {
        guard intake.isNewOnly, !isChosen else { return }
        defer { tell() }
        if let form = intake.day {
            for index in files.indices where !files[index].isNewWithoutDay {
                files[index].isTaken = files[index].allDays.isDisjoint(with: wanted)
            }
            for lost in gone where !lost.days.isDisjoint(with: wanted) {
                let day = lost.days.intersection(wanted).max().map(\.description) ?? ""
                throw .data(
                    "day-incomplete",
                    "'\(lost.path)' belongs to \(day), which is made anew, and is gone",
                    at: form.pattern?.place ?? form.column.place,
                    hint: "bring the file back; where its rows are to go, put a file in its place that has none"
                )
            }
            // The day counts only where the import has files of it, or had.
            days = daysToRead
        }
        try leaveOutCopies()
    }

    /// Tells what came again, now that it is known which files are read.
    private mutating func tell() {
        for file in files {
            if file.isTaken, let others = file.copied {
                remarks.append("left out '\(file.input.shown)': its bytes are \(others)")
                var copy = RunOutcome.Input(path: file.input.name, bytes: file.input.size ?? 0, digest: file.digest)
                copy.days = days(of: file.input)
                copies.append(copy)
            }
            if !file.isTaken, let former = file.former {
                warnings.append(
                    JobWarning(
                        "renamed-day",
                        "read '\(file.input.shown)', which was '\(former.path)': the day of that is made anew without it",
                        hint: "'redelivery: { same_bytes: take }' at the import says that days may have equal files"
                    )
                )
                // Later runs know the name for a file without rows.
                copies.append(RunOutcome.Input(path: former.path, bytes: 0, digest: FileDigester(.never).finish()))
            }
            if !file.isTaken, let equal = file.equal, intake.redelivery.sameBytes != .take {
                let days = equal.days.map(\.description).sorted()
                warnings.append(
                    JobWarning(
                        "equal-days",
                        "'\(file.input.shown)' has the bytes of '\(equal.path)', which is gone, and is read as a file of its own; "
                            + "\(DisplayText.list(days)) keeps its rows",
                        hint:
                            "'redelivery: { same_bytes: take }' at the import says that days may have equal files; for one that was renamed, "
                            + "put a file without rows in the old place, and make its day with '--redo \(days.last ?? "")'"
                    )
                )
            }
            if let text = file.changed {
                let fate = file.isTaken ? "is left out" : "is read, since its day is made"
                warnings.append(JobWarning("redelivered", "\(text), and \(fate)"))
            }
        }
    }

    /// Leaves out files with the bytes of another file that is read, of the same day where files belong to days.
    private mutating func leaveOutCopies() throws(DaybookError) {
        guard intake.redelivery.sameBytes != .take else { return }
        let read = files.indices.filter { !files[$0].isTaken && !files[$0].input.isReadOnce }
        let bySize = Dictionary(grouping: read) { files[$0].input.size ?? -1 }
        for same in bySize.values where same.count > 1 {
            var first: [String: Int] = [:]
            // Of two copies, the one that was read before stays.
            for index in same.sorted(by: { (files[$0].isNew ? 1 : 0, $0) < (files[$1].isNew ? 1 : 0, $1) }) {
                let file = files[index]
                // Rows may stand in a companion alone.
                if try file.input.hasCompanion(companions) { continue }
                let digest = try file.input.contentDigest().xxh128 + (file.lastDay.map { " \($0)" } ?? "")
                if let other = first[digest] {
                    _ = try leavesOut(&files[index], "those of '\(files[other].input.shown)'")
                } else {
                    first[digest] = index
                }
            }
        }
    }

    /// The files to read.
    package var read: [InputPath] { files.filter { !$0.isTaken }.map(\.input) }
    /// Files that an earlier run imported.
    package var taken: [InputPath] { files.filter(\.isTaken).map(\.input) }
    var leftOut: Int { files.count { $0.isTaken && !$0.isKnown } }
    /// The days that the names of the files to read say.
    var dayOfFile: [(name: String, day: CalendarDay)] {
        guard intake.dayOfName != nil else { return [] }
        return files.compactMap { file in file.isTaken ? nil : file.days.first.map { (file.input.name, $0) } }
    }
    /// Why files are read that need not be, by name.
    var reasons: [(name: String, reason: String)] {
        files.compactMap { file in file.isTaken ? nil : file.reason.map { (file.input.shown, $0) } }
    }

    /// Whether no file is left to read, so that only the job or an imported file gives the columns.
    var isEmpty: Bool { !(files.isEmpty && absent.isEmpty) && files.allSatisfy(\.isTaken) }
}

extension InputPath {
    fileprivate func contentDigest() throws(DaybookError) -> FileDigest {
        do { return try digest() } catch { throw .cannotRead(self, error) }
    }
}

/// Selected files among the files that the paths match: the files that another run read.
public struct ChosenFiles: Sendable {
    private let names: Set<String>
    private let mask: SecretMask

    /// - Parameters:
    ///   - names: the files as a manifest names them.
    ///   - mask: mask by which the manifest hides secrets in the names.
    public init(names: Set<String>, mask: SecretMask) { (self.names, self.mask) = (names, mask) }

    func holds(_ input: InputPath) -> Bool { names.contains(mask.masking(input.name)) }
}

extension [InputPath] {
    /// Total size in bytes; nil if some are streams or missing.
    package var totalSize: Int? {
        let sizes = compactMap(\.size)
        return sizes.count == count ? sizes.reduce(0, +) : nil
    }
}

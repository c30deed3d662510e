import DaybookBytes
import DaybookEngine
import DaybookJobTools
import Foundation

/// The rows of an earlier commit: their findings are known, so that only those in changed rows count.
struct EarlierRows {
    let tree: GitTree
    let changed: ChangedFiles
    /// An existing directory for the files of the commit.
    let directory: String

    /// The findings that the job as it is now has in the files as the commit has them.
    ///
    /// Nil where the commit has none of them, and where the job cannot read them; that is told.
    ///
    /// - Parameter chosen: the only files that are read; nil for all.
    func findings(
        of session: RunSession,
        _ reading: JobReading,
        in chosen: [InputPath]?
    ) throws(DaybookError) -> Baseline? {
        let place = FilePath.join(directory, UUID().uuidString)
        defer { try? FileManager.default.removeItem(atPath: place) }
        guard let files = try EarlierFiles(of: reading, chosen, self, in: place) else { return nil }
        let earlier = JobReading(files.job, session.options, repeats: true)
        do throws(DaybookErrors) {
            guard let plan = earlier.plan else { throw DaybookErrors(earlier.problems) }
            let dry = try DryRun(plan, CommandContext.current.table, from: earlier.directory)
            defer { dry.remove() }
            var silent = session
            (silent.showsProgress, silent.takesAll) = (false, true)
            let outcome = silent.run(dry.plan, earlier, nil, in: dry.state, recordsFindings: true)
            if let baseline = outcome.baseline { return baseline }
            throw DaybookErrors(outcome.errors)
        } catch {
            let reason = error.errors.first.map { ": \($0.message)" } ?? ""
            Terminal.warn(
                DaybookError(
                    "no-earlier-rows",
                    "'\(session.job)' cannot read the earlier files, so all rows count\(reason)"
                )
            )
            return nil
        }
    }
}

extension EarlierRows {
    /// The only files that a run of a job has to read; nil for all.
    ///
    /// Findings in files that are as they were are known, where no stage brings rows of several files together. Of these
    /// files one is read all the same, with whose columns those of the others are compared.
    func files(of plan: Plan, _ directory: String) -> [InputPath]? {
        guard plan.judgesFilesApart else { return nil }
        let paths = Set(changed.names.map { FilePath.join(changed.root, $0) })
        let names = Set(paths.map(FilePath.name))
        let found = plan.inputs(from: directory).flatMap { (try? $0.pattern.expand()) ?? [] }
        // A whole path is asked of the file system, name by name.
        let touched = found.filter {
            names.contains(FilePath.name(of: $0.path)) && paths.contains(FilePath.canonical($0.path))
        }
        guard !touched.isEmpty, let first = found.first(where: { !touched.contains($0) }) else { return nil }
        return touched + [first]
    }
}

extension Plan {
    /// Whether what is found in a file is the same whatever other files are read.
    fileprivate var judgesFilesApart: Bool {
        // No row has this column, so a stage keeps rows apart by it only if it compares none.
        let file = ColumnName("\u{0}")
        let policies = [job.rejects] + job.stages.map(\.rejects)
        return !writes && inputs(from: "").count == 1 && policies.allSatisfy { $0?.allow?.isShare != true }
            && stages.allSatisfy { stage in
                guard case .fold(let fold) = stage.role else { return true }
                return fold.separates(file) && !stage.inputs.contains(where: \.isBuildSide)
                    && fold.asCheck?.tableRules.isEmpty != false
                    && fold.asCheck?.pastRequests.isEmpty != false && stage.rules.allSatisfy { !$0.limits.haveShares }
            }
    }
}

extension Allowance {
    fileprivate var isShare: Bool { if case .share = self { true } else { false } }
}

extension RuleLimits {
    fileprivate var haveShares: Bool { [warn, fail].contains { $0?.allowance.isShare == true } }
}

/// The files of a job as a commit has them, beside those that it left as they are.
///
/// They stand in a directory of its own, where the job finds them by the same paths.
struct EarlierFiles {
    /// The job in that directory.
    let job: String

    /// Nil where the commit has none of the files, or the job finds them by paths that leave the repository.
    init?(
        of reading: JobReading,
        _ chosen: [InputPath]?,
        _ rows: EarlierRows,
        in directory: String
    ) throws(DaybookError) {
        let changed = rows.changed
        guard let plan = reading.plan else { return nil }
        let file = FilePath.canonical(reading.file)
        let inputs = plan.inputs(from: reading.directory).map(\.pattern)
        guard file.hasPrefix(changed.root + "/"), inputs.allSatisfy({ !$0.text.hasPrefix(changed.root + "/") }) else {
            return nil
        }
        let place = { (path: String) in FilePath.join(directory, String(path.dropFirst(changed.root.count + 1))) }
        job = place(file)
        try EarlierFiles.makeParent(of: job)
        let copy = Bytes()
        copy.append(reading.bytes)
        try WholeFile.write(copy, to: job)
        let others = Set(changed.names.map { FilePath.join(changed.root, $0) })
        var hasEarlier = false
        for path in others.sorted() where inputs.contains(where: { $0.wouldFind(path) }) {
            try EarlierFiles.makeParent(of: place(path))
            let isKnown = try rows.tree.write(String(path.dropFirst(changed.root.count + 1)), to: place(path))
            if isKnown { hasEarlier = true } else { unlink(place(path)) }
        }
        guard hasEarlier else { return nil }
        let siblings = (try? FileManager.default.contentsOfDirectory(atPath: FilePath.directory(of: file))) ?? []
        let read = chosen ?? inputs.flatMap { (try? $0.expand()) ?? [] }
        let found = read.map { FilePath.canonical($0.path) }
        for path in found + siblings.map({ FilePath.join(FilePath.directory(of: file), $0) })
        where path.hasPrefix(changed.root + "/") && !others.contains(path) {
            guard (try? FileStatus.of(path))??.isRegularFile == true else { continue }
            try EarlierFiles.makeParent(of: place(path))
            // What stands there already is the same file, found twice.
            symlink(path, place(path))
        }
    }

    private static func makeParent(of path: String) throws(DaybookError) {
        do {
            try FileManager.default.createDirectory(
                atPath: FilePath.directory(of: path),
                withIntermediateDirectories: true
            )
        } catch { throw .machine("cannot-write", "cannot make a directory: \(error.localizedDescription)") }
    }
}

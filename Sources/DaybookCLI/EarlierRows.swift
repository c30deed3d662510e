import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookJobTools
import Foundation

/// What 'change' and 'anomaly' of a job compare with, where that is not its own history.
enum PastSource {
    case runs(StateDirectory)
    case files(EarlierRows)

    /// - Parameter text: a state directory, or what git knows as a commit.
    init(_ text: String, in place: ScratchPlace?) throws {
        if (try? FileStatus.of(text))??.isDirectory == true {
            let state = StateDirectory(text)
            try HistoryKeeper.takeEntries(of: state)
            guard try HistoryFile.openToRead(in: state) != nil else {
                throw DaybookError.noHistory(
                    in: state,
                    hint: "name the state directory of the runs to compare with, or a branch, tag or commit"
                )
            }
            self = .runs(state)
        } else if let place {
            try place.make()
            self = .files(try EarlierRows(text, in: place.path))
        } else {
            preconditionFailure("the files of a commit are written to a place")
        }
    }
}

/// The rows of an earlier commit: their findings are known, so that only those in changed rows count, and their figures are a past.
struct EarlierRows {
    let changed: ChangedFiles
    fileprivate let tree: GitTree
    /// An existing directory for the files of the commit.
    private let directory: String

    /// - Parameter reference: the commit is the one at which HEAD left it.
    init(_ reference: String, in directory: String) throws(DaybookError) {
        tree = try GitTree(reference, in: URL(fileURLWithPath: directory))
        changed = try tree.changedFiles()
        self.directory = directory
    }

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
        try outcome(of: session, reading, in: chosen, recordsFindings: true, else: "all rows count")?.baseline
    }

    /// The figures of rules in the files as the commit has them, as of the day before that of the run.
    func figures(of session: RunSession, _ reading: JobReading, _ plan: Plan) throws(DaybookError) -> [PlannedPast] {
        let requests = plan.pastRequests
        guard !requests.isEmpty else { return [] }
        var alone = session
        alone.earlier = nil
        let run = try outcome(
            of: alone,
            reading,
            in: nil,
            recordsFindings: false,
            else: "nothing is compared with them"
        )
        guard let run else { return [] }
        let day = CalendarDay(number: plan.context.asOf.number - 1)
        return requests.compactMap { stage, name, _ in
            let rule = run.rules.first { $0.stage == stage && $0.rule.id == name }
            guard let rule, let observation = rule.observation else { return nil }
            // The files of the commit have no past of their own, whatever 'first' says of that.
            let passed = rule.verdict != .failed || observation.lacksPast
            let entry = { (value: Double) in
                FigurePast.Entry(day: day, run: tree.name, value: value, passed: passed)
            }
            var past = FigurePast(observation.value.map { [entry($0.value)] } ?? [])
            for figure in observation.groups { past.ofGroups[figure.group] = [entry(figure.value)] }
            return PlannedPast(stage: stage, name: name, past: past)
        }
    }

    /// Whether the commit's files cannot stand where a path of the job finds them: it is a whole path, or leaves the repository.
    private func isOutside(_ pattern: PathPattern, _ reading: JobReading) -> Bool {
        guard !pattern.text.hasPrefix("/") else { return true }
        let base = FilePath.canonical(reading.directory)
        return !(FilePath.tidied(FilePath.join(base, pattern.text)) + "/").hasPrefix(changed.root + "/")
    }

    /// A run of the job as it is now with the files as the commit has them; nil, and told, where it cannot read them.
    private func outcome(
        of session: RunSession,
        _ reading: JobReading,
        in chosen: [InputPath]?,
        recordsFindings: Bool,
        else consequence: String
    ) throws(DaybookError) -> RunOutcome? {
        let place = FilePath.join(directory, UUID().uuidString)
        defer { try? FileManager.default.removeItem(atPath: place) }
        if let path = reading.plan?.inputs(from: reading.directory).first(where: { isOutside($0.pattern, reading) }) {
            let message =
                "'\(session.job)' finds '\(path.pattern.text)' by a path that leads out of the files of \(tree.name), so \(consequence)"
            let hint = "write the path from the directory of the job, to a file of the repository"
            Terminal.warn(DaybookError("no-earlier-rows", message, hint: hint))
            return nil
        }
        guard let files = try EarlierFiles(of: reading, chosen, self, needsOthers: recordsFindings, in: place) else {
            return nil
        }
        let earlier = JobReading(files.job, session.options, repeats: true)
        do throws(DaybookErrors) {
            guard let plan = earlier.plan else { throw DaybookErrors(earlier.problems) }
            let dry = try DryRun(plan, CommandContext.current.table, from: earlier.directory)
            defer { dry.remove() }
            var silent = session
            (silent.showsProgress, silent.takesAll, silent.pastSource) = (false, true, nil)
            let outcome = silent.run(dry.plan, earlier, nil, in: dry.state, recordsFindings: recordsFindings)
            if outcome.errors.isEmpty { return outcome }
            throw DaybookErrors(outcome.errors)
        } catch {
            let reason = error.errors.first.map { ": \($0.message.replacing(place + "/", with: ""))" } ?? ""
            Terminal.warn(
                DaybookError(
                    "no-earlier-rows",
                    "'\(session.job)' cannot read the earlier files, so \(consequence)\(reason)"
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
        let found = plan.inputs(from: directory).flatMap { (try? $0.pattern.expand()) ?? [] }
        let touched = found.filter { input in
            // The link itself may be new, or lead elsewhere.
            [FilePath.canonical(input.path), FilePath.place(of: input.path)].contains(where: paths.contains)
        }
        guard !touched.isEmpty, touched.count < found.count else { return nil }
        // A file that the commit has too, whose findings are known.
        let tracked = (try? tree.files()) ?? []
        let first = found.first { input in
            let path = FilePath.canonical(input.path)
            return !touched.contains(input) && path.hasPrefix(changed.root + "/")
                && tracked.contains(String(path.dropFirst(changed.root.count + 1)))
        }
        return touched + [first].compactMap(\.self)
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
    ///
    /// - Parameter needsOthers: whether it is nil too where all files are as they were.
    init?(
        of reading: JobReading,
        _ chosen: [InputPath]?,
        _ rows: EarlierRows,
        needsOthers: Bool,
        in directory: String
    ) throws(DaybookError) {
        let changed = rows.changed
        guard let plan = reading.plan else { return nil }
        let file = FilePath.canonical(reading.file)
        let inputs = plan.inputs(from: reading.directory).map(\.pattern)
        guard file.hasPrefix(changed.root + "/") else { return nil }
        let place = { (path: String) in FilePath.join(directory, String(path.dropFirst(changed.root.count + 1))) }
        job = place(file)
        try EarlierFiles.makeParent(of: job)
        let copy = Bytes()
        copy.append(reading.bytes)
        try WholeFile.write(copy, to: job)
        let others = Set(changed.names.map { FilePath.join(changed.root, $0) })
        var (hasEarlier, hasNew, hasKept) = (false, false, false)
        for path in others.sorted() where inputs.contains(where: { $0.wouldFind(path) }) {
            let name = String(path.dropFirst(changed.root.count + 1))
            guard !changed.new.contains(name), !changed.links.contains(name) else { continue }
            try EarlierFiles.makeParent(of: place(path))
            try rows.tree.write(name, to: place(path))
            hasEarlier = true
        }
        let found = chosen ?? inputs.flatMap { (try? $0.expand()) ?? [] }
        let read = Set(found.map { FilePath.place(of: $0.path) })
        let tracked = try rows.tree.files()
        for path in read where path.hasPrefix(changed.root + "/") {
            // What stands there was written, or is found twice.
            guard access(place(path), F_OK) != 0 else { continue }
            switch Self.origin(of: path, changed, others, tracked) {
            case .none: hasNew = true
            case .unknown where !needsOthers: hasNew = true
            case .unknown(let real), .kept(let real):
                try EarlierFiles.makeParent(of: place(path))
                symlink(real, place(path))
                hasKept = true
            case .changed(let name):
                try EarlierFiles.makeParent(of: place(path))
                try rows.tree.write(name, to: place(path))
                hasEarlier = true
            }
        }
        guard hasEarlier || hasNew && hasKept || !needsOthers else { return nil }
        let siblings = (try? FileManager.default.contentsOfDirectory(atPath: FilePath.directory(of: file))) ?? []
        for path in siblings.map({ FilePath.join(FilePath.directory(of: file), $0) })
        where !others.contains(path) && !read.contains(path) {
            guard (try? FileStatus.of(path))??.isRegularFile == true else { continue }
            symlink(path, place(path))
        }
    }

    /// Where the commit has the content of an input.
    private enum Origin {
        /// Nowhere: it came later, or is of another commit of another repository.
        case none
        /// Git does not follow it, so nobody knows whether it is as it was. It never counts as changed, and is no past either.
        case unknown(String)
        /// It is as it was, at this path.
        case kept(String)
        /// In a file of that name from the top of the repository.
        case changed(String)
    }

    /// - Parameter path: the path of an input in the repository, of which the last part may be a link.
    private static func origin(
        of path: String,
        _ changed: ChangedFiles,
        _ others: Set<String>,
        _ tracked: Set<String>
    ) -> Origin {
        let name = { (path: String) in String(path.dropFirst(changed.root.count + 1)) }
        let real = FilePath.canonical(path)
        let isMoved = real != path && (changed.links.contains(name(path)) || changed.new.contains(name(path)))
        let isOfModule = changed.links.contains { (real + "/").hasPrefix(FilePath.join(changed.root, $0) + "/") }
        if isMoved || isOfModule { return .none }
        guard real.hasPrefix(changed.root + "/"), tracked.contains(name(real)) else {
            return others.contains(real) ? .none : .unknown(real)
        }
        return others.contains(real) ? .changed(name(real)) : .kept(real)
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

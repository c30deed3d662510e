import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookJobTools
import DaybookNotify
import DaybookReports
import Foundation

/// One run of one job from the command line: reads it, runs it, keeps its manifest, and reports.
struct RunSession {
    var job: String
    /// The text of the job, where no file holds it.
    var text: String?
    var options: JobOptions
    var threads: Int
    /// Where the command line asks for the state.
    var place: StateOption
    /// The state directory, once the job is read.
    var state = StateDirectory("")
    /// Whether the job names a state directory that cannot be told, so that nothing is kept of the run.
    private(set) var isStateUnknown = false
    /// Whether to wait for another run of the job, and for the jobs that it comes after.
    var waits = false
    /// Where the manifest goes beside the state directory.
    var manifest: String?
    var reports: [ReportTarget]
    /// How many findings are put into words, for each rule.
    var maxFindings: Int
    /// Of which inputs and outputs the manifest tells the SHA-256.
    var sha256: SHA256Policy
    /// The file of known findings, and whether the run makes it anew.
    var baseline: (file: String, isUpdated: Bool)?
    /// The files of an earlier commit, where only findings count that are not in them.
    var earlier: EarlierRows?
    /// What 'change' and 'anomaly' compare with, where that is not the history of the state directory.
    var pastSource: PastSource?
    /// The commit that a key 'diff' of the job is about, where it names none.
    var diffCommit: String?
    /// Of a run that neither the history nor a manifest keeps, the state directory to use where it writes nothing.
    var scratch: StateDirectory?
    private var isKept: Bool { scratch == nil }
    /// Of which runs nothing is said on standard error.
    var quiet: Quiet?
    var showsProgress: Bool
    /// Whether the job may start programs that tell somebody of the run.
    var allowsCommands = RunSession.environmentAllowsCommands
    /// Makes of the plan of the job what is run, where that is not the job as it stands; it is handed the job's directory.
    var change: (Plan, String) throws(DaybookErrors) -> Plan = { (plan, _) throws(DaybookErrors) in plan }
    /// What the command reads beside the job, and what it is.
    var reads: [(path: String, what: String)] = []
    /// What shards have made of the rows, and where their files are; nil for a run that reads its rows itself.
    var shards: (plan: ReadShardPlan, places: [String])?
    /// Whether nothing is written but what the run would change.
    var isDry = false
    /// Whether imports with 'new_only' read all files.
    var takesAll = false
    /// The days to make anew; nil for what is new.
    var redo: RedoneDays?
    /// Whether there may be no file of these days.
    var mayRedoNothing = false
    /// What the progress line says before the stage.
    var progressPrefix = ""
    /// Whether outputs that grow may have rows though no run of the job is known.
    var begins = false
    /// What the manifest is called behind the name of the job. Of a run that has such a name there is no history.
    var manifestSuffix = ""

    /// Whether text goes to standard error where no report does.
    var tellsText = true

    /// Runs to the end and gives the exit code.
    func run() -> Int32 { conclude().exitCode }

    /// Runs to the end, reports, and gives what there is to tell.
    func conclude() -> RunReport {
        let (start, begun) = (ContinuousClock.now, Date())
        var reading = JobReading(job, options, readsRows: true, repeats: true, text: text)
        var session = self
        session.state = place.directory(of: reading)
        session.isStateUnknown = place.isUnknown(for: reading)
        if isDry { return session.concludeDry(reading, start, begun) }
        // Before anything else is looked at that may be an output of a run that was killed, or what it read. Services are
        // asked, since only a finished run is in the history. What hinders it ends the run later.
        if let done = try? session.state.recover(), !done.finished.isEmpty {
            let files = DisplayText.count(done.finished.count, "output")
            Terminal.remark("finished the commit of a run that was killed: \(files) of it came into place")
            reading = reading.again
        }
        return session.conclude(reading, start, begun)
    }

    private func conclude(_ reading: JobReading, _ start: ContinuousClock.Instant, _ begun: Date) -> RunReport {
        var (start, begun) = (start, begun)
        var report = RunReport(reading, threads: threads, started: begun)
        report.surroundings = ReportSurroundings(around: reading.directory, Terminal.variable)
        var refused: [(file: SideFile, error: DaybookError)] = []
        // Held until the manifest is kept, which tells of the last run.
        var lock: JobLock?
        defer { lock?.release() }
        var keeper: HistoryKeeper?
        do throws(DaybookErrors) {
            let plan = try reading.plan.map { plan throws(DaybookErrors) in try change(plan, reading.directory) }
            refused = refusedFiles(reading, plan)
            guard let plan else { throw DaybookErrors(reading.problems) }
            if !isKept, let error = plan.needsHistory { throw DaybookErrors(error) }
            report.tell(of: plan.job)
            report.tell(of: plan)
            // A plan of shards gives the values of all params, also of those that were left to the job.
            if let set = shards?.plan.plan.set {
                for index in report.params.indices {
                    report.params[index].isSet = set.contains(report.params[index].name)
                }
            }
            if refused.isEmpty {
                do throws(DaybookError) {
                    let waited = try awaitOthers(plan.job, reading.directory)
                    let scratch = plan.writes ? nil : scratch
                    if scratch == nil { lock = try takeLock(report.job) }
                    (start, begun) = (.now, waits || waited ? Date() : begun)
                    report.started = Int64(begun.timeIntervalSince1970 * 1_000_000)
                    keeper = makeKeeper(report, since: start)
                    report.outcome = run(plan, reading, keeper, in: scratch, diff: diff(plan, reading))
                } catch { report.outcome = RunOutcome([error], of: plan, in: reading.directory) }
            } else {
                report.outcome = RunOutcome(refused.map(\.error), of: plan, in: reading.directory)
            }
        } catch {
            if refused.isEmpty { refused = refusedFiles(reading, reading.plan) }
            report.outcome = RunOutcome(errors: error.errors + refused.map(\.error))
        }
        report.exitCode = report.outcome.exitCode
        report.nanoseconds = RunSession.nanoseconds(since: start)
        var allowed = self
        // Nothing goes over a baseline that was refused.
        func isRefused(_ path: String, isReport: Bool) -> Bool {
            refused.contains { file, _ in
                file.option == "--baseline" && FilePath.canonical(file.path) == FilePath.canonical(path)
                    || file.isReport == isReport && file.path == path
            }
        }
        if let manifest, isRefused(manifest, isReport: false) { allowed.manifest = nil }
        allowed.reports.removeAll { report in report.file.map { isRefused($0, isReport: true) } ?? false }
        if let baseline, let new = report.outcome.baseline, report.outcome.errors.isEmpty {
            attempt(&report) { () throws(DaybookError) in try write(new.bytes, to: baseline.file) }
        }
        allowed.keepManifest(&report)
        let history = keeper ?? makeKeeper(report, since: start)
        var run = report.outcome.isRecorded ? report.outcome.run : nil
        if leavesTraces(report), !report.outcome.isRecorded { run = history?.keep(failed: report) }
        if let run, let job = reading.job, let keep = job.keep {
            let first = job.catchUp == .daily ? MissedDays.first(before: job.day) : nil
            history?.keep(keep.runs, of: report, run, failedFrom: first)
        }
        for remark in history?.remarks ?? [] { Terminal.warn(remark) }
        tell(reading.job?.notices ?? [], of: &report, run: run, history)
        if let history, reports.contains(where: { $0.reporter == HTMLReporter.self }) {
            report.ruleStrips = history.ruleStrips(of: report).byRule
        }
        allowed.writeReports(&report)
        return report
    }

    /// Runs to the end in a directory of its own, tells what would change, and removes everything.
    private func concludeDry(_ reading: JobReading, _ start: ContinuousClock.Instant, _ begun: Date) -> RunReport {
        var report = RunReport(reading, threads: threads, started: begun)
        report.surroundings = ReportSurroundings(around: reading.directory, Terminal.variable)
        report.isDry = true
        let refused = refusedFiles(reading, reading.plan)
        do throws(DaybookErrors) {
            guard let plan = reading.plan, refused.isEmpty else {
                throw DaybookErrors(reading.problems + refused.map(\.error))
            }
            report.tell(of: plan.job)
            report.tell(of: plan)
            let dry = try DryRun(plan, CommandContext.current.table, from: reading.directory)
            defer { dry.remove() }
            report.outcome = run(dry.plan, reading, nil, in: dry.state, diff: diff(plan, reading))
            report.outcome.outputs = []
            if report.outcome.exitCode == 0 {
                report.changes = dry.changes(after: report.outcome, report.mask) { Interruption.isRequested }
            }
        } catch { report.outcome = RunOutcome(errors: error.errors) }
        report.exitCode = report.outcome.exitCode
        report.nanoseconds = RunSession.nanoseconds(since: start)
        var allowed = self
        allowed.reports.removeAll { report in refused.contains { $0.file.isReport && $0.file.path == report.file } }
        allowed.writeReports(&report)
        return report
    }

    /// The files that the command line asks for beside the outputs of the job.
    private var sideFiles: [SideFile] {
        (manifest.map { [SideFile(option: "--manifest", path: $0)] } ?? [])
            + (baseline.map { [SideFile(option: "--baseline", path: $0.file)] } ?? [])
            + reports.compactMap { report in report.file.map { SideFile(option: report.option, path: $0) } }
    }

    /// Those of these files that must not be written, or of the files of reports of several runs.
    func refusedFiles(
        _ reading: JobReading,
        _ plan: Plan?,
        among files: [SideFile]? = nil
    ) -> [(file: SideFile, error: DaybookError)] {
        var others = reads
        if let whole = reading.plan {
            // A replay and a merge leave alone what the job itself reads and writes.
            others += whole.inputPaths(in: reading.directory).map { ($0.path, "an input of the job") }
            for output in whole.outputPaths where output.text != "-" {
                others.append((FilePath.join(reading.directory, output.text), "an output of the job"))
            }
        }
        for place in shards?.places ?? [] {
            let found = (try? PathPattern("*.daybook-*", from: place).expand()) ?? []
            others += ([place] + found.map(\.path)).map { ($0, "a file of a shard") }
        }
        return SideFile.refused(files ?? sideFiles, reading.job, plan, jobFile: job, besides: others)
    }

    /// Keeps the run in the history, where it is one of the job as it stands.
    private func makeKeeper(_ report: RunReport, since start: ContinuousClock.Instant) -> HistoryKeeper? {
        guard manifestSuffix.isEmpty, isKept else { return nil }
        return HistoryKeeper(state, takesAll: takesAll, redoes: redo != nil) { outcome in
            var told = report
            told.outcome = outcome
            told.exitCode = outcome.exitCode
            told.nanoseconds = RunSession.nanoseconds(since: start)
            return told
        }
    }

    private static func nanoseconds(since start: ContinuousClock.Instant) -> UInt64 {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }

    /// - Parameters:
    ///   - scratch: the state directory of the run, where that is not the one that knows earlier runs.
    ///   - recordsFindings: whether the outcome has all findings as a baseline, and none counts.
    ///   - diff: how far the files may be from earlier ones; beyond that nothing is written.
    func run(
        _ plan: Plan,
        _ reading: JobReading,
        _ recorder: HistoryKeeper?,
        in scratch: StateDirectory? = nil,
        recordsFindings: Bool = false,
        diff: InputDiff? = nil
    ) -> RunOutcome {
        var plan = plan
        if let redo {
            do throws(DaybookError) { try plan.redoDays(redo) } catch {
                return RunOutcome([error], of: plan, in: reading.directory)
            }
        }
        plan.know(past(of: plan, reading))
        let bar = showsProgress ? ProgressBar() : nil
        defer { bar?.remove() }
        var settings = RunSettings(reading, in: scratch ?? state, threads: threads)
        (settings.jobFile, settings.maxFindings, settings.sha256) = (job, maxFindings, sha256)
        settings.onProgress = bar?.showing(progressPrefix)
        let isQuiet = quiet != nil
        settings.recorder = recorder
        settings.jobWarnings = plan.warnings
        if case .files = pastSource {
            // The files of a commit are read by the same job, whose rules have the same names.
            settings.jobWarnings.removeAll { $0.code == "past-without-name" }
        }
        if let warning = diff?.unjudged { settings.jobWarnings.append(warning) }
        do throws(DaybookErrors) { settings.faults = try diff?.faults() ?? [] } catch {
            return RunOutcome(error.errors, of: plan, in: reading.directory)
        }
        settings.hasPassed = { [state, job, plan] in
            plan.hasPassed(in: state, jobFile: job, sha256: SHA256Digest.of(reading.bytes))
        }
        settings.onWait = { if !isQuiet { Terminal.remark($0) } }
        do throws(DaybookError) {
            settings.baseline = try baseline.map { file, isUpdated throws(DaybookError) in
                isUpdated ? .record : .hold(try Baseline(readingFile: file))
            }
            if let earlier {
                let chosen = earlier.files(of: plan, reading.directory)
                settings.chosen = chosen.map { ChosenFiles(names: Set($0.map(\.name)), mask: SecretMask([])) }
                settings.baseline =
                    recordsFindings
                    ? .record : try earlier.findings(of: self, reading, in: chosen).map(BaselineUse.hold)
            }
            let set = try shards.map { plan, places throws(DaybookError) in
                try plan.check(job: reading)
                return try ShardSet(plan, in: places)
            }
            (settings.redo, settings.mayRedoNothing) = (redo, mayRedoNothing)
            if !takesAll, manifestSuffix.isEmpty {
                settings.ingested = try plan.ingested(in: state, jobFile: job)
                settings.positions = try plan.positions(in: state, jobFile: job)
                if !begins {
                    let doubts = try plan.checkKnown(in: state, jobFile: job, directory: reading.directory)
                    for doubt in doubts { Terminal.warn(doubt) }
                }
            }
            // A history that cannot be read is a reason to read all again.
            let known = takesAll ? try? plan.ingested(in: state, jobFile: job) : nil
            var outcome = Runner(plan, settings, merging: set).run()
            // Findings that went with a change are no entries that somebody keeps.
            if earlier != nil { outcome.fixed = [] }
            if outcome.exitCode == 0, let known { tellGone(known.gone(besides: outcome.inputs.map(\.path))) }
            return outcome
        } catch { return RunOutcome([error], of: plan, in: reading.directory) }
    }

    /// The comparison with earlier files that the job asks for; nil for a job that asks for none.
    func diff(_ plan: Plan, _ reading: JobReading) -> InputDiff? {
        // A replay and a merge work on rows that another run has read.
        guard let gate = plan.job.diff, manifestSuffix.isEmpty, shards == nil else { return nil }
        return InputDiff(gate: gate, plan: plan, directory: reading.directory, commit: diffCommit)
    }

    /// Warns of files that earlier runs read, and whose rows a run that reads all again could not read.
    private func tellGone(_ files: [String]) {
        guard !files.isEmpty else { return }
        let names = Array(files.prefix(3)) + (files.count > 3 ? ["\(DisplayText.count(files.count - 3)) more"] : [])
        let message =
            "\(DisplayText.count(files.count, "file")) that earlier runs read \(files.count == 1 ? "is" : "are") gone, and "
            + "\(files.count == 1 ? "was" : "were") not read again: \(DisplayText.list(names))"
        Terminal.warn(DaybookError("files-gone", message, hint: "bring them back, and read all once more"))
    }

    /// What rules are held against: as the plan of shards tells it, else as the history knows it now, while the job is locked.
    private func past(of plan: Plan, _ reading: JobReading) -> [PlannedPast] {
        if let shards { return shards.plan.plan.past ?? [] }
        do throws(DaybookError) {
            switch pastSource {
            case .runs(let state): return try plan.past(in: state, jobFile: job)
            case .files(let earlier): return try earlier.figures(of: self, reading, plan)
            case nil: return try plan.past(in: state, jobFile: job)
            }
        } catch {
            Terminal.warn(.noPast(error))
            return []
        }
    }

    /// Waits for other jobs and for files, as the job asks; whether there was anything to wait for.
    private func awaitOthers(_ job: Job, _ directory: String) throws(DaybookError) -> Bool {
        // A replay and a merge work on rows that another run has read.
        guard manifestSuffix.isEmpty, shards == nil, !job.predecessors.isEmpty || !job.awaited.isEmpty else {
            return false
        }
        let waiting = RunWaiting(say: { if quiet == nil { Terminal.remark($0) } })
        try waiting.awaitRuns(of: job.predecessors, on: job.day, in: state, isPatient: waits)
        // Days are made anew from the files as they are.
        if redo == nil { try waiting.awaitFiles(job.awaited, from: directory, in: job.timezone) }
        return true
    }

    /// The lock of the job, so that no two runs of it go on at once.
    private func takeLock(_ job: String) throws(DaybookError) -> JobLock {
        try state.lock(
            job: job,
            for: manifestSuffix,
            waits: waits,
            isCancelled: { Interruption.isRequested },
            onWait: { if quiet == nil { Terminal.remark($0) } }
        )
    }

    private func write(_ bytes: Bytes, to path: String) throws(DaybookError) {
        try ReportFile.write(bytes, to: path) { Interruption.isRequested }
    }

    // MARK: - Manifest and reports

    private func keepManifest(_ report: inout RunReport) {
        let bytes = JSONDocument.bytes(of: Manifest(report).value)
        let job = report.job
        // A run that could not begin because of its state directory has said so already.
        let isKnown = report.outcome.errors.contains { $0.code == "cannot-keep-state" }
        // The manifest of a job is that of the run that goes on, not of one that was turned away.
        let isTurnedAway = report.outcome.errors.contains { $0.code == "already-running" }
        if isKept, leavesTraces(report), !isTurnedAway {
            attempt(&report, isSilent: isKnown) { () throws(DaybookError) in
                _ = try state.keepManifest(bytes, ofJob: job, for: manifestSuffix)
            }
        }
        if let manifest { attempt(&report) { () throws(DaybookError) in try write(bytes, to: manifest) } }
    }

    /// Whether the state directory keeps something of the run.
    private func leavesTraces(_ report: RunReport) -> Bool {
        if isStateUnknown { return false }
        // The name of a job that never ran is a slip of the fingers: neither a directory nor an entry is made for it.
        let isLost = report.outcome.errors.contains { $0.code == "job-not-found" }
        return !isLost || HistoryKeeper.knows(job, in: state)
    }

    func writeReports(_ report: inout RunReport) {
        let onFiles = reports.filter { $0.file != nil && $0.file != "-" }
        report.fullReports = onFiles.filter { $0.reporter.isComplete }.compactMap(\.file).map(report.mask.masking)
        for target in onFiles {
            guard let file = target.file else { continue }
            let text = target.text(of: report, .plain)
            attempt(&report) { () throws(DaybookError) in try write(Bytes(text), to: file) }
        }
        addAppendices(&report, of: reports)
        let style = Terminal.style
        let onError = reports.filter { $0.file == nil }
        for target in onError { Terminal.note(target.text(of: report, style), as: target.reporter.logForm) }
        if !onError.isEmpty, !onError.contains(where: { $0.reporter == TextReporter.self }) {
            Terminal.warn(of: report.notices, report.mask)
        }
        if onError.isEmpty, tellsText {
            let text = TextReporter(style)
            Terminal.note(quiet.map { text.report(report, unless: $0) } ?? text.report(report))
        }
        for target in reports where target.file == "-" {
            let style = Terminal.outputStyle
            Terminal.print(target.text(of: report, style), as: target.reporter.logForm)
        }
    }

    /// What forms of report add to files that the surroundings name; once for each, however often the form is asked for.
    func addAppendices(_ report: inout RunReport, of reports: [ReportTarget]) {
        var done: Set<String> = []
        for target in reports where done.insert(target.reporter.name).inserted {
            guard let appendix = target.reporter.init(.plain).appendix(target.told(report)) else { continue }
            attempt(&report) { () throws(DaybookError) in try ReportFile.add(appendix) }
        }
    }

    /// Does what comes after the run; that it failed is told, and does not hide how the run itself ended.
    private func attempt(_ report: inout RunReport, isSilent: Bool = false, _ work: () throws(DaybookError) -> Void) {
        do throws(DaybookError) {
            try work()
        } catch {
            var error = error
            if !report.outcome.outputs.isEmpty { error.hint = "the outputs of the run are in place all the same" }
            if !isSilent { report.afterthoughts.append(error) }
            if report.exitCode == 0 { report.exitCode = 3 }
        }
    }
}

import DaybookBytes
import DaybookReports

/// Several runs in one command, one after the other, with one report of all: of jobs, or of one job for several days.
///
/// Each is a run of its own: what one has put in place stays where a later one fails.
struct RunSeries {
    /// The runs, each with what the summary calls it: its job, or its day.
    var sessions: [(name: String, session: RunSession)]
    /// What they are in the summary.
    var unit = "job"
    /// How many more are not run, since nothing changed that they read.
    var untouched = 0
    var reports: [ReportTarget]
    /// Whether each run has reports of its own instead, so that a file holds that of the last.
    var areReportedApart = false
    /// Whether the jobs behind one that fails are run too.
    var keepsGoing: Bool
    var quiet: Quiet?
    /// Called after each.
    var ended: (_ name: String, _ run: RunReport) -> Void = { _, _ in }

    /// Runs them and gives the highest exit code.
    func run() -> Int32 {
        // What is told line by line is told as the jobs go; a document of all of them is made at the end.
        let asTheyGo = reports.filter { $0.file == nil && $0.reporter.isToldInLines }
        let ofAll = reports.filter { $0.file != nil || !$0.reporter.isToldInLines }
        if let error = refusal(of: ofAll) {
            Terminal.complain(error)
            return 2
        }
        var runs: [RunReport] = []
        for (name, session) in sessions {
            var session = session
            if areReportedApart {
                if sessions.count > 1, quiet == nil { Terminal.remark("\(name):") }
            } else {
                session.reports = asTheyGo
                session.tellsText = reports.allSatisfy { $0.file != nil }
            }
            var run = session.conclude()
            session.addAppendices(&run, of: ofAll)
            runs.append(run)
            ended(name, run)
            if Interruption.isRequested || (run.exitCode != 0 && !keepsGoing) { break }
        }
        var code = runs.map(\.exitCode).max() ?? 0
        for target in ofAll {
            let told = runs.map(target.told)
            switch target.file {
            case "-":
                Terminal.print(target.reporter.init(Terminal.outputStyle).report(told), as: target.reporter.logForm)
            case nil: Terminal.note(target.reporter.init(Terminal.style).report(told), as: target.reporter.logForm)
            case let file?:
                do throws(DaybookError) {
                    try ReportFile.write(Bytes(target.reporter.init(.plain).report(told)), to: file) {
                        Interruption.isRequested
                    }
                } catch {
                    Terminal.complain(error)
                    code = max(code, 3)
                }
            }
        }
        let isSeries = sessions.count + untouched != 1 || !areReportedApart
        if isSeries, quiet == nil || code != 0 { Terminal.remark(summary(runs)) }
        return code
    }

    /// Why a report of all must not be written where it is to go.
    private func refusal(of targets: [ReportTarget]) -> DaybookError? {
        let files = targets.compactMap { target in target.file.map { SideFile(option: target.option, path: $0) } }
        guard !files.isEmpty else { return nil }
        // A job from a pipe can be read only once.
        for (_, session) in sessions where (try? FileStatus.of(session.job))??.isRegularFile == true {
            let reading = JobReading(session.job, session.options, repeats: true)
            if let refused = session.refusedFiles(reading, reading.plan, among: files).first { return refused.error }
        }
        return nil
    }

    /// More runs that passed are only counted.
    private static let mostPassed = 10

    /// `3 jobs: 1 passed, 1 failed its gate ('b.yaml'), 1 not run ('c.yaml')`.
    private func summary(_ runs: [RunReport]) -> String {
        var parts: [(words: (Int) -> String, isGood: Bool, names: [String])] = []
        func add(isGood: Bool, _ name: String, _ words: @escaping (Int) -> String) {
            if let place = parts.firstIndex(where: { $0.words(1) == words(1) }) {
                parts[place].names.append(name)
            } else {
                parts.append((words, isGood, [name]))
            }
        }
        for (run, place) in zip(runs, sessions) {
            let verdict = RunVerdict(run)
            add(isGood: verdict.isGood, place.name, verdict.words)
        }
        for place in sessions.dropFirst(runs.count) { add(isGood: false, place.name) { _ in "not run" } }
        if untouched > 0 { parts.append(({ _ in "untouched by the change" }, true, [])) }
        let told = parts.map { part in
            let isNamed =
                parts.count > 1 && !part.names.isEmpty && (!part.isGood || part.names.count <= RunSeries.mostPassed)
            let count = part.names.isEmpty ? untouched : part.names.count
            return "\(DisplayText.count(count)) \(part.words(count))"
                + (isNamed ? " (\(DisplayText.list(part.names.map { "'\($0)'" })))" : "")
        }
        return "\(DisplayText.count(sessions.count + untouched, unit)): \(told.joined(separator: ", "))"
    }
}

import DaybookEngine
import DaybookJobTools
import DaybookReports
import Foundation

extension RunSession {
    /// Runs to the end in a directory of its own, tells what would change, and removes everything.
    func concludeDry(
        _ reading: JobReading,
        _ clock: ContinuousClock,
        _ start: ContinuousClock.Instant,
        _ begun: Date
    ) -> RunReport {
        var report = RunReport(reading, threads: threads, started: begun)
        report.surroundings = ReportSurroundings(around: reading.directory) { name in
            getenv(name).map { String(cString: $0) }
        }
        report.isDry = true
        let refused = SideFile.refused(sideFiles, reading.job, reading.plan, jobFile: job)
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
        report.nanoseconds = RunSession.nanoseconds(clock.now - start)
        var allowed = self
        allowed.reports.removeAll { report in refused.contains { $0.file.isReport && $0.file.path == report.file } }
        allowed.writeReports(&report)
        return report
    }
}

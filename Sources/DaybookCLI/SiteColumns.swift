import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookJobTools
import DaybookPages
import DaybookReports

/// The columns of the outputs of a job, from its file as its last run had it.
///
/// A history keeps no columns: they are the same in all runs of one job file. Where the file has changed since, or is not
/// there any more, nobody knows them.
enum SiteColumns {
    /// - Returns: a table of the columns; empty where they are not known.
    static func table(of run: RunRecord) -> HTML {
        // A pipe would keep the command waiting for whoever writes to it.
        guard let digest = run.digest, !run.path.isEmpty,
            let status = (try? FileStatus.of(run.path)) ?? nil, status.isRegularFile
        else { return "" }
        let reading = JobReading(run.path, JobOptions(run))
        let report = RunReport(reading, threads: 1)
        guard report.jobSHA256 == digest, let plan = reading.plan else { return "" }
        guard let told = try? PlanExplanation(plan, report) else { return "" }
        // As the job writes them, wherever its file is.
        let paths = plan.stages.compactMap { stage in stage.target?.path.map { (stage.id, $0.text) } }
        let outputs = Dictionary(paths.map { (report.mask.masking($0), report.mask.masking($1)) }) { first, _ in first }
        return told.columnTable { outputs[$0.id] ?? $0.id }
    }
}

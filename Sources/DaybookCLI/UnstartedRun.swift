import ArgumentParser
import DaybookEngine
import DaybookReports
import Foundation

/// A `run` whose command line is wrong: it leaves a manifest too, where the line still tells of which job.
struct UnstartedRun {
    private static let withValue: Set<String> = [
        "--as-of", "--set", "--threads", "--state", "--manifest", "--report", "--max-findings", "--baseline",
    ]

    private var job = ""
    private var state: String?
    private var params: [String] = []

    /// Nil when the arguments are not those of a run of one job that is there.
    init?(_ arguments: [String]) {
        guard arguments.first == "run" else { return nil }
        var jobs: [String] = []
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if UnstartedRun.withValue.contains(parts[0]) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else { continue }
                if parts[0] == "--state" { state = value }
                if parts[0] == "--set" { params += ["--set", value] }
            } else if !argument.hasPrefix("-") {
                jobs.append(argument)
            }
        }
        // The value of an unknown option may stand among them, but is no file.
        jobs.removeAll { path in
            var isDirectory: ObjCBool = false
            return !FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) || isDirectory.boolValue
        }
        guard jobs.count == 1 else { return nil }
        job = jobs[0]
    }

    /// Keeps the manifest; that it cannot be kept is not worth a second error.
    func keepManifest(of error: DaybookError, exitCode: Int32) {
        guard let options = try? JobOptions.parse(params) else { return }
        let reading = JobReading(job, options)
        var report = RunReport(reading, threads: 1)
        report.outcome =
            reading.plan.map { RunOutcome([error], of: $0, in: reading.directory) } ?? RunOutcome(errors: [error])
        report.exitCode = exitCode
        let directory = state.map(StateDirectory.init) ?? StateDirectory.beside(job: job)
        _ = try? directory.keepManifest(JSONDocument.bytes(of: Manifest(report).value), ofJob: report.job)
    }
}

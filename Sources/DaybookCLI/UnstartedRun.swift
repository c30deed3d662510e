import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookNotify
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
    private var allowsCommands = false

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
            } else if argument == "--allow-commands" {
                allowsCommands = true
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

    /// Keeps the manifest, and tells those whom the job names; that it cannot be kept is not worth a second error.
    func end(with error: DaybookError, exitCode: Int32) {
        guard let options = try? JobOptions.parse(params) else { return }
        let reading = JobReading(job, options)
        var report = RunReport(reading, threads: 1)
        report.outcome =
            reading.plan.map { RunOutcome([error], of: $0, in: reading.directory) } ?? RunOutcome(errors: [error])
        report.exitCode = exitCode
        var place = StateOption()
        place.state = state
        if !place.isUnknown(for: reading) {
            let manifest = JSONDocument.bytes(of: Manifest(report).value)
            _ = try? place.directory(of: reading).keepManifest(manifest, ofJob: report.job)
        }
        let sender = NoticeSender(
            NoticeFacts(report, events: report.events(earlierFailed: false), run: nil),
            allowsCommands: allowsCommands || RunSession.environmentAllowsCommands
        )
        Terminal.warn(of: sender.send(reading.job?.notices ?? []), reading.mask)
    }
}

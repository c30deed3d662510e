import DaybookCore
import DaybookPipeline
import DaybookStages
import Foundation

public enum DaybookCommand {
    public static func main(_ table: StageTable = .builtIn) -> Never {
        let arguments = CommandLine.arguments
        let path = arguments[2]
        let bytes = [UInt8](FileManager.default.contents(atPath: path) ?? Data())
        let settings = zip(arguments, arguments.dropFirst()).filter { $0.0 == "--set" }.compactMap {
            try? ParamSetting($0.1)
        }
        let threads = zip(arguments, arguments.dropFirst()).first { $0.0 == "--threads" }.flatMap { Int($0.1) } ?? 2
        let reading = JobParser(settings: settings, stageNames: table.names) { ProcessInfo.processInfo.environment[$0] }
            .read(bytes, file: path)
        let renderer = ErrorRenderer(source: reading.source)
        do {
            let job = try reading.checked()
            let plan = try Plan(job, table: table, asOf: CalendarDay(iso: "2026-11-21")!)
            let outcome = Runner(
                plan,
                RunSettings(
                    threads: threads, directory: FilePath.directory(of: path), state: .beside(job: path))
            ).run()
            for error in outcome.errors { print(renderer.render(error)) }
            for finding in outcome.findings.prefix(10) {
                print("\(finding.source ?? "-"):\(finding.line ?? 0):\(finding.column ?? 0): \(finding.message) [\(finding.code)]")
            }
            for line in outcome.ledger { print(line) }
            exit(outcome.exitCode)
        } catch {
            print(renderer.render((error as! DaybookErrors).errors))
            exit(2)
        }
    }
}

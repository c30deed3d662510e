import DaybookContracts
import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

/// Help, the version, and what the table is printed as.
@Suite struct HelpTests {
    let command = CommandTrial(in: FileManager.default.temporaryDirectory)
    static let snapshots = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Snapshots"
    )

    /// The commands as help lists them, and first the one without a name.
    static let commands: [String] = {
        let help = try? CommandTrial(in: FileManager.default.temporaryDirectory).run("--help").output
        let listed = help?.split(separator: "\nSUBCOMMANDS:\n").last?.split(separator: "\n") ?? []
        return [""] + listed.compactMap { line in line.prefixMatch(of: /\ \ ([a-z]+) +/).map { String($0.1) } }
    }()

    @Test func theCommandsAreKnown() {
        #expect(HelpTests.commands.count >= 13 && HelpTests.commands.contains("merge"))
        #expect(!HelpTests.commands.contains("help"))
    }

    @Test(arguments: HelpTests.commands)
    func helpTeaches(_ name: String) throws {
        let outcome = try command.run((name.isEmpty ? [] : [name]) + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("Examples:\n  "))
        let file = HelpTests.snapshots.appendingPathComponent("help\(name.isEmpty ? "" : "-\(name)").txt")
        let failure = try Expectation.failure(outcome.output, against: file)
        #expect(failure == nil)
    }

    @Test func theJobFileIsExplained() throws {
        let outcome = try command.run("help", "job")
        #expect(outcome.status == 0)
        let file = HelpTests.snapshots.appendingPathComponent("help-job.txt")
        let failure = try Expectation.failure(outcome.output, against: file)
        #expect(failure == nil)
        // The job in it is a good one.
        let job = outcome.output.split(separator: "\n").drop { !$0.hasPrefix("  daybook:") }
            .prefix { $0.hasPrefix("  ") }.joined(separator: "\n")
        var command = command
        command.input = Data(job.utf8)
        #expect(try command.run("validate", "-").output == "standard input: good, 4 stages, 1 test\n")
    }

    @Test func withoutArgumentsItHelps() throws {
        let alone = try command.run([])
        #expect(alone.status == 0)
        #expect(alone.output == (try command.run("--help").output))
    }

    @Test func theVersionIsANumberAlone() throws {
        let outcome = try command.run("--version")
        #expect(outcome.status == 0)
        #expect(outcome.output == "0.1.0\n")
    }

    @Test func everyStageHasItsPage() throws {
        let list = try command.run("stages")
        #expect(list.status == 0)
        for stage in StageTable.builtIn.stages {
            let description = stage.description
            #expect(list.output.contains("  \(description.name)  "))
            #expect(list.output.contains("  \(description.summary)\n"))
            let page = try command.run("stages", description.name)
            #expect(page.status == 0)
            #expect(page.output.hasPrefix("\(description.name)  \(description.summary)\n"))
            #expect(
                page.output.components(separatedBy: "    - \(description.name):\n").count > description.examples.count
            )
        }
    }

    @Test func jsonIsJSON() throws {
        for arguments in [["stages", "--format", "json"], ["stages", "import_csv", "--format", "json"], ["schema"]] {
            let outcome = try command.run(arguments)
            #expect(outcome.status == 0)
            _ = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func shellsAreTaught(_ shell: String) throws {
        let outcome = try command.run("--generate-completion-script", shell)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("yaml"))
        #expect(outcome.output.contains("---completion"))
    }
}

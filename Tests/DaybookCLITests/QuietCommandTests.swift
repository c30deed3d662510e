import DaybookTestSupport
import Foundation
import Testing

/// `--quiet` says nothing of clean runs, `--quiet=failures` of all that did not fail.
@Suite struct QuietCommandTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,colour\n1,#EC007F\n2,pink\n", to: "in.csv")
    }

    private func write(_ invalid: String, rejects: String = "") throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: in.csv }
              - validate_hex_colours: { column: colour\(invalid) }
                id: clean
            \(rejects)
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
    }

    private func told(_ quiet: String...) throws -> String {
        let outcome = try command.run(["run", "job.yaml"] + quiet)
        #expect(outcome.output.isEmpty)
        return outcome.errors
    }

    @Test func aWarningIsNoCleanRun() throws {
        try write(", invalid: clear")
        let warning = try told("--quiet")
        #expect(
            warning.hasPrefix("in.csv:3:3: warning: 'pink' is not a hex colour and was cleared [hex-colour-cleared]\n")
        )
        #expect(warning.hasSuffix("; 1 warning stands above\n"))
        #expect(!warning.contains("the ledger balances"))
        #expect(try told("--quiet=failures").isEmpty)
    }

    @Test func aRejectedRowIsNoCleanRun() throws {
        try write("", rejects: "    rejects: { allow: 1 }")
        let rejected = try told("--quiet")
        #expect(rejected.contains("in.csv:3:3: error: 'pink' is not a hex colour"))
        #expect(rejected.contains("1 row was rejected, see above"))
        #expect(try told("--quiet=failures").isEmpty)
    }

    @Test func aFailureIsToldInAnyCase() throws {
        try write("")
        for quiet in ["--quiet", "--quiet=failures"] { #expect(try told(quiet).contains("gate failed for the job")) }
    }

    @Test func aCleanRunIsSilent() throws {
        try write("")
        try place.write("id,colour\n1,#EC007F\n", to: "in.csv")
        #expect(try told("--quiet").isEmpty)
        // The value belongs to the option, not what stands behind it.
        let before = try command.run("run", "--quiet", "job.yaml")
        #expect(before.status == 0 && before.errors.isEmpty)
    }

    @Test func anotherWordIsRefused() throws {
        try write("")
        let outcome = try command.run("run", "job.yaml", "--quiet=never")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("error: expected clean or failures after '--quiet', found 'never' [usage]"))
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// Numbers that no machine holds, in files and in jobs: every command ends in its own words, and never by a signal.
@Suite struct HostileNumberTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private static let numbers = [
        "1.5e-9223372036854775808", "1.5e9223372036854775807", "0e-9223372036854775808", "10e9223372036854775807",
        "1e-99999999999999999999", "-9223372036854775808", "9223372036854775808", "1e400", "0.1e-400",
        "0." + String(repeating: "0", count: 1_000) + "1e9223372036854775807",
    ]

    @Test(arguments: TestSize.most(of: numbers))
    func `a number in JSON stops no command`(_ number: String) throws {
        try place.write("[{\"a\":\(number)},{\"a\":1},{\"a\":2.5}]\n", to: "in.json")
        try place.write("a\n\(number)\n1\n2.5\n", to: "in.csv")
        for kind in ["text", "integer", "decimal", "json"] {
            try place.write(
                """
                daybook: 1
                rejects: { allow: 100% }
                stages:
                  - import_json: { path: in.json, columns: { a: \(kind) } }
                  - export_json: { path: out.json }

                """,
                to: "job.yaml"
            )
            let run = try command.run("run", "job.yaml")
            #expect((0...2).contains(run.status), "\(kind): \(run.status) \(run.errors)")
        }
        for arguments in [["guess", "in.json"], ["profile", "in.json"], ["guess", "in.csv"], ["profile", "in.csv"]] {
            let outcome = try command.run(arguments)
            #expect((0...3).contains(outcome.status), "\(arguments): \(outcome.status) \(outcome.errors)")
        }
    }

    @Test func `a whole number that is too large is told so`() throws {
        try place.write("id,n\n1,9223372036854775808\n2,-9223372036854775809\n3,1x\n", to: "in.csv")
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: in.csv, columns: { n: integer } }\n  - export_csv: { path: out.csv }\n",
            to: "job.yaml"
        )
        let run = try command.run("run", "job.yaml")
        #expect(run.status == 1)
        for line in [
            "in.csv:2:3: error: '9223372036854775808' is too large for a whole number, which has 64 bits [not-an-integer]",
            "in.csv:3:3: error: '-9223372036854775809' is too large for a whole number, which has 64 bits [not-an-integer]",
            "in.csv:4:3: error: '1x' is not a whole number [not-an-integer]",
        ] { #expect(run.errors.contains(line)) }
    }

    @Test func `a decimal that is too large or has a comma is told so`() throws {
        try place.write("id,n\n1,1e400\n2,\"4.919,30\"\n3,infinity\n", to: "in.csv")
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: in.csv, columns: { n: decimal } }\n  - export_csv: { path: out.csv }\n",
            to: "job.yaml"
        )
        let run = try command.run("run", "job.yaml")
        #expect(run.status == 1)
        for line in [
            "in.csv:2:3: error: '1e400' is too large for a decimal, which has 64 bits [not-a-number]",
            "in.csv:3:3: error: '\"4.919,30\"' is not a number: a comma stands in it [not-a-number]",
            "in.csv:4:3: error: 'infinity' is not a number [not-a-number]",
        ] { #expect(run.errors.contains(line), "\(run.errors)") }
    }

    @Test(arguments: [
        ["--threads", "9223372036854775807"], ["--threads", "-9223372036854775808"],
        ["--max-findings", "9223372036854775807"], ["--max-findings", "-9223372036854775808"],
    ])
    func `an option of the command stops no run`(_ option: [String]) throws {
        try place.write("id\n1\n", to: "in.csv")
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: in.csv }\n  - export_csv: { path: out.csv }\n",
            to: "job.yaml"
        )
        let run = try command.run(["run", "job.yaml"] + option)
        #expect((0...2).contains(run.status), "\(run.status) \(run.errors)")
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "0"])
    func `so many rows are no trouble to preview`(_ rows: String) throws {
        try place.write("id\n1\n2\n", to: "in.csv")
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: in.csv }\n  - export_csv: { path: out.csv }\n",
            to: "job.yaml"
        )
        let run = try command.run("preview", "job.yaml", "--rows", rows)
        #expect((0...2).contains(run.status), "\(run.status) \(run.errors)")
    }

    @Test func `allowances of any size are refused or kept`() throws {
        try place.write("id\n1\n", to: "in.csv")
        for allow in [
            "9223372036854775807", "9223372036854775808", "99999999999999999999%", "0.0000001%", "100.000000%",
        ] {
            try place.write(
                """
                daybook: 1
                rejects: { allow: \(allow) }
                stages:
                  - import_csv: { path: in.csv, skip_lines: 0 }
                  - check_rows: { rules: [{ row_count: { min: 1, max: 9223372036854775807 }, fail: "> \(allow)" }] }
                  - export_csv: { path: out.csv }

                """,
                to: "job.yaml"
            )
            let run = try command.run("run", "job.yaml")
            #expect((0...2).contains(run.status), "\(allow): \(run.status) \(run.errors)")
        }
    }
}

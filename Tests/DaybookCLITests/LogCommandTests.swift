import DaybookTestSupport
import Foundation
import Testing

/// Where a CI service reads what is printed, no cell, name or message of the data becomes a command of its runner.
@Suite struct LogCommandTests {
    let place: TemporaryDirectory
    var command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        command.environment = ["GITHUB_ACTIONS": "", "TF_BUILD": "", "CI": ""]
        try place.write(
            """
            ::error::a,n,##[group]c
            ::stop-commands::t,x,##[stop-commands]t
              ::warning::b,##vso[task.setvariable variable=PATH]/tmp,"line
            ::error::in a cell"
            ::add-mask::c,1,2

            """,
            to: "in.csv"
        )
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: in.csv, columns: { n: integer } }
                id: "entries"
              - export_csv: { path: out.csv }

            tests:
              - name: "::error::a test ##[debug]x"
                given: { entries: [{ "::error::a": "::x::", n: 1, "##[group]c": "##vso[a]" }] }
                expect: { entries: [{ "::error::a": "##[b]" }] }

            """,
            to: "job.yaml"
        )
    }

    static let services = ["GITHUB_ACTIONS", "TF_BUILD", "CI"]

    /// What a runner would take for a command: GitHub's at the beginning of a line, the old ones anywhere.
    private func commands(_ text: String) -> [String] {
        text.split { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }.map(String.init).filter { line in
            line.drop(while: \.isWhitespace).hasPrefix("::") || line.contains(/##[a-z]*\[/)
        }
    }

    static let displayText: [[String]] = [
        ["run", "job.yaml"], ["run", "job.yaml", "--report", "text=-"], ["run", "job.yaml", "--quiet"],
        ["test", "job.yaml"],
        ["preview", "job.yaml", "--stage", "entries.rejects"], ["preview", "job.yaml", "--stage", "entries"],
        ["profile", "in.csv"], ["profile", "::error::##[x].csv"], ["explain", "job.yaml"], ["run", "##vso[a].yaml"],
        ["guess", "##[a].csv"], ["diff", "in.csv", "::error::##[x].csv"], ["diff", "--git", "::error::##[x]"],
        ["run", "job.yaml", "--set", "::error::=1"], ["run", "job.yaml", "--report", "##[a]"],
        ["stages", "##[a]"], ["preview", "job.yaml", "--stage", "##[a]"], ["##[a]"],
    ]

    @Test("no text is a command", arguments: displayText)
    func textIsNoCommand(_ arguments: [String]) throws {
        for service in LogCommandTests.services {
            var command = command
            command.environment[service] = "true"
            let outcome = try command.run(arguments)
            #expect(!(outcome.output + outcome.errors).isEmpty)
            #expect(commands(outcome.output + "\n" + outcome.errors) == [])
        }
    }

    @Test func elsewhereTextStaysAsItIs() throws {
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.errors.contains("    2 | ::stop-commands::t,x,##[stop-commands]t"))
        #expect(try command.run("preview", "job.yaml", "--stage", "entries").output.hasPrefix("::error::a"))
    }

    @Test("documents mean the same", arguments: ["json", "sarif", "gitlab"])
    func documentsMeanTheSame(_ form: String) throws {
        func messages(_ outcome: CommandTrial.Outcome) throws -> String {
            let document = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
            let text = String(
                decoding: try JSONSerialization.data(withJSONObject: document, options: .sortedKeys),
                as: UTF8.self
            )
            // When a run began and how long it took is another matter.
            return text.replacing(/"(started_at|ended_at|startTimeUtc|endTimeUtc)":"[^"]*"/, with: "")
                .replacing(/"(seconds|milliseconds)":[0-9.e-]+/, with: "")
        }
        let plain = try command.run("run", "job.yaml", "--report", "\(form)=-")
        var inside = command
        inside.environment["TF_BUILD"] = "True"
        let outcome = try inside.run("run", "job.yaml", "--report", "\(form)=-")
        #expect(commands(plain.output) != [] && commands(outcome.output) == [])
        #expect(try messages(plain) == messages(outcome))
    }

    @Test func rowsForAProgramGoToAFileAsTheyAre() throws {
        let arguments = ["preview", "job.yaml", "--stage", "entries", "--format", "csv"]
        let plain = try command.run(arguments).output
        var inside = command
        inside.environment["CI"] = "true"
        // The streams of a trial are files.
        #expect(try inside.run(arguments).output == plain)
        let piped = try inside.shell("\"$DAYBOOK\" \(arguments.joined(separator: " ")) 2> errors.txt | cat")
        #expect(commands(plain) != [] && commands(piped.output) == [])
    }

    @Test func annotationsAreStillCommands() throws {
        var inside = command
        inside.environment["GITHUB_ACTIONS"] = "true"
        let lines = try inside.run("run", "job.yaml", "--report", "github").errors.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("::error ") }.count == 3)
        #expect(!lines.contains { $0.contains("##") })
    }
}

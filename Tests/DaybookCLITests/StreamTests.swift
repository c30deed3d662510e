import DaybookTestSupport
import Foundation
import Testing

/// What goes to which stream, and what happens when one goes away.
@Suite struct StreamTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,colour\n1,#EC007F\n2,pink\n", to: "in.csv")
        try place.write(
            """
            daybook: 1
            rejects: { allow: 1 }
            stages:
              - import_csv: { path: in.csv }
              - validate_hex_colours: { column: colour }
                id: clean
              - export_csv: { path: "-" }

            """,
            to: "job.yaml"
        )
    }

    @Test func rowsAreAloneOnStandardOutput() throws {
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 0)
        #expect(outcome.output == "id,colour\n1,#EC007F\n")
        #expect(outcome.errors.contains("gate passed for the job: 1 of 2 rows rejected (50 %), 1 allowed"))
        #expect(
            Expectation.withoutTimes(outcome.errors).hasSuffix(
                "done: wrote to standard output, in 0.00 s; 1 row was rejected, see above\n"
            )
        )
    }

    @Test func standardOutputByItsOtherNamesIsNotReplaced() throws {
        try place.write("a\n1\n", to: "a.csv")
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            try place.write(
                "daybook: 1\nstages:\n  - import_csv: { path: a.csv }\n  - export_csv: { path: \(name) }\n",
                to: "j.yaml"
            )
            let said = try command.shell("(echo before; \"$DAYBOOK\" run j.yaml; echo behind) > all.txt")
            #expect(place.text("all.txt") == "before\na\n1\nbehind\n", "\(said)")
        }
    }

    @Test func theJobAndTheRowsCanComeFromStandardInput() throws {
        var command = command
        command.input = place.text("job.yaml").map { Data($0.utf8) }
        #expect(try command.run("run", "-").output == "id,colour\n1,#EC007F\n")
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: \"-\" }\n  - export_csv: { path: \"-\" }\n",
            to: "copy.yaml"
        )
        command.input = Data("a,b\n1,2\n".utf8)
        #expect(try command.run("run", "copy.yaml").output == "a,b\n1,2\n")
    }

    @Test func aJobThatAShellHandsOverStartsFromTheWorkingDirectory() throws {
        let outcome = try command.shell(
            "\"$DAYBOOK\" run <(cat job.yaml) && \"$DAYBOOK\" explain /dev/stdin < job.yaml"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("id,colour\n1,#EC007F\n"))
        #expect(outcome.output.contains("reads    in.csv\n"))
        #expect(FileManager.default.fileExists(atPath: place.url.appendingPathComponent(".daybook/manifests").path))
    }

    @Test func standardInputCannotBeTheJobAndTheRows() throws {
        var command = command
        let job = "daybook: 1\nstages:\n  - import_csv: { path: \"-\" }\n  - export_csv: { path: out.csv }\n"
        command.input = Data(job.utf8)
        let outcome = try command.run("run", "-")
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.hasPrefix(
                """
                standard input:3:25: error: standard input is already the job [standard-input-taken]
                    3 |   - import_csv: { path: "-" }
                      |                         ^^^
                  hint: give the job as a file

                """
            )
        )
        // What only looks at the job does not mind.
        #expect(try command.run("validate", "-").output == "standard input: good, 2 stages\n")
    }

    @Test func quietSaysNothingOfARunThatWentWell() throws {
        try place.write("id,colour\n1,#EC007F\n", to: "in.csv")
        let outcome = try command.run("run", "job.yaml", "--quiet")
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
    }

    @Test func quietStillSaysWhyARunFailed() throws {
        try place.write(
            (place.text("job.yaml") ?? "").replacing("allow: 1", with: "allow: 0"),
            to: "strict.yaml"
        )
        let outcome = try command.run("run", "strict.yaml", "--quiet")
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("gate failed for the job: 1 of 2 rows rejected (50 %), none allowed"))
        #expect(outcome.errors.contains("in.csv:3:3: error: 'pink' is not a hex colour: expected # and 6 hex digits"))
        #expect(
            outcome.errors.contains(
                "next: mend the rows at the places above; nothing went to standard output"
            )
        )
        #expect(!outcome.errors.contains("the ledger balances"))
    }

    @Test func colourIsOnlyForTerminals() throws {
        #expect(try !command.run("run", "job.yaml").errors.contains("\u{1B}"))
        // `script` gives the command a terminal; not every machine has it.
        let shown = try command.shell(
            "command -v script >/dev/null || exit 77; script -qec \"$DAYBOOK validate no.yaml\" /dev/null"
        )
        if shown.status == 77 { return }
        #expect(shown.output.contains("\u{1B}["))
        let plain = try command.shell("NO_COLOR=1 script -qec \"$DAYBOOK validate no.yaml\" /dev/null")
        #expect(!plain.output.contains("\u{1B}["))
    }

    @Test func aReaderThatGoesAwayIsNoFailure() throws {
        for line in ["stages --format json", "schema", "stages --format markdown", "--help"] {
            let outcome = try command.shell("$DAYBOOK \(line) | true; echo ${PIPESTATUS[0]}")
            #expect(outcome.output == "0\n", "\(line)")
            #expect(outcome.errors.isEmpty, "\(line)")
        }
        let rows = (0..<50_000).map { "\($0),#EC007F\n" }.joined()
        try place.write("id,colour\n" + rows, to: "in.csv")
        let outcome = try command.shell("$DAYBOOK run job.yaml --quiet | head -n 1; echo ${PIPESTATUS[0]}")
        #expect(outcome.output == "id,colour\n0\n")
    }

    @Test func aFullStandardOutputIsAFailureOfTheMachine() throws {
        let outcome = try command.shell("$DAYBOOK schema > /dev/full")
        #expect(outcome.status == 3)
        #expect(outcome.errors == "error: cannot write standard output: no space left on device [cannot-write]\n")
    }

    @Test func reportsGoWhereTheyAreSent() throws {
        let outcome = try command.run("run", "job.yaml", "--report", "json=report.json", "--report", "text=report.txt")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("the ledger balances"))
        #expect(place.text("report.txt") == outcome.errors)
        let report = try JSONSerialization.jsonObject(with: Data((place.text("report.json") ?? "").utf8))
        let findings = (report as? [String: Any])?["findings"] as? [[String: Any]]
        #expect(findings?.first?["code"] as? String == "not-a-hex-colour")
        #expect(findings?.first?["line"] as? Int == 3)
        #expect(findings?.first?["column"] as? Int == 3)
        let alone = try command.run("run", "job.yaml", "--report", "json")
        #expect(alone.errors.hasPrefix("{"))
    }

    @Test func aReportThatCannotBeWrittenIsToldBeforeTheRun() throws {
        let outcome = try command.run("run", "job.yaml", "--report", "json=/proc/nowhere/report.json")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("error: cannot write '/proc/nowhere/report.json': "))
        #expect(outcome.output.isEmpty)
    }

    @Test func rowsAndAReportAreNotMixed() throws {
        let outcome = try command.run("run", "job.yaml", "--report", "json=-")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("'--report json' and the job both write to standard output [output-twice]"))
    }

    @Test func aStandardOutputThatIsClosedIsAFailureOfTheMachine() throws {
        let outcome = try command.shell("$DAYBOOK run job.yaml >&-")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("error: cannot write standard output: it is closed [cannot-write]"))
        #expect(try command.shell("$DAYBOOK schema >&-").status == 3)
        // What names a file needs no standard output.
        let guess = try command.shell("printf 'a\\n1\\n' > other.csv; $DAYBOOK guess other.csv -o guessed.yaml >&-")
        #expect(guess.status == 0 && guess.errors.contains("wrote guessed.yaml"))
        // Nothing of the run ends up in what takes the number of the closed stream.
        #expect(try command.shell("$DAYBOOK run job.yaml 2>&-").output == "id,colour\n1,#EC007F\n")
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// What the command's exit code says, and the words that go with it.
@Suite struct ExitCodeTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,colour\n1,#EC007F\n2,#000000\n", to: "in.csv")
        try job()
    }

    /// Writes `job.yaml`: an import, a check of colours and an export.
    func job(input: String = "in.csv", output: String = "out.csv", stage: String = "validate_hex_colours") throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: "\(input)" }
              - \(stage): { column: colour }
              - export_csv: { path: "\(output)" }

            """,
            to: "job.yaml"
        )
    }

    @Test func aCleanRunEndsWith0() throws {
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("the ledger balances: 2 rows read, every one accounted for"))
        #expect(Expectation.withoutTimes(outcome.errors).hasSuffix("\n\ndone: wrote out.csv, in 0.00 s\n"))
        #expect(place.text("out.csv") == "id,colour\n1,#EC007F\n2,#000000\n")
    }

    @Test func validateWarnsOfWhatIsLikelyNotMeant() throws {
        try place.write(
            """
            daybook: 1
            timezone: Asia/Seoul
            stages:
              - import_csv: { path: in.csv }
              - normalise_dates:
                  column: at
                  formats: ["yyyy-MM-dd'T'HH:mm:ss'Z'"]
                  to: instant
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        let outcome = try command.run("validate", "job.yaml")
        #expect(outcome.status == 0)
        #expect(outcome.output == "job.yaml: good, 3 stages, 1 warning\n")
        #expect(
            outcome.errors == """
                job.yaml:7:17: warning: 'Z' in quotes is plain text and not UTC: 'yyyy-MM-dd'T'HH:mm:ss'Z'' reads times as those of \
                Asia/Seoul [quoted-zone]
                    7 |       formats: ["yyyy-MM-dd'T'HH:mm:ss'Z'"]
                      |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^
                  hint: write X in place of 'Z', or let iso read such texts

                """
        )
    }

    @Test func warningsAloneEndWith0() throws {
        try place.write("id,colour,id\n1,#EC007F,2\n", to: "in.csv")
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("warning: "))
        #expect(
            Expectation.withoutTimes(outcome.errors)
                .hasSuffix("done: wrote out.csv, in 0.00 s; 1 warning stands above\n")
        )
    }

    @Test func aFailedGateEndsWith1() throws {
        try place.write("yesterday\n", to: "out.csv")
        try place.write("id,colour\n1,#EC007F\n2,pink\n", to: "in.csv")
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.hasPrefix(
                """
                in.csv:3:3: error: 'pink' is not a hex colour: expected # and 6 hex digits [not-a-hex-colour]
                    3 | 2,pink
                      |   ^^^^

                """
            )
        )
        #expect(
            outcome.errors.hasSuffix(
                """
                gate failed for the job: 1 of 2 rows rejected (50 %), none allowed

                next: mend the rows at the places above; the old outputs are as they were

                """
            )
        )
        #expect(place.text("out.csv") == "yesterday\n")
    }

    @Test func anUnknownStageEndsWith2() throws {
        try job(stage: "validate_hex_colors")
        for command in ["run", "validate", "explain"] {
            let outcome = try self.command.run(command, "job.yaml")
            #expect(outcome.status == 2)
            #expect(outcome.output.isEmpty)
            #expect(
                outcome.errors.hasPrefix(
                    """
                    job.yaml:4:5: error: no stage named 'validate_hex_colors' [unknown-stage]
                        4 |   - validate_hex_colors: { column: colour }
                          |     ^^^^^^^^^^^^^^^^^^^
                      hint: did you mean 'validate_hex_colours'?

                    """
                )
            )
        }
    }

    @Test func aJobThatIsNotThereEndsWith2() throws {
        let outcome = try command.run("run", "jbo.yaml")
        #expect(outcome.status == 2)
        #expect(
            outcome.errors == """
                error: there is no job file 'jbo.yaml' [job-not-found]
                  hint: did you mean 'job.yaml'?

                next: mend the error above, then run again; nothing was written, the old outputs are as they were

                """
        )
        let directory = try command.run("run", ".")
        #expect(directory.status == 2)
        #expect(directory.errors.hasPrefix("error: '.' is a directory, not a job [job-is-a-directory]\n"))
        #expect(directory.errors.contains("\n  hint: name a job file in it\n"))
    }

    @Test func aPathFromHereIsGivenAsTheJobWouldWriteIt() throws {
        try place.write("a\n1\n", to: "data/in.csv")
        try place.write(
            """
            daybook: 1
            params: { file: x.csv }
            stages:
              - import_csv: { path: "${file}" }
              - export_csv: { path: out.csv }
            """,
            to: "jobs/job.yaml"
        )
        let outcome = try command.run("run", "jobs/job.yaml", "--set", "file=data/in.csv")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("there is no file 'data/in.csv' [input-not-found]"))
        #expect(
            outcome.errors.contains("start from the job file; from there it is '../data/in.csv'\n"),
            "\(outcome.errors)"
        )
    }

    @Test func anInputThatIsNotThereEndsWith3() throws {
        try job(input: "inn.csv")
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("error: there is no file 'inn.csv' [input-not-found]"))
        #expect(outcome.errors.contains("hint: did you mean 'in.csv'?"))
        #expect(
            outcome.errors.hasSuffix(
                "next: mend the error above, then run again; "
                    + "nothing was written, the old outputs are as they were\n"
            )
        )
    }

    /// Tests may run as root, whom no permission stops; the kernel refuses to read this file to anyone.
    @Test func anInputThatCannotBeReadEndsWith3() throws {
        try job(input: "/proc/self/mem")
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("error: cannot read '/proc/self/mem': "))
    }

    @Test func anOutputThatCannotBeWrittenEndsWith3() throws {
        try job(output: "/dev/full")
        let full = try command.run("run", "job.yaml")
        #expect(full.status == 3)
        #expect(full.errors.contains("error: cannot write '/dev/full': no space left on the disk [cannot-write]"))
        try job(output: "/proc/nowhere/out.csv")
        let nowhere = try command.run("run", "job.yaml")
        #expect(nowhere.status == 3)
        #expect(nowhere.errors.contains("error: cannot write '/proc/nowhere/out.csv': "))
    }

    @Test(
        arguments: [
            (["rnu"], "error: no command named 'rnu' [unknown-command]\n  hint: did you mean 'run'?\n"),
            (
                ["frobnicate"],
                """
                error: no command named 'frobnicate' [unknown-command]
                  hint: the commands are run, backfill, validate, explain, preview, test, replay, history, site, verify, notify, guess, profile, diff, contract, plan, exchange, merge, model, stages, schema

                """
            ),
            (
                ["job.yaml"],
                "error: no command named 'job.yaml' [unknown-command]\n  hint: did you mean 'daybook run job.yaml'?\n"
            ),
            (["run"], "error: name a job file, or a shard by '--shard' [usage]\n  hint: see 'daybook run --help'\n"),
            (
                ["run", "--shard", "plan.json#0", "--into", "parts", "--manifest", "run.json"],
                """
                error: '--manifest', '--report' and '--wait' belong to the run of a whole job [usage]
                  hint: see 'daybook run --help'

                """
            ),
            (
                ["exchange", "plan.json#0", "parts", "--into", "keys", "--manifest", "run.json"],
                """
                error: unknown option '--manifest' [usage]
                  hint: see 'daybook exchange --help'

                """
            ),
            (
                ["run", "job.yaml", "--thread", "2"],
                """
                error: unknown option '--thread' [usage]
                  hint: did you mean '--threads'? see 'daybook run --help'

                """
            ),
            (
                ["run", "job.yaml", "--threads", "0"],
                "error: '--threads' is at least 1, found '0' [usage]\n  hint: see 'daybook run --help'\n"
            ),
            (
                ["run", "job.yaml", "--threads", "9999"],
                "error: '--threads' is at most 1024, found '9999' [usage]\n  hint: see 'daybook run --help'\n"
            ),
            (
                ["run", "job.yaml", "--report", "jsn"],
                "error: no form of report named 'jsn' [unknown-report]\n  hint: did you mean 'json'?\n"
            ),
            (
                ["run", "job.yaml", "--report", "github:al"],
                "error: no form of report named 'github:al' [unknown-report]\n  hint: did you mean 'github:all'?\n"
            ),
            (
                ["run", "job.yaml", "--report", "nothing"],
                "error: no form of report named 'nothing' [unknown-report]\n  hint: the forms are text, json, github, gitlab, sarif, junit, html, mail, badge\n"
            ),
            (
                ["run", "job.yaml", "--report", "json="],
                """
                error: '--report json=' names no file [unknown-report]
                  hint: write '--report json=FILE', or '--report json' for standard error

                """
            ),
            (
                ["validate", "job.yaml", "--as-of", "tomorrow"],
                """
                error: expected 'today', 'yesterday' or a date such as 2026-11-21 after '--as-of', found 'tomorrow' [bad-as-of]
                  hint: write the year, month and day as 2026-11-21

                """
            ),
            (
                ["validate", "job.yaml", "--as-of", "2026-02-30"],
                """
                error: '2026-02-30' is not a day of the calendar [bad-as-of]
                  hint: give '--as-of' a date such as 2026-11-21

                """
            ),
            (
                ["validate"],
                "error: expected <job> after 'validate', found nothing [usage]\n  hint: see 'daybook validate --help'\n"
            ),
            (
                ["history", "diff", "last"],
                """
                error: expected <later> after 'history diff', found nothing [usage]
                  hint: see 'daybook history diff --help'

                """
            ),
            (
                ["history", "--last", "99999999999999999999"],
                """
                error: expected a smaller number after '--last', found '99999999999999999999' [usage]
                  hint: see 'daybook history --help'

                """
            ),
            (
                ["stages", "--format", "xml"],
                """
                error: expected text, json or markdown after '--format', found 'xml' [usage]
                  hint: see 'daybook stages --help'

                """
            ),
            (
                ["run", "job.yaml", "--threads", "many"],
                """
                error: expected a whole number after '--threads', found 'many' [usage]
                  hint: see 'daybook run --help'

                """
            ),
            (
                ["run", "job.yaml", "--max-findings", "-1"],
                """
                error: expected a whole number without a sign after '--max-findings', found '-1' [usage]
                  hint: see 'daybook run --help'

                """
            ),
            (
                ["run", "job.yaml", "--set"],
                """
                error: expected <name=value> after '--set', found nothing [usage]
                  hint: see 'daybook run --help'

                """
            ),
            (
                ["validate", "job.yaml", "--set", "diary"],
                """
                error: expected '--set name=value', found 'diary' [bad-setting]
                  hint: name a param of the job, then '=' and its value

                """
            ),
            (
                ["preview", "job.yaml", "--stage", "export_cvs"],
                "error: no stage has the id 'export_cvs' [unknown-stage-id]\n  hint: did you mean 'export_csv'?\n"
            ),
            (
                ["preview", "job.yaml", "--stage", "somewhere else"],
                """
                error: no stage has the id 'somewhere else' [unknown-stage-id]
                  hint: the ids are import_csv, validate_hex_colours, export_csv

                """
            ),
            (
                ["preview", "job.yaml", "--stage", "import_csv", "--rows", "0"],
                "error: '--rows' is at least 1, found '0' [usage]\n  hint: see 'daybook preview --help'\n"
            ),
            (
                ["stages", "import_cvs"],
                "error: no stage named 'import_cvs' [unknown-stage]\n  hint: did you mean 'import_csv'?\n"
            ),
            (
                ["stages", "somewhere else"],
                "error: no stage named 'somewhere else' [unknown-stage]\n  hint: 'stages' lists them all\n"
            ),
        ] as [([String], String)]
    )
    func aWrongCommandLineEndsWith2(_ arguments: [String], _ message: String) throws {
        let outcome = try command.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == message)
    }
}

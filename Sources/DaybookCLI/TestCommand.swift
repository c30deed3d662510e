import ArgumentParser
import DaybookEngine
import DaybookJobTools

/// `daybook test JOB…`.
struct TestCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "test",
            abstract: "Run the tests that stand in jobs: given rows, expected rows.",
            discussion: """
                A test names the rows that some stages are given and those that others are
                to give:

                  tests:
                    - name: a bad colour is refused
                      as_of: 2026-11-21          # for stages that ask for it; optional
                      set: { limit: 3 }          # params; optional
                      given:
                        entries: |               # an import gets the text of its file
                          id,colour
                          1,#FFD54F
                          2,yellow
                      expect:
                        clean: [{ id: 1 }]       # only columns that are named are compared
                        clean.rejects: |
                          code,field,value
                          not-a-hex-colour,colour,yellow
                      gate: fails                # or passes; optional

                The stages above the expected ones run on the engine of every run. Imports read
                what they are given and no file; exports check their rows; nothing is
                written. Rows are CSV with a header, or a list of maps: [{ id: 1 }]. Given to
                a stage that is no import, they stand in its place. An import of several
                files is given { name: text, … }.

                'findings:' holds what the run is to find, with any of severity, code, message,
                stage, rule, source, line, column, pointer, field and value; 'rules:' how rules
                are to end, with any of rule, verdict, failing, rows, stage, type and message.

                With --update, expectations that differ are written anew in the job file;
                everything else in it stays as it is. Leave one empty to have it written.

                Without 'as_of' a test takes the date of the job, and \(JobTest.defaultDay) where
                that is today.

                Examples:
                  \(name) test nightly.yaml
                  \(name) test pipelines/*.yaml
                  \(name) test nightly.yaml --only 'a bad colour is refused'
                  \(name) test nightly.yaml --update
                """
        )
    }

    @Argument(help: "The job files; - is standard input.", completion: .file(extensions: ["yaml", "yml"]))
    var jobs: [String]

    @Option(
        name: .customLong("set"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Give a param of the job a value that a test may set in its turn; may be repeated.",
            valueName: "name=value"
        )
    )
    var settings: [String] = []

    @OptionGroup var state: StateOption

    @Option(parsing: .singleValue, help: ArgumentHelp("Run the test of that name; may be repeated.", valueName: "name"))
    var only: [String] = []

    @Flag(help: "Write what the tests give in the place of what they expect.")
    var update = false

    @Option(help: ArgumentHelp("How many rows that differ to show of each expectation.", valueName: "n"))
    var rows = 20

    @Option(help: ArgumentHelp("How many threads work; the result is the same for any number.", valueName: "n"))
    var threads = 2

    mutating func validate() throws {
        if rows < 1 { throw ValidationError("'--rows' is at least 1, found '\(rows)'") }
        if threads < 1 { throw ValidationError("'--threads' is at least 1, found '\(threads)'") }
        if threads > 1024 { throw ValidationError("'--threads' is at most 1024, found '\(threads)'") }
    }

    mutating func run() throws {
        if update, jobs.contains("-") {
            throw DaybookError(
                "usage",
                "'--update' cannot rewrite standard input",
                hint: "give the job as a file"
            )
        }
        Interruption.listen()
        var options = JobOptions()
        options.asOf = nil
        options.settings = settings
        var session = TestSession(
            options: options,
            only: only,
            updates: update,
            rows: rows,
            run: TestRun(table: CommandContext.current.table, threads: threads) { Interruption.isRequested }
        )
        for job in jobs {
            state.recover(job: job)
            session.test(job)
        }
        throw ExitCode(session.finish(jobs))
    }
}

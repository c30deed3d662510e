import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookJobTools
import DaybookReports

/// `daybook test JOB…`.
struct TestCommand: Subcommand {
    static let outline = CommandOutline("test", "Run the tests that stand in jobs: given rows, expected rows.") {
        name in
        """
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
    }

    @Argument(help: "The job files; - is standard input.", completion: .job)
    var jobs: [String]

    @Option(
        name: .customLong("set"),
        parsing: .singleValue,
        help: .value("name=value", "Give a param of the job a value that a test may set in its turn; may be repeated.")
    )
    var settings: [String] = []

    @OptionGroup var state: StateOption

    @Option(parsing: .singleValue, help: .value("name", "Run the test of that name; may be repeated."))
    var only: [String] = []

    @Flag(help: "Write what the tests give in the place of what they expect.")
    var update = false

    @Option(help: .value("n", "How many rows that differ to show of each expectation."))
    var rows = 20

    @Option(help: .value("n", "How many threads work; the result is the same for any number."))
    var threads = 2

    mutating func validate() throws {
        if rows < 1 { throw ValidationError("'--rows' is at least 1, found '\(rows)'") }
        if threads < 1 { throw ValidationError("'--threads' is at least 1, found '\(threads)'") }
        if threads > 1024 { throw ValidationError("'--threads' is at most 1024, found '\(threads)'") }
    }

    mutating func run() throws {
        if update, jobs.contains("-") {
            throw DaybookError("usage", "'--update' cannot rewrite standard input", hint: "give the job as a file")
        }
        Interruption.listen()
        var options = JobOptions.none
        options.settings = settings
        var session = TestSession(
            options: options,
            only: only,
            updates: update,
            rows: rows,
            run: TestRun(table: CommandContext.current.table, threads: threads) { Interruption.isRequested }
        )
        for job in jobs { session.test(state.recovered(JobReading(job, options))) }
        throw ExitCode(session.finish(jobs))
    }
}

/// The tests of several jobs from the command line: reads, runs, tells and rewrites.
struct TestSession {
    let options: JobOptions
    let only: [String]
    let updates: Bool
    /// How many rows that differ are shown of each expectation.
    let rows: Int
    let run: TestRun

    private var code: Int32 = 0
    private var passed = 0
    private var failed = 0
    private var updated = 0
    /// The names of all tests that were seen, and of those that `only` asks for.
    private var names: [String] = []
    private var found: Set<String> = []

    init(options: JobOptions, only: [String], updates: Bool, rows: Int, run: TestRun) {
        (self.options, self.only, self.updates, self.rows, self.run) = (options, only, updates, rows, run)
    }

    mutating func test(_ reading: JobReading) {
        guard let job = reading.job, let report = reading.source.map({ _ in RunReport(reading, threads: 1) }) else {
            return complain(reading.problems, reading)
        }
        names += job.tests.map(\.name)
        found.formUnion(job.tests.map(\.name))
        let wanted = job.tests.enumerated().filter { only.isEmpty || only.contains($0.element.name) }
        let prepared = wanted.map { ($0.offset, $0.element, reading.prepared(for: $0.element)) }
        // What is wrong with the job is told once, however many tests it has.
        var problems = job.tests.isEmpty ? reading.problems : []
        for problem in prepared.flatMap(\.2.problems) where !problems.contains(where: { $0.isSame(as: problem) }) {
            problems.append(problem)
        }
        guard problems.isEmpty else { return complain(problems, reading) }
        guard !wanted.isEmpty else {
            if only.isEmpty { Terminal.print("\(PrintableText.of(JobReading.shown(reading.file))): no tests") }
            return
        }
        Terminal.print(PrintableText.of(JobReading.shown(reading.file)))
        let text = TestText(report, rows: rows, style: Terminal.outputStyle)
        let outcomes = prepared.compactMap { index, test, prepared in
            prepared.job.map { (run.run(test, at: index, in: $0), $0) }
        }
        let names = updates ? update(outcomes, reading) : []
        for (outcome, _) in outcomes {
            if outcome.passed {
                passed += 1
            } else if names.contains(outcome.test.name) {
                updated += 1
                Terminal.print("  updated  \(reading.mask.masking(outcome.test.name))")
                continue
            } else {
                failed += 1
                code = max(code, outcome.exitCode)
            }
            Terminal.print(text.lines(outcome).joined(separator: "\n"))
        }
    }

    /// Rewrites the job file, and gives the names of the tests whose expectations are new.
    private mutating func update(_ outcomes: [(TestOutcome, Job)], _ reading: JobReading) -> Set<String> {
        guard let job = outcomes.first?.1 else { return [] }
        do throws(DaybookErrors) {
            let update = try TestUpdate(outcomes.map(\.0), of: job, file: reading.bytes)
            guard let bytes = update.bytes else { return [] }
            do throws(DaybookError) {
                try JobFile.replace(reading.file, holding: reading.bytes, by: bytes)
            } catch { throw DaybookErrors(error) }
            return Set(update.updated)
        } catch {
            complain(error.errors, reading)
            return []
        }
    }

    private mutating func complain(_ problems: [DaybookError], _ reading: JobReading) {
        code = max(code, RunOutcome(errors: problems).exitCode)
        Terminal.note(reading.rendered(problems))
    }

    /// Tells how it went, and gives the exit code.
    mutating func finish(_ jobs: [String]) -> Int32 {
        for name in only where !found.contains(name) {
            code = max(code, 2)
            let known =
                names.isEmpty ? "there are no tests" : "the tests are: \(names.prefix(20).joined(separator: "; "))"
            let hint = NearestName.hint(for: String(name.prefix(64)), among: names.prefix(200)) ?? known
            Terminal.complain(DaybookError("unknown-test", "no test has the name '\(name)'", hint: hint))
        }
        let count = passed + failed + updated
        guard count > 0 else {
            guard code == 0 else { return code }
            let message = "there is no test in \(jobs.count == 1 ? "the job" : "the jobs")"
            let hint = "'\(CommandContext.current.name) test --help' shows how to write one"
            Terminal.complain(DaybookError("no-tests", message, hint: hint))
            return 2
        }
        let parts = [(passed, "passed"), (updated, "updated"), (failed, "failed")].filter { $0.0 > 0 }
        let told = parts.map { "\($0) \($1)" }.joined(separator: ", ")
        Terminal.print("\(count) \(count == 1 ? "test" : "tests"): \(told)")
        return code
    }
}

extension DaybookError {
    /// Whether both say the same of the same place.
    fileprivate func isSame(as other: DaybookError) -> Bool {
        code == other.code && message == other.message && place == other.place
    }
}

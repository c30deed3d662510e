import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookJSON
import DaybookJobTools
import DaybookReports

/// `daybook validate JOB…`.
struct ValidateCommand: Subcommand {
    static let outline = CommandOutline("validate", "Check job files without reading any rows.") { name in
        """
        Every problem of every file is shown, each with its line. Columns that
        only the inputs know are taken on trust, unless --data looks at them.
        A warning tells of what is allowed and likely not meant.

        With --model, the columns that each export with a 'model' writes, or that
        the only export_user_defaults or export_json writes, are held against the
        types of another Swift file, such as the app's next version: a field that
        no column fills, a column of another kind and dates of another strategy are
        errors. Whether an optional value is there, only rows can tell.

        Examples:
          \(name) validate nightly.yaml
          \(name) validate pipelines/*.yaml
          \(name) validate nightly.yaml --data --set diary=other.csv
          \(name) validate migration.yaml --data --model Next/App.swift
        """
    }

    @Argument(help: "The job files; - is standard input.", completion: .job)
    var jobs: [String]

    @Flag(
        help:
            "Look at the beginnings of the inputs too: for columns that they lack, kinds that do not fit, and outputs that are read."
    )
    var data = false

    @Option(
        help: "Hold what the exports write against the types of this Swift file.",
        completion: .file(extensions: ["swift"])
    )
    var model: String?

    @Option(
        help:
            "With --model: the type that reads the output, such as '[Todo]'; else that of the job's 'model', or the only one."
    )
    var type: String?

    @OptionGroup var options: JobOptions

    @OptionGroup var state: StateOption

    func validate() throws {
        if type != nil, model == nil {
            throw ValidationError("'--type' goes with '--model', the file that declares it")
        }
    }

    mutating func run() throws {
        var code: Int32 = 0
        let check = try model.map { ModelCheck(try SwiftSource.read($0, name: $0), type: type) }
        for file in jobs {
            let reading = state.recovered(JobReading(file, options, repeats: true))
            var held: ModelCheck.Result?
            var problems = reading.problems
            if problems.isEmpty, data {
                problems = faults(of: reading) { plan, schemas in
                    held = check?.result(plan, from: Array(schemas.values))
                    return held?.errors ?? []
                }
            } else if problems.isEmpty {
                problems = reading.problemsOfKinds
                if problems.isEmpty, let check, let plan = reading.plan {
                    held = check.declared(plan)
                    problems = held?.errors ?? []
                }
            }
            code = max(code, RunOutcome(errors: problems).exitCode)
            if let job = reading.job, problems.isEmpty {
                let each = job.each.map { ", for each of \(DisplayText.count($0.values.count))" } ?? ""
                let stages = counted(Set(job.stages.map(\.writtenID)).count, "stage") + each
                let tests = job.tests.isEmpty ? "" : ", \(counted(job.tests.count, "test"))"
                let warnings = reading.warnings
                let told = warnings.isEmpty ? "" : ", \(counted(warnings.count, "warning"))"
                Terminal.print("\(PrintableText.of(JobReading.shown(file))): good, \(stages)\(tests)\(told)")
                if !warnings.isEmpty { Terminal.note(reading.rendered(warnings)) }
                let notes = reading.plan.map { StreamNotes.lines(of: $0, in: reading.directory, jobFile: file) } ?? []
                for note in notes + job.notices.compactMap(\.note) + (held?.notes ?? []) {
                    Terminal.remark(reading.mask.masking("\(JobReading.shown(file)): note: \(note)"))
                }
            } else {
                Terminal.note(reading.rendered(problems))
                // What is wrong on the command line is not in the file.
                guard reading.source != nil else { continue }
                Terminal.remark("\n\(counted(problems.count, "error")) in \(JobReading.shown(file))")
            }
        }
        if code != 0 { throw ExitCode(code) }
    }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private func faults(of reading: JobReading, and check: (Plan, [Int: Schema]) -> [DaybookError]) -> [DaybookError] {
        guard let plan = reading.plan else { return [] }
        let state = state.directory(of: reading)
        var settings = RunSettings(reading, in: state, threads: 1)
        settings.hasPassed = {
            plan.hasPassed(in: state, jobFile: reading.file, sha256: SHA256Digest.of(reading.bytes))
        }
        return plan.faults(inData: settings, and: check)
    }
}

extension PlanExplanation.Format: ExpressibleByArgument {}

/// `daybook explain JOB`.
struct ExplainCommand: Subcommand {
    static let outline = CommandOutline("explain", "Show what a job would do, stage by stage.") { name in
        """
        The heads of the inputs are looked at where they are there, so that the
        columns are known. Nothing else is read, and nothing is written.

        As svg and html the way of the rows is drawn, in one file that needs no other.

        Examples:
          \(name) explain nightly.yaml
          \(name) explain nightly.yaml --format html > nightly.html
          \(name) explain nightly.yaml --format mermaid > nightly.mmd
          \(name) explain nightly.yaml --format json --set diary=other.csv
        """
    }

    @Argument(help: "The job file; - is standard input.", completion: .job)
    var job: String

    @OptionGroup var options: JobOptions

    @OptionGroup var state: StateOption

    @Option(help: "How to print it.") var format = PlanExplanation.Format.text

    mutating func run() throws {
        let reading = state.recovered(JobReading(job, options))
        let plan = try reading.planOrExit()
        let told = try reading.orExit {
            let marks = try plan.positions(in: state.directory(of: reading), jobFile: job)
            return try PlanExplanation(plan, RunReport(reading, threads: 1), marks: marks)
        }
        Terminal.print(in: format) { told.told(as: format, style: $0) }
    }
}

extension PreviewTable.Format: ExpressibleByArgument {}

/// `daybook preview JOB --stage ID`.
struct PreviewCommand: Subcommand {
    static let outline = CommandOutline("preview", "Show the first rows that a stage gives, and write nothing.") {
        name in
        """
        The stage is named by its id; 'id.rejects' shows what it rejected. Rows go
        to standard output, what was found on the way to standard error.

        Examples:
          \(name) preview nightly.yaml --stage entries
          \(name) preview nightly.yaml --stage clean --rows 100 --format csv
          \(name) preview nightly.yaml --stage clean.rejects
        """
    }

    @Argument(help: "The job file; - is standard input.", completion: .job)
    var job: String

    @Option(help: .value("id", "The id of the stage.")) var stage: String

    @Option(help: .value("n", "How many rows to show.")) var rows = 10

    @Option(help: "How to print them.") var format = PreviewTable.Format.table

    @OptionGroup var options: JobOptions

    @OptionGroup var state: StateOption

    mutating func validate() throws {
        if rows < 1 { throw ValidationError("'--rows' is at least 1, found '\(rows)'") }
    }

    mutating func run() throws {
        let reading = state.recovered(JobReading(job, options, readsRows: true))
        let plan = try reading.planOrExit()
        if !reading.warnings.isEmpty { Terminal.note(reading.rendered(reading.warnings)) }
        Interruption.listen()
        let preview = try Preview(of: stage, in: plan, table: CommandContext.current.table)
        let result = try reading.orExit { try preview.run(rows: rows, threads: 2) { Interruption.isRequested } }
        guard result.outcome.errors.isEmpty else { throw reading.exit(with: result.outcome.errors) }
        Terminal.print(in: format) { result.rows.text(as: format, style: $0) }
        Terminal.note(PreviewNotes.text(result, RunReport(reading, threads: 2), style: Terminal.style))
    }
}

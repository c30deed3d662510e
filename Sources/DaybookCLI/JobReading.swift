import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookJobTools
import DaybookReports
import Foundation

/// A job file with everything that can be said of it before any input is opened.
struct JobReading {
    /// The file as the command line names it.
    let file: String
    private let readsRows: Bool
    /// Whether a job with `for_each` has its stages once for each value, and not once at all.
    private let repeats: Bool
    private let options: JobOptions
    /// The text of a job that no file holds.
    private let text: String?
    private(set) var bytes: [UInt8] = []
    private(set) var source: SourceText?
    /// With problems it may be there and must not run.
    private(set) var job: Job?
    /// The plan with the columns that the options alone make certain; nil when something is wrong.
    private(set) var plan: Plan?
    /// What is allowed in the job and likely not meant.
    private(set) var warnings: [JobWarning] = []
    private(set) var problems: [DaybookError] = []
    private var settings: [ParamSetting] = []
    private var asOf: Job.AsOf?

    /// Reads and checks the file at `path`, which may be `-`.
    ///
    /// - Parameters:
    ///   - readsRows: Whether the inputs are read too, so that the job cannot also come from one of them.
    ///   - repeats: Whether a job with `for_each` has its stages once for each value. Commands that take the name of a
    ///     stage read it as one of each.
    ///   - text: The text of the job, where the file is not there.
    init(_ path: String, _ options: JobOptions, readsRows: Bool = false, repeats: Bool = false, text: String? = nil) {
        file = path
        self.text = text
        self.readsRows = readsRows
        self.repeats = repeats
        self.options = options
        do throws(DaybookError) {
            settings = try options.params()
            asOf = try options.day()
            if let text {
                bytes = Array(text.utf8)
            } else {
                bytes = try JobFile.read(path) { Interruption.isRequested }
            }
            check()
        } catch { problems = [error] }
    }

    private mutating func check() {
        let table = CommandContext.current.table
        var reading = parsed(
            settings,
            asOf,
            search: repeats ? .all(directory: directory) : .first(directory: directory)
        )
        source = reading.source
        job = reading.job
        if let job {
            do throws(DaybookErrors) {
                let plan = try Plan(job, table: table, asOf: job.day)
                var resolved = plan
                try resolved.resolve(plan.declaredSchemas)
                self.plan = plan
                warnings = resolved.warnings + (JobReading.keepsTooFew(job, plan).map { [$0] } ?? [])
                if readsRows, file == "-" { reading.add(JobReading.readingJobAgain(plan)) }
                // Tests name the stages as the job writes them.
                let single = job.each == nil || !repeats ? nil : parsed(settings, asOf).job
                let tested = try single.map { job throws(DaybookErrors) in try Plan(job, table: table, asOf: job.day) }
                for test in job.tests where test.settings.isEmpty {
                    reading.add(TestChecks.problems(of: test, in: tested ?? plan, table))
                }
            } catch { reading.add(error.errors) }
            if reading.problems.isEmpty {
                for test in job.tests where !test.settings.isEmpty { reading.add(prepared(for: test).problems) }
            }
        }
        problems = reading.problems.map(hintingAtComment)
        if !problems.isEmpty { plan = nil }
    }

    /// Mistakes for a command that reads no data: a column that the job does not declare holds text in some formats.
    var problemsOfKinds: [DaybookError] {
        guard var plan else { return [] }
        do throws(DaybookErrors) { try plan.resolve(plan.unreadSchemas) } catch { return error.errors }
        return []
    }

    /// Rules and measures compare with more days than the history keeps runs, this one among them.
    private static func keepsTooFew(_ job: Job, _ plan: Plan) -> JobWarning? {
        guard let keep = job.keep, let days = plan.pastRequests.map(\.request.days).max(), days >= keep.runs else {
            return nil
        }
        return JobWarning(
            "keeps-too-few",
            "'keep' leaves \(keep.written), and rules or measures compare with \(DisplayText.count(days, "earlier day"))",
            at: nil,
            hint: "keep more runs, since a day may have several"
        )
    }

    /// Of a value that is not there since a `#` begins a comment in its place, as in `delimiter: #`.
    private func hintingAtComment(_ problem: DaybookError) -> DaybookError {
        guard problem.message.hasSuffix("found nothing"), let place = problem.place, place.file == source?.file else {
            return problem
        }
        let line =
            String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropFirst(place.line - 1).first ?? ""
        let rest = line.dropFirst(max(0, place.column - 1)).trimmingPrefix { $0 == " " || $0 == ":" }
        guard rest.hasPrefix("#") else { return problem }
        var problem = problem
        let value = rest.prefix { $0 != " " && $0 != "\r" }
        problem.hint = "a # begins a comment; write the value in quotes: '\(value)'"
        return problem
    }

    private func parsed(
        _ settings: [ParamSetting],
        _ asOf: Job.AsOf?,
        search: ForEach.Search = .none
    ) -> JobParser.Reading {
        let table = CommandContext.current.table
        return JobParser(
            settings: settings,
            asOf: asOf,
            stageNames: table.names,
            isSource: { table.isSource($0) },
            search: search,
            environment: Terminal.variable
        ).read(bytes, file: JobReading.shown(file))
    }

    /// The job with the params of a test, and what is wrong with it or with the test.
    func prepared(for test: JobTest) -> (job: Job?, problems: [DaybookError]) {
        let set = Set(test.settings.map(\.name))
        let day = job.map { TestRun.day(of: test, in: $0) }
        var reading = parsed(settings.filter { !set.contains($0.name) } + test.settings, day.map(Job.AsOf.day))
        guard let job = reading.job else { return (nil, reading.problems) }
        let table = CommandContext.current.table
        do throws(DaybookErrors) {
            let plan = try Plan(job, table: table, asOf: TestRun.day(of: test, in: job))
            var resolved = plan
            try resolved.resolve(plan.declaredSchemas)
            reading.add(TestChecks.problems(of: test, in: plan, table))
        } catch { reading.add(error.errors) }
        return (reading.problems.isEmpty ? job : nil, reading.problems)
    }

    /// The job file as messages name it.
    static func shown(_ file: String) -> String { file == "-" ? "standard input" : file }

    /// Standard input can be read once, and the job came from there.
    private static func readingJobAgain(_ plan: Plan) -> [DaybookError] {
        plan.stages.flatMap { stage -> [DaybookError] in
            guard case .source(let source) = stage.role else { return [] }
            return source.paths.filter(\.isStandardStream).map { path in
                DaybookError(
                    "standard-input-taken",
                    "standard input is already the job",
                    at: path.place ?? stage.place,
                    hint: "give the job as a file"
                )
            }
        }
    }

    /// The directory that the job's paths start from.
    var directory: String { JobFile.directory(of: file) }

    /// The state directory that the job names; nil for none, and for one that cannot be told.
    var namedState: String? { job?.state.map { FilePath.join(directory, $0.text) } }

    /// The job file read anew. Standard input can be read once.
    var again: JobReading {
        file == "-" || text != nil ? self : JobReading(file, options, readsRows: readsRows, repeats: repeats)
    }

    var mask: SecretMask { SecretMask(job?.secrets ?? []) }

    /// Errors with excerpts from the job.
    func rendered(_ errors: [DaybookError]) -> String {
        ErrorRenderer(source: source, style: Terminal.style, mask: mask).render(errors)
    }

    /// Warnings with excerpts from the job.
    func rendered(_ warnings: [JobWarning]) -> String {
        let renderer = ErrorRenderer(source: source, style: Terminal.style, mask: mask)
        return warnings.map { renderer.render($0) }.joined(separator: "\n")
    }

    /// The plan; or tells what is wrong and ends the command.
    func planOrExit() throws -> Plan {
        if let plan { return plan }
        throw exit(with: problems)
    }

    /// Does what the plan of the job is for; or tells what is wrong and ends the command.
    func orExit<Result>(_ work: () throws -> Result) throws -> Result {
        do { return try work() } catch let error as DaybookError {
            throw exit(with: [error])
        } catch let errors as DaybookErrors {
            throw exit(with: errors.errors)
        }
    }

    /// Tells of errors; the result ends the command with the exit code that they call for.
    func exit(with errors: [DaybookError]) -> ExitCode {
        Terminal.note(rendered(errors))
        return ExitCode(RunOutcome(errors: errors).exitCode)
    }
}

extension RunReport {
    /// What is known before the run begins.
    init(_ reading: JobReading, threads: Int, started: Date = Date()) {
        self.init(jobFile: reading.file, threads: threads, started: Int64(started.timeIntervalSince1970 * 1_000_000))
        source = reading.source
        if reading.source != nil { jobSHA256 = SHA256Digest.of(reading.bytes) }
        if let job = reading.job { tell(of: job) }
    }
}

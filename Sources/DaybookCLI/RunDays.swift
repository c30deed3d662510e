import DaybookBytes
import DaybookEngine
import DaybookHistory
import DaybookReports

/// The days that runs of a job made, by the files that they read: by their names, or by the days of their rows, which the
/// history keeps.
struct RunDays {
    private let history: HistoryFile
    private let job: (name: String, path: String)
    /// How the imports of the job tell the day of a file; empty where none does.
    private let forms: [FileDay]

    init(of job: String, _ options: JobOptions, _ state: StateOption) throws {
        let reading = JobReading(job, options)
        let plan = try reading.planOrExit()
        try self.init(of: plan, jobFile: job, in: state.directory(of: reading))
    }

    init(of plan: Plan, jobFile: String, in directory: StateDirectory) throws(DaybookError) {
        history = try HistoryPlace.open(in: directory, of: jobFile)
        job = Plan.historyName(of: plan.job, jobFile: jobFile)
        forms = plan.stages.compactMap { stage in
            if case .source(let source) = stage.role { source.intake.day } else { nil }
        }
    }

    /// The days of the files of a run; its own day for a job whose files belong to none.
    func days(of run: RunRecord) -> Set<CalendarDay> {
        guard !forms.isEmpty else { return Set([run.asOf.flatMap { CalendarDay(iso: $0) }].compactMap(\.self)) }
        return Set(run.inputs.flatMap { file in forms.flatMap { file.days($0) } })
    }

    /// The days that a run made, to be made anew.
    func redone(_ text: String) throws(DaybookError) -> RedoneDays {
        let run = try HistoryPlace.run(text, in: history, of: job.path)
        guard run.path == job.path, run.job == job.name else {
            throw DaybookError(
                "cannot-redo",
                "run \(run.run) is one of the job '\(PrintableText.of(run.job))', not of '\(PrintableText.of(job.name))'",
                hint: "name a run that '\(CommandContext.current.name) history' lists for this job, or the days"
            )
        }
        guard !forms.isEmpty, let days = RedoneDays(days(of: run)) else {
            throw DaybookError(
                "cannot-redo",
                "run \(run.run) made no days: \(forms.isEmpty ? "no import of the job says which day its files belong to" : "it read no files of any")",
                hint: forms.isEmpty
                    ? "add 'day: { from: name, pattern: \"orders-{yyyy-MM-dd}.csv\" }' to the import"
                    : "name the days themselves, as in '--redo 2026-10-01..2026-10-10'"
            )
        }
        return days
    }

    /// The last run that made a day, of those that passed.
    func last(making day: CalendarDay) throws(DaybookError) -> RunRecord? {
        for listed in try passed() {
            if let run = try history.record(of: listed.run), days(of: run).contains(day) { return run }
        }
        return nil
    }

    /// The last run that made each day, of those that passed and began after a moment.
    func made(after start: Int64) throws(DaybookError) -> [CalendarDay: String] {
        var made: [CalendarDay: String] = [:]
        for listed in try passed() where listed.started > start {
            guard let run = try history.record(of: listed.run) else { continue }
            for day in days(of: run) where made[day] == nil { made[day] = run.run }
        }
        return made
    }

    /// The last run that read a file of a size and a digest under a path that is none of these, and that path; of those that
    /// passed and began after a moment.
    func reading(
        _ bytes: Int,
        _ xxh128: String,
        besides paths: Set<String>,
        after start: Int64
    ) throws(DaybookError) -> (run: String, path: String)? {
        for listed in try passed() where listed.started > start {
            let found = try history.record(of: listed.run)?.inputs.first {
                $0.bytes == bytes && $0.xxh128 == xxh128 && !paths.contains($0.path)
            }
            if let found { return (listed.run, found.path) }
        }
        return nil
    }

    private func passed() throws(DaybookError) -> [ListedRun] {
        try history.runs(RunChoice(path: job.path)).filter { $0.job == job.name && $0.exitCode == 0 }
    }
}

/// The days that a job makes up before its own, where it says `catch_up: daily`: each calendar day since the last that
/// passed, and those before it that failed.
enum MissedDays {
    private static let key = Array("catch_up".utf8)
    /// Of more missed days, the latest are made up.
    private static let most: Int32 = 31

    /// The days to run, the earliest first and the run's own last; nil where nothing is to be made up.
    static func days(of file: String, _ options: JobOptions, _ state: StateOption) -> [CalendarDay]? {
        // A job is read twice only where it may have the key, and never from a pipe.
        guard file != "-", (try? FileStatus.of(file))??.isRegularFile == true, let bytes = try? JobFile.read(file),
            bytes.indices.contains(where: { bytes[$0] == key[0] && bytes[$0...].starts(with: key) })
        else { return nil }
        let reading = JobReading(file, options)
        guard let job = reading.job, job.catchUp == .daily, reading.problems.isEmpty else { return nil }
        let name = Plan.historyName(of: job, jobFile: file)
        // A history that cannot be read is told by the run.
        let reach = first(before: job.day)
        // A day that is still to come was a slip of the fingers, unless this one is to come too.
        let today = Job.AsOf.today.day(in: job.timezone)
        let end = job.day <= today ? today : CalendarDay(number: CalendarDay.range.upperBound)
        guard
            let known = try? HistoryKeeper.lastDay(
                of: name,
                failedFrom: reach,
                notAfter: end,
                in: state.directory(of: reading)
            ), known.passed < job.day
        else { return nil }
        let (last, first) = (known.passed, max(known.passed.number + 1, reach.number))
        let days = known.failed + (first...job.day.number).map { CalendarDay(number: $0) }
        guard days.count > 1 else { return nil }
        let lost = Int(first - last.number - 1)
        let more = lost > 0 ? "; \(DisplayText.count(lost, "day")) before \(lost == 1 ? "is" : "are") too long ago" : ""
        let again = known.failed.isEmpty ? "" : ", of which \(DisplayText.list(known.failed.map(\.description))) failed"
        Terminal.remark(
            "'\(job.name)' passed last for \(last), and makes up \(DisplayText.count(days.count - 1, "day"))\(again)\(more)"
        )
        return days
    }

    /// The first day that a run of a day may make up.
    static func first(before day: CalendarDay) -> CalendarDay { CalendarDay(number: day.number - most + 1) }
}

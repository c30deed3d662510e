import DaybookBytes
import DaybookEngine

extension Plan {
    /// The figures of earlier days that rules and measures of the plan compare with, from the history of a state directory.
    ///
    /// Opens nothing if no rule or measure asks.
    ///
    /// - Parameter start: when the run to verify was started, in microseconds since 1970; later runs are left out.
    public func past(
        in state: StateDirectory,
        jobFile: String,
        startedBefore start: Int64? = nil
    ) throws(DaybookError) -> [PlannedPast] {
        let requests = pastRequests
        guard !requests.isEmpty else { return [] }
        try HistoryKeeper.takeEntries(of: state)
        guard let history = try HistoryFile.openToRead(in: state) else { return [] }
        let mask = SecretMask(job.secrets)
        let known = historyName(jobFile: jobFile)
        return try requests.map { stage, own, request throws(DaybookError) in
            let asked = HistoryFile.AskedFigure(
                job: known,
                stage: mask.masking(stage),
                name: mask.masking(own),
                startedBefore: start ?? .max
            )
            var past =
                request.isByGroup
                ? try history.groups(of: asked, request, before: context.asOf)
                : try history.past(of: asked, request, before: context.asOf)
            if namesDays, request.isByDay, !request.isByGroup { past.ofData = try history.days(of: asked, request) }
            return PlannedPast(stage: stage, name: own, past: past)
        }
    }

    /// Whether the history of a state directory knows a run of the job that passed, with the job file as it is now.
    public func hasPassed(in state: StateDirectory, jobFile: String, sha256: String) -> Bool {
        do {
            try HistoryKeeper.takeEntries(of: state)
            let history = try HistoryFile.openToRead(in: state)
            return try history?.hasPassed(historyName(jobFile: jobFile), sha256: sha256) ?? false
        } catch { return false }
    }
}

extension HistoryFile {
    fileprivate func hasPassed(_ job: JobKey, sha256: String) throws(DaybookError) -> Bool {
        let sql = "SELECT 1 FROM runs WHERE job = \(HistoryFile.job) AND digest = ?3 AND exit_code = 0 LIMIT 1"
        return try !rows(sql, values(of: job) + [sha256]) { $0.integer(0) }.isEmpty
    }

    /// A rule or a measure as the history knows it.
    struct AskedFigure {
        var job: JobKey
        var stage: String
        var name: String
        var startedBefore: Int64
    }

    /// The most runs that are looked at, passed or not: a job that fails every hour for months is not read to its first run.
    private static let mostRuns = 4_096

    /// A figure in runs of days before `day`, the latest first, until enough days had a run that passed.
    fileprivate func past(
        of asked: AskedFigure,
        _ request: PastRequest,
        before day: CalendarDay
    ) throws(DaybookError) -> FigurePast {
        // What runs of the same day saw is no news to be compared with, and known all the same.
        let isBefore = request.isByDay ? "<" : "<="
        let (table, name, value) =
            request.measure == nil ? ("measures", "title", "value") : ("rules", "rule", "observed")
        let sql = """
            SELECT runs.as_of, runs.run, runs.exit_code, figures.\(value)
            FROM runs JOIN \(table) AS figures ON figures.run = runs.id
            WHERE runs.job = \(HistoryFile.job) AND runs.as_of \(isBefore) ?3
                AND figures.stage = ?4 AND figures.\(name) = ?5 AND figures.\(value) IS NOT NULL
                AND runs.started < \(asked.startedBefore) \(request.measure == nil ? "" : "AND figures.measure = ?6")
            ORDER BY runs.as_of DESC, runs.id DESC LIMIT \(HistoryFile.mostRuns)
            """
        let measure = request.measure.map { [$0.rawValue] } ?? []
        var past = FigurePast()
        try runs(sql, ["\(day)", asked.stage, asked.name] + measure, of: asked, days: request.days) { row, entry in
            past.entries.append(entry(row.decimal(3)))
        }
        return past
    }

    /// The figures of a rule's groups in runs of days before `day`, the latest first, until enough days had a run that passed.
    fileprivate func groups(
        of asked: AskedFigure,
        _ request: PastRequest,
        before day: CalendarDay
    ) throws(DaybookError) -> FigurePast {
        var past = FigurePast()
        guard found >= 14 else { return past }
        let sql = """
            SELECT as_of, run, exit_code, id FROM runs
            WHERE job = \(HistoryFile.job) AND as_of < ?3 AND started < \(asked.startedBefore)
                AND EXISTS (SELECT 1 FROM group_figures WHERE run = runs.id AND stage = ?4 AND rule = ?5)
            ORDER BY as_of DESC, id DESC LIMIT \(HistoryFile.mostRuns)
            """
        try runs(sql, ["\(day)", asked.stage, asked.name], of: asked, days: request.days) {
            (row, entry) throws(SQLiteError) in
            let figures =
                "SELECT \"group\", value FROM group_figures WHERE run = \(row.integer(3)) AND stage = ? AND rule = ?"
            let own = try database.rows(figures, asked.stage, asked.name) { ($0.text(0) ?? "", $0.decimal(1)) }
            for (text, value) in own {
                guard let group = HistoryJSON.value([String: String].self, of: text) else { continue }
                past.ofGroups[group, default: []].append(entry(value))
            }
        }
        return past
    }

    /// Hands the runs of a query with their day, name and exit code to `body`, until enough days had a run that passed.
    ///
    /// - Parameter body: gets the row, and what makes an entry of the run.
    private func runs(
        _ sql: String,
        _ more: [String],
        of asked: AskedFigure,
        days most: Int,
        _ body: (SQLiteStatement, (Double) -> FigurePast.Entry) throws(SQLiteError) -> Void
    ) throws(DaybookError) {
        var (days, latest) = (0, CalendarDay?.none)
        try scan(sql, values(of: asked.job) + more) { (row) throws(SQLiteError) in
            guard days < most else { return false }
            guard let day = row.text(0).flatMap({ CalendarDay(iso: $0) }), let run = row.text(1) else { return true }
            let passed = row.integer(2) == 0
            try body(row) { FigurePast.Entry(day: day, run: run, value: $0, passed: passed) }
            if passed, day != latest { (days, latest) = (days + 1, day) }
            return true
        }
    }

    /// A figure on days of the data, the latest day first, and of each day the latest run first.
    fileprivate func days(of asked: AskedFigure, _ request: PastRequest) throws(DaybookError) -> [FigurePast.Entry] {
        guard found >= 12 else { return [] }
        let sql = """
            SELECT day, ifnull(runs.run, ''), value, ifnull(exit_code, 0), value IS NULL
            FROM day_figures LEFT JOIN runs ON runs.id = day_figures.run
            WHERE day_figures.job = \(HistoryFile.job) AND stage = ?3
                AND day_figures.name = ?4 AND measure IS ?5 AND ifnull(started, 0) < \(asked.startedBefore)
            ORDER BY day DESC, day_figures.run DESC LIMIT \(HistoryFile.mostRuns)
            """
        var withoutValue: CalendarDay?
        return try rows(sql, values(of: asked.job) + [asked.stage, asked.name, request.measure?.rawValue]) { row in
            guard let day = row.text(0).flatMap({ CalendarDay(iso: $0) }), day != withoutValue else { return nil }
            let passed = row.integer(3) == 0
            if row.integer(4) == 1 {
                if passed { withoutValue = day }
                return nil
            }
            return FigurePast.Entry(day: day, run: row.text(1) ?? "", value: row.decimal(2), passed: passed)
        }
    }
}

extension DaybookError {
    /// A warning: rules that compare with earlier runs pass without them, and measures show no change.
    public static func noPast(_ reason: DaybookError) -> DaybookError {
        .machine(
            "no-past",
            "rules and measures are held against no earlier runs in this one: \(reason.message)",
            hint: "what rules bound by 'min' and 'max' is judged all the same"
        )
    }
}

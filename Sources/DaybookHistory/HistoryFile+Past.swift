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
        let (name, path) = historyName(jobFile: jobFile)
        return try requests.map { stage, own, request throws(DaybookError) in
            let asked = HistoryFile.AskedFigure(
                job: name,
                path: path,
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
        let (name, path) = historyName(jobFile: jobFile)
        do {
            try HistoryKeeper.takeEntries(of: state)
            return try HistoryFile.openToRead(in: state)?.hasPassed(name, at: path, sha256: sha256) ?? false
        } catch { return false }
    }
}

extension HistoryFile {
    fileprivate func hasPassed(_ name: String, at path: String, sha256: String) throws(DaybookError) -> Bool {
        let sql = """
            SELECT 1 FROM runs WHERE job = (SELECT id FROM jobs WHERE name = ?1 AND path = ?2) AND digest = ?3 AND exit_code = 0 LIMIT 1
            """
        return try attempt { () throws(SQLiteError) in
            try !database.rows(sql, name, jobPaths.kept(path), sha256) { $0.integer(0) }.isEmpty
        }
    }

    /// A rule or a measure as the history knows it.
    struct AskedFigure {
        var job: String
        var path: String
        var stage: String
        var name: String
        var startedBefore: Int64
    }

    /// The most runs that are looked at, passed or not: a job that fails every hour for months is not read to its first run.
    private static let mostRuns = 4_096

    /// A figure in runs of days before `day`, the latest first, until enough days had a run that passed.
    func past(
        of asked: AskedFigure,
        _ request: PastRequest,
        before day: CalendarDay
    ) throws(DaybookError) -> FigurePast {
        // What runs of the same day saw is no news to be compared with, and known all the same.
        let isBefore = request.isByDay ? "<" : "<="
        let (table, name, value) =
            request.measure == nil ? ("measures", "title", "value") : ("rules", "rule", "observed")
        let sql = """
            SELECT runs.as_of, runs.run, figures.\(value), runs.exit_code
            FROM runs JOIN \(table) AS figures ON figures.run = runs.id
            WHERE runs.job = (SELECT id FROM jobs WHERE name = ?1 AND path = ?2) AND runs.as_of \(isBefore) ?3
                AND figures.stage = ?4 AND figures.\(name) = ?5 AND figures.\(value) IS NOT NULL
                AND runs.started < \(asked.startedBefore) \(request.measure == nil ? "" : "AND figures.measure = ?6")
            ORDER BY runs.as_of DESC, runs.id DESC LIMIT \(HistoryFile.mostRuns)
            """
        return try attempt { () throws(SQLiteError) in
            let statement = try SQLiteStatement(database, sql)
            let values =
                [asked.job, jobPaths.kept(asked.path), "\(day)", asked.stage, asked.name]
                + (request.measure.map { [$0.rawValue] } ?? [])
            for (place, value) in values.enumerated() { try statement.bind(value, at: place + 1) }
            var past = FigurePast()
            var (days, latest) = (0, CalendarDay?.none)
            while days < request.days, try statement.step() {
                guard let day = statement.text(0).flatMap({ CalendarDay(iso: $0) }), let run = statement.text(1) else {
                    continue
                }
                let passed = statement.integer(3) == 0
                past.entries.append(FigurePast.Entry(day: day, run: run, value: statement.decimal(2), passed: passed))
                if passed, day != latest { (days, latest) = (days + 1, day) }
            }
            return past
        }
    }
}

extension HistoryFile {
    /// The figures of a rule's groups in runs of days before `day`, the latest first, until enough days had a run that passed.
    fileprivate func groups(
        of asked: AskedFigure,
        _ request: PastRequest,
        before day: CalendarDay
    ) throws(DaybookError) -> FigurePast {
        var past = FigurePast()
        guard found >= 14 else { return past }
        let runs = """
            SELECT id, as_of, run, exit_code FROM runs
            WHERE job = (SELECT id FROM jobs WHERE name = ?1 AND path = ?2) AND as_of < ?3 AND started < \(asked.startedBefore)
                AND EXISTS (SELECT 1 FROM group_figures WHERE run = runs.id AND stage = ?4 AND rule = ?5)
            ORDER BY as_of DESC, id DESC LIMIT \(HistoryFile.mostRuns)
            """
        return try attempt { () throws(SQLiteError) in
            let statement = try SQLiteStatement(database, runs)
            let values = [asked.job, jobPaths.kept(asked.path), "\(day)", asked.stage, asked.name]
            for (place, value) in values.enumerated() { try statement.bind(value, at: place + 1) }
            var (days, latest) = (0, CalendarDay?.none)
            while days < request.days, try statement.step() {
                guard let day = statement.text(1).flatMap({ CalendarDay(iso: $0) }), let run = statement.text(2) else {
                    continue
                }
                let (id, passed) = (statement.integer(0), statement.integer(3) == 0)
                let figures = "SELECT \"group\", value FROM group_figures WHERE run = \(id) AND stage = ? AND rule = ?"
                let own = try database.rows(figures, asked.stage, asked.name) { ($0.text(0) ?? "", $0.decimal(1)) }
                for (text, value) in own {
                    guard let group = HistoryJSON.value([String: String].self, of: text) else { continue }
                    let entry = FigurePast.Entry(day: day, run: run, value: value, passed: passed)
                    past.ofGroups[group, default: []].append(entry)
                }
                if passed, day != latest { (days, latest) = (days + 1, day) }
            }
            return past
        }
    }

    /// A figure on days of the data, the latest day first, and of each day the latest run first.
    fileprivate func days(of asked: AskedFigure, _ request: PastRequest) throws(DaybookError) -> [FigurePast.Entry] {
        guard found >= 12 else { return [] }
        let sql = """
            SELECT day, ifnull(runs.run, ''), value, ifnull(exit_code, 0), value IS NULL
            FROM day_figures LEFT JOIN runs ON runs.id = day_figures.run
            WHERE day_figures.job = (SELECT id FROM jobs WHERE name = ?1 AND path = ?2) AND stage = ?3
                AND day_figures.name = ?4 AND measure IS ?5 AND ifnull(started, 0) < \(asked.startedBefore)
            ORDER BY day DESC, day_figures.run DESC LIMIT \(HistoryFile.mostRuns)
            """
        let measure = request.measure?.rawValue
        return try attempt { () throws(SQLiteError) in
            let statement = try SQLiteStatement(database, sql)
            let values = [asked.job, jobPaths.kept(asked.path), asked.stage, asked.name]
            for (place, value) in values.enumerated() { try statement.bind(value, at: place + 1) }
            if let measure { try statement.bind(measure, at: 5) } else { try statement.bindNull(at: 5) }
            var entries: [FigurePast.Entry] = []
            var withoutValue: CalendarDay?
            while try statement.step() {
                guard let day = statement.text(0).flatMap({ CalendarDay(iso: $0) }), day != withoutValue else {
                    continue
                }
                let run = statement.text(1) ?? ""
                let passed = statement.integer(3) == 0
                if statement.integer(4) == 1 {
                    if passed { withoutValue = day }
                    continue
                }
                entries.append(FigurePast.Entry(day: day, run: run, value: statement.decimal(2), passed: passed))
            }
            return entries
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

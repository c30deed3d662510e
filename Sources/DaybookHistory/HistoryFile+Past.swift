import DaybookSQLite

extension Plan {
    /// What the history of a state directory knows of runs of earlier days that rules of the plan are held against.
    ///
    /// Nothing is opened where no rule asks.
    public func past(in state: StateDirectory, jobFile: String) throws(DaybookError) -> [PlannedPast] {
        let requests = pastRequests
        guard !requests.isEmpty else { return [] }
        try HistoryKeeper.takeEntries(of: state)
        guard let history = try HistoryFile.openToRead(in: state) else { return [] }
        let mask = SecretMask(job.secrets)
        let (name, path) = historyName(jobFile: jobFile)
        return try requests.map { stage, rule, request throws(DaybookError) in
            let asked = HistoryFile.AskedRule(
                job: name,
                path: path,
                stage: mask.masking(stage),
                rule: mask.masking(rule)
            )
            let past = try history.past(of: asked, request, before: context.asOf)
            return PlannedPast(stage: stage, rule: rule, past: past)
        }
    }
}

extension HistoryFile {
    /// A rule as the history knows it.
    struct AskedRule {
        var job: String
        var path: String
        var stage: String
        var rule: String
    }

    /// The most runs that are looked at, held or not: a job that fails every hour for months is not read to its first run.
    private static let mostRuns = 4_096

    /// What a rule measured in runs of days before `day`, the latest first, until enough days had a run that held.
    func past(of asked: AskedRule, _ request: PastRequest, before day: CalendarDay) throws(DaybookError) -> RulePast {
        // Before version 2 nothing was measured.
        guard found >= 2 else { return RulePast() }
        let sql = """
            SELECT runs.as_of, runs.run, rules.observed, runs.exit_code
            FROM runs JOIN rules ON rules.run = runs.id
            WHERE runs.job = (SELECT id FROM jobs WHERE name = ? AND path = ?) AND runs.as_of < ?
                AND rules.stage = ? AND rules.rule = ? AND rules.measure = ? AND rules.observed IS NOT NULL
            ORDER BY runs.as_of DESC, runs.started DESC LIMIT \(HistoryFile.mostRuns)
            """
        return try reading { () throws(SQLiteError) in
            let statement = try SQLiteStatement(database, sql)
            let values = [asked.job, asked.path, "\(day)", asked.stage, asked.rule, request.measure.rawValue]
            for (place, value) in values.enumerated() { try statement.bind(value, at: place + 1) }
            var past = RulePast()
            var (days, latest) = (0, CalendarDay?.none)
            while days < request.days, try statement.step() {
                guard let day = statement.text(0).flatMap({ CalendarDay(iso: $0) }), let run = statement.text(1) else {
                    continue
                }
                let held = statement.integer(3) == 0
                past.entries.append(RulePast.Entry(day: day, run: run, value: statement.decimal(2), held: held))
                if held, day != latest { (days, latest) = (days + 1, day) }
            }
            return past
        }
    }
}

extension DaybookError {
    /// A warning that rules which ask for earlier runs hold for want of them.
    public static func noPast(_ reason: DaybookError) -> DaybookError {
        .machine(
            "no-past",
            "rules are held against no earlier runs in this one: \(reason.message)",
            hint: "their bounds under 'min' and 'max' are judged all the same"
        )
    }
}

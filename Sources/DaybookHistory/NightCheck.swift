import CSQLite
import DaybookBytes
import DaybookEngine
import DaybookReports

/// Whether the nights of a job took place: a run that passed not too long ago, and data that are new enough.
public struct NightCheck {
    /// A rule about the newest date of a column, and how old that may be.
    public typealias Freshness = (stage: String, rule: String, days: Int)

    private let history: HistoryFile?
    /// Microseconds since 1970.
    private let now: Int64

    /// - Parameter history: nil if there is none, so that no job has a run.
    public init(_ history: HistoryFile?, now: Int64) { (self.history, self.now) = (history, now) }

    /// The fault of a job without a passed run that started in the last `seconds`; nil if there is one.
    ///
    /// - Parameter span: the seconds as the command line has them.
    public func missedRun(
        of job: String,
        at path: String,
        within seconds: Int64,
        written span: String
    ) throws(DaybookError) -> DaybookError? {
        let last = try history?.lastPassed((job, path), before: now)
        if let last, now - last.started <= seconds * 1_000_000 { return nil }
        let ago = last.map { last in
            "the last one was started at \(Instant.text(last.started)), \(NightCheck.duration(now - last.started)) ago"
        }
        let failed = try history?.failures(of: (job, path), after: last?.id ?? 0) ?? 0
        let later = last == nil ? "" : " since then"
        let others = failed == 0 ? "" : "; \(DisplayText.count(failed, "run")) failed\(later)"
        return DaybookError(
            "missed-run",
            "no run of '\(job)' that passed was started within \(span): \(ago ?? "there is none")\(others)",
            hint: failed > 0
                ? "'daybook history --failed' lists the runs that failed, and 'daybook history show' tells why"
                : "look whether cron, systemd or CI started it; of a job that is no more, 'daybook history prune --keep 0' forgets the runs",
            blame: .data
        )
    }

    /// The faults of rules whose newest date, as the last run observed it, is too old now.
    ///
    /// - Parameter day: the day that the job would take for `as_of` now.
    public func oldData(
        of job: String,
        at path: String,
        _ rules: [Freshness],
        on day: CalendarDay
    ) throws(DaybookError) -> [DaybookError] {
        var faults: [DaybookError] = []
        for rule in rules {
            guard let newest = try history?.newestDay(of: (job, path), rule), day.number - newest.number > rule.days
            else { continue }
            let age = DisplayText.count(Int(day.number) - Int(newest.number), "day")
            faults.append(
                DaybookError(
                    "old-data",
                    "the newest data of '\(job)' are of \(newest), \(age) before \(day); '\(rule.rule)' allows \(DisplayText.count(rule.days, "day"))",
                    hint: "look whether the data are still delivered",
                    blame: .data
                )
            )
        }
        return faults
    }

    /// `50 hours`: whole minutes, hours or days, the largest unit of which there are at least two.
    static func duration(_ microseconds: Int64) -> String {
        let minutes = max(0, microseconds) / 60_000_000
        if minutes < 120 { return DisplayText.count(Int(minutes), "minute") }
        if minutes < 4_320 { return DisplayText.count(Int(minutes / 60), "hour") }
        return DisplayText.count(Int(minutes / 1_440), "day")
    }
}

extension HistoryFile {
    /// The passed run of the newest day that was started last. A day that is made anew is no night, unless no run of it had
    /// passed, and a clock that stood ahead tells of none.
    fileprivate func lastPassed(_ job: JobKey, before now: Int64) throws(DaybookError) -> (id: Int64, started: Int64)? {
        let tolerance: Int64 = 600_000_000
        let sql = """
            WITH passed AS (
                SELECT id, started, ifnull(as_of, '') AS day FROM runs
                WHERE job = \(HistoryFile.job) AND exit_code = 0 AND started <= \(now + tolerance)
                    AND NOT (\(found >= 16 ? "is_redo" : "0") AND EXISTS (
                        SELECT 1 FROM runs AS earlier WHERE earlier.job = runs.job AND earlier.as_of = runs.as_of
                            AND earlier.exit_code = 0 AND earlier.id < runs.id
                    ))
            )
            SELECT id, started FROM passed WHERE day >= (
                SELECT ifnull(max(day), '') FROM passed WHERE day <= date(started / 1000000, 'unixepoch', '+1 day')
            )
            ORDER BY started DESC LIMIT 1
            """
        return try rows(sql, values(of: job)) { (id: $0.integer(0), started: $0.moment(1)) }.first
    }

    /// How many runs failed after a run.
    fileprivate func failures(of job: JobKey, after run: Int64) throws(DaybookError) -> Int {
        let sql = "SELECT count(*) FROM runs WHERE job = \(HistoryFile.job) AND exit_code <> 0 AND id > \(run)"
        return try rows(sql, values(of: job)) { $0.count(0) }.first ?? 0
    }

    /// The newest date that one of the last runs saw, but for dates that lie after the day of their run.
    fileprivate func newestDay(of job: JobKey, _ rule: NightCheck.Freshness) throws(DaybookError) -> CalendarDay? {
        let sql = """
            SELECT observed, as_of FROM rules JOIN runs ON runs.id = rules.run WHERE job = \(HistoryFile.job) AND stage = ?3 AND rule = ?4
                AND measure = '\(ObservedValue.Measure.newestDay.rawValue)' AND observed IS NOT NULL
            ORDER BY runs.id DESC LIMIT 100
            """
        let seen = try rows(sql, values(of: job) + [rule.stage, rule.rule]) { row in
            Int32(exactly: row.decimal(0)).map { number in
                (day: CalendarDay(number: number), run: row.text(1).flatMap { CalendarDay(iso: $0) })
            }
        }
        return seen.filter { $0.day <= $0.run ?? $0.day }.map(\.day).max() ?? seen.first?.day
    }
}

extension RunReport {
    /// The report of a job whose nights are missing, for those who are told of it.
    public mutating func tell(ofMissed faults: [DaybookError], on day: CalendarDay?) {
        outcome = RunOutcome(errors: faults)
        exitCode = outcome.exitCode
        asOf = day
    }
}

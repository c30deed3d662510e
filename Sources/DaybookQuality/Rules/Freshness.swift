import DaybookDates

/// The newest date of a column is close to the day of the run. Rows with later dates are reported, so that a typing error does
/// not look like fresh data.
struct Freshness: TableRule, ColumnRule, GroupedRule {
    enum Future: String, OptionChoice { case fail, allow }

    static let name = "freshness"
    static let summary = "The newest date of a column is at most so many days older than 'as_of', and none is later."

    let column: ColumnName
    let within: DaySpan
    let future: Future
    private let asOf: Int32
    private let zone: ZoneRules?

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of days or instants.")
        within = options.read("within", help: "How old the newest date may be: '2 days', '1 week'.")
        future = options.read(
            "future",
            default: .fail,
            help: "What is made of dates after 'as_of': rows that break the rule, or rows like others."
        )
        asOf = options.context.asOf.number
        zone = options.context.timezone.flatMap { ZoneRules(named: $0) }
    }

    var finding: Finding.Kind { Finding.Kind("not-fresh", "{value} is later than the day of the run") }
    var newestWithin: Int? { within.days }
    var complaint: String { "have a date in '\(column)' that is later than \(CalendarDay(number: asOf))" }
    var expectation: String {
        "a date in '\(column)' within \(within.written) of \(CalendarDay(number: asOf))\(future == .allow ? "" : ", and none later")"
    }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(column, .day, .instant, hint: "put normalise_dates before this stage")
        if input[column]?.kind == .instant, zone == nil { throw .missingTimezone(forInstantsIn: column) }
    }

    struct Memory: PartialResult {
        /// The newest day up to `as_of`, or of all days if later ones are allowed; nil without such a day.
        var newest: Int32?
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Memory {
        var days: Values<Int32>
        switch rows.batch.column(column) {
        case .days(let values): days = values
        case .instants(let values):
            var cursor = ZoneCursor(zone ?? .utc)
            days = values.mapValues { cursor.day(ofInstant: $0) }
        default: preconditionFailure("the schema check lets only days and instants be fresh")
        }
        let bound = future == .allow ? Int32.max : asOf
        var late = Mask(count: rows.batch.count)
        var newest = Int32.min
        var isThere = false
        rows.forEachValue(of: days) { row, day in
            if day > bound {
                late.insert(row)
            } else {
                newest = max(newest, day)
                isThere = true
            }
        }
        breaches.append(Breach(finding, in: column, late))
        return Memory(newest: isThere ? newest : nil)
    }

    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) {
        guard let newest = later.newest else { return }
        earlier.newest = max(newest, earlier.newest ?? newest)
    }

    func figure(of memory: Memory?) -> ObservedValue? {
        (memory?.newest).flatMap { ObservedValue(.newestDay, Double($0)) }
    }

    /// A run that reads some days of the data may read old ones alone: what earlier runs saw counts too.
    func conclude(_ memory: Memory?, _ conclusion: inout RuleConclusion) {
        var all = memory ?? Memory()
        if conclusion.belongsToDays {
            let known = conclusion.past.entries.filter(\.passed).compactMap { Int32(exactly: $0.value) }
            if let newest = known.filter({ future == .allow || $0 <= asOf }).max() {
                all.newest = max(newest, all.newest ?? newest)
            }
        }
        conclusion.observe(figure(of: all))
        if let judgement = judgement(of: all, in: conclusion.schema) { conclusion.judge(judgement) }
    }

    func judgement(of memory: Memory?, in schema: Schema) -> String? {
        let day = CalendarDay(number: asOf)
        guard let newest = memory?.newest else {
            return "'\(column)' has no date up to \(day), and one within \(within.written) should be there"
        }
        let age = Int(asOf) - Int(newest)
        guard age > within.days else { return nil }
        return
            "the newest date in '\(column)' is \(CalendarDay(number: newest)), \(DaySpan(days: age).written) before \(day); "
            + "at most \(within.written) are allowed"
    }

    static let examples: [StageExample] = [
        .passing(
            "the newest day is too old for the day of the run, 2026-11-21",
            options: "rules: [{ freshness: { column: date, within: 2 days } }]",
            rows: "date:day\n2026-11-18\n2026-11-17\n\n",
            findings: ["0 date not-fresh"]
        ),
        .passing(
            "a date after the day of the run is told, and does not pass for news",
            options: "rules: [{ freshness: { column: date, within: 1 week } }]",
            rows: "date:day\n2026-11-14\n2062-11-20",
            findings: ["2 date not-fresh"]
        ),
        .passing(
            "with 'by', each station has to be fresh",
            options: "rules: [{ freshness: { column: date, within: 2 days, by: station } }]",
            rows: "station:text,date:day\n서울,2026-11-21\n부산,2026-11-18\n서울,2026-11-01\n부산,2026-11-22\n,2026-01-01",
            findings: ["4 date not-fresh", "0 date not-fresh"]
        ),
        .passing(
            "the day of an instant is that of the job's time zone, which here is Asia/Seoul",
            options: "rules: [{ freshness: { column: at, within: 0 days, future: allow } }]",
            rows: "at:instant\n2026-11-20T15:00:00Z",
            findings: []
        ),
    ]
}

/// A number of days as an option: `2 days`, `1 week`.
struct DaySpan: OptionValue {
    let days: Int

    static var kind: OptionKind { .text }
    static var placeholder: DaySpan { DaySpan(days: 0) }

    init(days: Int) { self.days = days }

    init(reading node: OptionNode) throws(DaybookError) {
        let words = (node.text ?? "").split(separator: " ")
        let units = ["day": 1, "days": 1, "week": 7, "weeks": 7]
        guard words.count == 2, let count = Int(words[0]), (0...100_000).contains(count),
            let unit = units[String(words[1])]
        else {
            let isBare = node.text.flatMap { Int($0) } != nil
            let hours = words.last?.hasPrefix("hour") == true ? "'as_of' is a day, so write whole days" : nil
            let hint = isBare ? "write '\(node.text ?? "") days'" : hours
            throw node.expected("a number of days such as '2 days' or '1 week'", hint: hint)
        }
        days = count * unit
    }

    var written: String { "\(days) \(days == 1 ? "day" : "days")" }
}

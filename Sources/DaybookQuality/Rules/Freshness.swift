import DaybookDates
import Foundation

/// The newest date of a column is close to the day of the run, or to the run itself. Rows with later dates are reported, so that
/// a typing error does not look like fresh data.
struct Freshness: TableRule, ColumnRule, GroupedRule {
    enum Future: String, OptionChoice { case fail, allow }

    static let name = "freshness"
    static let summary =
        "The newest date of a column is at most so many days or hours old, and none is later than 'as_of'."

    let column: ColumnName
    let within: AgeLimit
    let future: Future
    private let asOf: Int32
    private let zone: ZoneRules?
    /// From when hours are counted back: the run, or the end of its day where that is over.
    private let moment: (micros: Int64, isNow: Bool)

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of days or instants.")
        within = options.read(
            "within",
            help:
                "How old the newest date may be: '2 days' or '1 week' before 'as_of', or for instants '6 hours' or '90 minutes' "
                + "before the run, which a run of an earlier day counts from the end of that day."
        )
        future = options.read(
            "future",
            default: .fail,
            help: "What is made of dates after 'as_of': rows that break the rule, or rows like others."
        )
        asOf = options.context.asOf.number
        zone = options.context.timezone.flatMap { ZoneRules(named: $0) }
        var cursor = ZoneCursor(zone ?? .utc)
        let end = (cursor.start(ofDay: asOf + 1) ?? Int64(asOf + 1) * 86_400) * 1_000_000
        let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
        moment = (min(now, end), now < end)
    }

    var finding: Finding.Kind { Finding.Kind("not-fresh", "{value} is later than the day of the run") }
    var newestWithin: Int? { within.wholeDays }
    var complaint: String { "have a date in '\(column)' that is later than \(CalendarDay(number: asOf))" }
    var expectation: String {
        let since = within.days == nil ? "the run" : "\(CalendarDay(number: asOf))"
        return "a date in '\(column)' within \(within.written) of \(since)\(future == .allow ? "" : ", and none later")"
    }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(column, .day, .instant, hint: "put normalise_dates before this stage")
        if input[column]?.kind == .instant, zone == nil { throw .missingTimezone(forInstantsIn: column) }
        guard input[column]?.kind == .day, within.days == nil else { return }
        let message = "column '\(column)' holds days, which have no hours"
        throw DaybookError("wrong-kind", message, at: column.place, hint: "write whole days, such as within: 1 day")
    }

    struct Memory: PartialResult {
        /// The newest day up to `as_of`, or of all days if later ones are allowed; nil without such a day.
        var newest: Int32?
        /// The newest instant on these days up to the moment of the run, if hours count.
        var instant: Int64?

        mutating func take(_ later: Memory) {
            newest = [newest, later.newest].compactMap(\.self).max()
            instant = [instant, later.instant].compactMap(\.self).max()
        }
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Memory {
        var days: Values<Int32>
        var instants: Values<Int64>?
        switch rows.batch.column(column) {
        case .days(let values): days = values
        case .instants(let values):
            var cursor = ZoneCursor(zone ?? .utc)
            days = values.mapValues { cursor.day(ofInstant: $0) }
            instants = within.days == nil ? values : nil
        default: preconditionFailure("the schema check lets only days and instants be fresh")
        }
        let bound = future == .allow ? Int32.max : asOf
        var late = Mask(count: rows.batch.count)
        var memory = Memory()
        rows.forEachValue(of: days) { row, day in
            if day > bound {
                late.insert(row)
            } else {
                memory.newest = max(day, memory.newest ?? day)
            }
        }
        if let instants {
            rows.forEachValue(of: instants) { row, instant in
                guard !late[row], instant <= moment.micros || future == .allow else { return }
                memory.instant = max(instant, memory.instant ?? instant)
            }
        }
        breaches.append(Breach(finding, in: column, late))
        return memory
    }

    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) { earlier.take(later) }

    func figure(of memory: Memory?) -> ObservedValue? {
        (memory?.newest).flatMap { ObservedValue(.newestDay, Double($0)) }
    }

    /// A run that reads some days of the data may read old ones alone: what earlier runs saw counts too.
    func conclude(_ memory: Memory?, _ conclusion: inout RuleConclusion) {
        var all = memory ?? Memory()
        if conclusion.belongsToDays {
            let known = conclusion.past.entries.filter(\.passed).compactMap { Int32(exactly: $0.value) }
            if let newest = known.filter({ future == .allow || $0 <= asOf }).max() { all.take(Memory(newest: newest)) }
        }
        conclusion.observe(figure(of: all))
        if let judgement = judgement(of: all, in: conclusion.schema) { conclusion.judge(judgement) }
    }

    func judgement(of memory: Memory?, in schema: Schema) -> String? {
        let day = CalendarDay(number: asOf)
        guard let memory, let newest = memory.newest else {
            return "'\(column)' has no date up to \(day), and one within \(within.written) should be there"
        }
        guard let days = within.days else { return judgement(ofInstant: memory.instant) }
        let age = Int(asOf) - Int(newest)
        guard age > days else { return nil }
        return
            "the newest date in '\(column)' is \(CalendarDay(number: newest)), \(AgeLimit(age, .days).written) before \(day); "
            + within.allowed
    }

    private func judgement(ofInstant newest: Int64?) -> String? {
        let since = moment.isNow ? "this run" : "the end of \(CalendarDay(number: asOf))"
        guard let newest else {
            return "'\(column)' has no instant before \(since), and one within \(within.written) should be there"
        }
        let age = moment.micros - newest
        guard age > within.micros else { return nil }
        let shown = Column.instants(Values([newest])).displayText(0) ?? ""
        return
            "the newest instant in '\(column)' up to \(since) is \(shown), \(AgeLimit(inHours: age).written) before it; "
            + within.allowed
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
        .passing(
            "hours are counted to the run, and for an earlier day, here 2026-11-21, to its end",
            options:
                "rules: [{ freshness: { column: at, within: 90 minutes } }, { freshness: { column: at, within: 2 hours } }]",
            rows: "at:instant\n2026-11-21T13:29:59Z\n\n2026-11-21T08:00:00Z",
            findings: ["0 at not-fresh"]
        ),
        StageExample(
            "a day has no hours",
            options: "rules: [{ freshness: { column: date, within: 6 hours } }]",
            input: "date:day",
            refused: "column 'date' holds days, which have no hours"
        ),
    ]
}

/// How old a value may be, as an option: `2 days`, `1 week`, `6 hours`, `90 minutes`.
struct AgeLimit: OptionValue {
    enum Unit: String, CaseIterable {
        case minutes, hours, days

        var micros: Int64 {
            switch self {
            case .minutes: 60_000_000
            case .hours: 3_600_000_000
            case .days: 86_400_000_000
            }
        }
    }

    private let count: Int
    private let unit: Unit

    static var kind: OptionKind { .text }
    static var placeholder: AgeLimit { AgeLimit(0, .days) }

    init(_ count: Int, _ unit: Unit) { (self.count, self.unit) = (count, unit) }

    /// An age in whole hours, or of less than two days in minutes.
    init(inHours micros: Int64) {
        let unit: Unit = micros < 2 * Unit.days.micros ? .minutes : .hours
        self.init(Int(micros / unit.micros), unit)
    }

    init(reading node: OptionNode) throws(DaybookError) {
        let words = (node.text ?? "").split(separator: " ")
        let isBare = node.text.flatMap { Int($0) } != nil
        if words.count == 2, let count = Int(words[0]), count > 100_000, AgeLimit.unit(String(words[1])) != nil {
            throw node.expected("at most 100000 \(words[1])")
        }
        guard words.count == 2, let count = Int(words[0]), (0...100_000).contains(count),
            let (each, unit) = AgeLimit.unit(String(words[1]))
        else {
            throw node.expected(
                "an age such as '2 days', '1 week' or '6 hours'",
                hint: isBare ? "write '\(node.text ?? "") days'" : nil
            )
        }
        self.init(count * each, unit)
    }

    private static func unit(_ word: String) -> (each: Int, Unit)? {
        let plural = word.hasSuffix("s") ? word : word + "s"
        return plural == "weeks" ? (7, .days) : Unit(rawValue: plural).map { (1, $0) }
    }

    /// Nil for an age in hours or minutes.
    var days: Int? { unit == .days ? count : nil }
    /// The age in days, rounded up.
    var wholeDays: Int { Int((micros + Unit.days.micros - 1) / Unit.days.micros) }
    var micros: Int64 { Int64(count) * unit.micros }
    /// `at most 2 days are allowed`.
    var allowed: String { "at most \(written) \(count == 1 ? "is" : "are") allowed" }
    var written: String { "\(count) \(count == 1 ? String(unit.rawValue.dropLast()) : unit.rawValue)" }
}

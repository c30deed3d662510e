/// A day that an option names: a date, `as_of`, or so long before or after it, as in `as_of + 2 years`.
struct RelativeDay: OptionValue, Hashable {
    enum Unit: String, CaseIterable { case day, week, month, year }

    private enum Base: Hashable {
        case day(CalendarDay)
        case asOf
    }

    private let base: Base
    private let amount: Int
    private let unit: Unit

    private init(_ base: Base, amount: Int = 0, unit: Unit = .day) {
        self.base = base
        self.amount = amount
        self.unit = unit
    }

    static let asOf = RelativeDay(.asOf)

    static func asOf(plus amount: Int, _ unit: Unit) -> RelativeDay { RelativeDay(.asOf, amount: amount, unit: unit) }

    static var kind: OptionKind { .either([.day, .text]) }
    static var placeholder: RelativeDay { asOf }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else { throw RelativeDay.problem(node) }
        if let day = CalendarDay(iso: text) {
            self.init(.day(day))
            return
        }
        guard let match = text.wholeMatch(of: /as_of(?: *([+-]) *([0-9]{1,5}) +(day|week|month|year)s?)?/) else {
            throw RelativeDay.problem(node)
        }
        guard let sign = match.output.1, let size = match.output.2.flatMap({ Int($0) }),
            let unit = match.output.3.flatMap({ Unit(rawValue: String($0)) })
        else {
            self = .asOf
            return
        }
        self.init(.asOf, amount: sign == "-" ? -size : size, unit: unit)
    }

    private static func problem(_ node: OptionNode) -> DaybookError {
        node.expected("a day", hint: "write a date such as 2026-11-21, as_of, or as_of + 2 years")
    }

    var written: String {
        switch base {
        case .day(let day): day.written
        case .asOf where amount == 0: "as_of"
        case .asOf:
            "as_of \(amount < 0 ? "-" : "+") \(amount.magnitude) \(unit.rawValue)\(amount.magnitude == 1 ? "" : "s")"
        }
    }

    /// The day in a run with that `as_of`; nil when it lies outside of the years 1 to 9999.
    func day(asOf: CalendarDay) -> CalendarDay? {
        guard case .asOf = base else {
            if case .day(let day) = base { return day }
            return nil
        }
        switch unit {
        case .day: return RelativeDay.checked(Int(asOf.number) + amount)
        case .week: return RelativeDay.checked(Int(asOf.number) + 7 * amount)
        case .month: return RelativeDay.day(asOf, plusMonths: amount)
        case .year: return RelativeDay.day(asOf, plusMonths: 12 * amount)
        }
    }

    private static func checked(_ number: Int) -> CalendarDay? {
        Int32(exactly: number).flatMap { CalendarDay.range.contains($0) ? CalendarDay(number: $0) : nil }
    }

    /// The same day of another month, or the last that it has.
    private static func day(_ day: CalendarDay, plusMonths months: Int) -> CalendarDay? {
        let number = Int(CalendarMonth(of: day).number) + months
        // From January of the year 1 to December of 9999.
        guard (12..<120_000).contains(number) else { return nil }
        return CalendarMonth(number: Int32(number)).day(day.components.day)
    }
}

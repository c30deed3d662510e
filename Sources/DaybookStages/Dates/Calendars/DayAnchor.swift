/// The day that counts as 0: that of the run, a date, or one for each row.
enum DayAnchor: OptionValue {
    case asOf
    case day(CalendarDay)
    case column(ColumnName)

    static var kind: OptionKind { .either([.choice(["as_of"]), .day, .column]) }
    static var placeholder: DayAnchor { .asOf }

    /// Text that is a date is a date, `as_of` the day of the run, and anything else the name of a column.
    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else { throw node.expected("as_of, a date or a column name") }
        if text == "as_of" {
            self = .asOf
        } else if let day = CalendarDay(iso: text) {
            self = .day(day)
        } else if DayAnchor.looksLikeDate(text) {
            throw DaybookError(
                "wrong-type",
                "'\(text)' is not a day of the calendar",
                at: node.place,
                hint: "write a date such as 2026-11-21"
            )
        } else {
            self = .column(ColumnName(text, at: node.place))
        }
    }

    var written: String {
        switch self {
        case .asOf: "as_of"
        case .day(let day): day.written
        case .column(let column): column.written
        }
    }

    /// Digits and hyphens only: a misspelt date, hardly a column.
    private static func looksLikeDate(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: "-") } && text.utf8.contains(0x2D)
    }
}

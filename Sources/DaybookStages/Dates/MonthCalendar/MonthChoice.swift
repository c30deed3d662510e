/// The months that a calendar shows: that of the selected day, one by its name, or each that has entries.
enum MonthChoice: OptionValue, Hashable {
    case selected, all
    case month(CalendarMonth)

    static var kind: OptionKind { .either([.choice(["selected", "all"]), .text]) }
    static var placeholder: MonthChoice { .selected }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else { throw node.expected("selected, all, or a month such as 2026-11") }
        if text == "selected" {
            self = .selected
        } else if text == "all" {
            self = .all
        } else if let month = CalendarMonth(text) {
            self = .month(month)
        } else {
            throw node.expected(
                "selected, all, or a month such as 2026-11",
                hint: NearestName.hint(for: text, among: ["selected", "all"])
            )
        }
    }

    var written: String {
        switch self {
        case .selected: "selected"
        case .all: "all"
        case .month(let month): month.text
        }
    }
}

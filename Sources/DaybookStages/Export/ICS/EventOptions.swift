/// Which events come back every year: all, none, or those of a column of flags.
enum YearlyEvents: OptionValue {
    case none, all
    case column(ColumnName)

    static var kind: OptionKind { .either([.flag, .column]) }
    static var placeholder: YearlyEvents { .none }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else { throw node.expected("true, false or a column of flags") }
        switch node.plainText {
        case "true": self = .all
        case "false": self = .none
        default: self = .column(ColumnName(text, at: node.place))
        }
    }

    var written: String {
        switch self {
        case .none: "false"
        case .all: "true"
        case .column(let name): name.written
        }
    }
}

/// When a phone speaks up: a time of day, so many days before the event.
struct AlarmTime: OptionValue {
    let daysBefore: Int
    /// Minutes since midnight.
    let minutes: Int

    private static let mostDays = 366

    static let kind = OptionKind.object([
        OptionSpec(key: "days_before", kind: .integer, help: "Days before the event, from 0 to 366.", fallback: "0"),
        OptionSpec(key: "at", kind: .text, help: "Time of day as 09:00.", fallback: "09:00"),
    ])
    static var placeholder: AlarmTime { AlarmTime(daysBefore: 0, minutes: 540) }

    private init(daysBefore: Int, minutes: Int) {
        self.daysBefore = daysBefore
        self.minutes = minutes
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            throw node.expected("an alarm", hint: "write { days_before: 1, at: 09:00 }")
        }
        var (days, minutes) = (0, 540)
        for entry in map {
            switch entry.key {
            case "days_before":
                guard let value = entry.value.plainText.flatMap({ Int($0) }), (0...AlarmTime.mostDays).contains(value)
                else { throw entry.value.expected("a number of days from 0 to \(AlarmTime.mostDays)") }
                days = value
            case "at":
                guard let value = entry.value.text.flatMap(AlarmTime.minutes) else {
                    throw entry.value.expected("a time of day such as 09:00")
                }
                minutes = value
            default: throw entry.unknown(to: "an alarm", among: ["days_before", "at"])
            }
        }
        self.init(daysBefore: days, minutes: minutes)
    }

    /// `HH:mm`, exactly so.
    private static func minutes(_ text: String) -> Int? {
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":") else { return nil }
        guard let hours = Int(text.prefix(2)), let minutes = Int(text.suffix(2)) else { return nil }
        guard (0..<24).contains(hours), (0..<60).contains(minutes), digits[0] >= 48, digits[3] >= 48 else { return nil }
        return hours * 60 + minutes
    }

    var written: String {
        let hours = minutes / 60
        let rest = minutes % 60
        return "{ days_before: \(daysBefore), at: \(hours < 10 ? "0" : "")\(hours):\(rest < 10 ? "0" : "")\(rest) }"
    }

    /// The time from midnight of the event as RFC 5545 writes durations: `PT9H`, `-PT15H`, `-P6DT15H`.
    var trigger: String {
        let offset = minutes - daysBefore * 1_440
        guard offset != 0 else { return "PT0S" }
        let (days, rest) = abs(offset).quotientAndRemainder(dividingBy: 1_440)
        let (hours, minutes) = rest.quotientAndRemainder(dividingBy: 60)
        var text = offset < 0 ? "-P" : "P"
        if days > 0 { text += "\(days)D" }
        if rest > 0 { text += "T" }
        // An hour of 0 between days and minutes may be left out, as nothing else may.
        if hours > 0 { text += "\(hours)H" }
        if minutes > 0 { text += "\(minutes)M" }
        return text
    }
}

/// A text of an event: the name of a column, or, where it has braces, a template such as `{title} ({day:yyyy})`.
struct EventText: OptionValue {
    let template: TextTemplate

    static var kind: OptionKind { .either([.column, .text]) }
    static var placeholder: EventText { EventText(template: TextTemplate(of: .placeholder)) }
    var written: String { template.written }

    private init(template: TextTemplate) { self.template = template }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else {
            throw node.expected("a column name, or text with columns in braces such as \"{title}!\"")
        }
        let hasBraces = text.unicodeScalars.contains { $0 == "{" || $0 == "}" }
        template = hasBraces ? try TextTemplate(reading: node) : TextTemplate(of: ColumnName(text, at: node.place))
    }
}

/// The texts of the events of one batch, made of one template.
struct EventTexts {
    let column: TextColumn
    /// Rows whose text would be too long; it is missing in them, and they cannot be written.
    private(set) var tooLong: Set<Int> = []

    init(_ template: CompiledTemplate, of batch: Batch) {
        // A column of text is what it is, however long its texts are.
        if let name = template.plainColumn, case .text(let text) = batch[name] {
            column = text
            return
        }
        var tooLong: Set<Int> = []
        column = TemplateWriter(template, of: batch, missing: nil).text { tooLong.insert($0) }
        self.tooLong = tooLong
    }
}

/// `{ column: updated_at, start: 2026-01-01 }`: the column by which an import finds new rows.
struct SinceOption: OptionValue {
    let column: ColumnName
    let start: StoreValue
    /// The width of the overlap before the highest value, whose rows are read again, and the key column of the rows.
    let overlap: (width: SinceOverlap.Width, key: ColumnName)?

    static let kind = OptionKind.object([
        OptionSpec(
            key: "column",
            kind: .column,
            help: "Column whose values rise, such as a time of change or an id.",
            isRequired: true
        ),
        OptionSpec(
            key: "start",
            kind: .text,
            help:
                "Where the first run begins, with the rows that have this very value: a number, or text as the column holds it.",
            isRequired: true
        ),
        OptionSpec(
            key: "overlap",
            kind: .text,
            help:
                "How far before the highest value rows are read again, since some come late or change: a time such as 2 hours, or a number for numbers."
        ),
        OptionSpec(
            key: "key",
            kind: .column,
            help: "Column that tells one row from another, by which those that overlap reads again are known."
        ),
    ])
    static var placeholder: SinceOption { SinceOption(column: .placeholder, start: .integer(0), overlap: nil) }

    private init(column: ColumnName, start: StoreValue, overlap: (width: SinceOverlap.Width, key: ColumnName)?) {
        (self.column, self.start, self.overlap) = (column, start, overlap)
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            throw node.expected("a map of options", hint: "write { column: updated_at, start: 2026-01-01 }")
        }
        var (column, start) = (ColumnName?.none, StoreValue?.none)
        var (overlap, key) = (OptionNode?.none, ColumnName?.none)
        for entry in map {
            switch entry.key {
            case "column": column = try ColumnName(reading: entry.value)
            case "start": start = try SinceOption.start(entry.value)
            case "overlap": overlap = entry.value
            case "key": key = try ColumnName(reading: entry.value)
            default: throw entry.unknown(to: "'since'", among: ["column", "start", "overlap", "key"])
            }
        }
        guard let column, let start else {
            let missing = column == nil ? "column" : "start"
            throw DaybookError("missing-option", "the option '\(missing)' is missing", at: node.place)
        }
        self.init(column: column, start: start, overlap: try SinceOption.overlap(overlap, key, start, node))
    }

    private static func overlap(
        _ overlap: OptionNode?,
        _ key: ColumnName?,
        _ start: StoreValue,
        _ node: OptionNode
    ) throws(DaybookError) -> (SinceOverlap.Width, ColumnName)? {
        guard let overlap else {
            guard let key else { return nil }
            let message = "'key' tells apart rows that are read again, and no 'overlap' asks for any"
            let hint = "add overlap: 2 hours, or leave 'key' out"
            throw DaybookError("missing-option", message, at: key.place, hint: hint)
        }
        guard let key else {
            let message = "the option 'key' is missing: rows that 'overlap' reads again are known by it"
            let hint = "add key: id, with a column in which no value stands twice"
            throw DaybookError("missing-option", message, at: node.place, hint: hint)
        }
        let width = try width(overlap, start)
        guard SinceOverlap(width, key: key.text).start(before: start) != nil else {
            let hint =
                "write 'start' as a day or a time, 2026-03-01 or 2026-03-01T08:00:00, or as the number that the column holds"
            throw overlap.expected("nothing where 'start' is '\(start.displayText)'", hint: hint)
        }
        return (width, key)
    }

    private static func width(_ node: OptionNode, _ start: StoreValue) throws(DaybookError) -> SinceOverlap.Width {
        let text = node.text ?? ""
        guard case .text = start else {
            if let number = Int64(text), number > 0 { return .whole(number) }
            if let number = Double(text), number.isFinite, number > 0 { return .decimal(number) }
            let message = "a number above 0, since 'start' is one"
            throw node.expected(message, hint: "an hour is 3600 where the column holds seconds")
        }
        let words = text.split(separator: " ")
        let units: [String: Int64] = ["second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800]
        guard words.count == 2, let count = Int64(words[0]), (1...1_000_000).contains(count),
            let unit = units[words[1].hasSuffix("s") ? String(words[1].dropLast()) : String(words[1])]
        else {
            throw node.expected("a time such as '30 minutes', '2 hours' or '1 day'", hint: "write overlap: 2 hours")
        }
        return .seconds(count * unit)
    }

    /// An unquoted value written like a number is a number.
    private static func start(_ node: OptionNode) throws(DaybookError) -> StoreValue {
        guard let text = node.text, !text.isEmpty else { throw node.expected("a number or text") }
        guard let plain = node.plainText else { return .text(text) }
        if let number = Int64(plain) { return .integer(number) }
        if let number = Double(plain), number.isFinite { return .decimal(number) }
        return .text(text)
    }

    var written: String { "{ column: \(column.written), start: \(start.displayText) }" }

    var asked: SinceColumn {
        let overlap = overlap.map { SinceOverlap($0.width, key: $0.key.text) }
        return SinceColumn(column: column.text, start: start, overlap: overlap)
    }
}

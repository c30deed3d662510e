/// `{ column: updated_at, start: 2026-01-01 }`: by which column an import knows what is new.
struct SinceOption: OptionValue {
    let column: ColumnName
    let start: StoreMark

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
    ])
    static var placeholder: SinceOption { SinceOption(column: .placeholder, start: .integer(0)) }

    private init(column: ColumnName, start: StoreMark) { (self.column, self.start) = (column, start) }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            throw node.expected("a map of options", hint: "write { column: updated_at, start: 2026-01-01 }")
        }
        var (column, start) = (ColumnName?.none, StoreMark?.none)
        for entry in map {
            switch entry.key {
            case "column": column = try ColumnName(reading: entry.value)
            case "start": start = try SinceOption.start(entry.value)
            default: throw entry.unknown(to: "'since'", among: ["column", "start"])
            }
        }
        guard let column, let start else {
            let missing = column == nil ? "column" : "start"
            throw DaybookError("missing-option", "the option '\(missing)' is missing", at: node.place)
        }
        self.init(column: column, start: start)
    }

    /// What is written like a number and not in quotes is one.
    private static func start(_ node: OptionNode) throws(DaybookError) -> StoreMark {
        guard let text = node.text, !text.isEmpty else { throw node.expected("a number or text") }
        guard let plain = node.plainText else { return .text(text) }
        if let number = Int64(plain) { return .integer(number) }
        if let number = Double(plain), number.isFinite { return .decimal(number) }
        return .text(text)
    }

    var written: String { "{ column: \(column.written), start: \(start.spoken) }" }

    var asked: SinceColumn { SinceColumn(column: column.text, start: start) }
}

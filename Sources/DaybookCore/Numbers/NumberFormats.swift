/// The formats of the numbers that a stage reads: one for all, or several for the columns that each names.
///
/// A format without `columns` is that of the columns which no other names. Two formats in one file are common: money as people
/// write it, and rates from a machine.
public struct NumberFormats: Sendable {
    package private(set) var entries: [(format: NumberFormat, columns: [ColumnName])] = []

    package func format(of column: String) -> NumberFormat? {
        (entries.first { $0.columns.contains { $0.text == column } } ?? entries.first { $0.columns.isEmpty })?.format
    }
}

extension NumberFormats: OptionValue {
    private static let object = OptionKind.object(
        NumberFormat.specs + [
            OptionSpec(
                key: "columns",
                kind: .list(of: .column),
                help: "The columns that are written so; left out, all those that no other format names."
            )
        ]
    )
    public static var kind: OptionKind { .list(of: object) }
    public static var placeholder: NumberFormats { NumberFormats() }

    public init(reading node: OptionNode) throws(DaybookError) {
        for item in node.list ?? [node] {
            guard let map = item.map else {
                throw item.expected("a map of options", hint: "write { decimal: \",\", thousands: \".\" }")
            }
            let format = try NumberFormat(map, at: item.place, besides: ["columns"])
            let columns = try map.first { $0.key == "columns" }.map { entry throws(DaybookError) in
                try [ColumnName](reading: entry.value)
            }
            if let columns, columns.isEmpty {
                throw DaybookError("bad-option", "'columns' names no column", at: item.place)
            }
            for column in columns ?? [] where entries.contains(where: { $0.columns.contains(column) }) {
                throw DaybookError("bad-option", "'\(column)' has two formats", at: column.place)
            }
            if columns == nil, entries.contains(where: \.columns.isEmpty) {
                throw DaybookError(
                    "bad-option",
                    "two formats name no columns",
                    at: item.place,
                    hint: "name the columns of all formats but one with 'columns'"
                )
            }
            entries.append((format, columns ?? []))
        }
    }

    public var written: String { entries.count == 1 ? entries[0].format.written : entries.map(\.format).written }
}

extension OptionReader {
    private static let help =
        "How numbers are written, as { decimal: \",\", thousands: \".\" } for 1.234,56; else as 1234.56 only."

    /// Reads the format of the numbers of one column.
    package mutating func readNumberFormat() -> NumberFormat? { optional("number_format", help: OptionReader.help) }

    /// Reads the formats of numbers that people wrote.
    package mutating func readNumberFormats() -> NumberFormats {
        optional("number_format", help: OptionReader.help) ?? .placeholder
    }

    /// Refuses formats that are those of no column among `numbers`, the columns that are read as numbers.
    package mutating func refuse(_ formats: NumberFormats, unlessOf numbers: [String]) {
        guard isWritten("number_format") else { return }
        if numbers.isEmpty {
            refuse(
                "number_format",
                "'number_format' has no meaning, since no column is to hold numbers",
                hint: "name them: 'columns: { price: decimal }'"
            )
        }
        for column in formats.entries.flatMap(\.columns) where !numbers.contains(column.text) && !numbers.isEmpty {
            refuse(
                DaybookError(
                    "bad-option",
                    "'number_format' names '\(column)', which is not to hold numbers",
                    at: column.place,
                    hint: NearestName.hint(for: column.text, among: numbers)
                        ?? "say that it is a number: '\(column): decimal'"
                )
            )
        }
    }
}

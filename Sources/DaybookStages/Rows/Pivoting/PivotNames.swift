/// The values that `pivot_rows` makes columns of, each with the name of its column.
struct PivotNames: OptionValue {
    struct Entry: Sendable {
        var value: String
        var name: String
        var place: SourcePlace?
    }

    let entries: [Entry]
    private let lookup: TextLookup

    static var kind: OptionKind { .either([.list(of: .text), .map(of: .column)]) }
    static var placeholder: PivotNames { PivotNames([]) }
    var written: String { entries.map(\.value).written }

    private init(_ entries: [Entry]) {
        self.entries = entries
        lookup = TextLookup(entries.map(\.value))
    }

    init(reading node: OptionNode) throws(DaybookError) {
        var entries: [Entry] = []
        if let map = node.map {
            for entry in map {
                let name = try ColumnName(reading: entry.value)
                entries.append(Entry(value: entry.key, name: name.text, place: entry.value.place))
            }
        } else {
            for item in node.list ?? [node] {
                guard let text = item.text, !text.isEmpty else {
                    throw item.expected(
                        "a value that becomes a column",
                        hint: "'others' says what becomes of missing ones"
                    )
                }
                entries.append(Entry(value: text, name: text, place: item.place))
            }
        }
        guard !entries.isEmpty else { throw node.expected("at least one value") }
        var values: Set<String> = []
        var names: Set<String> = []
        for entry in entries {
            guard values.insert(entry.value).inserted else {
                throw DaybookError("bad-option", "'\(entry.value)' stands there twice", at: entry.place)
            }
            guard names.insert(entry.name).inserted else {
                throw DaybookError("name-taken", "two columns would be named '\(entry.name)'", at: entry.place)
            }
        }
        self.init(entries)
    }

    /// The place of each row's value, or -1. Values that are no text are told by how they are written.
    func places(in column: Column) -> [Int64] {
        let codes = RowCodes(column)
        let places: [Int64] = codes.firsts.map { first in
            let row = Int(first)
            if column.missing.isMissing(row) { return -1 }
            if case .text(let text) = column { return Int64(text.withCell(row, lookup.find)) }
            let written = column.spoken(row)
            return Int64(entries.firstIndex { $0.value == written } ?? -1)
        }
        return codes.codes.map { places[Int($0)] }
    }
}

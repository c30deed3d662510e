/// The key columns of both sides.
struct JoinKeys: OptionValue {
    struct Entry: Sendable {
        var column: ColumnName
        var other: ColumnName
    }

    let entries: [Entry]

    static var kind: OptionKind { .either([.list(of: .column), .map(of: .column)]) }
    static var placeholder: JoinKeys { JoinKeys(entries: [Entry(column: .placeholder, other: .placeholder)]) }
    var written: String { entries.map(\.column).written }

    private init(entries: [Entry]) { self.entries = entries }

    init(reading node: OptionNode) throws(DaybookError) {
        var entries: [Entry] = []
        for (column, other) in try PairedColumns.read(node) { entries.append(Entry(column: column, other: other)) }
        guard !entries.isEmpty else { throw node.expected("at least one column") }
        for (index, entry) in entries.enumerated() {
            for earlier in entries[..<index] where earlier.column == entry.column || earlier.other == entry.other {
                throw DaybookError("bad-option", "the key names a column twice", at: entry.other.place)
            }
        }
        self.init(entries: entries)
    }

    /// The kind of a key column, or nil before the data was read.
    static func kind(of column: ColumnName, in schema: Schema) throws(DaybookError) -> ColumnKind? {
        let kind = try schema.requiring(column)?.kind
        guard kind != .json else {
            throw DaybookError(
                "wrong-kind",
                "column '\(column)' holds json, by which no row can be found",
                at: column.place,
                hint: "a JSON value can be written in several ways; make it text with cast_columns first"
            )
        }
        return kind
    }
}

/// Columns of the lookup, each with its new name.
struct TakenColumns: OptionValue {
    struct Entry: Sendable {
        var column: ColumnName
        var name: ColumnName
    }

    let entries: [Entry]

    static var kind: OptionKind { .either([.list(of: .column), .map(of: .column)]) }
    static var placeholder: TakenColumns { TakenColumns(entries: []) }
    var written: String { entries.map(\.column).written }

    private init(entries: [Entry]) { self.entries = entries }

    init(reading node: OptionNode) throws(DaybookError) {
        var entries: [Entry] = []
        for (column, name) in try PairedColumns.read(node) { entries.append(Entry(column: column, name: name)) }
        for (index, entry) in entries.enumerated() where entries[..<index].contains(where: { $0.name == entry.name }) {
            throw DaybookError("name-taken", "two columns would be named '\(entry.name)'", at: entry.name.place)
        }
        self.init(entries: entries)
    }
}

/// Reads a list of column names, or a map from one name to another.
private enum PairedColumns {
    static func read(_ node: OptionNode) throws(DaybookError) -> [(ColumnName, ColumnName)] {
        var pairs: [(ColumnName, ColumnName)] = []
        if let map = node.map {
            for entry in map {
                guard !entry.key.isEmpty else { throw node.expected("a column name") }
                pairs.append((ColumnName(entry.key, at: entry.keyPlace), try ColumnName(reading: entry.value)))
            }
        } else {
            for column in try [ColumnName](reading: node) { pairs.append((column, column)) }
        }
        return pairs
    }
}

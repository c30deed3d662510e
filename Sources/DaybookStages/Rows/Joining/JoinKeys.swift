/// The key columns of both sides.
struct JoinKeys: OptionValue {
    let entries: [(column: ColumnName, other: ColumnName)]

    static var kind: OptionKind { .either([.list(of: .column), .map(of: .column)]) }
    static var placeholder: JoinKeys { JoinKeys(entries: [(.placeholder, .placeholder)]) }
    var written: String { entries.map(\.column).written }

    private init(entries: [(column: ColumnName, other: ColumnName)]) { self.entries = entries }

    init(reading node: OptionNode) throws(DaybookError) {
        let entries = try PairedColumns.read(node)
        guard !entries.isEmpty else { throw node.expected("at least one column") }
        for (index, entry) in entries.enumerated() {
            for earlier in entries[..<index] where earlier.0 == entry.0 || earlier.1 == entry.1 {
                throw DaybookError("bad-option", "the key names a column twice", at: entry.1.place)
            }
        }
        self.entries = entries.map { ($0, $1) }
    }

    /// The kind of a key column, or nil before the data was read.
    static func kind(of column: ColumnName, in schema: Schema) throws(DaybookError) -> ColumnKind? {
        let kind = try schema.requiring(column)?.kind
        guard kind != .json else {
            let message = "column '\(column)' holds json, by which no row can be found"
            let hint = "a JSON value can be written in several ways; make it text with cast_columns first"
            throw DaybookError("wrong-kind", message, at: column.place, hint: hint)
        }
        return kind
    }
}

/// Columns of the lookup, each with its new name.
struct TakenColumns: OptionValue {
    let entries: [(column: ColumnName, name: ColumnName)]

    static var kind: OptionKind { .either([.list(of: .column), .map(of: .column)]) }
    static var placeholder: TakenColumns { TakenColumns(entries: []) }
    var written: String { entries.map(\.column).written }

    private init(entries: [(column: ColumnName, name: ColumnName)]) { self.entries = entries }

    init(reading node: OptionNode) throws(DaybookError) {
        let entries = try PairedColumns.read(node)
        for (index, (_, name)) in entries.enumerated() where entries[..<index].contains(where: { $0.1 == name }) {
            throw DaybookError("name-taken", "two columns would be named '\(name)'", at: name.place)
        }
        self.entries = entries.map { ($0, $1) }
    }
}

/// Reads a list of column names, or a map from one name to another.
private enum PairedColumns {
    static func read(_ node: OptionNode) throws(DaybookError) -> [(ColumnName, ColumnName)] {
        guard let map = node.map else { return try [ColumnName](reading: node).map { ($0, $0) } }
        return try map.map { (entry) throws(DaybookError) in
            guard !entry.key.isEmpty else { throw node.expected("a column name") }
            return (ColumnName(entry.key, at: entry.keyPlace), try ColumnName(reading: entry.value))
        }
    }
}

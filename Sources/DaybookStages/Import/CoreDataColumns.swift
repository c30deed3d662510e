/// The names that a job gives attributes: a list of them, matched whatever the case, or a map to columns.
struct CoreDataAttributes: OptionValue {
    /// The name, the column that the job writes for it, and the place.
    var entries: [(name: String, column: String?, place: SourcePlace)]

    static var kind: OptionKind { .either([.list(of: .text), .map(of: .text)]) }
    static var placeholder: CoreDataAttributes { CoreDataAttributes(entries: []) }

    init(entries: [(name: String, column: String?, place: SourcePlace)]) { self.entries = entries }

    init(reading node: OptionNode) throws(DaybookError) {
        entries = []
        if let map = node.map {
            for entry in map {
                guard let column = entry.value.text, !column.isEmpty else {
                    throw entry.value.expected("a column such as ZSAVEDDATE")
                }
                entries.append((entry.key, column, entry.keyPlace))
            }
            return
        }
        for item in node.list ?? [node] {
            guard let name = item.text, !name.isEmpty else { throw item.expected("the name of an attribute") }
            entries.append((name, nil, item.place))
        }
    }

    var written: String { "[]" }
}

/// Which columns of an entity's table are attributes and relationships, and what they are called.
enum CoreDataColumns {
    /// Whether Core Data keeps the column for itself: keys, counters, and the order of relationships.
    static func isInternal(_ column: String) -> Bool {
        let column = column.uppercased()
        if column.hasPrefix("Z_") { return true }
        // The entity of a relationship's target: Z3TARGET or Z3_TARGET beside ZTARGET.
        return column.hasPrefix("Z") && column.dropFirst().first?.isNumber == true
    }

    /// The columns under the names of their attributes: those that the job gives, else the column's in lower case, since
    /// the store keeps no case.
    static func fields(
        _ columns: [(name: String, type: String?)],
        _ attributes: CoreDataAttributes,
        in table: String
    ) throws(DaybookError) -> [SQLiteField] {
        let shown = columns.filter { !isInternal($0.name) }
        var names: [String: String] = [:]
        for entry in attributes.entries {
            let wanted = (entry.column ?? "Z" + entry.name).uppercased()
            guard let column = columns.first(where: { $0.name.uppercased() == wanted }) else {
                throw DaybookError(
                    "unknown-attribute",
                    "table '\(table)' has no column '\(entry.column ?? "Z" + entry.name.uppercased())' "
                        + "for the attribute '\(entry.name)'",
                    at: entry.place,
                    hint: "its columns are \(shown.map(\.name).joined(separator: ", "))"
                )
            }
            names[column.name] = entry.name
        }
        var seen: Set<String> = []
        var fields: [SQLiteField] = []
        for column in columns {
            guard names[column.name] != nil || !isInternal(column.name) else { continue }
            let isPrefixed = column.name.uppercased().hasPrefix("Z") && column.name.count > 1
            let plain = isPrefixed ? String(column.name.dropFirst()).lowercased() : column.name
            let name = names[column.name] ?? plain
            guard seen.insert(name).inserted else {
                throw DaybookError(
                    "duplicate-column",
                    "two columns of table '\(table)' would be named '\(name)'",
                    at: attributes.entries.first { $0.name == name }?.place,
                    hint: "give one of them another name: attributes: { other: \(column.name) }"
                )
            }
            fields.append(SQLiteField(name, stored: column.name, type: column.type))
        }
        return fields
    }
}

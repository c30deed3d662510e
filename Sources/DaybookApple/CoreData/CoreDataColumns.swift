import DaybookBytes
import DaybookJSON
import DaybookSQLite

/// The attribute names in a job: a list, matched in any case, or a map to columns.
struct CoreDataAttributes {
    /// The name, the column that the job writes for it, and the place.
    var entries: [(name: String, column: String?, place: SourcePlace)] = []
}

extension CoreDataAttributes: OptionValue {
    static var kind: OptionKind { .either([.list(of: .text), .map(of: .text)]) }
    static var placeholder: CoreDataAttributes { CoreDataAttributes() }

    init(reading node: OptionNode) throws(DaybookError) {
        self.init()
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

/// The attributes and relationships among the columns of an entity's table, with their names.
struct CoreDataColumns {
    typealias Column = (name: String, type: String?)

    let table: String
    let columns: [Column]
    let attributes: CoreDataAttributes
    let properties: CoreDataProperties

    /// Whether Core Data uses the column for itself: keys, counters, and the order of relationships.
    static func isInternal(_ column: String) -> Bool {
        let column = column.uppercased()
        if column.hasPrefix("Z_") { return true }
        // The entity of a relationship's target: Z3TARGET or Z3_TARGET beside ZTARGET.
        return column.hasPrefix("Z") && column.dropFirst().first?.isNumber == true
    }

    /// The columns under their properties' names: the job's, else the model's, else the column's in lower case.
    func fields(contents: (_ isExternal: Bool) -> CoreDataContents) throws(DaybookError) -> [SQLiteField] {
        let given = try names()
        var fields: [SQLiteField] = []
        var done: Set<String> = []
        for column in columns {
            let name = given.byColumn[column.name]
            let property = properties[column.name]
            var field = SQLiteField(
                name ?? plain(column.name),
                stored: column.name,
                type: column.type,
                modelled: property?.reading,
                contents: contents(property?.isExternal == true)
            )
            if name == nil {
                if CoreDataColumns.isInternal(column.name) || properties.isForeign(column.name) { continue }
                if let property {
                    guard done.insert(property.name).inserted else { continue }
                    let parts = columns.filter {
                        given.byColumn[$0.name] == nil && property.columns.contains($0.name.uppercased())
                    }
                    field.name = given.byProperty[property.name] ?? property.name
                    // Only the column that the object's own entity uses has a value.
                    let expressions = parts.map { SQLiteSelection.quoted($0.name) }.joined(separator: ", ")
                    if parts.count > 1 { field.expression = "coalesce(\(expressions))" }
                }
            }
            fields.append(field)
        }
        return fields
    }

    private func plain(_ column: String) -> String {
        let isPrefixed = column.uppercased().hasPrefix("Z") && column.count > 1
        return isPrefixed ? String(column.dropFirst()).lowercased() : column
    }

    /// The job's names of columns, and of properties that the model knows.
    private func names() throws(DaybookError) -> (byColumn: [String: String], byProperty: [String: String]) {
        var (byColumn, byProperty): ([String: String], [String: String]) = ([:], [:])
        for entry in attributes.entries {
            let wanted = (entry.column ?? "Z" + entry.name).uppercased()
            guard let column = columns.first(where: { $0.name.uppercased() == wanted }) else {
                let message =
                    "table '\(table)' has no column '\(entry.column ?? "Z" + entry.name.uppercased())' "
                    + "for the attribute '\(entry.name)'"
                let shown = columns.map(\.name).filter { !CoreDataColumns.isInternal($0) }
                let hint =
                    NearestName.hint(for: entry.name, among: properties.names.sorted())
                    ?? "its columns are \(shown.joined(separator: ", "))"
                throw DaybookError("unknown-attribute", message, at: entry.place, hint: hint)
            }
            if entry.column == nil, let property = properties[column.name] {
                byProperty[property.name] = entry.name
            } else {
                byColumn[column.name] = entry.name
            }
        }
        return (byColumn, byProperty)
    }

    /// Refuses two columns of one name.
    func check(_ fields: [SQLiteField]) throws(DaybookError) {
        var seen: Set<String> = []
        for field in fields where !seen.insert(field.name).inserted {
            let message = "two columns of table '\(table)' would be named '\(field.name)'"
            let place = attributes.entries.first { $0.name == field.name }?.place
            let hint = "give one of them another name: attributes: { other: \(field.stored) }"
            throw DaybookError("duplicate-column", message, at: place, hint: hint)
        }
    }
}

/// Finds the data of an attribute: in the table, or in a file of its own beside the store.
struct CoreDataContents: BLOBContents {
    /// The folder of data in files of their own.
    private let directory: String
    /// Whether each BLOB begins with a byte that says where its data is.
    let isExternal: Bool
    private let isCancelled: @Sendable () -> Bool

    /// The most bytes of a file, as of any value of a store.
    static let largest = 64 << 20

    init(_ file: StoreFile, isExternal: Bool = false) {
        let name = FilePath.name(of: file.path)
        let stem = name.lastIndex(of: ".").map { $0 > name.startIndex ? String(name[..<$0]) : name } ?? name
        directory = FilePath.join(FilePath.directory(of: file.path), ".\(stem)_SUPPORT/_EXTERNAL_DATA")
        self.isExternal = isExternal
        let room = file.room
        isCancelled = { room.isCancelled }
    }

    func place(of blob: Cell) -> BLOBPlace {
        if let name = blob.externalName { return file(name) }
        return .blob(from: isExternal && blob.first == 1 ? 1 : 0)
    }

    /// Links are not followed, for they may lead out of the folder.
    private func file(_ name: String) -> BLOBPlace {
        let path = FilePath.join(directory, name)
        guard FilePath.canonical(path) == path, let file = Descriptor.plainFile(at: path) else { return .missingFile }
        do {
            guard try file.status().size <= CoreDataContents.largest else { return .largeFile }
            let bytes = try file.readAll(upTo: CoreDataContents.largest, isCancelled)
            return bytes.count > CoreDataContents.largest ? .largeFile : .file(bytes)
        } catch { return .missingFile }
    }

    func json(of contents: Cell) -> Bytes? {
        guard let value = try? StoredValueReader.read(data: Bytes(contents)) else { return nil }
        switch value.form {
        case .json(let text, _):
            return withExtendedLifetime(text) { StoredValueReader.isJSON(text.filled) ? text : nil }
        case .list(let list, let root): return try? PropertyListJSON.write(list, root).text
        }
    }
}

import DaybookSQLite

/// The attributes and to-one relationships of an entity as its table stores them, by the store's own model.
///
/// A column is named after its property in capitals. All entities of a family share one table, and where several of
/// them declare a property of the same name, further columns have a number behind it (`ZTITLE`, `ZTITLE1`). An object
/// uses one of them, and the others are empty.
struct CoreDataProperties {
    struct Property {
        var name: String
        /// How its values are read; nil if their type and the values decide.
        var reading: SQLiteReading?
        var isExternal: Bool
        /// The columns that may hold it, in capitals, whether or not the table has them.
        var columns: [String]
    }

    /// The properties of the entity's objects, by their columns.
    private var own: [String: Property] = [:]
    /// The columns that only objects of other entities use.
    private var others: Set<String> = []

    /// Without a model nothing is known.
    init() {}

    init(_ model: CoreDataModel, _ entity: CoreDataModel.Entity) {
        guard let root = model.root(of: entity) else { return }
        let declared = model.cache.model?.entities ?? [:]
        let line = Set(model.line(of: entity).map(\.number))
        var groups: [String: Group] = [:]
        for member in model.family(of: root) {
            guard let properties = declared[member.name] else { continue }
            let ancestors = model.ancestors(of: member).compactMap { declared[$0.name] }
            func note(_ name: String, _ reading: SQLiteReading?, isExternal: Bool = false) {
                var group = groups.removeValue(forKey: name.uppercased()) ?? Group()
                if !ancestors.contains(where: { $0.names.contains(name) }) { group.declarations += 1 }
                if line.contains(member.number) { group.note(name, reading, isExternal) }
                groups[name.uppercased()] = group
            }
            for attribute in properties.attributes {
                note(attribute.name, attribute.reading, isExternal: attribute.isExternal)
            }
            for relationship in properties.relationships where !relationship.isToMany {
                note(relationship.name, .integer)
            }
        }
        for (capitals, group) in groups {
            let numbered = (1..<max(1, group.declarations)).map { capitals + String($0) }.filter { groups[$0] == nil }
            let columns = ([capitals] + numbered).map { "Z" + $0 }
            guard group.isOwn else {
                others.formUnion(columns)
                continue
            }
            // Two names that differ in case only cannot be told apart by their columns.
            guard group.names.count == 1, let name = group.names.first else { continue }
            let reading = group.readings.count == 1 ? group.readings.first ?? nil : nil
            let property = Property(name: name, reading: reading, isExternal: group.isExternal, columns: columns)
            for column in columns { own[column] = property }
        }
    }

    /// The declarations of one name in capitals, in all entities of a family.
    private struct Group {
        var declarations = 0
        var names: Set<String> = []
        var readings: Set<SQLiteReading?> = []
        var isExternal = false
        var isOwn: Bool { !names.isEmpty }

        mutating func note(_ name: String, _ reading: SQLiteReading?, _ isExternal: Bool) {
            names.insert(name)
            readings.insert(reading)
            self.isExternal = self.isExternal || isExternal
        }
    }

    subscript(column: String) -> Property? { own[column.uppercased()] }

    /// Whether only objects of other entities use the column.
    func isForeign(_ column: String) -> Bool { others.contains(column.uppercased()) }

    /// The names of all properties.
    var names: Set<String> { Set(own.values.map(\.name)) }
}

extension ManagedObjectModel.Attribute {
    /// How its values are read; nil for a type that is not known here.
    var reading: SQLiteReading? {
        switch type {
        case 100, 200, 300: .integer
        case 400, 500, 600: .decimal
        case 700, 1200: .text
        case 800: .flag
        case 900: .appleInstant
        case 1000: .base64
        case 1100: .uuid
        // Transformable: whatever the app's transformer made, mostly an archive.
        case 1800: .json
        default: nil
        }
    }
}

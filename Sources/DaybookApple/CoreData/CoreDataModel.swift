import DaybookBytes
import DaybookSQLite

/// The entities of a Core Data store: `Z_PRIMARYKEY` lists them, each with its number and the number of its parent entity.
/// All entities of a family share one table.
struct CoreDataModel {
    struct Entity {
        var number: Int64
        var name: String
        /// The entity that it is a special case of, or 0.
        var parent: Int64
    }

    let entities: [Entity]
    private let byNumber: [Int64: Entity]
    private let children: [Int64: [Entity]]
    /// The model itself, if the store keeps it.
    let cache: ModelCache
    /// The metadata of the model that wrote the store.
    let metadata: CoreDataMetadata

    /// The most entities of a store.
    private static let mostEntities = 10_000

    /// Nil if the database is no Core Data store.
    init?(_ db: SQLiteDatabase) throws {
        let names = Set(try SQLiteSelection.tables(in: db).map { $0.name.uppercased() })
        guard names.contains("Z_PRIMARYKEY") else { return nil }
        entities = try db.rows(
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT LIMIT \(CoreDataModel.mostEntities)"
        ) { row in
            guard let name = row.text(1), !name.isEmpty else { return nil }
            return Entity(number: row.integer(0), name: name, parent: row.integer(2))
        }
        byNumber = Dictionary(entities.map { ($0.number, $0) }) { first, _ in first }
        children = Dictionary(grouping: entities, by: \.parent)
        cache = names.contains("Z_MODELCACHE") ? try ModelCache(db) : .missing
        metadata = names.contains("Z_METADATA") ? try CoreDataMetadata(db) : CoreDataMetadata()
    }

    func entity(_ name: String) -> Entity? { entities.first { $0.name == name } }

    /// The entity at the top of the family of `entity`, whose table holds them all; nil when the family goes in a circle.
    func root(of entity: Entity) -> Entity? {
        var root = entity
        for _ in 0...entities.count {
            guard root.parent != 0, let parent = byNumber[root.parent] else { return root }
            root = parent
        }
        return nil
    }

    /// The ancestors of `entity`, nearest first; at most thirty, which no model has.
    func ancestors(of entity: Entity) -> [Entity] {
        var ancestors: [Entity] = []
        while ancestors.count < 30, let parent = byNumber[(ancestors.last ?? entity).parent] {
            ancestors.append(parent)
        }
        return ancestors
    }

    /// The entities whose properties an object of `entity`, or of one of its special cases, can have.
    func line(of entity: Entity) -> [Entity] { ancestors(of: entity).reversed() + family(of: entity) }

    /// The entity and all its special cases.
    func family(of entity: Entity) -> [Entity] {
        var family = [entity]
        var seen: Set<Int64> = [entity.number]
        var next = 0
        while next < family.count {
            for child in children[family[next].number] ?? [] where seen.insert(child.number).inserted {
                family.append(child)
            }
            next += 1
        }
        return family
    }
}

/// The contents of the property list in `Z_METADATA`.
struct CoreDataMetadata {
    /// The first digits of the hash of each entity's model, by the name of the entity.
    private(set) var hashes: [String: String] = [:]

    /// The most bytes; real ones have some thousand.
    private static let longest = 1 << 20

    init() {}

    init(_ db: SQLiteDatabase) throws {
        let blob = "typeof(Z_PLIST) = 'blob' AND length(Z_PLIST) < \(Self.longest)"
        let row = try SQLiteStatement(db, "SELECT Z_PLIST FROM Z_METADATA WHERE \(blob) LIMIT 1")
        guard try row.step() else { return }
        let bytes = Bytes()
        bytes.append(row.bytes(0))
        // The store is readable without its metadata, so an invalid property list only leaves it empty.
        guard BinaryPropertyListReader.isBinary(row.bytes(0)),
            let list = try? BinaryPropertyListReader.read(bytes),
            let found = list.value("NSStoreModelVersionHashes", in: list.root)
        else { return }
        for (key, value) in list.pairs(found) {
            guard let entity = list.text(key), case .data(let hash) = list[value] else { continue }
            hashes[entity] = list.withBytes(hash) { bytes in
                bytes.prefix(4).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            }
        }
    }
}

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

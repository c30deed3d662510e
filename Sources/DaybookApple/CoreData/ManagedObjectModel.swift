import DaybookBytes
import DaybookSQLite

/// The model that Core Data and SwiftData keep in a store: entities with their attributes and relationships.
struct ManagedObjectModel: Sendable {
    struct Attribute: Sendable {
        var name: String
        /// The raw value of its `NSAttributeType`.
        var type: Int
        /// Whether large data goes to files beside the store; each value then begins with a byte that says where it is.
        var isExternal: Bool
    }

    struct Relationship: Sendable {
        var name: String
        /// The entity of the targets.
        var destination: String
        /// The relationship of the targets that leads back; nil if there is none.
        var inverse: String?
        var isToMany: Bool
    }

    /// An entity. Properties of ancestors may be among its own.
    struct Entity: Sendable {
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []

        fileprivate(set) var names: Set<String> = []
    }

    /// Why the archive of a model cannot be read.
    struct Fault: Error {
        var reason: String
    }

    /// By name.
    private(set) var entities: [String: Entity] = [:]

    /// Reads the archive of an `NSManagedObjectModel`.
    init(archive: Bytes) throws(Fault) {
        let list: PropertyList
        do { list = try StoredValueReader.list(archive) } catch { throw Fault(reason: error.message) }
        guard KeyedArchive.isArchive(list, list.root), let top = list.value("$top", in: list.root) else {
            throw Fault(reason: "it holds no keyed archive")
        }
        var reader = Reader(list)
        guard let model = reader.field("root", of: top), let found = reader.field("NSEntities", of: model) else {
            throw Fault(reason: "its archive holds no model")
        }
        var seen: Set<Int> = []
        for object in try reader.elements(of: found) where seen.insert(object).inserted {
            guard let name = try reader.text("NSEntityName", of: object) else { continue }
            entities[name] = try reader.entity(object)
        }
        guard !entities.isEmpty else { throw Fault(reason: "its model has no entities") }
    }

    /// Reads the wanted fields of the archive's objects, which refer to one another in circles.
    ///
    /// Every object is read once, and lists of objects are read up to a limit in all, so time and memory are bounded by
    /// the size of the archive.
    private struct Reader {
        /// The most elements of all collections, and the most bytes of a name.
        private static let most = 50_000
        private static let longestName = 1_000

        private let list: PropertyList
        private let objects: [UInt32]
        private var left = Reader.most
        private var attributes: [Int: Attribute] = [:]
        private var relationships: [Int: Relationship] = [:]
        private var read: Set<Int> = []

        init(_ list: PropertyList) {
            self.list = list
            objects = list.value("$objects", in: list.root).map { Array(list.below($0)) } ?? []
        }

        /// The value of an object's field, behind its reference; nil if the object lacks it.
        func field(_ key: StaticString, of object: Int) -> Int? {
            list.value(key, in: object).flatMap { resolved($0) }
        }

        private func resolved(_ value: Int) -> Int? {
            guard case .uid(let number) = list[value] else { return value }
            guard number > 0, number < UInt64(objects.count) else { return nil }
            return Int(objects[Int(number)])
        }

        /// The objects in an array, a set, or a dictionary's values.
        mutating func elements(of collection: Int) throws(Fault) -> [Int] {
            // Core Data's own dictionaries keep their values in an array, which may have gaps.
            let holder = field("values", of: collection) ?? collection
            guard let array = list.value("NS.objects", in: holder), case .array = list[array] else {
                throw Fault(reason: "its archive has no list of objects where one should be")
            }
            left -= list.below(array).count
            guard left >= 0 else { throw Fault(reason: "its model has more than \(Reader.most) properties") }
            return list.below(array).compactMap { resolved(Int($0)) }
        }

        func text(_ key: StaticString, of object: Int) throws(Fault) -> String? {
            guard let value = field(key, of: object), case .text(let piece) = list[value] else { return nil }
            guard piece.length <= Reader.longestName else { throw Fault(reason: "a name in its model is too long") }
            return list.text(value)
        }

        private func integer(_ key: StaticString, of object: Int) -> Int? {
            guard let value = field(key, of: object), case .integer(let number) = list[value] else { return nil }
            return Int(exactly: number)
        }

        mutating func entity(_ object: Int) throws(Fault) -> Entity {
            var entity = Entity()
            guard let properties = field("NSProperties", of: object) else { return entity }
            for property in try elements(of: properties) {
                if read.insert(property).inserted { try note(property) }
                if let attribute = attributes[property] { entity.attributes.append(attribute) }
                if let relationship = relationships[property] { entity.relationships.append(relationship) }
            }
            entity.names = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
            return entity
        }

        private mutating func note(_ property: Int) throws(Fault) {
            guard let name = try text("NSPropertyName", of: property), !name.isEmpty else { return }
            if let type = integer("NSAttributeType", of: property) {
                let isExternal = (integer("NSFlagsKey", of: property) ?? 0) & 4 != 0
                attributes[property] = Attribute(name: name, type: type, isExternal: isExternal)
            } else if let destination = try text("_NSDestinationEntityName", of: property) {
                relationships[property] = Relationship(
                    name: name,
                    destination: destination,
                    inverse: try text("_NSInverseRelationshipName", of: property),
                    isToMany: integer("NSMaxCount", of: property) != 1
                )
            }
        }
    }
}

/// The model in table `Z_MODELCACHE` of a store.
enum ModelCache: Sendable {
    /// The store has none.
    case missing
    /// The store has one that cannot be read.
    case damaged(reason: String)
    case model(ManagedObjectModel)

    /// The most bytes of a model, stored and inflated. Models of a hundred entities have some hundred thousand.
    private static let longest = 8 << 20

    var model: ManagedObjectModel? { if case .model(let model) = self { model } else { nil } }

    init(_ db: SQLiteDatabase) throws {
        let names = try SQLiteStatement(db, "SELECT * FROM Z_MODELCACHE LIMIT 0").names.map { $0.uppercased() }
        guard names.contains("Z_CONTENT") else {
            self = .damaged(reason: "the table has no column Z_CONTENT")
            return
        }
        let row = try SQLiteStatement(db, "SELECT typeof(Z_CONTENT) = 'blob', Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        guard try row.step() else {
            self = .missing
            return
        }
        defer { withExtendedLifetime(row) {} }
        guard row.integer(0) == 1 else {
            self = .damaged(reason: "it is no BLOB")
            return
        }
        do throws(ManagedObjectModel.Fault) {
            self = .model(try ModelCache.read(row.bytes(1)))
        } catch {
            self = .damaged(reason: error.reason)
        }
    }

    private static func read(_ blob: Cell) throws(ManagedObjectModel.Fault) -> ManagedObjectModel {
        let archive: Bytes
        do throws(Deflate.Fault) {
            guard blob.count <= longest else { throw .tooLarge }
            archive = try Deflate.inflate(blob, limit: longest)
        } catch {
            switch error {
            case .damaged: throw ManagedObjectModel.Fault(reason: "its data is not deflated, or cut off")
            case .tooLarge: throw ManagedObjectModel.Fault(reason: "it has more than \(longest >> 20) MiB")
            }
        }
        return try ManagedObjectModel(archive: archive)
    }

    /// The warning about a damaged model.
    func warnings(of store: String) -> [Finding.Kind] {
        guard case .damaged(let reason) = self else { return [] }
        let message =
            "the model that '\(store)' keeps in table Z_MODELCACHE cannot be read: \(reason); "
            + "attributes are named and read by the columns of the tables, as of a store without a model"
        return [Finding.Kind("damaged-model", message, severity: .warning)]
    }
}

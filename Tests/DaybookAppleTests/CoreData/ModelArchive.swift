/// Writes the archive of a model as Core Data keeps it in `Z_MODELCACHE`.
struct ModelArchive {
    /// The raw values of `NSAttributeType`.
    enum Kind: Int64 {
        case integer16 = 100
        case integer32 = 200
        case integer64 = 300
        case decimal = 400
        case double = 500
        case float = 600
        case string = 700
        case boolean = 800
        case date = 900
        case binary = 1000
        case uuid = 1100
        case uri = 1200
        case transformable = 1800
    }

    private var list = BinaryList()
    private var objects: [Int] = []
    private var entities: [Int] = []

    init() { _ = add(list.text("$null")) }

    /// Adds an object and gives a reference to it.
    private mutating func add(_ value: Int) -> Int {
        objects.append(value)
        return list.uid(UInt64(objects.count - 1), 2)
    }

    private mutating func text(_ text: String?) -> Int { text.map { add(list.text($0)) } ?? list.uid(0, 1) }

    /// - Parameter external: the attributes whose large data goes to files.
    mutating func entity(
        _ name: String,
        _ attributes: [(String, Kind)] = [],
        external: Set<String> = [],
        toOne: [(String, to: String, inverse: String?)] = [],
        toMany: [(String, to: String, inverse: String?)] = []
    ) {
        var properties: [Int] = []
        for (name, kind) in attributes {
            let fields = [
                ("NSPropertyName", text(name)), ("NSAttributeType", list.integer(kind.rawValue, 4)),
                ("NSFlagsKey", list.integer(external.contains(name) ? 4 : 0, 1)),
            ]
            properties.append(add(list.dictionary(fields)))
        }
        for (relationships, most) in [(toOne, Int64(1)), (toMany, 0)] {
            for relationship in relationships {
                let fields = [
                    ("NSPropertyName", text(relationship.0)), ("NSMaxCount", list.integer(most, 1)),
                    ("_NSDestinationEntityName", text(relationship.to)),
                    ("_NSInverseRelationshipName", text(relationship.inverse)),
                ]
                properties.append(add(list.dictionary(fields)))
            }
        }
        let held = add(list.dictionary([("NS.objects", list.array(properties))]))
        let fields = [("NSEntityName", text(name)), ("NSProperties", held)]
        entities.append(add(list.dictionary(fields)))
    }

    /// The property list of the archive.
    ///
    /// - Parameter isCyclic: whether the entities are among their own properties, and the list of entities one of them.
    func archive(isCyclic: Bool = false) -> [UInt8] {
        var copy = self
        let number = copy.objects.count
        let found = copy.add(copy.list.dictionary([("NS.objects", copy.list.array(copy.entities))]))
        if isCyclic {
            let loop = copy.list.dictionary([("NSEntityName", copy.text("Loop")), ("NSProperties", found)])
            let entities = copy.entities + [copy.add(loop), found]
            copy.objects[number] = copy.list.dictionary([("NS.objects", copy.list.array(entities))])
        }
        let root = copy.add(copy.list.dictionary([("NSEntities", found)]))
        let fields = [
            ("$archiver", copy.list.text("NSKeyedArchiver")), ("$objects", copy.list.array(copy.objects)),
            ("$top", copy.list.dictionary([("root", root)])),
        ]
        copy.list.root = copy.list.dictionary(fields)
        return copy.list.file
    }

    /// The table with the model.
    var table: String { ModelArchive.table(ModelArchive.deflated(archive())) }

    static func table(_ blob: [UInt8]) -> String {
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB); INSERT INTO Z_MODELCACHE VALUES (\(blob.literal));"
    }

    /// A deflate stream whose blocks hold the bytes as they are.
    static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            stream.append(rest.isEmpty ? 1 : 0)
            for number in [length, ~length] { stream += [UInt8(number & 255), UInt8(number >> 8)] }
            stream += block
        } while !rest.isEmpty
        return stream
    }

    /// A deflate stream of zeros, in about a hundred and fifty-eighth of their size.
    static func zeros(atLeast count: Int) -> [UInt8] {
        var bits: [Bool] = [true, true, false]
        func code(_ value: Int, _ length: Int) {
            for bit in (0..<length).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        code(0x30, 8)
        // A match of 258 bytes, one byte back.
        for _ in 0...(count / 258) {
            code(0b1100_0101, 8)
            code(0, 5)
        }
        code(0, 7)
        var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
        for (place, bit) in bits.enumerated() where bit { bytes[place / 8] |= 1 << UInt8(place % 8) }
        return bytes
    }
}

extension [UInt8] {
    /// The bytes as a literal of SQL.
    var literal: String {
        "x'" + map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    }
}

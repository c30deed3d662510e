/// Decodes keyed archives: `NSKeyedArchiver`'s arrays, dictionaries, sets, texts, numbers, dates, data, null, URLs and
/// UUIDs as such values, and objects of other classes as records of their fields.
///
/// The archive becomes a property list of the same values, which is then checked like any other: an archive may have
/// reference cycles, or refer to one object from many places.
struct KeyedArchive {
    typealias ClassName = (text: String, value: Int)
    typealias Content = PropertyList.Content

    var list: PropertyList
    let objects: [UInt32]
    /// The index of object 0's value; the others follow.
    let first: Int
    private var classes: [Int: ClassName] = [:]
    /// The values that are records of objects.
    var records: Set<Int> = []
    private var waiting: [Int] = []
    /// The number of object fields read. Every object has its own, so there are never more than `mostFields`.
    private var fields = 0
    private let mostFields: Int

    static func isArchive(_ list: PropertyList, _ value: Int) -> Bool {
        guard case .dictionary = list[value], let archiver = list.value("$archiver", in: value),
            list.text(archiver)?.hasSuffix("KeyedArchiver") == true,
            let objects = list.value("$objects", in: value), case .array = list[objects],
            let top = list.value("$top", in: value), case .dictionary = list[top]
        else { return false }
        return true
    }

    /// The list whose root is the decoded archive `value`: a dictionary of its objects by name, or the object itself if
    /// it is the only one, has the name `root`, and the caller does not want the dictionary.
    static func unarchive(
        _ list: PropertyList,
        _ value: Int,
        byName: Bool = false
    ) throws(PropertyListFault) -> PropertyList {
        guard let objects = list.value("$objects", in: value), let top = list.value("$top", in: value) else {
            preconditionFailure("an archive is taken apart that is none")
        }
        var archive = KeyedArchive(list, Array(list.below(objects)))
        try archive.read(top, byName: byName)
        archive.cutCycles()
        try PropertyListGraph.check(archive.list, size: list.source.count)
        archive.list.isArchived = true
        return archive.list
    }

    private init(_ list: PropertyList, _ objects: [UInt32]) {
        self.list = list
        self.objects = objects
        first = list.values.count
        mostFields = list.children.count
        for object in objects {
            self.list.values.append(PropertyList.Value(content: .unread, byte: list.values[Int(object)].byte))
        }
    }

    private mutating func read(_ top: Int, byName: Bool) throws(PropertyListFault) {
        var pairs: [UInt32] = []
        for (key, value) in Array(list.pairs(top)) { pairs += [UInt32(key), try object(at: value)] }
        while let index = waiting.popLast() {
            guard case .unread = list[first + index] else { continue }
            list.values[first + index].content = try content(of: index)
        }
        if !byName, pairs.count == 2, list.isText(Int(pairs[0]), "root") {
            list.root = Int(pairs[1])
            return
        }
        list.root = Int(add(below(pairs, isDictionary: true), at: top))
    }

    mutating func below(_ children: [UInt32], isDictionary: Bool) -> Content {
        defer { list.children += children }
        let count = isDictionary ? children.count / 2 : children.count
        let below = PropertyList.Below(first: list.children.count, count: count)
        return isDictionary ? .dictionary(below) : .array(below)
    }

    /// The object number of a reference: a UID, or its equivalent in XML; nil for any other value.
    func number(at reference: Int) -> UInt64? {
        if case .uid(let uid) = list[reference] { return uid }
        guard case .dictionary(let below) = list[reference], below.count == 1,
            let value = list.value("CF$UID", in: reference), case .integer(let uid) = list[value]
        else { return nil }
        return UInt64(exactly: uid)
    }

    private func index(at reference: Int) throws(PropertyListFault) -> Int {
        guard let number = number(at: reference), number < UInt64(objects.count) else {
            throw .malformed("this refers to no object of its archive", at: list.values[reference].byte)
        }
        return Int(number)
    }

    /// The index of the object's value, which is queued for reading.
    mutating func object(at reference: Int) throws(PropertyListFault) -> UInt32 {
        let index = try index(at: reference)
        waiting.append(index)
        return UInt32(first + index)
    }

    /// Two objects with one value of the list would let a small file unfold without end.
    mutating func look(at count: Int, _ value: Int) throws(PropertyListFault) {
        fields += count
        guard fields <= mostFields else {
            throw .tooLarge("objects of the archive share their fields", at: list.values[value].byte)
        }
    }

    private mutating func references(_ array: Int) throws(PropertyListFault) -> [UInt32] {
        guard case .array = list[array] else {
            throw .malformed("an archived object should hold an array here", at: list.values[array].byte)
        }
        try look(at: list.below(array).count, array)
        return try list.below(array).map { reference throws(PropertyListFault) in try object(at: Int(reference)) }
    }

    private mutating func content(of index: Int) throws(PropertyListFault) -> Content {
        let object = Int(objects[index])
        switch list[object] {
        case .dictionary(let below):
            try look(at: below.count, object)
            let name = try className(object)
            if let plain = try plainValue(object, of: name.text) { return plain }
            records.insert(first + index)
            return try record(object, of: name)
        case .array, .uid:
            throw .malformed("\(list[object].displayText) stands where an object should", at: list.values[object].byte)
        case .text where index == 0 && list.isText(object, "$null"): return .null
        case let content: return content
        }
    }

    mutating func className(_ object: Int) throws(PropertyListFault) -> ClassName {
        let byte = list.values[object].byte
        guard let reference = list.value("$class", in: object) else {
            throw .malformed("an archived object has no class", at: byte)
        }
        let index = try index(at: reference)
        if let known = classes[index] { return known }
        let described = Int(objects[index])
        guard case .dictionary = list[described], let value = list.value("$classname", in: described),
            let name = list.text(value)
        else { throw .malformed("an archived object has a class without a name", at: byte) }
        classes[index] = (name, value)
        return (name, value)
    }

    /// The value of an object of Foundation; nil for an object that has fields of its own.
    private mutating func plainValue(_ object: Int, of name: String) throws(PropertyListFault) -> Content? {
        let byte = list.values[object].byte
        /// The value under the first key that is there.
        func field(_ keys: StaticString...) throws(PropertyListFault) -> Int {
            for key in keys { if let value = list.value(key, in: object) { return value } }
            throw .unsupported("an archived \(name) has no '\(keys[0])'", at: byte)
        }
        switch name {
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet":
            let isNumbered = name.hasSuffix("OrderedSet") && list.value("NS.objects", in: object) == nil
            if isNumbered { return try orderedSet(object) }
            return below(try references(try field("NS.objects")), isDictionary: false)
        case "NSDictionary", "NSMutableDictionary":
            let keys = texts(ofKeys: try references(try field("NS.keys")))
            let values = try references(try field("NS.objects"))
            guard keys.count == values.count else {
                throw .malformed("an archived dictionary has \(keys.count) keys and \(values.count) values", at: byte)
            }
            return below(zip(keys, values).flatMap { [$0, $1] }, isDictionary: true)
        case "NSNull": return .null
        case "NSString", "NSMutableString": return try scalar(try field("NS.string"), name) { $0.isText }
        case "NSData", "NSMutableData": return try scalar(try field("NS.data", "NS.bytes"), name) { $0.isData }
        case "NSNumber":
            return try scalar(try field("NS.number", "NS.boolval", "NS.intval", "NS.dblval"), name) { $0.isNumber }
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder": return decimal(object)
        case "NSDate":
            let time = try field("NS.time")
            switch list[time] {
            case .real(let seconds): return .date(seconds)
            case .integer(let seconds) where Int64(exactly: seconds) != nil: return .date(Double(seconds))
            default: throw .malformed("an archived NSDate has no time", at: byte)
            }
        case "NSURL":
            if let base = list.value("NS.base", in: object), try index(at: base) != 0 { return nil }
            return try scalar(try field("NS.relative"), name) { $0.isText }
        case "NSUUID": return try uuid(field("NS.uuidbytes"), byte)
        default: return nil
        }
    }

    /// A set whose elements are the fields `NS.object.0`, `NS.object.1`, …
    private mutating func orderedSet(_ object: Int) throws(PropertyListFault) -> Content {
        let pairs = Array(list.pairs(object))
        var elements = [UInt32?](repeating: nil, count: pairs.count)
        for (key, value) in pairs {
            guard let name = list.text(key), name.hasPrefix("NS.object."),
                let index = Int(name.dropFirst("NS.object.".count)), elements.indices.contains(index)
            else { continue }
            elements[index] = try self.object(at: value)
        }
        guard let count = elements.firstIndex(of: nil), !elements[count...].contains(where: { $0 != nil }) else {
            throw .malformed("an archived set lacks an element", at: list.values[object].byte)
        }
        return below(elements[..<count].compactMap { $0 }, isDictionary: false)
    }

    /// A field that holds the value itself, or refers to it.
    private func scalar(_ field: Int, _ name: String, _ isRight: (Content) -> Bool) throws(PropertyListFault) -> Content
    {
        if isRight(list[field]) { return list[field] }
        let content = list[Int(objects[try index(at: field)])]
        guard isRight(content) else {
            throw .malformed("an archived \(name) holds \(content.displayText)", at: list.values[field].byte)
        }
        return content
    }

    private func uuid(_ field: Int, _ byte: Int) throws(PropertyListFault) -> Content {
        guard case .data(let piece) = list[field], piece.length == 16 else {
            throw .malformed("an archived NSUUID has no 16 bytes", at: byte)
        }
        let bytes = list.withBytes(piece) { Array($0) }
        return .text(list.decoding { $0.append(uuid: bytes) })
    }
}

extension PropertyList {
    /// The bytes that `append` adds to those decoded.
    func decoding(_ append: (Bytes) -> Void) -> Piece {
        let start = decoded.count
        append(decoded)
        return Piece(start: source.count + start, length: decoded.count - start)
    }
}

extension PropertyList.Content {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
    fileprivate var isData: Bool { if case .data = self { true } else { false } }
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .real, .flag: true
        default: false
        }
    }
}

/// Objects of an app's own classes, as records.
///
/// A record has the name of the class as `$class`, and the fields that the object encoded. Objects often refer to those
/// that hold them: a record that stands in itself again is there `{"$class": …, "$object": 7}`, and has that `$object`
/// too.
extension KeyedArchive {
    /// An object by its fields.
    mutating func record(_ object: Int, of name: ClassName) throws(PropertyListFault) -> PropertyList.Content {
        if list.classes.count <= PropertyList.namedClasses, !list.classes.contains(name.text) {
            list.classes.append(name.text)
        }
        var (kind, fields): ([UInt32], [UInt32]) = ([], [])
        for (key, value) in Array(list.pairs(object)) {
            if kind.isEmpty, list.isText(key, "$class") {
                kind = [UInt32(key), UInt32(name.value)]
            } else {
                fields += [UInt32(key), try member(value)]
            }
        }
        return below(kind + fields, isDictionary: true)
    }

    /// The value of a field: a reference to an object, or a plain value in which others stand.
    ///
    /// The depth of the recursion is that of the list, which is checked.
    private mutating func member(_ value: Int) throws(PropertyListFault) -> UInt32 {
        if number(at: value) != nil { return try object(at: value) }
        let children = Array(list.below(value))
        guard !children.isEmpty else { return UInt32(value) }
        try look(at: children.count, value)
        let members = try children.map { child throws(PropertyListFault) in try member(Int(child)) }
        let isDictionary = if case .dictionary = list[value] { true } else { false }
        return add(below(members, isDictionary: isDictionary), at: value)
    }

    private mutating func add(_ content: PropertyList.Content, at value: Int) -> UInt32 {
        list.values.append(PropertyList.Value(content: content, byte: list.values[value].byte))
        return UInt32(list.values.count - 1)
    }

    /// Keys of a dictionary, whose numbers become texts: JSON has no others.
    mutating func texts(ofKeys keys: [UInt32]) -> [UInt32] {
        keys.map { key in
            let number: String
            switch list[Int(objects[Int(key) - first])] {
            case .integer(let whole): number = whole.description
            case .real(let real): number = real.description
            default: return key
            }
            return add(.text(list.decoding { $0.append(number) }), at: Int(key))
        }
    }

    /// A decimal number: up to eight pieces of 16 bits, and a power of ten. Nil for other fields.
    mutating func decimal(_ object: Int) -> PropertyList.Content? {
        func whole(_ key: StaticString) -> Int? {
            guard let value = list.value(key, in: object), case .integer(let number) = list[value] else { return nil }
            return Int(exactly: number)
        }
        guard let exponent = whole("NS.exponent"), (-128...127).contains(exponent),
            let length = whole("NS.length"), (0...8).contains(length),
            let sign = list.value("NS.negative", in: object), case .flag(let isNegative) = list[sign],
            let mantissa = list.value("NS.mantissa", in: object), case .data(let piece) = list[mantissa],
            piece.length >= 2 * length
        else { return nil }
        let isBigEndian = whole("NS.mantissa.bo") == 2
        let pieces = list.withBytes(piece) { bytes in
            (0..<length).map { place in
                let (first, second) = (UInt16(bytes[2 * place]), UInt16(bytes[2 * place + 1]))
                return isBigEndian ? first << 8 | second : second << 8 | first
            }
        }
        let digits = PropertyListCoder.digits(of: pieces, exponent, isNegative: isNegative)
        return digits.map { digits in .decimal(list.decoding { $0.append(digits) }) } ?? .null
    }

    // MARK: Records in themselves

    private enum Mark { static let open: UInt8 = 1, done: UInt8 = 2 }

    /// Replaces each object that stands in itself by a reference to it. Without records, arrays and dictionaries stay in
    /// themselves and are refused with the list.
    mutating func cutCycles() {
        guard !records.isEmpty else { return }
        var marks = [UInt8](repeating: 0, count: list.values.count)
        var frames: [(value: Int, next: Int, end: Int)] = []
        var references: [Int: UInt32] = [:]
        func enter(_ value: Int) {
            let below = list.below(value)
            marks[value] = below.isEmpty ? Mark.done : Mark.open
            if !below.isEmpty { frames.append((value, below.startIndex, below.endIndex)) }
        }
        enter(list.root)
        while let frame = frames.last {
            guard frame.next < frame.end else {
                marks[frame.value] = Mark.done
                frames.removeLast()
                continue
            }
            frames[frames.count - 1].next += 1
            let child = Int(list.children[frame.next])
            switch marks[child] {
            case Mark.open: list.children[frame.next] = reference(to: child, &references)
            case Mark.done: continue
            default: enter(child)
            }
        }
        for record in references.keys.sorted() where records.contains(record) {
            let fields = Array(list.below(record))
            let named = Array(list.below(Int(references[record]!)).suffix(2))
            list.values[record].content = below(fields.prefix(2) + named + fields.dropFirst(2), isDictionary: true)
        }
    }

    private mutating func reference(to value: Int, _ known: inout [Int: UInt32]) -> UInt32 {
        if let known = known[value] { return known }
        func text(_ text: String) -> UInt32 { add(.text(list.decoding { $0.append(text) }), at: value) }
        // Its class was found before.
        let name = try? className(Int(objects[value - first]))
        let kind = [text("$class"), name.map { UInt32($0.value) } ?? text("")]
        let number = [text("$object"), add(.integer(Int128(value - first)), at: value)]
        let reference = add(below(kind + number, isDictionary: true), at: value)
        known[value] = reference
        return reference
    }
}

extension KeyedArchive {
    /// The words for the objects of an app's own classes in an archive; nil if it holds none, or is broken.
    static func objectWords(_ list: PropertyList, _ value: Int) -> String? {
        guard let plain = try? unarchive(list, value), !plain.classes.isEmpty else { return nil }
        return plain.objectWords
    }
}

extension PropertyList {
    /// How many classes messages name.
    fileprivate static let namedClasses = 3

    /// The words for a decoded archive: `a keyed archive with objects of App.Todo`.
    var archiveWords: String { "a keyed archive" + (classes.isEmpty ? "" : " with \(objectWords)") }

    /// The words for the objects of an app's own classes.
    var objectWords: String {
        let names = classes.prefix(PropertyList.namedClasses).map { String($0.prefix(80)) }
        return "objects of \(names.joined(separator: ", "))\(classes.count > names.count ? " and others" : "")"
    }
}

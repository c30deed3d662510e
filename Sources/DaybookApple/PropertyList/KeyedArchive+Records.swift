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
        var members: [UInt32] = []
        for child in children { members.append(try member(Int(child))) }
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
        if length == 0, isNegative { return .null }
        let isBigEndian = whole("NS.mantissa.bo") == 2
        var number: UInt128 = 0
        list.withBytes(piece) { bytes in
            for place in (0..<length).reversed() {
                let (first, second) = (UInt128(bytes[2 * place]), UInt128(bytes[2 * place + 1]))
                number = number << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
            }
        }
        let digits = PropertyListCoder.digits(of: number, exponent, isNegative: isNegative)
        return .decimal(list.decoding { $0.append(digits) })
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

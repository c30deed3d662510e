import DaybookJSON
import Foundation

/// The kinds of values at each place below some records of a property list.
///
/// JSON has one kind of number, no dates and no data. What came in says what a value has to be again; for a place that
/// nothing came in at, the column that fills it does.
struct NativeShape: Sendable {
    typealias Kinds = ModelSketch.Kinds

    /// The most places. What stands at further ones is written as JSON tells it.
    private static let most = 4_096

    /// A place: the kinds seen there, and the places below it. An element of an array has no key.
    private struct Node {
        var kinds: Kinds = []
        var below: [String?: Int] = [:]
    }

    private var nodes = [Node()]
    /// The place of the dictionary whose keys are those of records, which all have the same places below.
    private var keyed: Int?

    init(areKeyed: Bool = false) { keyed = areKeyed ? NativeShape.root : nil }

    /// The key of a place in the shape.
    private func step(_ key: String?, below node: Int) -> String? { node == keyed ? nil : key }

    /// The place of a record, or of the array of all.
    static let root = 0

    func kinds(at node: Int?) -> Kinds { node.map { nodes[$0].kinds } ?? [] }

    func place(_ key: String?, below node: Int?) -> Int? { node.flatMap { nodes[$0].below[step(key, below: $0)] } }

    private mutating func made(_ key: String?, below node: Int) -> Int? {
        let key = step(key, below: node)
        if let known = nodes[node].below[key] { return known }
        guard nodes.count < NativeShape.most else { return nil }
        nodes.append(Node())
        nodes[node].below[key] = nodes.count - 1
        return nodes.count - 1
    }

    mutating func note(_ value: OriginalValue, at node: Int = root) {
        nodes[node].kinds.insert(NativeShape.kind(of: value))
        switch value {
        case .list(let items):
            guard let below = items.isEmpty ? nil : made(nil, below: node) else { return }
            for item in items { note(item, at: below) }
        case .map(let entries) where nodes[node].kinds.isDisjoint(with: [.url, .decimal]):
            for entry in entries {
                if let below = made(entry.key, below: node) { note(entry.value, at: below) }
            }
        default: break
        }
    }

    /// Adds what a column fills where nothing came in.
    ///
    /// - Parameter path: keys, and nil for the elements of an array.
    mutating func add(_ kind: Kinds, at path: [String?]) {
        var node = NativeShape.root
        for key in path {
            guard let below = made(key, below: node) else { return }
            node = below
        }
        if nodes[node].kinds.isEmpty { nodes[node].kinds = kind }
    }

    /// Adds what stands at one place to another where nothing came in: a field that a stage has renamed.
    mutating func add(from source: [String?], at path: [String?]) {
        var from = NativeShape.root
        for key in source {
            guard let below = place(key, below: from) else { return }
            from = below
        }
        var node = NativeShape.root
        for key in path {
            guard let below = made(key, below: node) else { return }
            node = below
        }
        let whole = self
        add(whole, from, at: node)
    }

    /// Adds what another shape has where this one has nothing.
    mutating func add(_ other: NativeShape) { add(other, NativeShape.root, at: NativeShape.root) }

    private mutating func add(_ other: NativeShape, _ from: Int, at node: Int) {
        if nodes[node].kinds.isEmpty { nodes[node].kinds = other.nodes[from].kinds }
        for (key, place) in other.nodes[from].below {
            if let below = made(key, below: node) { add(other, place, at: below) }
        }
    }

    /// The same, below the keys that lead to it.
    func below(_ path: [String]) -> NativeShape {
        var whole = NativeShape()
        var node = NativeShape.root
        for key in path { node = whole.made(key, below: node) ?? node }
        whole.keyed = keyed == nil ? nil : node
        whole.add(self, NativeShape.root, at: node)
        return whole
    }

    static func kind(of value: OriginalValue) -> Kinds {
        switch value {
        case .text: .text
        case .integer, .large: .integer
        case .real: .real
        case .flag: .flag
        case .date: .date
        case .content: .data
        case .list: .array
        case .map(let entries):
            if entries.count == 1, entries[0].key == "relative", case .text = entries[0].value {
                .url
            } else {
                Set(entries.map(\.key)) == NativeDecimal.keys ? .decimal : .object
            }
        }
    }
}

extension NativeShape.Kinds {
    private static let names: [(NativeShape.Kinds, String)] = [
        (.text, "text"), (.integer, "a whole number"), (.real, "a number"), (.flag, "true or false"), (.date, "a date"),
        (.data, "data"), (.url, "a URL"), (.decimal, "a decimal"), (.array, "an array"), (.object, "a dictionary"),
    ]

    fileprivate var displayText: String {
        DisplayText.list(NativeShape.Kinds.names.filter { contains($0.0) }.map(\.1), "or")
    }
}

/// Turns JSON of rows into values of a property list.
struct NativeWriting {
    private let shape: NativeShape
    /// Whether a kind that did not come in is refused: the app reads what it wrote.
    private let isStrict: Bool
    private let subject: String
    private var cursor: JSONCursor
    private let text: Bytes

    /// - Parameter subject: what the rows are written to, in messages.
    static func value(
        of json: Bytes,
        _ shape: NativeShape,
        isStrict: Bool,
        _ subject: String
    ) throws(DaybookError) -> OriginalValue {
        defer { withExtendedLifetime(json) {} }
        var writing = NativeWriting(shape: shape, isStrict: isStrict, subject: subject, json)
        let value = try writing.value(at: NativeShape.root, "")
        guard writing.cursor.finish() else {
            let fault = writing.cursor.fault?.message ?? "it does not end"
            throw DaybookError.data("cannot-keep", "\(subject) would be JSON with a fault: \(fault)")
        }
        return value
    }

    private init(shape: NativeShape, isStrict: Bool, subject: String, _ text: Bytes) {
        (self.shape, self.isStrict, self.subject, self.text) = (shape, isStrict, subject, text)
        cursor = JSONCursor(text.base, to: text.count)
    }

    /// Depth is bounded: rows have no JSON deeper than a cursor reads.
    private mutating func value(at node: Int?, _ path: String) throws(DaybookError) -> OriginalValue {
        cursor.skipSpace()
        switch cursor.byte {
        case UInt8(ascii: "["):
            try expect(.array, in: shape.kinds(at: node), path)
            return .list(try elements(below: node, path))
        case UInt8(ascii: "{"):
            try expect(.object, in: shape.kinds(at: node), path)
            return .map(try entries(below: node, path))
        default: return try single(at: node, path)
        }
    }

    private mutating func elements(below node: Int?, _ path: String) throws(DaybookError) -> [OriginalValue] {
        var items: [OriginalValue] = []
        guard cursor.open(), !cursor.closesAtOnce(UInt8(ascii: "]")) else { return [] }
        let below = shape.place(nil, below: node)
        repeat {
            items.append(try value(at: below, "\(path)/\(items.count)"))
        } while cursor.next(inObject: false) == true
        return items
    }

    private mutating func entries(below node: Int?, _ path: String) throws(DaybookError) -> [StoredEntry] {
        var entries: [StoredEntry] = []
        guard cursor.open(), !cursor.closesAtOnce(UInt8(ascii: "}")) else { return [] }
        repeat {
            guard let key = cursor.key() else { break }
            let name = String(decoding: cursor.name(key), as: UTF8.self)
            let below = shape.place(name, below: node)
            entries.append(StoredEntry(key: name, value: try value(at: below, "\(path)/\(JSONPointer.escaped(name))")))
        } while cursor.next(inObject: true) == true
        return entries
    }

    private mutating func single(at node: Int?, _ path: String) throws(DaybookError) -> OriginalValue {
        let start = cursor.position
        guard cursor.skipValue() else {
            throw DaybookError.data("cannot-keep", "'\(path)' in \(subject) is no JSON")
        }
        let range = start..<cursor.position
        let kinds = shape.kinds(at: node)
        if let written = JSONPlace.decodedText(text, range) {
            return try self.text(written.text(0..<written.count), kinds, path)
        }
        let word = text.text(range)
        switch word {
        case "true", "false":
            try expect(.flag, in: kinds, path)
            return .flag(word == "true")
        case "null":
            let message = "'\(path)' in \(subject) is null, which a property list cannot hold"
            throw DaybookError.data("cannot-keep", message, hint: "fill it, or leave it out")
        default: return try number(word, kinds, path)
        }
    }

    private func text(_ text: String, _ kinds: NativeShape.Kinds, _ path: String) throws(DaybookError) -> OriginalValue
    {
        let others = kinds.subtracting(.text)
        let mayBeOther = others.contains(.url) || others.contains(.data) && Data(base64Encoded: text) != nil
        if isStrict, kinds.contains(.text), mayBeOther {
            let message =
                "'\(path)' in \(subject) is text where \(kinds.displayText) stood, and nothing tells which of them it is"
            let hint = "give each kind a field of its own, or say with 'fields' what the app reads"
            throw DaybookError.data("other-kind", message, hint: hint)
        }
        if kinds == .data, let data = Data(base64Encoded: text) { return .content(data) }
        // A date that rows did not hold stands as it was imported.
        if kinds.contains(.date), let seconds = PropertyListDate.seconds(of: text) { return .date(seconds) }
        if kinds == .date, let seconds = PropertyListDate.seconds(ofInstant: text) { return .date(seconds) }
        if kinds == .url { return .map([StoredEntry(key: "relative", value: .text(text))]) }
        if kinds == .real, let odd = ["nan": Double.nan, "inf": .infinity, "-inf": -.infinity][text] {
            return .real(odd)
        }
        try expect(.text, in: kinds, path)
        return .text(text)
    }

    private func number(_ word: String, _ kinds: NativeShape.Kinds, _ path: String) throws(DaybookError)
        -> OriginalValue
    {
        let real = Double(word) ?? 0
        if kinds == .date { return .date(real) }
        if kinds == .decimal, let decimal = NativeDecimal.value(of: word) { return decimal }
        if kinds == .real { return .real(real) }
        let whole = Int64(word).map(OriginalValue.integer) ?? UInt64(word).map(OriginalValue.large)
        try expect(whole == nil ? .real : .integer, in: kinds, path)
        return whole ?? .real(real)
    }

    private func expect(_ kind: NativeShape.Kinds, in kinds: NativeShape.Kinds, _ path: String) throws(DaybookError) {
        guard isStrict, !kinds.isEmpty, !kinds.contains(kind) else { return }
        // A number may be whole by chance.
        if kind == .integer, kinds.contains(.real) { return }
        let message =
            "'\(path)' in \(subject) is \(kind.displayText), and what stood there was \(kinds.displayText): the app would not read it"
        let hint = "mend the column, or say with 'fields' what the app reads by now"
        throw DaybookError.data("other-kind", message, hint: hint)
    }
}

/// A `Decimal` as `PropertyListEncoder` writes it: a whole number in pieces of 16 bits, and a power of ten.
enum NativeDecimal {
    static let keys: Set = ["exponent", "isCompact", "isNegative", "length", "mantissa"]

    /// Nil for more digits than 128 bits hold.
    static func value(of word: String) -> OriginalValue? {
        guard let decimal = Decimal(string: word), let data = try? PropertyListEncoder().encode([decimal]),
            let list = try? StoredValueReader.list(Bytes(data)),
            case .list(let items)? = try? OriginalReading.read(list, limit: 1 << 20)
        else { return nil }
        return items.first
    }
}

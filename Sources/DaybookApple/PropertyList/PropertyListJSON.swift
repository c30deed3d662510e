import DaybookDates
import DaybookJSON

/// Writes a value of a property list as JSON text, so that it is read like any other JSON.
///
/// Numbers keep every digit. Dates become ISO 8601 instants with all their digits, data becomes base64, and numbers
/// that JSON lacks become the texts `nan`, `inf` and `-inf`.
struct PropertyListJSON {
    private struct Frame {
        var isDictionary: Bool
        var next: Int
        var end: Int
        var isFirst = true
        /// The node of `shape` for records, or the parent of its keys; -1 below arrays.
        var node: Int
        /// The index of its place in `places`; -1 for the array of all records, and in lists without dates.
        var place = -1
    }

    let text = Bytes()
    private let list: PropertyList
    private let limit: Int
    private let byte: Int
    /// The columns of the records; known only for lists with dates.
    private var shape = JSONShape()
    private let hasDates: Bool
    private var areKeyed = false
    private var places = InnerDatePlaces()
    private var kinds = ListKinds()

    /// Writes the value at `root`. Throws if the text exceeds the limit for a list of that size.
    ///
    /// `instants` are columns of dates, `dates` the paths from a record to all dates; `kinds` tells the values that JSON lacks.
    ///
    /// - Parameter areKeyed: whether the records of a dictionary are its values.
    static func write(
        _ list: PropertyList,
        _ root: Int,
        areKeyed: Bool = false
    ) throws(PropertyListFault) -> (text: Bytes, instants: [String], dates: [InnerDates.Way], kinds: ListKinds) {
        var writer = PropertyListJSON(list, root)
        writer.areKeyed = areKeyed
        try writer.write(root)
        return (writer.text, writer.instants(), writer.places.ways, writer.kinds)
    }

    private init(_ list: PropertyList, _ root: Int) {
        self.list = list
        byte = list.values[root].byte
        limit = PropertyListJSON.limit(size: list.source.count)
        hasDates = list.values.contains { if case .date = $0.content { true } else { false } }
    }

    /// The most bytes of JSON: a frequent text is stored once in a binary list and many times in JSON.
    static func limit(size: Int) -> Int { min(longestJSONRecord, max(64 << 20, 32 * size)) }

    private mutating func write(_ root: Int) throws(PropertyListFault) {
        var frames: [Frame] = []
        let (node, place) = hasDates ? (JSONShape.root, InnerDatePlaces.record) : (-1, -1)
        switch list[root] {
        case .array: frames.append(opened(root, node: node))
        case .dictionary where areKeyed: frames.append(opened(root, node: node))
        default: try writeValue(root, &frames, parent: node, key: nil, place: place)
        }
        while var frame = frames.popLast() {
            guard frame.next < frame.end else {
                text.append(frame.isDictionary ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                continue
            }
            if !frame.isFirst { text.append(UInt8(ascii: ",")) }
            frame.isFirst = false
            var key: Int?
            if frame.isDictionary {
                key = Int(list.children[frame.next])
                try writeString(list[key!], at: key!)
                text.append(UInt8(ascii: ":"))
                frame.next += 1
            }
            let value = Int(list.children[frame.next])
            frame.next += 1
            let isRecords = frames.isEmpty && (areKeyed || !frame.isDictionary)
            frames.append(frame)
            let parent = frame.isDictionary || isRecords ? frame.node : -1
            let place = isRecords && hasDates ? place : self.place(of: key, in: frame)
            try writeValue(value, &frames, parent: parent, key: isRecords ? nil : key, place: place)
            guard text.count <= limit else {
                throw .tooLarge("the list repeats the same values until it is too long", at: byte)
            }
        }
    }

    /// The place of an element, or of a key's value.
    private mutating func place(of key: Int?, in frame: Frame) -> Int {
        guard frame.place >= 0 else { return -1 }
        guard let key else { return places.child(.element, of: frame.place) }
        return list.text(key).map { places.child(.key($0), of: frame.place) } ?? -1
    }

    private mutating func opened(_ value: Int, node: Int, place: Int = -1) -> Frame {
        let below = list.below(value)
        let isDictionary = if case .dictionary = list[value] { true } else { false }
        text.append(isDictionary ? UInt8(ascii: "{") : UInt8(ascii: "["))
        return Frame(isDictionary: isDictionary, next: below.startIndex, end: below.endIndex, node: node, place: place)
    }

    /// Writes a value, or the beginning of an array or dictionary. `parent` is the parent node of its key; a value
    /// without a key is a record.
    private mutating func writeValue(
        _ value: Int,
        _ frames: inout [Frame],
        parent: Int,
        key: Int?,
        place: Int
    ) throws(PropertyListFault) {
        let content = list[value]
        if let plain = PropertyListCoder.plain(list, value) {
            note(plain.isNumber ? .decimal : .text, parent, key)
            places.note(isDate: false, at: place)
            kinds.add(plain.isNumber ? .decimal : .url, at: text.count)
            return text.append(plain.json)
        }
        switch content {
        case .array:
            note(.array, parent, key)
            frames.append(opened(value, node: -1, place: place))
        case .dictionary(let below):
            // A top-level record has its keys at the root.
            let node = key == nil ? parent : note(below.count > 0 ? .object : .emptyObject, parent, key)
            frames.append(opened(value, node: node, place: place))
        case .null: text.append("null")
        default:
            let isDate = if case .date = content { true } else { false }
            note(isDate ? .instant : .text, parent, key)
            places.note(isDate: isDate, at: place)
            switch content {
            case .date: kinds.add(.date, at: text.count)
            case .data: kinds.add(.data, at: text.count)
            case .real(let number) where !number.isFinite: kinds.add(.real, at: text.count)
            default: break
            }
            try writeScalar(content, at: value)
        }
    }

    @discardableResult
    private mutating func note(_ seen: JSONSeen, _ parent: Int, _ key: Int?) -> Int {
        guard parent >= 0 else { return -1 }
        var name = JSONShape.bareKey
        if let key {
            guard case .text(let piece) = list[key] else { return -1 }
            name = list.withBytes(piece) { Array($0) }
        }
        let node = shape.child(name, of: parent)
        shape.note(seen, at: node)
        return node
    }

    /// The columns that contain only dates.
    private func instants() -> [String] {
        var names: [String] = []
        for node in shape.nodes {
            let name = String(decoding: node.key, as: UTF8.self)
            names.append(node.parent <= JSONShape.root ? name : "\(names[node.parent]).\(name)")
        }
        return shape.nodes.indices.filter { shape.nodes[$0].seen == .instant }.map { names[$0] }
    }

    private func writeScalar(_ content: PropertyList.Content, at value: Int) throws(PropertyListFault) {
        switch content {
        case .flag(let flag): text.append(flag ? "true" as StaticString : "false")
        case .integer(let number): text.append(number.description)
        case .real(let number):
            if number.isFinite { text.append(number.description) } else { text.append(jsonString: number.description) }
        case .decimal(let digits): list.withBytes(digits) { text.append($0) }
        case .date(let seconds): PropertyListDate.append(seconds, to: text)
        case .data(let piece):
            text.append(UInt8(ascii: "\""))
            list.withBytes(piece) { Base64.append($0, to: text) }
            text.append(UInt8(ascii: "\""))
        case .uid(let number):
            text.append("{\"CF$UID\":")
            text.append(String(number))
            text.append(UInt8(ascii: "}"))
        case .text, .brokenText: try writeString(content, at: value)
        case .null, .array, .dictionary, .unread: text.append("null")
        }
    }

    private func writeString(_ content: PropertyList.Content, at value: Int) throws(PropertyListFault) {
        guard case .text(let piece) = content else {
            throw .malformed("a text has half a surrogate pair in it", at: list.values[value].byte)
        }
        list.withBytes(piece) { text.append(jsonString: $0) }
    }
}

/// Writes dates of property lists.
enum PropertyListDate {
    /// Appends seconds since 2001 as a quoted instant with all digits of the number. Dates outside the years 1 to 9999,
    /// except `Date.distantPast`, become a text that does not read as an instant.
    static func append(_ seconds: Double, to text: Bytes) {
        let reference: Int64 = 978_307_200
        guard
            seconds >= -63_113_904_000 && seconds < 252_423_993_600
                || seconds == Double(EpochUnit.distantPast / 1_000_000 - reference)
        else { return text.append(jsonString: "\(seconds.description) seconds since 2001") }
        var (whole, fraction) = parts(seconds.magnitude)
        if seconds < 0 {
            whole = -whole
            if !fraction.isEmpty {
                whole -= 1
                complement(&fraction)
            }
        }
        text.append(UInt8(ascii: "\""))
        let end = text.reserve(ISOText.maximumLength)
        text.count += ISOText.write(instant: (whole + reference) * 1_000_000, to: end)
        if !fraction.isEmpty {
            text.count -= 1
            text.append(UInt8(ascii: "."))
            for digit in fraction { text.append(digit + 48) }
            text.append(UInt8(ascii: "Z"))
        }
        text.append(UInt8(ascii: "\""))
    }

    /// The seconds since 2001 of a text that `append` wrote, to the last digit; nil for any other.
    static func seconds(of text: String) -> Double? {
        let suffix = " seconds since 2001"
        if text.hasSuffix(suffix) { return Double(text.dropLast(suffix.count)) }
        guard text.hasSuffix("Z") else { return nil }
        let parts = text.dropLast().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let instant = Bytes("\(parts[0])Z")
        defer { withExtendedLifetime(instant) {} }
        guard let read = ReadInstant(iso: instant.filled) else { return nil }
        let whole = read.micros / 1_000_000 - 978_307_200
        guard parts.count == 2 else { return Double(whole) }
        var fraction = parts[1].utf8.map { $0 &- 48 }
        guard fraction.allSatisfy({ $0 < 10 }) else { return nil }
        while fraction.last == 0 { fraction.removeLast() }
        guard !fraction.isEmpty else { return Double(whole) }
        if whole < 0 { complement(&fraction) }
        let digits = fraction.map { String($0) }.joined()
        return Double(whole < 0 ? "-\(-whole - 1).\(digits)" : "\(whole).\(digits)")
    }

    /// The seconds since 2001 of an instant in any time zone, to the microsecond.
    static func seconds(ofInstant text: String) -> Double? {
        let instant = Bytes(text)
        defer { withExtendedLifetime(instant) {} }
        return ReadInstant(iso: instant.filled).map { Double($0.micros - 978_307_200_000_000) / 1_000_000 }
    }

    /// The digits of the shortest spelling before and behind the point.
    private static func parts(_ seconds: Double) -> (whole: Int64, fraction: [UInt8]) {
        let number = JSONDigits(of: seconds)
        let digits = number.digits.map { $0 - 48 }
        let point = digits.count + number.exponent
        var whole: Int64 = 0
        for place in 0..<max(0, point) { whole = whole * 10 + Int64(place < digits.count ? digits[place] : 0) }
        return (whole, Array(repeating: 0, count: max(0, -point)) + digits.dropFirst(max(0, point)))
    }

    /// 1 less the fraction, whose last digit is not 0.
    private static func complement(_ fraction: inout [UInt8]) {
        for place in fraction.indices.dropLast() { fraction[place] = 9 - fraction[place] }
        fraction[fraction.count - 1] = 10 - fraction[fraction.count - 1]
    }
}

/// Recognises values that Foundation's `PropertyListEncoder` writes as dictionaries, and its `JSONEncoder` as one text
/// or number.
enum PropertyListCoder {
    /// The `JSONEncoder` form of a `URL` or a `Decimal`; nil for any other value.
    static func plain(_ list: PropertyList, _ value: Int) -> (json: Bytes, isNumber: Bool)? {
        guard case .dictionary(let below) = list[value], [1, 5].contains(below.count) else { return nil }
        var entries: [String: Int] = [:]
        for (key, value) in list.pairs(value) {
            guard let key = list.text(key) else { return nil }
            entries[key] = value
        }
        // A URL without a base; a URL with a base keeps its two parts.
        if entries.count == 1, let relative = entries["relative"], case .text(let piece) = list[relative] {
            let text = Bytes()
            list.withBytes(piece) { text.append(jsonString: $0) }
            return (text, false)
        }
        return decimal(list, entries).map { ($0, true) }
    }

    /// A whole number of up to 128 bits in pieces of 16, and a power of ten.
    private static func decimal(_ list: PropertyList, _ entries: [String: Int]) -> Bytes? {
        guard entries.count == 5, let exponent = entries["exponent"].flatMap({ list.whole($0) }),
            let length = entries["length"].flatMap({ list.whole($0) }), (0...8).contains(length),
            let sign = entries["isNegative"], case .flag(let isNegative) = list[sign],
            let compact = entries["isCompact"], case .flag = list[compact],
            let mantissa = entries["mantissa"], case .array = list[mantissa]
        else { return nil }
        let all = list.below(mantissa)
        let pieces = all.prefix(Int(length)).compactMap { list.whole(Int($0)).flatMap { UInt16(exactly: $0) } }
        guard all.count == 8, pieces.count == length, (-128...127).contains(exponent) else { return nil }
        return Bytes(digits(of: pieces, Int(exponent), isNegative: isNegative) ?? "null")
    }

    /// A whole number in pieces of 16 bits times a power of ten, without an exponent; nil for NaN.
    static func digits(of pieces: [UInt16], _ exponent: Int, isNegative: Bool) -> String? {
        // Foundation's encoding of NaN.
        if pieces.isEmpty, isNegative { return nil }
        let number = pieces.reversed().reduce(UInt128(0)) { $0 << 16 | UInt128($1) }
        var digits = String(number)
        if exponent > 0, number > 0 { digits += String(repeating: "0", count: exponent) }
        if exponent < 0 {
            let point = -exponent
            if digits.utf8.count <= point {
                digits = String(repeating: "0", count: point + 1 - digits.utf8.count) + digits
            }
            digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -point))
            while digits.hasSuffix("0") { digits.removeLast() }
            if digits.hasSuffix(".") { digits.removeLast() }
        }
        return (isNegative ? "-" : "") + digits
    }
}

extension PropertyList {
    fileprivate func whole(_ value: Int) -> Int64? {
        guard case .integer(let number) = self[value] else { return nil }
        return Int64(exactly: number)
    }
}

/// The places below a record, as a tree of keys and array elements, with flags for dates.
struct InnerDatePlaces {
    private struct Place: Hashable {
        var parent: Int
        var step: InnerStep
    }

    private struct Node {
        var parent: Int
        var step: InnerStep?
        var hasDates = false
        var hasOthers = false
    }

    static let record = 0
    /// The most places. Later ones are added to the last: dates there are found, but not distinguished from texts.
    private static let most = 4_096

    private var nodes = [Node(parent: -1)]
    private var children: [Place: Int] = [:]

    /// The child place of a step, created if missing; -1 below no place.
    mutating func child(_ step: InnerStep, of parent: Int) -> Int {
        guard parent >= 0 else { return -1 }
        let place = Place(parent: parent, step: step)
        if let known = children[place] { return known }
        guard nodes.count < InnerDatePlaces.most else { return parent }
        nodes.append(Node(parent: parent, step: step))
        children[place] = nodes.count - 1
        return nodes.count - 1
    }

    mutating func note(isDate: Bool, at place: Int) {
        guard place >= 0 else { return }
        if isDate { nodes[place].hasDates = true } else { nodes[place].hasOthers = true }
        if nodes.count == InnerDatePlaces.most { nodes[place].hasOthers = true }
    }

    /// The paths to places with dates.
    var ways: [InnerDates.Way] {
        nodes.compactMap { node in
            guard node.hasDates else { return nil }
            var (steps, next): ([InnerStep], Node) = ([], node)
            while let step = next.step {
                steps.append(step)
                next = nodes[next.parent]
            }
            return InnerDates.Way(steps.reversed(), node.hasOthers ? .mixed : .instant)
        }
    }
}

import Foundation

/// A value of a property list that an output keeps, with its type: 1, 1.0 and true are three values.
indirect enum OriginalValue: Sendable {
    case text(String)
    case integer(Int64)
    /// A whole number beyond `Int64.max`.
    case large(UInt64)
    case real(Double)
    case flag(Bool)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case content(Data)
    case list([OriginalValue])
    case map([StoredEntry])
}

/// A key of a dictionary and its value.
struct StoredEntry: Sendable {
    var key: String
    var value: OriginalValue
}

extension OriginalValue {
    /// Whether `other` is the same value of the same type, ignoring the order of keys.
    func isSame(as other: OriginalValue) -> Bool {
        switch (self, other) {
        case (.text(let mine), .text(let theirs)): mine.utf8.elementsEqual(theirs.utf8)
        case (.integer(let mine), .integer(let theirs)): mine == theirs
        case (.large(let mine), .large(let theirs)): mine == theirs
        case (.flag(let mine), .flag(let theirs)): mine == theirs
        case (.real(let mine), .real(let theirs)), (.date(let mine), .date(let theirs)):
            mine.bitPattern == theirs.bitPattern || (mine.isNaN && theirs.isNaN)
        case (.content(let mine), .content(let theirs)): mine == theirs
        case (.list(let mine), .list(let theirs)):
            mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.isSame(as: $1) }
        case (.map(let mine), .map(let theirs)): StoredEntry.firstDifference(mine, theirs) == nil
        default: false
        }
    }

    /// The first key that differs from another key of its dictionary only in Unicode composition, such as 가 in one
    /// piece and in two.
    ///
    /// Foundation's objects for such keys are equal and have different hashes. Writing a dictionary with both ends the
    /// process, but only if the two meet in a hash table, whose seed is new in every process.
    func composedTwice(at path: String) -> String? {
        switch self {
        case .list(let items):
            return items.indices.lazy.compactMap { items[$0].composedTwice(at: "\(path)/\($0)") }.first
        case .map(let entries):
            var known: Set<String> = []
            for entry in entries {
                let path = path.isEmpty ? entry.key : "\(path)/\(entry.key)"
                if !known.insert(entry.key).inserted { return path }
                if let below = entry.value.composedTwice(at: path) { return below }
            }
            return nil
        default: return nil
        }
    }

    /// The path and the reason of the first value that an XML property list cannot store unchanged.
    func unfitForXML(at path: String) -> (path: String, reason: String)? {
        switch self {
        case .text(let text): OriginalValue.unfit(text).map { (path, $0) }
        case .date(let seconds) where seconds.rounded(.down) != seconds:
            (path, "a date with a fraction of a second")
        case .real(let value) where value == 0 && value.sign == .minus: (path, "the number -0.0")
        case .list(let items):
            items.indices.lazy.compactMap { items[$0].unfitForXML(at: "\(path)/\($0)") }.first
        case .map(let entries):
            entries.lazy.compactMap { entry -> (path: String, reason: String)? in
                let path = path.isEmpty ? entry.key : "\(path)/\(entry.key)"
                return OriginalValue.unfit(entry.key).map { (path, $0) } ?? entry.value.unfitForXML(at: path)
            }.first
        default: nil
        }
    }

    /// Reports characters that XML 1.0 does not allow, and carriage returns, which XML readers turn into line feeds.
    private static func unfit(_ text: String) -> String? {
        let isFit = text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 ? scalar.value != 0xFFFE && scalar.value != 0xFFFF : scalar == "\t" || scalar == "\n"
        }
        return isFit ? nil : "text with a control character"
    }
}

extension StoredEntry {
    /// Keys are compared by code units: 가 in one piece and in two are equal to Swift, and two keys to an app.
    var unit: [UInt8] { Array(key.utf8) }

    /// The first key with a different value, or present in only one of the two.
    static func firstDifference(_ mine: [StoredEntry], _ theirs: [StoredEntry]) -> String? {
        let other = Dictionary(theirs.map { ($0.unit, $0.value) }) { first, _ in first }
        for entry in mine where other[entry.unit].map({ entry.value.isSame(as: $0) }) != true { return entry.key }
        guard mine.count != theirs.count else { return nil }
        let known = Set(mine.map(\.unit))
        return theirs.first { !known.contains($0.unit) }?.key
    }
}

extension OriginalValue {
    /// The value as a Foundation object.
    var foundation: NSObject {
        switch self {
        case .text(let text): text as NSString
        case .integer(let value): NSNumber(value: value)
        case .large(let value): NSNumber(value: value)
        case .real(let value): NSNumber(value: value)
        case .flag(let value): NSNumber(value: value)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        case .content(let content): content as NSData
        case .list(let items): NSArray(array: items.map(\.foundation))
        case .map(let entries): OrderedDictionary(entries)
        }
    }
}

/// A dictionary that iterates over its keys in insertion order.
///
/// Foundation's own iterates by a hash that differs from process to process, and so would the bytes of a property list.
private final class OrderedDictionary: NSDictionary {
    private let keys: [NSString]
    private let values: [[UInt8]: NSObject]

    init(_ entries: [StoredEntry]) {
        keys = entries.map { $0.key as NSString }
        values = Dictionary(entries.map { ($0.unit, $0.value.foundation) }) { first, _ in first }
        super.init(objects: [], forKeys: [], count: 0)
    }

    required init(objects: UnsafePointer<AnyObject>!, forKeys keys: UnsafePointer<NSObject>!, count: Int) {
        preconditionFailure("an ordered dictionary is made of entries")
    }

    required init?(coder: NSCoder) { preconditionFailure("an ordered dictionary is made of entries") }

    override var count: Int { keys.count }

    override func object(forKey key: Any) -> Any? {
        ((key as? String) ?? (key as? NSString).map { $0 as String }).flatMap { values[Array($0.utf8)] }
    }

    override func keyEnumerator() -> NSEnumerator { KeyEnumerator(keys) }

    private final class KeyEnumerator: NSEnumerator {
        private var rest: ArraySlice<NSString>

        init(_ keys: [NSString]) { rest = keys[...] }

        override func nextObject() -> Any? { rest.popFirst() }
    }
}

/// The reason why a property list cannot be kept, and its place.
struct UnkeepableValue: Error {
    /// The keys that lead to the value, from the top.
    var path: [String] = []
    var reason: String
}

/// Converts a property list to the tree that an output keeps.
///
/// A binary list may refer to one value from many places. The value is converted once and shared, and its size when
/// written again is computed beforehand.
struct OriginalReading {
    /// The approximate memory of a value besides its bytes.
    private static let weight = 128

    private let list: PropertyList
    private var values: [OriginalValue?]
    private var weights: [Int]
    private let limit: Int
    /// The weight of all values made so far.
    private var made = 0

    /// Reads the whole list, up to a weight of `limit`.
    static func read(_ list: PropertyList, limit: Int) throws(UnkeepableValue) -> OriginalValue {
        var reading = OriginalReading(list, limit)
        let value = try reading.value(list.root)
        guard reading.weights[list.root] <= limit else { throw reading.tooMuch }
        return value
    }

    private init(_ list: PropertyList, _ limit: Int) {
        (self.list, self.limit) = (list, limit)
        values = Array(repeating: nil, count: list.values.count)
        weights = Array(repeating: 0, count: list.values.count)
    }

    private var tooMuch: UnkeepableValue {
        UnkeepableValue(reason: "more than fits \(limit >> 20) MiB when it is written")
    }

    /// Recursion is bounded: the reader allows no list deeper than `PropertyList.deepest`.
    private mutating func value(_ index: Int) throws(UnkeepableValue) -> OriginalValue {
        if let known = values[index] { return known }
        weights[index] = OriginalReading.weight
        made += OriginalReading.weight
        guard made <= limit else { throw tooMuch }
        let value: OriginalValue
        switch list[index] {
        case .text(let piece):
            value = .text(list.text(index) ?? "")
            weights[index] += piece.length
        case .data(let piece):
            value = .content(list.withBytes(piece) { Data($0) })
            weights[index] += piece.length
        case .flag(let flag): value = .flag(flag)
        case .real(let number): value = .real(number)
        case .date(let seconds): value = .date(seconds)
        case .integer(let number):
            let plain = Int64(exactly: number).map(OriginalValue.integer)
            guard let known = plain ?? UInt64(exactly: number).map(OriginalValue.large) else {
                throw UnkeepableValue(reason: "a number of more than 64 bits")
            }
            value = known
        case .array:
            // No writer of property lists makes sets, and an array is another value.
            if list.sets.contains(index) { throw UnkeepableValue(reason: "a set") }
            var elements: [OriginalValue] = []
            for (place, child) in list.below(index).enumerated() {
                elements.append(try below(Int(child), of: index, at: "\(place)"))
            }
            value = .list(elements)
        case .dictionary: value = .map(try entries(index))
        case .null, .brokenText, .uid, .unread, .decimal:
            throw UnkeepableValue(reason: "\(list[index].displayText), which is no part of a plain property list")
        }
        values[index] = value
        return value
    }

    private mutating func entries(_ index: Int) throws(UnkeepableValue) -> [StoredEntry] {
        var entries: [StoredEntry] = []
        var known: Set<[UInt8]> = []
        for (key, value) in Array(list.pairs(index)) {
            let key = list.text(key) ?? ""
            let entry = StoredEntry(key: key, value: try below(value, of: index, at: key))
            guard known.insert(entry.unit).inserted else {
                throw UnkeepableValue(path: [key], reason: "a key that stands twice")
            }
            add(key.utf8.count, to: index)
            entries.append(entry)
        }
        return entries
    }

    private mutating func below(_ child: Int, of parent: Int, at step: String) throws(UnkeepableValue) -> OriginalValue
    {
        do {
            let value = try value(child)
            add(weights[child], to: parent)
            return value
        } catch {
            throw UnkeepableValue(path: [step] + error.path, reason: error.reason)
        }
    }

    private mutating func add(_ weight: Int, to index: Int) {
        let (sum, overflows) = weights[index].addingReportingOverflow(weight)
        weights[index] = overflows ? .max : sum
    }
}

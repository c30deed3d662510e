import Foundation

/// Why a property list cannot be kept: where, and what stands there.
struct UnkeepableValue: Error {
    /// The way to the value, from the top.
    var path: [String]
    var reason: String
}

/// Takes a property list that was read as the tree that is kept.
///
/// A binary list may refer to one value from many places. It is made once and shared, and what it would come to when it is
/// written again is counted before that happens.
struct KeptReading {
    /// What a value costs in memory beside its bytes, roughly.
    private static let weight = 128

    private let list: PropertyList
    private var values: [KeptValue?]
    private var weights: [Int]
    private let limit: Int
    /// What all values that were made so far weigh.
    private var made = 0

    /// The whole list, which may weigh so much.
    static func read(_ list: PropertyList, limit: Int) throws(UnkeepableValue) -> KeptValue {
        var reading = KeptReading(list, limit)
        let value = try reading.value(list.root)
        guard reading.weights[list.root] <= limit else { throw reading.tooMuch }
        return value
    }

    private init(_ list: PropertyList, _ limit: Int) {
        self.list = list
        self.limit = limit
        values = Array(repeating: nil, count: list.values.count)
        weights = Array(repeating: 0, count: list.values.count)
    }

    private var tooMuch: UnkeepableValue {
        UnkeepableValue(path: [], reason: "more than fits \(limit >> 20) MiB when it is written")
    }

    /// Recursion is bounded: the reader lets no list be deeper than `PropertyList.deepest`.
    private mutating func value(_ index: Int) throws(UnkeepableValue) -> KeptValue {
        if let known = values[index] { return known }
        weights[index] = KeptReading.weight
        made += KeptReading.weight
        guard made <= limit else { throw tooMuch }
        let value: KeptValue
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
            if let number = Int64(exactly: number) {
                value = .integer(number)
            } else if let number = UInt64(exactly: number) {
                value = .large(number)
            } else {
                throw UnkeepableValue(path: [], reason: "a number of more than 64 bits")
            }
        case .array:
            // No writer of property lists makes sets, and an array is another value.
            if list.sets.contains(index) { throw UnkeepableValue(path: [], reason: "a set") }
            value = .list(try elements(index))
        case .dictionary: value = .map(try entries(index))
        case .null, .brokenText, .uid, .unread:
            throw UnkeepableValue(path: [], reason: "\(list[index].spoken), which is no part of a plain property list")
        }
        values[index] = value
        return value
    }

    private mutating func elements(_ index: Int) throws(UnkeepableValue) -> [KeptValue] {
        var elements: [KeptValue] = []
        for (place, child) in list.below(index).enumerated() {
            elements.append(try below(Int(child), of: index, at: "\(place)"))
        }
        return elements
    }

    private mutating func entries(_ index: Int) throws(UnkeepableValue) -> [KeptEntry] {
        var entries: [KeptEntry] = []
        var known: Set<[UInt8]> = []
        let pairs = list.below(index)
        for place in stride(from: pairs.startIndex, to: pairs.endIndex, by: 2) {
            let key = list.text(Int(pairs[place])) ?? ""
            let entry = KeptEntry(key: key, value: try below(Int(pairs[place + 1]), of: index, at: key))
            guard known.insert(entry.unit).inserted else {
                throw UnkeepableValue(path: [key], reason: "a key that stands twice")
            }
            weights[index] = sum(weights[index], key.utf8.count)
            entries.append(entry)
        }
        return entries
    }

    private mutating func below(_ child: Int, of parent: Int, at step: String) throws(UnkeepableValue) -> KeptValue {
        do {
            let value = try value(child)
            weights[parent] = sum(weights[parent], weights[child])
            return value
        } catch {
            throw UnkeepableValue(path: [step] + error.path, reason: error.reason)
        }
    }

    private func sum(_ first: Int, _ second: Int) -> Int {
        let (sum, overflows) = first.addingReportingOverflow(second)
        return overflows ? .max : sum
    }
}

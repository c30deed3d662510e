import DaybookCore

/// The groups of one part of all keys, in the order in which they were met.
package struct GroupPart: Sendable {
    package private(set) var keys = KeyIndex()
    /// How many rows came before the one in which each group was met.
    package private(set) var met: [Int64] = []
    package private(set) var origins = OriginLog()
    package private(set) var values: [any GroupValues]

    /// - Parameter values: what is known of no groups.
    package init(_ values: [any GroupValues]) { self.values = values }

    /// What is known of no groups.
    package var nothing: [any GroupValues] { values.map { $0.emptied as any GroupValues } }

    package var count: Int { keys.count }
    /// The numbers of all groups, in the order in which they were met.
    var allGroups: [Int32] { (0..<count).map { Int32(truncatingIfNeeded: $0) } }

    package var footprint: Int {
        count == 0
            ? 0 : keys.footprint + met.footprint + origins.footprint + values.reduce(0) { $0 + $1.footprint }
    }

    /// Makes room for as many groups.
    package mutating func reserve(_ count: Int) {
        keys.reserve(count)
        met.reserveCapacity(count)
    }

    /// Adds what was packed of later groups, before whose first row `base` others came.
    package mutating func add(_ reader: inout ByteReader, base: Int64) throws(DaybookError) {
        let (lengths, keys) = try Self.keys(&reader)
        var next = self.keys.count
        let places = self.keys.numbers(of: keys, lengths)
        let met: [Int64] = try reader.packed(places.count)
        try OriginLog.read(&reader, places.count) { place, origin in
            guard Int(places[place]) == next else { return }
            next += 1
            self.met.append(met[place] &+ base)
            origins.append(origin)
        }
        for index in values.indices {
            values[index].grow(to: self.keys.count)
            try values[index].merge(&reader, places)
        }
    }

    /// Reads back what was packed of groups to which none will be added.
    ///
    /// - Parameter values: what is known of no groups.
    package init(reading reader: inout ByteReader, _ values: [any GroupValues]) throws(DaybookError) {
        self.values = []
        let (lengths, keys) = try Self.keys(&reader)
        self.keys.append(keys, lengths)
        met = try reader.packed(lengths.count)
        try OriginLog.read(&reader, lengths.count) { _, origin in origins.append(origin) }
        for values in values { self.values.append(try type(of: values).init(reading: &reader, groups: lengths.count)) }
    }

    private static func keys(_ reader: inout ByteReader) throws(DaybookError) -> ([UInt32], Cell) {
        let count = Int(try reader.raw(UInt32.self))
        // A count that is damaged must not ask for memory: of more than one group, each has a key.
        if count > 1 {
            var ahead = reader
            _ = try ahead.take(count)
        }
        let lengths: [UInt32] = try reader.packed(count)
        return (lengths, try reader.take(lengths.reduce(0) { $0 + Int($1) }))
    }

    /// Packs all groups.
    package func write(to out: Bytes) {
        out.append(raw: UInt32(count))
        keys.writePacked(to: out)
        out.append(packed: met[...])
        origins.write(to: out)
        for values in values { values.write(0..<count, to: out) }
    }

    /// The groups at some places, of which no more will be learnt.
    package func taking(_ groups: [Int32]) -> GroupPart {
        var result = GroupPart(values.map { $0.taking(groups) })
        origins.forEach(groups) { place, origin in
            let group = Int(groups[place])
            keys.withKey(group) { result.keys.append($0) }
            result.met.append(met[group])
            result.origins.append(origin)
        }
        return result
    }

    /// Brings values into the shape in which results are made of them.
    package mutating func finish() { for index in values.indices { values[index].finish() } }

    /// About how many bytes the results of a group take at most.
    var longestResult: Int { values.reduce(keys.longest) { $0 + $1.longestText } }

    /// About how many bytes the results of a group take.
    func resultLength(_ group: Int) -> Int {
        values.reduce(keys.length(of: group)) { $0 + $1.textLength(group) }
    }
}

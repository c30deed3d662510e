/// The groups of one part of all keys at work, in the order in which they were met.
struct GroupTable: Sendable {
    private(set) var keys: KeyIndex
    /// The place of each group's first row among the places of all.
    var met: [Int] = []
    private(set) var values: [any GroupValues]

    /// - Parameters:
    ///   - nothing: the values of an empty group table.
    ///   - expected: the expected number of groups, as far as that is known.
    init(_ nothing: [any GroupValues], expected: Int = 0) {
        values = nothing
        keys = KeyIndex(capacity: expected)
        met.reserveCapacity(expected)
    }

    /// All groups of a part.
    init(_ nothing: [any GroupValues], of part: PartitionedBytes.Part, expected: Int = 0) throws(DaybookError) {
        self.init(nothing, expected: expected)
        try part.forEachRun { (records, base) throws(DaybookError) in try add(records, base: base) }
    }

    var count: Int { keys.count }

    /// All groups packed as a run; nothing where there are none.
    var run: [UInt8] { PartitionedBytes.run { if count > 0 { write(to: $0) } } }

    /// Adds packed later groups; `base` places precede their first row.
    mutating func add(_ records: UnsafeRawBufferPointer, base: Int) throws(DaybookError) {
        var reader = ByteReader(records.bindMemory(to: UInt8.self))
        let count = Int(try reader.raw(UInt32.self))
        let packed = try reader.keys(count)
        let places = keys.numbers(of: packed.keys, packed.lengths)
        var next = met.count
        try reader.forEachPacked(count) { (place, number: Int) in
            guard Int(places[place]) == next else { return }
            met.append(number &+ base)
            next &+= 1
        }
        for index in values.indices {
            values[index].grow(to: next)
            try values[index].merge(&reader, places)
        }
    }

    /// Packs all groups.
    func write(to out: Bytes) {
        out.append(raw: UInt32(count))
        keys.writePacked(to: out)
        out.append(packed: met[...])
        for values in values { values.write(0..<count, to: out) }
    }

    /// Brings values into the form from which results are made.
    mutating func finish() { for index in values.indices { values[index].finish() } }
}

import DaybookCore

/// Sums of whole numbers, one for each group. 128 bits hold the sum of as many numbers as a machine can count.
struct WholeSums: GroupValues {
    static let code = GroupValuesCode.whole

    private(set) var sums: [Int128] = []
    /// How many numbers went into each.
    private(set) var counts: [Int64] = []

    init() {}

    mutating func grow(to groups: Int) {
        sums.append(contentsOf: repeatElement(0, count: groups - sums.count))
        counts.append(contentsOf: repeatElement(0, count: groups - counts.count))
    }

    mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        guard let column else { preconditionFailure("a sum is that of a column") }
        let values = batch.integers(in: column)
        sums.withUnsafeMutableBufferPointer { sums in
            counts.withUnsafeMutableBufferPointer { counts in
                values.forEachValue(groups.codes) { _, group, value in
                    sums[group] &+= Int128(value)
                    counts[group] &+= 1
                }
            }
        }
    }

    mutating func merge(_ later: WholeSums, _ places: [Int32]) {
        for (group, place) in places.enumerated() {
            sums[Int(place)] &+= later.sums[group]
            counts[Int(place)] &+= later.counts[group]
        }
    }

    var emptied: WholeSums { WholeSums() }

    func split(_ split: GroupSplit) -> [WholeSums] {
        zip(split.split(sums), split.split(counts)).map { sums, counts in
            var part = WholeSums()
            (part.sums, part.counts) = (sums, counts)
            return part
        }
    }

    var footprint: Int { sums.count * 24 }

    func write(to bytes: Bytes) {
        bytes.append(array: sums)
        bytes.append(array: counts)
    }

    init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        sums = try reader.array()
        counts = try reader.array()
    }
}

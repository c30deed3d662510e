/// Sums of whole numbers, one for each group. 128 bits hold the sum of as many numbers as a machine can count.
package struct WholeSums: GroupValues {
    package static let code = GroupValuesCode.whole

    private var sums: [Int128] = []
    /// How many numbers went into each.
    private var counts: [Int64] = []

    package init() {}

    package mutating func grow(to groups: Int) {
        sums.extend(to: groups, with: 0)
        counts.extend(to: groups, with: 0)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let column else { preconditionFailure("a sum is that of a column") }
        let values = batch.integers(in: column)
        sums.withUnsafeMutableBufferPointer { sums in
            counts.withUnsafeMutableBufferPointer { counts in
                values.forEachValue(groups) { _, group, value in
                    sums[group] &+= Int128(value)
                    counts[group] &+= 1
                }
            }
        }
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        bytes.append(packed: counts[groups])
        bytes.append(packed: sums[groups])
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        try reader.forEachPacked(places.count) { (group, count: Int64) in counts[Int(places[group])] &+= count }
        try reader.forEachWide(places.count) { group, sum in sums[Int(places[group])] &+= sum }
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) {
        if case .mean = result {
            return column.fill { counts[$0] > 0 ? (Double(sums[$0]) / Double(counts[$0])).sortable : nil }
        }
        column.fill { group in
            guard counts[group] > 0 else { return nil }
            if let sum = Int64(exactly: sums[group]) { return sum }
            column.reject(
                group,
                "the sum of the group is \(sums[group]), more than a whole number of 64 bits can hold"
            )
            return nil
        }
    }
}

import DaybookCore

/// Sums of whole numbers, one for each group. 128 bits hold the sum of as many numbers as a machine can count.
package struct WholeSums: GroupValues {
    package static let code = GroupValuesCode.whole

    package private(set) var sums: [Int128] = []
    /// How many numbers went into each.
    package private(set) var counts: [Int64] = []

    package init() {}

    package mutating func grow(to groups: Int) {
        sums.extend(to: groups, with: 0)
        counts.extend(to: groups, with: 0)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
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

    package mutating func merge(_ later: WholeSums, _ places: [Int32]) {
        for group in places.indices {
            let place = Int(places[group])
            sums[place] &+= later.sums[group]
            counts[place] &+= later.counts[group]
        }
    }

    package var emptied: WholeSums { WholeSums() }

    package func taking(_ groups: [Int32]) -> WholeSums {
        var result = WholeSums()
        (result.sums, result.counts) = (sums.taking(groups), counts.taking(groups))
        return result
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult, _ groups: [Int32], _ rows: [Int32]) {
        if case .mean = result {
            return column.fill(groups, rows) {
                counts[$0] > 0 ? (Double(sums[$0]) / Double(counts[$0])).sortable : nil
            }
        }
        for (group, row) in zip(groups, rows) where counts[Int(group)] > 0 {
            let sum = sums[Int(group)]
            if let sum = Int64(exactly: sum) {
                column.set(row, sum)
            } else {
                column.reject(row, "the sum of the group is \(sum), more than a whole number of 64 bits can hold")
            }
        }
    }

    package var footprint: Int { sums.footprint + counts.footprint }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        bytes.append(packed: counts[groups])
        let narrow = sums[groups].compactMap { Int64(exactly: $0) }
        bytes.append(raw: UInt8(narrow.count == groups.count ? 1 : 0))
        if narrow.count == groups.count {
            bytes.append(packed: narrow[...])
        } else {
            bytes.append(array: Array(sums[groups]))
        }
    }

    package init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        counts = try reader.packed(groups)
        if try reader.raw(UInt8.self) == 1 {
            sums = try reader.packed(groups).map { (sum: Int64) in Int128(sum) }
        } else {
            sums = try reader.array(of: groups)
        }
    }
}

import DaybookCore

/// How many different values each group has. Every pair of a group and a value is kept, at its length and about 30 bytes.
package struct DistinctValues: GroupValues {
    package static let code = GroupValuesCode.distinct

    /// The number of the group in four bytes, and the value as `SortKeyTable` writes it.
    private var pairs = KeyIndex()
    package private(set) var counts: [Int64] = []

    package init() {}

    package mutating func grow(to groups: Int) {
        counts.extend(to: groups, with: 0)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        guard let column else { preconditionFailure("different values are those of a column") }
        let values = batch[column]
        let firsts = RowCodes(groups, RowCodes(values)).firsts.filter { !values.missing.isMissing(Int($0)) }
        let rows = Batch(Schema([Field(column.text, values.kind)]), [values], count: batch.count, origins: .made)
            .keeping(firsts)
        let table = SortKeyTable(rows, by: [SortKey(column: column)])
        let key = Bytes()
        let order = firsts.indices.sorted { groups.codes[Int(firsts[$0])] < groups.codes[Int(firsts[$1])] }
        for place in order { table.withKey(place) { insert(groups.codes[Int(firsts[place])], $0, key) } }
    }

    package mutating func merge(_ later: DistinctValues, _ places: [Int32]) {
        let key = Bytes()
        for number in 0..<later.pairs.count {
            later.pairs.withKey(number) { pair in
                let place = places[Int(Self.group(of: pair))]
                insert(place, Cell(rebasing: pair[4...]), key)
            }
        }
    }

    @inline(__always)
    private static func group(of pair: Cell) -> Int32 {
        UnsafeRawBufferPointer(pair).loadUnaligned(as: Int32.self)
    }

    /// The numbers of the pairs of some groups. What is written is a batch's, whose pairs `add` has put in the order of their groups,
    /// or all groups of a part.
    private func pairs(of groups: Range<Int>) -> Range<Int> {
        guard groups != 0..<counts.count else { return 0..<pairs.count }
        func first(of group: Int) -> Int {
            var (low, high) = (0, pairs.count)
            while low < high {
                let middle = (low + high) / 2
                let found = pairs.withKey(middle) { Int(Self.group(of: $0)) }
                if found < group { low = middle + 1 } else { high = middle }
            }
            return low
        }
        return first(of: groups.lowerBound)..<first(of: groups.upperBound)
    }

    package var emptied: DistinctValues { DistinctValues() }

    /// Only their number, of which the result is made.
    package func taking(_ groups: [Int32]) -> DistinctValues {
        var result = DistinctValues()
        result.counts = counts.taking(groups)
        return result
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult, _ groups: [Int32], _ rows: [Int32]) {
        column.fill(groups, rows) { counts[$0] }
    }

    package var footprint: Int { pairs.footprint + counts.footprint }

    private mutating func insert(_ group: Int32, _ value: Cell, _ key: Bytes) {
        key.removeAll()
        key.append(raw: group)
        key.append(value)
        let before = pairs.count
        _ = pairs.number(of: Cell(start: key.base, count: key.count))
        if pairs.count > before { counts[Int(group)] += 1 }
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
        bytes.append(packed: counts[groups])
        let written = pairs(of: groups)
        bytes.append(raw: UInt32(written.count))
        for number in written {
            pairs.withKey(number) { pair in
                bytes.append(raw: UInt32(pair.count))
                bytes.append(raw: Self.group(of: pair) - Int32(truncatingIfNeeded: groups.lowerBound))
                bytes.append(Cell(rebasing: pair[4...]))
            }
        }
    }

    package init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        counts = try reader.packed(groups)
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let pair = try reader.take(Int(try reader.raw(UInt32.self)))
            guard pair.count > 4, (0..<Int32(groups)).contains(Self.group(of: pair)) else { throw ByteReader.damaged }
            pairs.append(pair)
        }
    }
}

/// How many different values each group has. Every pair of a group and a value is kept, at its length and about 30 bytes.
package struct DistinctValues: GroupValues {
    package static let code = GroupValuesCode.distinct

    /// The number of the group in four bytes, and the value as `SortKeyTable` writes it.
    private var pairs = KeyIndex()
    private var counts: [Int64] = []

    package init() {}

    package mutating func grow(to groups: Int) {
        counts.extend(to: groups, with: 0)
    }

    package mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: [Int32]) {
        guard let column else { preconditionFailure("different values are those of a column") }
        let values = RowKeys(batch, by: [column])
        let key = Bytes()
        // Group by group, as `pairs(of:)` looks for them.
        for row in groups.indices.sorted(by: { groups[$0] < groups[$1] }) where !values.gaps.isMissing(row) {
            values.withKey(row) { insert(groups[row], $0, key) }
        }
    }

    package mutating func merge(_ reader: inout ByteReader, _ places: [Int32]) throws(DaybookError) {
        let key = Bytes()
        for _ in 0..<(try reader.raw(UInt32.self)) {
            let pair = try reader.take(Int(try reader.raw(UInt32.self)))
            guard pair.count > 4, places.indices.contains(Int(Self.group(of: pair))) else { throw ByteReader.damaged }
            insert(places[Int(Self.group(of: pair))], Cell(rebasing: pair[4...]), key)
        }
    }

    @inline(__always)
    private static func group(of pair: Cell) -> Int32 { pair.number() }

    /// The numbers of the pairs of some groups. What is written is a batch's, whose pairs `add` has put in the order of their groups,
    /// or all groups of a part.
    private func pairs(of groups: Range<Int>) -> Range<Int> {
        guard groups != 0..<counts.count else { return 0..<pairs.count }
        func first(of group: Int) -> Int {
            (0..<pairs.count).partitioningIndex { pairs.withKey($0) { Int(Self.group(of: $0)) >= group } }
        }
        return first(of: groups.lowerBound)..<first(of: groups.upperBound)
    }

    package func fill(_ column: ResultColumn, _ result: GroupResult) { column.fill { counts[$0] } }

    private mutating func insert(_ group: Int32, _ value: Cell, _ key: Bytes) {
        key.removeAll()
        key.append(raw: group)
        key.append(value)
        let before = pairs.count
        _ = pairs.number(of: Cell(start: key.base, count: key.count))
        if pairs.count > before { counts[Int(group)] += 1 }
    }

    package func write(_ groups: Range<Int>, to bytes: Bytes) {
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
}

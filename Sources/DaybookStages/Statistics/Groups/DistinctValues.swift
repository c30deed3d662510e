import DaybookCore

/// How many different values each group has. Every pair of a group and a value is kept, at its length and about 30 bytes.
struct DistinctValues: GroupValues {
    static let code = GroupValuesCode.distinct

    /// The number of the group in four bytes, and the value as `SortKeyTable` writes it.
    private var pairs = KeyIndex()
    private(set) var counts: [Int64] = []

    init() {}

    mutating func grow(to groups: Int) {
        counts.append(contentsOf: repeatElement(0, count: groups - counts.count))
    }

    mutating func add(_ column: ColumnName?, of batch: Batch, _ groups: RowCodes) {
        guard let column else { preconditionFailure("different values are those of a column") }
        let values = batch[column]
        let firsts = RowCodes(groups, RowCodes(values)).firsts.filter { !values.missing.isMissing(Int($0)) }
        let rows = Batch(Schema([Field(column.text, values.kind)]), [values], count: batch.count, origins: .made)
            .keeping(firsts)
        let table = SortKeyTable(rows, by: [SortKey(column: column)])
        let key = Bytes()
        for (place, row) in firsts.enumerated() { table.withKey(place) { insert(groups.codes[Int(row)], $0, key) } }
    }

    mutating func merge(_ later: DistinctValues, _ places: [Int32]) {
        let key = Bytes()
        for number in 0..<later.pairs.count {
            later.pairs.withKey(number) { pair in
                let group = UnsafeRawBufferPointer(pair).loadUnaligned(as: Int32.self)
                insert(places[Int(group)], Cell(rebasing: pair[4...]), key)
            }
        }
    }

    var emptied: DistinctValues { DistinctValues() }

    func split(_ split: GroupSplit) -> [DistinctValues] {
        var parts = split.sizes.map { size in
            var part = DistinctValues()
            part.grow(to: size)
            return part
        }
        let key = Bytes()
        for number in 0..<pairs.count {
            pairs.withKey(number) { pair in
                let group = Int(UnsafeRawBufferPointer(pair).loadUnaligned(as: Int32.self))
                parts[Int(split.parts[group])].insert(split.places[group], Cell(rebasing: pair[4...]), key)
            }
        }
        return parts
    }

    var footprint: Int { pairs.footprint + counts.count * 8 }

    private mutating func insert(_ group: Int32, _ value: Cell, _ key: Bytes) {
        key.removeAll()
        key.append(raw: group)
        key.append(value)
        let before = pairs.count
        _ = pairs.number(of: Cell(start: key.base, count: key.count))
        if pairs.count > before { counts[Int(group)] += 1 }
    }

    func write(to bytes: Bytes) {
        bytes.append(array: counts)
        pairs.write(to: bytes)
    }

    init(reading reader: inout ByteReader, groups: Int) throws(DaybookError) {
        counts = try reader.array()
        pairs = try KeyIndex(reading: &reader)
    }
}

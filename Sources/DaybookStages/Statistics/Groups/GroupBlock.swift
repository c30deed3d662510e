import DaybookCore

/// What a job knows of groups: the columns that tell them apart, and what is kept of each.
protocol Grouping: Sendable {
    var by: [ColumnName] { get }
    /// What is known of no groups, for rows of that schema, and the column that each is made of; nil for the rows themselves.
    func values(of schema: Schema) -> [(values: any GroupValues, column: ColumnName?)]
}

/// The groups of one batch, laid behind one another by the parts that their keys belong to.
struct GroupBlock: Sendable {
    /// How many rows came before the batch.
    var base: Int64 = 0
    /// In which row each group was met.
    private let met: [Int32]
    private let keys: SortKeyTable
    /// The row of `keys` that each group has.
    private let keyRows: [Int32]
    private let hashes: [UInt64]
    private let origins: [RowOrigin]?
    /// Where each part ends.
    private let ends: [Int32]
    let values: [any GroupValues]

    init(_ batch: Batch, _ grouping: some Grouping) {
        var groups = RowCodes(batch, by: grouping.by)
        let fields = grouping.by.map { Field($0.text, batch[$0].kind) }
        let firsts = batch.replacing(Schema(fields), grouping.by.map { batch[$0] }).keeping(groups.firsts)
        let keys = SortKeyTable(firsts, by: grouping.by.map { SortKey(column: $0) })
        let hashes = (0..<keys.count).map { keys.withKey($0, KeyIndex.hash) }
        var places = [Int32](repeating: 0, count: Parts.count + 1)
        for hash in hashes { places[Parts.part(of: hash) + 1] += 1 }
        for part in 1...Parts.count { places[part] += places[part - 1] }
        ends = Array(places.dropFirst())
        var numbers = [Int32](repeating: 0, count: hashes.count)
        var order = numbers
        for row in hashes.indices {
            let part = Parts.part(of: hashes[row])
            numbers[row] = places[part]
            order[Int(places[part])] = Int32(truncatingIfNeeded: row)
            places[part] += 1
        }
        groups.renumber(numbers)
        self.keys = keys
        self.hashes = hashes
        keyRows = order
        met = order.map { groups.firsts[Int($0)] }
        origins = if case .gathered(let origins) = firsts.origins.gathered() { origins } else { nil }
        values = grouping.values(of: batch.schema).map { entry in
            var values = entry.values
            values.grow(to: hashes.count)
            values.add(entry.column, of: batch, groups)
            return values
        }
    }

    var count: Int { met.count }

    /// About how many bytes it takes.
    var footprint: Int { count * 64 + keys.footprint + values.reduce(0) { $0 + $1.footprint } }

    /// The groups of a part.
    func groups(of part: Int) -> Range<Int> { (part == 0 ? 0 : Int(ends[part - 1]))..<Int(ends[part]) }

    @inline(__always)
    func forEach(
        _ groups: Range<Int>,
        _ body: (_ key: Cell, _ hash: UInt64, _ met: Int64, _ origin: RowOrigin?) -> Void
    ) {
        for group in groups {
            let row = Int(keyRows[group])
            keys.withKey(row) { body($0, hashes[row], base + Int64(met[group]), origins?[row]) }
        }
    }
}

extension Parts {
    /// Which part a key belongs to: the upper bits of its hash, as tables use the lower ones.
    @inline(__always)
    static func part(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 56) }
}

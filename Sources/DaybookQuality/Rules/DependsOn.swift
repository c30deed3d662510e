import DaybookTables

/// Rows with the same values in some columns have the same value in another: a functional dependency.
///
/// Where they differ, most of them count as right, and of two values that are as frequent the one that came first. The other rows
/// are known after the last row: each row keeps four bytes for its value and one or two for its place, and each value of a group
/// its bytes and about 40 more.
struct DependsOn: MemoryRule {
    static let name = "depends_on"
    static let summary =
        "Rows with the same values in some columns have the same value in another, such as one name for each code."

    let column: ColumnName
    let by: [ColumnName]

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column whose value the others decide. Rows without a value pass.")
        by = options.read("by", help: "Columns that decide it. Rows without a value in one of them pass.")
        if by.isEmpty { options.refuse("by", "'by' names no column") }
        options.refuseRepeats(of: by, in: "by")
        if by.contains(column) { options.refuse("by", "'by' names '\(column)', which 'column' is") }
    }

    var columns: [ColumnName] { [column] + by }
    var finding: Finding.Kind {
        Finding.Kind("odd-value", "{value} is not what most rows with the same \(by.quoted) have")
    }
    var complaint: String { "have another value in '\(column)' than most with the same \(by.quoted)" }
    var expectation: String { "one value in '\(column)' for the same \(by.quoted)" }

    func check(_ input: Schema) throws(DaybookError) {
        for column in columns { try input.requiringComparable(column) }
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> DependencyMemory {
        DependencyMemory(rows, of: column, by: by)
    }

    func merge(
        _ later: DependencyMemory,
        into earlier: inout DependencyMemory,
        scratch: any Scratch
    ) throws(DaybookError) {
        try earlier.append(later)
        guard earlier.keySize > Self.memoryLimit else { return }
        throw GroupLimit.exceeded("the different values of \(columns.quoted) take more than 1 GiB of memory")
    }

    private static var memoryLimit: Int { 1 << 30 }

    func conclude(_ memory: DependencyMemory?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        guard let memory else { return }
        let usual = memory.usual
        var left = min(usual.oddRows, conclusion.reportLimit)
        conclusion.count(usual.oddRows - left)
        // Rows with a message name the usual value, so each is reported alone.
        var named = min(left, conclusion.limit, 4_096)
        for part in (0..<memory.rows).pieces(of: 1 << 16) where left > 0 {
            let odd = try memory.oddRows(usual, in: part).prefix(left)
            left -= odd.count
            for (row, value) in odd.prefix(named) {
                let (text, count, all) = usual.value(insteadOf: value, memory)
                let share = "\(count.displayText) of \(all.displayText) rows with the same \(by.quoted)"
                let message = "{value} is not '\(text)', which \(share) have"
                try conclusion.report(rows: [row], memory.places, message: message)
            }
            let others = odd.dropFirst(named).map(\.row)
            named -= min(named, odd.count)
            try conclusion.report(rows: others, memory.places)
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "each code has one country; what most rows say is right, and of two the first",
            options: "rules: [{ depends_on: { column: country, by: code } }]",
            rows: """
                code:text,country:text
                KR,South Korea
                JP,Japan
                KR,Korea
                KR,South Korea
                JP,Nippon
                KR,
                ,Japan
                """,
            findings: ["3 country odd-value", "5 country odd-value"]
        ),
        StageExample(
            "several columns decide together, and a row that differs can be rejected",
            options: "rules: [{ depends_on: { column: price, by: [product, day] }, then: reject }]",
            input: """
                product:text,day:day,price:decimal
                tea,2026-11-21,4.5
                tea,2026-11-22,5
                tea,2026-11-21,4.50
                tea,2026-11-21,45
                """,
            output: """
                product:text,day:day,price:decimal
                tea,2026-11-21,4.5
                tea,2026-11-22,5
                tea,2026-11-21,4.5
                """,
            findings: ["4 price odd-value"]
        ),
    ]
}

/// The groups of rows, the different values in each, and the value of each row.
struct DependencyMemory: PartialResult {
    private static let none = UInt32.max

    /// By the values that decide.
    private var groups = KeyIndex()
    /// The number of a group in four bytes, and behind it a value as text.
    private var values = KeyIndex()
    /// How many rows have each value.
    private var counts: [Int] = []
    /// The number of each row's value, in four bytes.
    private var log = SpillLog()
    private(set) var places: CompactProvenance

    init(_ rows: CheckedRows, of column: ColumnName, by: [ColumnName]) {
        places = CompactProvenance(rows.batch)
        let pairs = RowGroups(of: rows, by: by + [column])
        let keys = RowKeys(rows.batch, by: by)
        let texts = rows.batch.column(column)
        var numbers: [UInt32] = []
        for row in pairs.firsts {
            let group = keys.withKey(row) { groups.number(of: $0, keys.hashes[row]) }
            numbers.append(number(of: Array((texts.displayText(row) ?? "").utf8)[...], in: group))
        }
        let own = pairs.numbers.map { $0 < 0 ? Self.none : numbers[Int($0)] }
        for number in own where number != Self.none { counts[Int(number)] += 1 }
        log.append(values: own)
    }

    /// The number of a value of a group.
    private mutating func number(of text: ArraySlice<UInt8>, in group: Int) -> UInt32 {
        let number = values.number(of: (0..<4).map { UInt8(truncatingIfNeeded: group >> (8 * $0)) } + text)
        if number == counts.count { counts.append(0) }
        return UInt32(truncatingIfNeeded: number)
    }

    private func group(of number: Int) -> Int {
        values.withKey(number) { key in key.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) } }
    }

    private func text(of number: Int) -> ArraySlice<UInt8> { values.withKey(number) { Array($0)[4...] } }

    var rows: Int { log.count / MemoryLayout<UInt32>.stride }
    /// Bytes of the keys, which stay in memory.
    var keySize: Int { groups.footprint + values.footprint + counts.count * 8 }
    var footprint: Int { log.footprint + places.footprint }

    mutating func append(_ later: DependencyMemory) throws(DaybookError) {
        let groups = (0..<later.groups.count).map { number in
            later.groups.withKey(number) { self.groups.number(of: $0) }
        }
        let numbers = (0..<later.values.count).map { number in
            self.number(of: later.text(of: number), in: groups[later.group(of: number)])
        }
        for (number, own) in numbers.enumerated() { counts[Int(own)] += later.counts[number] }
        for part in (0..<later.rows).pieces(of: 1 << 16) {
            let part: [UInt32] = try later.log.values(part)
            log.append(values: part.map { $0 == Self.none ? $0 : numbers[Int($0)] })
        }
        try places.append(later.places)
    }

    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        try log.spill(to: scratch)
        try places.spill(to: scratch)
    }

    /// The most frequent value of each group.
    struct Usual {
        /// The number of a value by the number of its group.
        fileprivate var values: [Int] = []
        /// How many rows with a value each group has.
        fileprivate var sizes: [Int] = []
        /// Whether each value is none of these.
        fileprivate var isOdd: [Bool] = []
        /// How many rows have another value than most of their group.
        fileprivate(set) var oddRows = 0

        /// What most rows have in the place of a value, how many of them, and how many there are.
        func value(insteadOf number: Int, _ memory: DependencyMemory) -> (text: String, count: Int, all: Int) {
            let group = memory.group(of: number)
            let text = String(decoding: memory.text(of: values[group]), as: UTF8.self)
            return (text, memory.counts[values[group]], sizes[group])
        }
    }

    var usual: Usual {
        var usual = Usual()
        usual.values = [Int](repeating: -1, count: groups.count)
        usual.sizes = [Int](repeating: 0, count: groups.count)
        for (number, count) in counts.enumerated() {
            let group = group(of: number)
            usual.sizes[group] += count
            let best = usual.values[group]
            if best < 0 || counts[best] < count { usual.values[group] = number }
        }
        usual.isOdd = counts.indices.map { usual.values[group(of: $0)] != $0 }
        usual.oddRows = counts.indices.reduce(0) { $0 + (usual.isOdd[$1] ? counts[$1] : 0) }
        return usual
    }

    /// The rows of a range that have another value than most of their group, and the number of that value.
    func oddRows(_ usual: Usual, in range: Range<Int>) throws(DaybookError) -> [(row: Int, value: Int)] {
        let numbers: [UInt32] = try log.values(range)
        return numbers.enumerated().compactMap { place, number in
            guard number != Self.none, usual.isOdd[Int(number)] else { return nil }
            return (range.lowerBound + place, Int(number))
        }
    }
}

/// Where nearly all texts of a column are numbers, days or flags, the other texts are reported.
///
/// Each row keeps a byte for its kind and one or two for its place, since odd rows are known after the last row only. Beyond
/// the memory limit they go to disk.
struct ConsistentKind: MemoryRule, ColumnRule {
    static let name = "consistent_kind"
    static let summary = "Where nearly all texts of a column are numbers, days or flags, all of them are."
    static var shorthand: String? { "column" }

    let column: ColumnName
    let share: Percentage
    let numbers: NumberFormat?

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of text.")
        share = options.read(
            "share",
            default: Percentage(95),
            help:
                "From which share of one kind on the others are told. Below it the column is text, and the rule holds."
        )
        numbers = options.readNumberFormat()
    }

    var finding: Finding.Kind {
        Finding.Kind("another-kind", "the value is of another kind than the rest of the column")
    }
    var complaint: String { "have a value in '\(column)' of another kind than the rest" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(column, .text, hint: "a column of another kind is of one kind throughout")
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> KindCensus {
        var kinds = [UInt8](repeating: KindCensus.none, count: rows.batch.count)
        let reader = numbers.map(NumberReader.init)
        rows.batch.text(in: column).forEachValue { row, cell in
            guard rows.asked?[row] != false else { return }
            kinds[row] = reader?.isNumber(cell) == true ? 0 : KindCensus.kind(of: cell, mayBeNumber: reader == nil)
        }
        return KindCensus(kinds: kinds, places: CompactProvenance(rows.batch))
    }

    func merge(_ later: KindCensus, into earlier: inout KindCensus, scratch: any Scratch) throws(DaybookError) {
        try earlier.append(later)
    }

    func conclude(_ memory: KindCensus?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        guard let memory else { return }
        let counts = memory.counts
        let total = counts.reduce(0, +)
        guard let kind = counts.indices.dropLast().first(where: { share.isReached(by: counts[$0], of: total) }),
            counts[kind] < total
        else { return }
        var left = min(total - counts[kind], conclusion.reportLimit)
        conclusion.count(total - counts[kind] - left)
        let message = "the value is not \(KindCensus.displayText[kind]), as \(counts[kind]) of \(total) are"
        for part in (0..<memory.rows).pieces(of: 1 << 16) where left > 0 {
            let odd = try memory.rows(not: kind, in: part).prefix(left)
            left -= odd.count
            try conclusion.report(rows: odd, memory.places, message: message)
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "what is no number among numbers is told",
            options: "rules: [{ consistent_kind: { column: count, share: 75% } }]",
            rows: """
                count:text
                1
                2.5
                n/a

                4
                """,
            findings: ["3 count another-kind"]
        ),
        .passing(
            "numbers are those that 'number_format' says",
            options: "rules: [{ consistent_kind: { column: price, share: 50%, number_format: { decimal: \",\" } } }]",
            rows: """
                price:text
                "1,5"
                2
                2.5
                9007199254740993
                """,
            findings: ["3 price another-kind"]
        ),
        .passing(
            "a column that is only half numbers is text, of which nothing is asked",
            options: "rules: [{ consistent_kind: count }, { consistent_kind: date, where: date is not missing }]",
            rows: "count:text,date:text\n1,2026-11-20\nmany,2026-11-21",
            findings: []
        ),
    ]
}

/// The kind of each of many texts, and the places of their rows.
struct KindCensus: PartialResult {
    static let displayText = ["a number", "a day", "true or false", "text"]
    static let none: UInt8 = 255

    /// The index of each row's kind in `displayText`, or `none` for a row that the rule does not apply to.
    private var kinds = SpillLog()
    /// The number of rows of each kind.
    private(set) var counts = [Int](repeating: 0, count: displayText.count)
    private(set) var places: CompactProvenance

    init(kinds: [UInt8], places: CompactProvenance) {
        self.kinds.append(kinds)
        self.places = places
        for kind in kinds where kind != KindCensus.none { counts[Int(kind)] += 1 }
    }

    var rows: Int { kinds.count }

    mutating func append(_ later: KindCensus) throws(DaybookError) {
        try kinds.append(later.kinds)
        try places.append(later.places)
        for kind in counts.indices { counts[kind] += later.counts[kind] }
    }

    /// The rows of a range that the rule applies to and that have another kind.
    func rows(not kind: Int, in range: Range<Int>) throws(DaybookError) -> [Int] {
        try kinds.withBytes(range) { kinds in
            kinds.indices.filter { kinds[$0] != KindCensus.none && Int(kinds[$0]) != kind }
                .map { range.lowerBound + $0 }
        }
    }

    var footprint: Int { kinds.footprint + places.footprint }

    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        try kinds.spill(to: scratch)
        try places.spill(to: scratch)
    }

    @inline(__always)
    static func kind(of cell: Cell, mayBeNumber: Bool) -> UInt8 {
        if mayBeNumber, CellReading.integer(cell) != nil || CellReading.decimal(cell) != nil { return 0 }
        if CellReading.day(cell) != nil { return 1 }
        return CellReading.flag(cell) != nil ? 2 : 3
    }
}

import DaybookCore

/// Where nearly all texts of a column are numbers, days or flags, the others are told.
///
/// Of every row one byte is kept and a few of its place, since only the end tells which of them are the odd ones.
struct ConsistentKind: MemoryRule {
    static let name = "consistent_kind"
    static let summary = "Where nearly all texts of a column are numbers, days or flags, all of them are."
    static let findsLate = true

    let column: ColumnName
    let share: Percentage

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of text.")
        share = options.read(
            "share",
            default: Percentage(95),
            help:
                "From which share of one kind on the others are told. Below it the column is text, and the rule holds."
        )
    }

    var finding: Finding.Kind {
        Finding.Kind("another-kind", "the value is of another kind than the rest of the column")
    }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have a value in '\(column)' of another kind than the rest" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(column, .text, hint: "a column of another kind is of one kind throughout")
    }

    func memory(of batch: Batch, asked: Mask?, breaches: inout [Breach]) -> KindCensus {
        var kinds = [UInt8](repeating: KindCensus.none, count: batch.count)
        batch.text(in: column).forEachValue { row, cell in
            if asked?[row] != false { kinds[row] = KindCensus.kind(of: cell) }
        }
        return KindCensus(kinds: kinds, places: RowPlaces(batch))
    }

    func merge(_ later: KindCensus, into earlier: inout KindCensus) {
        earlier.kinds += later.kinds
        earlier.places.append(later.places)
    }

    func conclude(
        _ memory: KindCensus?,
        _ conclusion: inout RuleConclusion,
        tell: (LateRows) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        guard let memory else { return }
        let counts = memory.counts
        let total = counts.reduce(0, +)
        guard let kind = counts.indices.dropLast().first(where: { share.isReached(by: counts[$0], of: total) }),
            counts[kind] < total
        else { return }
        let odd = memory.kinds.indices.filter { memory.kinds[$0] != KindCensus.none && memory.kinds[$0] != kind }
        var told = odd.prefix(conclusion.tellable)
        conclusion.count(odd.count - told.count)
        let message = "the value is not \(KindCensus.spoken[kind]), as \(counts[kind]) of \(total) are"
        while !told.isEmpty {
            let part = Array(told.prefix(4096))
            told = told.dropFirst(part.count)
            let rows = zip(part, memory.places.origins(of: part)).map { row, origin in
                LateRow(number: row, origin: origin, message: message)
            }
            try tell(LateRows(rows: rows))
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
            "a column that is only half numbers is text, of which nothing is asked",
            options: "rules: [{ consistent_kind: count }, { consistent_kind: date, where: date is not missing }]",
            rows: "count:text,date:text\n1,2026-11-20\nmany,2026-11-21",
            findings: []
        ),
    ]
}

/// Of what kind each of many texts is, and where their rows stand.
struct KindCensus: RuleMemory {
    static let spoken = ["a number", "a day", "true or false", "text"]
    static let none: UInt8 = 255

    /// The place of each kind in `spoken`, or `none` for a row that was not asked about.
    var kinds: [UInt8]
    var places: RowPlaces

    init(kinds: [UInt8], places: RowPlaces) {
        self.kinds = kinds
        self.places = places
    }

    @inline(__always)
    static func kind(of cell: Cell) -> UInt8 {
        if CellReading.integer(cell) != nil || CellReading.decimal(cell) != nil { return 0 }
        if CellReading.day(cell) != nil { return 1 }
        return CellReading.flag(cell) != nil ? 2 : 3
    }

    var counts: [Int] {
        var counts = [Int](repeating: 0, count: KindCensus.spoken.count)
        for kind in kinds where kind != KindCensus.none { counts[Int(kind)] += 1 }
        return counts
    }

    func write(to bytes: Bytes) {
        bytes.append(array: kinds)
        places.write(to: bytes)
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        kinds = try reader.array()
        places = try RowPlaces(reading: &reader)
    }
}

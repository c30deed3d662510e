/// Values have to go up from row to row, in the order of the input, across its files. A missing value is passed over.
///
/// Each value is held against the one before it and not against the greatest so far, so that one value that is much too large
/// condemns the next row and not all that follow.
struct Increasing: MemoryRule {
    static let name = "increasing"
    static let summary =
        "Values of a column never fall from row to row, in the order of the input and across its files."
    static let findsLate = true
    static var shorthand: String? { "column" }

    let column: ColumnName
    let strictly: Bool

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of numbers, days or instants.")
        strictly = options.read("strictly", default: false, help: "Whether a value that stays the same breaks it too.")
    }

    var finding: Finding.Kind {
        Finding.Kind("not-increasing", "{value} is \(strictly ? "not more" : "less") than the value before it")
    }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have \(strictly ? "no more" : "less") in '\(column)' than the row before them" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(
            column,
            ColumnKind.numbers + [.day, .instant],
            hint: "text has another order, in which '10' stands before '9'; cast it first"
        )
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Ascent {
        let ascent =
            switch rows.batch.column(column) {
            case .integers(let values), .instants(let values): ascent(values, rows) { $0 }
            case .decimals(let values): ascent(values, rows) { Ascent.key(of: $0) }
            case .days(let values): ascent(values, rows) { Int64($0) }
            default: preconditionFailure("the schema check lets only numbers, days and instants increase")
            }
        let places = CompactProvenance(rows.batch.keeping(ascent?.falls.map { Int32($0.row) } ?? []))
        guard let ascent else { return Ascent(rows: rows.batch.count, falls: [], places) }
        var result = Ascent(rows: rows.batch.count, falls: ascent.falls, places)
        result.first = ascent.first
        result.firstPlace = CompactProvenance(rows.batch.keeping([Int32(ascent.first.row)]))
        result.last = ascent.last
        return result
    }

    /// The first and the last value of a batch, and those that are less than the one before them.
    @inline(__always)
    private func ascent<Element>(
        _ values: Values<Element>,
        _ rows: CheckedRows,
        _ key: (Element) -> Int64
    ) -> (first: Ascent.Step, last: Int64, falls: [Ascent.Step])? {
        var first: Ascent.Step?
        var last = Int64.min
        var falls: [Ascent.Step] = []
        rows.forEachValue(of: values) { row, value in
            let step = Ascent.Step(row: row, key: key(value))
            if first == nil {
                first = step
            } else if breaks(step, last) {
                falls.append(step)
            }
            last = step.key
        }
        return first.map { ($0, last, falls) }
    }

    @inline(__always)
    private func breaks(_ step: Ascent.Step, _ last: Int64) -> Bool { strictly ? step.key <= last : step.key < last }

    func merge(_ later: Ascent, into earlier: inout Ascent, scratch: any Scratch) throws(DaybookError) {
        let before = earlier.rows
        earlier.rows += later.rows
        guard let first = later.first?.moved(by: before) else { return }
        if earlier.first == nil {
            earlier.first = first
            earlier.firstPlace = later.firstPlace
        } else if breaks(first, earlier.last) {
            earlier.append(falls: [first])
            try earlier.places.append(later.firstPlace)
        }
        earlier.last = later.last
        for start in stride(from: 0, to: later.fallCount, by: 4096) {
            let falls = try later.falls(start..<min(start + 4096, later.fallCount))
            earlier.append(falls: falls.map { $0.moved(by: before) })
        }
        try earlier.places.append(later.places)
    }

    func conclude(
        _ memory: Ascent?,
        _ conclusion: inout RuleConclusion,
        scratch: any Scratch,
        tell: (LateRows) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        guard let memory, let kind = conclusion.schema[column]?.kind else { return }
        let count = min(memory.fallCount, conclusion.tellable)
        conclusion.count(memory.fallCount - count)
        for start in stride(from: 0, to: count, by: 4096) {
            let part = start..<min(start + 4096, count)
            let falls = try memory.falls(part)
            try tell(
                LateRows(
                    numbers: falls.map(\.row),
                    places: memory.places,
                    at: Array(part),
                    values: { Ascent.column(falls.map(\.key), kind) }
                )
            )
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "ids go up; a missing one is passed over",
            options: "rules: [{ increasing: { column: id, strictly: true } }]",
            rows: """
                id:integer,note:text
                1,a
                3,b
                3,c
                ,d
                2,e
                4,f
                """,
            findings: ["3 id not-increasing", "5 id not-increasing"]
        ),
        StageExample(
            "what falls back can be rejected; without 'strictly' a value may come again",
            options: "rules: [{ increasing: at, then: reject }, { increasing: rate, where: at is not missing }]",
            input: """
                at:instant,rate:decimal
                2026-11-21T05:00:00Z,1.5
                2026-11-21T05:00:00Z,1.5
                2026-11-21T04:59:59Z,2
                2026-11-21T05:00:01Z,-0.5
                """,
            output: """
                at:instant,rate:decimal
                2026-11-21T05:00:00Z,1.5
                2026-11-21T05:00:00Z,1.5
                2026-11-21T05:00:01Z,-0.5
                """,
            findings: ["3 at not-increasing", "4 rate not-increasing"]
        ),
    ]
}

/// How the values of many rows went up: where they begin and end, and where they do not.
///
/// Rows that fall are told at the end and not batch by batch, since a batch does not know what stands before it.
struct Ascent: PartialResult {
    /// A value and the row that it stands in.
    struct Step: Sendable, Codable, BitwiseCopyable {
        var row: Int
        /// The value as a number that is ordered as the values are.
        var key: Int64

        func moved(by rows: Int) -> Step { Step(row: row + rows, key: key) }
    }

    var rows: Int
    var first: Step?
    var firstPlace = CompactProvenance(Batch(empty: Schema()))
    var last = Int64.min
    /// The values that are less than the one before them.
    private var trail = SpillLog()
    /// Where the rows of these stand.
    var places: CompactProvenance

    init(rows: Int, falls: [Step], _ places: CompactProvenance) {
        self.rows = rows
        self.places = places
        append(falls: falls)
    }

    var fallCount: Int { trail.count / MemoryLayout<Step>.stride }

    mutating func append(falls: [Step]) { trail.append(values: falls) }

    func falls(_ range: Range<Int>) throws(DaybookError) -> [Step] { try trail.values(range) }

    var footprint: Int { trail.footprint + places.footprint }

    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        try trail.spill(to: scratch)
        try places.spill(to: scratch)
    }

    /// A number with the order of the decimals: their bits, but for the negative ones, whose order is turned round.
    static func key(of value: Double) -> Int64 {
        let bits = Int64(bitPattern: (value == 0 ? 0 : value).bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }

    /// The values that keys stand for.
    static func column(_ keys: [Int64], _ kind: ColumnKind) -> Column {
        switch kind {
        case .decimal: .decimals(Values(keys.map { Double(bitPattern: UInt64(bitPattern: $0 < 0 ? $0 ^ .max : $0)) }))
        case .day: .days(Values(keys.map { Int32(truncatingIfNeeded: $0) }))
        case .instant: .instants(Values(keys))
        default: .integers(Values(keys))
        }
    }
}

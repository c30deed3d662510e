/// A rule about the order of a column's values from row to row. Missing values are skipped.
protocol OrderRule: MemoryRule, ColumnRule where Partial == Ascent {
    /// Whether values have to rise, rather than fall.
    static var isRising: Bool { get }
    /// Whether a repeated value breaks the rule too.
    var strictly: Bool { get }
}

extension OrderRule {
    static var findsLate: Bool { true }
    static var shorthand: String? { "column" }
    var complaint: String {
        let order = strictly ? (Self.isRising ? "no more" : "no less") : displayOrder
        return "have \(order) in '\(column)' than the row before them"
    }

    /// The fault in words: `less`, `not more`.
    var displayOrder: String {
        switch (Self.isRising, strictly) {
        case (true, false): "less"
        case (true, true): "not more"
        case (false, false): "more"
        case (false, true): "not less"
        }
    }

    static func read(_ options: inout OptionReader) -> (column: ColumnName, strictly: Bool) {
        (
            options.read("column", help: "Column of numbers, days or instants."),
            options.read("strictly", default: false, help: "Whether a value that stays the same breaks it too.")
        )
    }

    func check(_ input: Schema) throws(DaybookError) {
        let hint = "text has another order, in which '10' stands before '9'; cast it first"
        try input.requiring(column, ColumnKind.numbers + [.day, .instant], hint: hint)
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Ascent {
        let ascent =
            switch rows.batch.column(column) {
            case .integers(let values), .instants(let values): ascent(values, rows) { $0 }
            case .decimals(let values): ascent(values, rows) { Ascent.key(of: $0) }
            case .days(let values): ascent(values, rows) { Int64($0) }
            default: preconditionFailure("the schema check lets only numbers, days and instants be in order")
            }
        let places = CompactProvenance(rows.batch.keeping(ascent?.falls.map { Int32($0.row) } ?? []))
        guard let ascent else { return Ascent(rows: rows.batch.count, falls: [], places) }
        var result = Ascent(rows: rows.batch.count, falls: ascent.falls, places)
        result.first = ascent.first
        result.firstPlace = CompactProvenance(rows.batch.keeping([Int32(ascent.first.row)]))
        result.last = ascent.last
        return result
    }

    /// The first and the last value of a batch, and the values that break the order.
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
            let step = Ascent.Step(row: row, key: Self.turned(key(value)), before: last)
            if first == nil {
                first = step
            } else if breaks(step) {
                falls.append(step)
            }
            last = step.key
        }
        return first.map { ($0, last, falls) }
    }

    /// A key that increases if the rule holds. Its complement reverses the order of whole numbers.
    @inline(__always)
    private static func turned(_ key: Int64) -> Int64 { isRising ? key : ~key }

    @inline(__always)
    private func breaks(_ step: Ascent.Step) -> Bool { strictly ? step.key <= step.before : step.key < step.before }

    func merge(_ later: Ascent, into earlier: inout Ascent, scratch: any Scratch) throws(DaybookError) {
        let before = earlier.rows
        earlier.rows += later.rows
        guard var first = later.first?.moved(by: before) else { return }
        first.before = earlier.last
        if earlier.first == nil {
            earlier.first = first
            earlier.firstPlace = later.firstPlace
        } else if breaks(first) {
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

    func conclude(_ memory: Ascent?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        guard let memory, let kind = conclusion.schema[column]?.kind else { return }
        let count = min(memory.fallCount, conclusion.reportLimit)
        conclusion.count(memory.fallCount - count)
        // Rows with a message name the value before them, so each is reported alone.
        let named = min(count, conclusion.limit, 4096)
        for start in stride(from: 0, to: named, by: 1024) {
            let falls = try memory.falls(start..<min(start + 1024, named))
            let before = Ascent.column(falls.map { Self.turned($0.before) }, kind)
            for (place, fall) in falls.enumerated() {
                var row = late([fall], at: start + place, memory, kind)
                row.message = "{value} is \(displayOrder) than \(before.displayText(place) ?? ""), the value before it"
                try conclusion.report(row)
            }
        }
        for start in stride(from: named, to: count, by: 4096) {
            try conclusion.report(late(try memory.falls(start..<min(start + 4096, count)), at: start, memory, kind))
        }
    }

    private func late(_ falls: [Ascent.Step], at start: Int, _ memory: Ascent, _ kind: ColumnKind) -> LateRows {
        LateRows(
            numbers: falls.map(\.row),
            places: memory.places,
            at: Array(start..<start + falls.count),
            values: { Ascent.column(falls.map { Self.turned($0.key) }, kind) }
        )
    }
}

/// The order of many rows' values: the first and last value, and the values that break the order.
///
/// Such rows are reported at the end and not batch by batch, since a batch does not know the previous batch's last
/// value.
struct Ascent: PartialResult {
    /// A value and its row.
    struct Step: Sendable, Codable, BitwiseCopyable {
        var row: Int
        /// The value as a number with the same order.
        var key: Int64
        /// The previous key, unless this one is the first.
        var before: Int64

        func moved(by rows: Int) -> Step { Step(row: row + rows, key: key, before: before) }
    }

    var rows: Int
    var first: Step?
    var firstPlace = CompactProvenance(Batch(empty: Schema()))
    var last = Int64.min
    /// The values that are less than their predecessors.
    private var trail = SpillLog()
    /// The places of these rows.
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

    /// A number with the order of the decimals: their bits, with the order of the negative ones reversed.
    static func key(of value: Double) -> Int64 {
        let bits = Int64(bitPattern: (value == 0 ? 0 : value).bitPattern)
        return bits < 0 ? bits ^ .max : bits
    }

    /// The values of these keys.
    static func column(_ keys: [Int64], _ kind: ColumnKind) -> Column {
        switch kind {
        case .decimal: .decimals(Values(keys.map { Double(bitPattern: UInt64(bitPattern: $0 < 0 ? $0 ^ .max : $0)) }))
        case .day: .days(Values(keys.map { Int32(truncatingIfNeeded: $0) }))
        case .instant: .instants(Values(keys))
        default: .integers(Values(keys))
        }
    }
}

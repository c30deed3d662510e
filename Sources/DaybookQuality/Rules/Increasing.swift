import DaybookTables

/// Values have to increase from row to row, in input order, across files. Missing values are skipped.
///
/// Each value is compared with the previous one, not with the maximum so far, so that one value that is much too large
/// fails the next row and not all later rows.
struct Increasing: OrderRule {
    static let name = "increasing"
    static let summary =
        "Values of a column never fall from row to row, in the order of the input and across its files."
    static let isRising = true

    let order: OrderOptions

    init(reading options: inout OptionReader) { order = OrderOptions(reading: &options) }

    var finding: Finding.Kind { Finding.Kind("not-increasing", "{value} is \(displayOrder) than the value before it") }

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
        .passing(
            "with 'by', each country has an order of its own",
            options: "rules: [{ increasing: { column: day, strictly: true, by: country } }]",
            rows: """
                country:text,day:day
                KR,2026-11-20
                JP,2026-11-20
                KR,2026-11-21
                ,2026-11-01
                JP,2026-11-20
                JP,2026-11-19
                KR,2026-11-22
                """,
            findings: ["5 day not-increasing", "6 day not-increasing"]
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

/// Values have to decrease from row to row, in input order, across files. Missing values are skipped.
struct Decreasing: OrderRule {
    static let name = "decreasing"
    static let summary =
        "Values of a column never rise from row to row, in the order of the input and across its files."
    static let isRising = false

    let order: OrderOptions

    init(reading options: inout OptionReader) { order = OrderOptions(reading: &options) }

    var finding: Finding.Kind { Finding.Kind("not-decreasing", "{value} is \(displayOrder) than the value before it") }

    static let examples: [StageExample] = [
        .passing(
            "the newest day comes first; a missing one is passed over",
            options: "rules: [{ decreasing: { column: day, strictly: true } }]",
            rows: """
                day:day,note:text
                2026-11-21,a
                2026-11-19,b
                2026-11-19,c
                ,d
                2026-11-20,e
                2026-11-01,f
                """,
            findings: ["3 day not-decreasing", "5 day not-decreasing"]
        ),
        .passing(
            "with 'by', the stock of each shop only falls",
            options: "rules: [{ decreasing: { column: stock, by: shop } }]",
            rows: "shop:text,stock:integer\n서울,9\n부산,20\n서울,8\n부산,21\n,30",
            findings: ["4 stock not-decreasing"]
        ),
        StageExample(
            "what rises again can be rejected; without 'strictly' a value may come again",
            options: "rules: [{ decreasing: stock, then: reject }]",
            input: """
                stock:decimal
                9
                9
                9.5
                -1
                """,
            output: "stock:decimal\n9\n9\n-1",
            findings: ["3 stock not-decreasing"]
        ),
    ]
}

/// A rule about the order of a column's values from row to row, in all rows or in each group of them. Missing values are skipped.
protocol OrderRule: MemoryRule where Partial == Ascent {
    /// Whether values have to rise, rather than fall.
    static var isRising: Bool { get }
    var order: OrderOptions { get }
}

/// The options of a rule about an order.
struct OrderOptions: Sendable {
    let column: ColumnName
    /// Whether a repeated value breaks the rule too.
    let strictly: Bool
    /// The columns whose values make groups; empty for all rows together.
    let by: [ColumnName]

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of numbers, days or instants.")
        strictly = options.read("strictly", default: false, help: "Whether a value that stays the same breaks it too.")
        by = options.read(
            "by",
            default: [],
            help:
                "Columns that tell groups apart: a value is compared with the one before it in its group. Rows without a value "
                + "in them belong to none."
        )
        options.refuseRepeats(of: by, in: "by")
        if by.contains(column) { options.refuse("by", "'by' names '\(column)', which 'column' is") }
    }

    /// The groups in words, to follow what is compared.
    var displayGroups: String { by.isEmpty ? "" : " with the same \(by.quoted)" }
}

extension OrderRule {
    static var shorthand: String? { "column" }
    var column: ColumnName { order.column }
    var columns: [ColumnName] { [column] + order.by }
    var complaint: String {
        let words = order.strictly ? (Self.isRising ? "no more" : "no less") : displayOrder
        return "have \(words) in '\(column)' than the row before\(order.displayGroups)"
    }

    /// The fault in words: `less`, `not more`.
    var displayOrder: String {
        switch (Self.isRising, order.strictly) {
        case (true, false): "less"
        case (true, true): "not more"
        case (false, false): "more"
        case (false, true): "not less"
        }
    }

    func check(_ input: Schema) throws(DaybookError) {
        let hint = "text has another order, in which '10' stands before '9'; cast it first"
        try input.requiring(column, ColumnKind.numbers + [.day, .instant], hint: hint)
        for column in order.by { try input.requiringComparable(column) }
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Ascent {
        let groups = order.by.isEmpty ? nil : RowGroups(of: rows, by: order.by)
        let (ends, falls) =
            switch rows.batch.column(column) {
            case .integers(let values), .instants(let values): ascent(values, rows, groups) { $0 }
            case .decimals(let values): ascent(values, rows, groups) { Ascent.key(of: $0) }
            case .days(let values): ascent(values, rows, groups) { Int64($0) }
            default: preconditionFailure("the schema check lets only numbers, days and instants be in order")
            }
        let places = CompactProvenance(rows.batch.keeping(falls.map { Int32($0.row) }))
        var result = Ascent(rows: rows.batch.count, falls: falls, places)
        result.unkeyed = groups?.unkeyed ?? 0
        for (group, ends) in ends.enumerated() {
            guard let ends else { continue }
            let place = CompactProvenance(rows.batch.keeping([Int32(ends.first.row)]))
            result.ends[groups?.key(of: group) ?? []] = Ascent.Ends(first: ends.first, place: place, last: ends.last)
        }
        return result
    }

    /// The first and the last value of each group in a batch, and the values that break the order.
    @inline(__always)
    private func ascent<Element>(
        _ values: Values<Element>,
        _ rows: CheckedRows,
        _ groups: RowGroups?,
        _ key: (Element) -> Int64
    ) -> (ends: [(first: Ascent.Step, last: Int64)?], falls: [Ascent.Step]) {
        var ends = [(first: Ascent.Step, last: Int64)?](repeating: nil, count: groups?.count ?? 1)
        var falls: [Ascent.Step] = []
        rows.forEachValue(of: values) { row, value in
            let group = groups?.numbers[row] ?? 0
            guard group >= 0 else { return }
            let step = Ascent.Step(row: row, key: Self.turned(key(value)), before: ends[Int(group)]?.last ?? .min)
            if ends[Int(group)] == nil {
                ends[Int(group)] = (step, step.key)
            } else {
                if breaks(step) { falls.append(step) }
                ends[Int(group)]?.last = step.key
            }
        }
        return (ends, falls)
    }

    /// A key that increases if the rule holds. Its complement reverses the order of whole numbers.
    @inline(__always)
    private static func turned(_ key: Int64) -> Int64 { isRising ? key : ~key }

    @inline(__always)
    private func breaks(_ step: Ascent.Step) -> Bool {
        order.strictly ? step.key <= step.before : step.key < step.before
    }

    func merge(_ later: Ascent, into earlier: inout Ascent, scratch: any Scratch) throws(DaybookError) {
        let before = earlier.rows
        earlier.rows += later.rows
        earlier.unkeyed += later.unkeyed
        // Values that fall behind the last one of an earlier batch.
        var falls: [(step: Ascent.Step, place: CompactProvenance)] = []
        for (key, ends) in later.ends {
            var first = ends.first.moved(by: before)
            guard let last = earlier.ends[key]?.last else {
                earlier.ends[key] = Ascent.Ends(first: first, place: ends.place, last: ends.last)
                continue
            }
            first.before = last
            if breaks(first) { falls.append((first, ends.place)) }
            earlier.ends[key]?.last = ends.last
        }
        for (step, place) in falls.sorted(by: { $0.step.row < $1.step.row }) {
            earlier.append(falls: [step])
            try earlier.places.append(place)
        }
        if earlier.ends.count > GroupLimit.groups { throw GroupLimit.tooMany(by: order.by) }
        for part in (0..<later.fallCount).pieces(of: 4096) {
            earlier.append(falls: try later.falls(part).map { $0.moved(by: before) })
        }
        try earlier.places.append(later.places)
    }

    func conclude(_ memory: Ascent?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        guard let memory, let kind = conclusion.schema[column]?.kind else { return }
        conclusion.remark(unkeyed: memory.unkeyed, by: order.by)
        let count = min(memory.fallCount, conclusion.reportLimit)
        conclusion.count(memory.fallCount - count)
        // Rows with a message name the value before them, so each is reported alone.
        let named = min(count, conclusion.limit, 4096)
        for part in (0..<named).pieces(of: 1024) {
            let falls = try memory.falls(part)
            let before = Ascent.column(falls.map { Self.turned($0.before) }, kind)
            for (place, fall) in falls.enumerated() {
                var row = late([fall], at: part.lowerBound + place, memory, kind)
                row.message =
                    "{value} is \(displayOrder) than \(before.displayText(place) ?? ""), the value before it\(order.displayGroups)"
                try conclusion.report(row)
            }
        }
        for part in (named..<count).pieces(of: 4096) {
            try conclusion.report(late(try memory.falls(part), at: part.lowerBound, memory, kind))
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

/// The order of many rows' values: the first and last value of each group, and the values that break the order.
///
/// Such rows are reported at the end and not batch by batch, since a batch does not know the previous batch's last
/// value.
struct Ascent: PartialResult {
    /// A value and its row.
    struct Step: Sendable, Codable, BitwiseCopyable {
        var row: Int
        /// The value as a number with the same order.
        var key: Int64
        /// The previous key of the group, unless this one is the first.
        var before: Int64

        func moved(by rows: Int) -> Step { Step(row: row + rows, key: key, before: before) }
    }

    /// The first and the last value of a group.
    struct Ends: Sendable, Codable {
        var first: Step
        /// The place of the first.
        var place: CompactProvenance
        var last: Int64
    }

    var rows: Int
    /// By the bytes of the group's key; without groups, by none.
    var ends: [[UInt8]: Ends] = [:]
    /// How many rows belong to no group.
    var unkeyed = 0
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
    var footprint: Int {
        trail.footprint + places.footprint + ends.reduce(0) { $0 + $1.key.count + $1.value.place.footprint + 96 }
    }

    mutating func spill(to scratch: any Scratch) throws(DaybookError) {
        try trail.spill(to: scratch)
        try places.spill(to: scratch)
    }

    /// A number with the order of the decimals; both zeros have one.
    static func key(of value: Double) -> Int64 { (value + 0).sortable }

    /// The values of these keys.
    static func column(_ keys: [Int64], _ kind: ColumnKind) -> Column { Column(sortable: Values(keys), kind: kind) }
}

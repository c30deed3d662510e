import DaybookExpressions

/// The share of rows for which an expression is true lies between two bounds.
///
/// Rows with a missing result do not count. Without rows, the share passes every maximum and fails every minimum.
struct Share: ShareRule {
    static let name = "share"
    static let summary = "The share of rows for which an expression is true lies between two bounds, inclusive."

    private let filter: RowFilter
    private let min: Percentage?
    private let max: Percentage?
    let against: PastLimits
    let measure = ObservedValue.Measure.share

    init(reading options: inout OptionReader) {
        let condition: ExpressionText = options.read("of", help: "The expression, such as emotion = '우울해'.")
        min = options.optional("min", help: "The least share, such as 90%; none when left out.")
        max = options.optional("max", help: "The greatest share, such as 5%; none when left out.")
        filter = RowFilter(condition, reading: &options)
        against = PastLimits(reading: &options)
        if min == nil, max == nil, against.isEmpty {
            options.refuse("of", "'share' needs 'min', 'max', 'change' or 'anomaly'")
        }
    }

    private var written: String { filter.condition.text.onOneLine.shortened }
    var figureName: String { "the share of rows for which '\(written)' is true" }
    private var bounds: String { RuleBound.displayText(min, max) }
    var finding: Finding.Kind { Finding.Kind("wrong-share", "the share of rows is out of bounds") }
    var columns: [ColumnName] { filter.condition.columnNames }
    var target: ColumnName? { columns.count == 1 ? columns[0] : nil }
    var complaint: String { "come to a share that is not \(bounds)" }
    var bounded: String? { min == nil && max == nil ? nil : "'\(written)' is true for \(bounds) of the rows" }
    func check(_ input: Schema) throws(DaybookError) { try filter.check(input) }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> SharedRows {
        let truth = filter.truth(in: rows.batch)
        if let uncomputable = truth.uncomputableRows {
            breaches.append(Breach(.notComputable("the expression"), in: nil, uncomputable))
        }
        var holding = truth.trueRows
        if let asked = rows.asked { holding.formIntersection(asked) }
        return SharedRows(part: holding.setCount, rows: rows.count)
    }

    func judgement(of memory: SharedRows?, in schema: Schema) -> String? {
        let (holding, rows) = (memory?.part ?? 0, memory?.rows ?? 0)
        let isEnough = min.map { rows > 0 && $0.isReached(by: holding, of: rows) } ?? true
        let isNotTooMuch = max.map { $0.permits(holding, of: rows) } ?? true
        guard !isEnough || !isNotTooMuch else { return nil }
        return "'\(written)' is true for \(holding.displayText) of \(rows.displayText) rows, not for \(bounds)"
    }

    static let examples: [StageExample] = [
        .passing(
            "too many rows without a colour, and enough that are happy",
            options: """
                rules:
                  - share: { of: colour is missing, max: 10% }
                  - share: { of: "emotion = '행복해'", min: 50% }
                """,
            rows: """
                emotion:text,colour:text
                행복해,#EC007F
                행복해,
                우울해,#000000
                ,#000000
                """,
            findings: ["0 colour wrong-share"]
        ),
        .passing(
            "a share is held against earlier runs; the first one holds",
            options: """
                rules:
                  - share:
                      of: colour is missing
                      max: 10%
                      change: { max: 100%, from: last }
                      anomaly: { of: 28 runs, deviations: 4 }
                """,
            rows: "id:integer,colour:text\n1,\n2,#000000",
            findings: ["0 colour wrong-share"]
        ),
        .passing(
            "with 'where' it is a share of some rows; no rows are never enough",
            options: """
                rules:
                  - share: { of: count > 0, min: 1% }
                    where: "emotion = '사랑해'"
                """,
            rows: "emotion:text,count:integer\n행복해,1",
            findings: ["0 count wrong-share"]
        ),
    ]
}

/// A rule about a share of the rows. Zero rows have no share.
protocol ShareRule: TableRule, MeasuringRule where Partial == SharedRows {}

/// How many rows there are, and how many of them a share is about.
struct SharedRows: PartialResult {
    var part: Int
    var rows: Int
}

extension ShareRule {
    func merge(_ later: SharedRows, into earlier: inout SharedRows, scratch: any Scratch) {
        earlier.part += later.part
        earlier.rows += later.rows
    }

    func figure(of memory: SharedRows?) -> ObservedValue? {
        memory.flatMap { $0.rows > 0 ? ObservedValue(measure, Double($0.part) / Double($0.rows)) : nil }
    }
}

import DaybookTables

/// No two rows may be equal in all the columns. In a key of several columns missing parts are equal to each other; a
/// row with a missing value in the only column has no key, and repeats none.
///
/// Whole numbers, days and instants are stored whole, in a byte to eight each, and consecutive numbers in none; a byte
/// or two encode the place of each row. For dense numbers, a bitmap finds the repeated ones. Keys of texts, decimals or
/// several columns are stored as bytes, behind eight. Many keys go to disk.
struct Unique: MemoryRule {
    static let name = "unique"
    static let summary = "No two rows have the same values in one or several columns."
    static var shorthand: String? { "columns" }

    /// The meaning of a missing part in a key of several columns.
    enum Missing: String, OptionChoice {
        case equal, skip

        static var otherWords: [String: String] { ["ignore": "skip", "same": "equal", "value": "equal"] }
    }

    private(set) var columns: [ColumnName]
    /// Whether the key is the whole row.
    private let isWholeRow: Bool
    private let missing: Missing

    init(reading options: inout OptionReader) {
        let named: [ColumnName] = options.read(
            "columns",
            help: "Columns that make the key; '*' for all columns of the input, so that no row comes twice."
        )
        isWholeRow = named.map(\.text) == ["*"]
        columns = isWholeRow ? [] : named
        missing = options.read(
            "missing",
            default: .equal,
            help:
                "Whether a missing part of a key of several columns is equal to another missing one, or the row is skipped."
        )
        if named.isEmpty { options.refuse("columns", "'unique' names no column") }
    }

    var finding: Finding.Kind { Finding.Kind("duplicate-key", "the key stands in an earlier row") }
    var complaint: String { "repeat \(columns.count == 1 ? "a value" : "values") of \(displayColumns)" }
    var expectation: String {
        "no two rows with the same \(columns.count == 1 ? "value" : "values") of \(displayColumns)"
    }

    var target: ColumnName? { isWholeRow ? nil : columns.first }
    func over(_ input: Schema) -> Unique {
        guard isWholeRow else { return self }
        var rule = self
        rule.columns = input.names.map { ColumnName($0) }
        return rule
    }

    private var displayColumns: String { isWholeRow ? "all columns" : columns.quoted }

    func check(_ input: Schema) throws(DaybookError) {
        for column in columns { try input.requiringComparable(column) }
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> KeyMemory {
        KeyMemory(rows.batch, by: columns, asked: rows.asked, comparesMissing: columns.count > 1 && missing == .equal)
    }

    func merge(_ later: KeyMemory, into earlier: inout KeyMemory, scratch: any Scratch) throws(DaybookError) {
        try earlier.append(later)
    }

    func conclude(_ memory: KeyMemory?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        guard let memory else { return }
        if memory.unkeyed > 0 {
            let rows = DisplayText.count(memory.unkeyed, "row")
            conclusion.remark(
                "\(rows) without a value in \(displayColumns) \(memory.unkeyed == 1 ? "was" : "were") not judged"
            )
        }
        let kind = columns.count == 1 ? conclusion.schema[columns[0]]?.kind : nil
        func late(_ rows: [Int]) -> LateRows {
            LateRows(
                numbers: rows,
                places: memory.places,
                at: rows,
                values: { () throws(DaybookError) in
                    if let kind { try memory.values(of: rows, kind) } else { nil }
                }
            )
        }
        let reportsOthers = conclusion.reportLimit > conclusion.messageLimit
        var repeats = try memory.repeats(
            first: conclusion.messageLimit,
            keepsOthers: reportsOthers,
            scratch: conclusion.scratch
        )
        let key = columns.count == 1 ? "the value stands" : "the values of \(displayColumns) stand"
        var next = 0
        try repeats.forEachPiece { (piece) throws(DaybookError) in
            let reported = piece.filter { conclusion.reports($0.row) }
            next = (piece.last?.row ?? 0) + 1
            let firsts = try Unique.provenance(ofFirsts: reported, memory.places)
            for part in reported.indices.pieces(of: Unique.messageSize) {
                var rows = late(reported[part].map(\.row))
                rows.message = "\(key) in \(Findings.rowMark) already"
                rows.named = Array(firsts[part])
                try conclusion.report(rows)
            }
        }
        guard reportsOthers else { return conclusion.count(repeats.count - repeats.reported) }
        conclusion.reject(repeats.rows, from: next)
        try conclusion.newRejects.forEachPiece(of: Unique.pieceSize) { (piece) throws(DaybookError) in
            var rows = late(piece)
            rows.areNewRejects = true
            try conclusion.report(rows)
        }
    }

    /// The number of rows reported at a time, with and without a message each.
    private static let messageSize = 1 << 12
    private static let pieceSize = 1 << 14

    /// The places of the first rows of repeated keys.
    private static func provenance(
        ofFirsts repeats: [Repeat],
        _ places: CompactProvenance
    ) throws(DaybookError) -> [RowOrigin?] {
        // The row above and the index below, in one number that sorts fast.
        let order = repeats.indices.map { repeats[$0].first << Repeats.placeBits | $0 }.sorted()
        let sorted = try places.provenance(of: order.map { $0 >> Repeats.placeBits })
        var result = sorted
        for (place, one) in order.enumerated() { result[one & (1 << Repeats.placeBits - 1)] = sorted[place] }
        return result
    }

    static let examples: [StageExample] = [
        .passing(
            "with '*', a row that is equal to an earlier one in all columns is told",
            options: "rules: [{ unique: '*' }]",
            rows: "date:day,id:integer\n2026-01-01,1\n2026-01-01,2\n2026-01-01,1\n,1\n,1",
            findings: ["3 - duplicate-key", "5 - duplicate-key"]
        ),
        .passing(
            "a key that comes twice is told at each repeat; a missing part of it is like any other that is missing",
            options: "rules: [{ unique: [date, id], id: one-a-day, fail: '> 1%', at_least: 10 }]",
            rows: """
                date:day,id:integer
                2026-01-01,1
                2026-01-02,1
                2026-01-01,1
                2026-01-01,
                2026-01-01,
                """,
            findings: ["3 date duplicate-key", "5 date duplicate-key"]
        ),
        .passing(
            "with 'missing: skip', a row that lacks a part of its key has none",
            options: "rules: [{ unique: { columns: [date, id], missing: skip } }]",
            rows: "date:day,id:integer\n2026-01-01,\n2026-01-01,",
            findings: []
        ),
        StageExample(
            "with 'where', rows that the condition leaves out repeat nothing and are not repeated",
            options: """
                rules:
                  - unique: email
                    where: deleted = false
                    then: reject
                """,
            input: """
                email:text,deleted:flag
                a@b.kr,true
                a@b.kr,false
                a@b.kr,true
                a@b.kr,false
                c@d.kr,
                """,
            output: """
                email:text,deleted:flag
                a@b.kr,true
                a@b.kr,false
                a@b.kr,true
                c@d.kr,
                """,
            findings: ["4 email duplicate-key"]
        ),
    ]
}

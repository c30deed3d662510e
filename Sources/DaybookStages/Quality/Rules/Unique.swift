import DaybookCore

/// No two rows are alike in all the columns. A row without a value in one of them has no key, and repeats none.
///
/// Of each row eight bytes of its key and a few of its place are kept, about thirteen in all, so that millions of rows need no
/// table of their texts. A key of one column of whole numbers or days is kept whole. Of other keys a hash with 64 bits is kept,
/// seeded anew in every process, so nobody can make two keys that pass for one; that it happens by chance among a million
/// different keys has a probability of about 3 in 100 million.
struct Unique: MemoryRule {
    static let name = "unique"
    static let summary = "No two rows have the same values in one or several columns."
    static let findsLate = true
    static var shorthand: String? { "columns" }

    let columns: [ColumnName]

    init(reading options: inout OptionReader) {
        columns = options.read("columns", help: "Columns that make the key.")
        if columns.isEmpty { options.refuse("columns", "'unique' names no column") }
    }

    var finding: Finding.Kind { Finding.Kind("duplicate-key", "the key stands in an earlier row") }
    var complaint: String { "repeat \(columns.count == 1 ? "a value" : "values") of \(spokenColumns)" }

    private var spokenColumns: String { columns.map { "'\($0)'" }.joined(separator: " and ") }

    func check(_ input: Schema) throws(DaybookError) {
        for column in columns {
            try input.requiring(
                column,
                .text,
                .integer,
                .decimal,
                .flag,
                .day,
                .instant,
                hint: "a JSON value may be written in many ways, so two are not compared"
            )
        }
    }

    func memory(of batch: Batch, asked: Mask?, breaches: inout [Breach]) -> KeyHashes {
        var gaps: Mask?
        for column in columns {
            guard let missing = batch.column(column).missing else { continue }
            if gaps == nil { gaps = missing } else { gaps?.formUnion(missing) }
        }
        var hashes = KeyHash.hashes(of: batch, columns)
        for row in hashes.indices where gaps?[row] == true || asked?[row] == false { hashes[row] = KeyHash.none }
        return KeyHashes(hashes: hashes, places: RowPlaces(batch))
    }

    func merge(_ later: KeyHashes, into earlier: inout KeyHashes) {
        earlier.hashes += later.hashes
        earlier.places.append(later.places)
    }

    func conclude(
        _ memory: KeyHashes?,
        _ conclusion: inout RuleConclusion,
        tell: (LateRows) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        guard let memory else { return }
        let repeats = memory.repeats()
        var told = repeats.prefix(conclusion.tellable)
        conclusion.count(repeats.count - told.count)
        while !told.isEmpty {
            let part = Array(told.prefix(4096))
            told = told.dropFirst(part.count)
            try tell(LateRows(rows: rows(part, memory)))
        }
    }

    private func rows(_ repeats: [KeyHashes.Repeat], _ memory: KeyHashes) -> [LateRow] {
        let origins = memory.places.origins(of: repeats.map(\.row))
        let firsts = Array(Set(repeats.map(\.first))).sorted()
        let firstOrigins = Dictionary(uniqueKeysWithValues: zip(firsts, memory.places.origins(of: firsts)))
        let key = columns.count == 1 ? "the value" : "the values of \(spokenColumns)"
        let verb = columns.count == 1 ? "stands" : "stand"
        return zip(repeats, origins).map { one, origin in
            guard let first = firstOrigins[one.first] ?? nil else {
                return LateRow(number: one.row, origin: origin, message: "\(key) \(verb) in an earlier row")
            }
            return LateRow(
                number: one.row,
                origin: origin,
                message: "\(key) \(verb) in \(Findings.rowMark) already",
                named: [first]
            )
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "a key that comes twice is told at each repeat; a row without a value in it has no key",
            options: "rules: [{ unique: [date, id], id: one-a-day, fail: '> 1%', at_least: 10 }]",
            rows: """
                date:day,id:integer
                2026-01-01,1
                2026-01-02,1
                2026-01-01,1
                2026-01-01,
                2026-01-01,
                """,
            findings: ["3 date duplicate-key"]
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

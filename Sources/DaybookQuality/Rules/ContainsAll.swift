import DaybookTables

/// Each of some values occurs in a column, among any others: listed texts, or the values of another stage.
struct ContainsAll: MemoryRule, ReferringRule {
    static let isAboutTable = true
    static let name = "contains_all"
    static let summary = "Every value of a list, or of another stage, stands in a column at least once."

    private enum Source {
        case texts(ColumnName, Values, TextLookup)
        case stage(ReferredColumns)
    }

    /// The values that have to be there, as messages show them.
    struct Values: Sendable, Codable {
        var texts: [String] = []
        fileprivate var keys = KeyIndex()

        enum CodingKeys: CodingKey { case texts }
    }

    private let source: Source

    init(reading options: inout OptionReader) {
        let column: ColumnName? = options.optional("column", help: "Column in which the values are looked for.")
        let values: [String]? = options.optional("values", help: "The texts that have to be there, byte by byte.")
        let reference: ColumnReference? = options.optional(
            "in",
            help:
                "The stage and column whose values have to be there, in the place of 'values': vocabulary.name, or with 'columns' as many: "
                + "vocabulary.[name, colour]. With 'refers_to' beside it, both hold the same values."
        )
        let use = "are looked for"
        let referred = ReferredColumns(reference ?? .placeholder, of: Self.name, column, use: use, reading: &options)
        if reference != nil {
            source = .stage(referred)
            if values != nil {
                options.refuse("in", "'values' and 'in' both say what has to be there", hint: "leave one out")
            }
            return
        }
        let texts = values ?? []
        source = .texts(column ?? .placeholder, Values(texts: texts), TextLookup(texts))
        if values == nil {
            options.refuse("values", "'contains_all' needs 'values' or 'in'")
        } else if texts.isEmpty {
            options.refuse("values", "'values' asks for nothing")
        }
        for (index, value) in texts.enumerated() where texts[..<index].contains(value) {
            options.refuse("values", "'values' names '\(value)' twice")
            break
        }
    }

    var columns: [ColumnName] {
        switch source {
        case .texts(let column, _, _): [column]
        case .stage(let referred): referred.columns
        }
    }
    var target: ColumnName? { columns.count == 1 ? columns[0] : nil }
    private var referred: ReferredColumns? {
        guard case .stage(let referred) = source else { return nil }
        return referred
    }
    private var named: String { columns.quoted }
    /// What has to be there, behind a number of values.
    private var origin: String { referred.map { " of \($0.reference.written)" } ?? "" }

    var finding: Finding.Kind { Finding.Kind("lacks-values", "some values do not stand in the column") }
    var complaint: String { "lack some of \(wanted) in \(named)" }
    var expectation: String { "each of \(wanted) in \(named)" }
    private var wanted: String {
        switch source {
        case .texts(_, let values, _) where values.texts.count == 1: "the value '\(values.texts[0])'"
        case .texts(_, let values, _): "\(values.texts.count.displayText) values"
        case .stage: "the values\(origin)"
        }
    }

    var side: BuildSideReference? { referred?.reference.stage }
    var sideColumns: [ColumnName] { referred?.sideColumns ?? [] }

    func check(_ input: Schema) throws(DaybookError) {
        switch source {
        case .texts(let column, _, _): try input.requiring(column, .text)
        case .stage(let referred): for column in referred.columns { try input.requiringComparable(column) }
        }
    }

    func check(_ input: Schema?, against side: Schema) throws(DaybookError) {
        try referred?.check(input, against: side)
    }

    func known(of side: BuildSide) throws(DaybookError) -> Values {
        var values = Values()
        guard let referred else { return values }
        let hint = "find the rows that lack with join_rows and 'kind: anti' instead, which goes to disk"
        var texts: [String] = []
        values.keys = try referred.keys(of: side, limit: 256 << 20, hint: hint) { batch, row in
            let text = sideColumns.map { batch.column($0).displayText(row) ?? "" }.joined(separator: ", ")
            texts.append(text)
            return text.utf8.count + MemoryLayout<String>.stride
        }
        values.texts = texts
        return values
    }

    struct Memory: PartialResult {
        /// The numbers of the values that were seen.
        var seen = RowSet()
        /// The values of the other stage, which a merge of shards does not read.
        var values: Values?
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Memory {
        var memory = Memory()
        switch source {
        case .texts(let column, _, let lookup):
            rows.batch.text(in: column).forEachValue { row, cell in
                guard rows.asked?[row] != false else { return }
                let place = lookup.find(cell)
                if place >= 0 { memory.seen.insert(place) }
            }
        case .stage(let referred):
            guard let values = rows.known as? Values else { break }
            memory.values = values
            let keys = RowKeys(rows.batch, by: referred.columns)
            for (row, number) in values.keys.find(keys).enumerated()
            where number >= 0 && rows.asked?[row] != false && !keys.gaps.isMissing(row) {
                memory.seen.insert(Int(number))
            }
        }
        return memory
    }

    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) {
        earlier.seen.insert(later.seen, raisedBy: 0)
        earlier.values = earlier.values ?? later.values
    }

    func conclude(_ memory: Memory?, _ conclusion: inout RuleConclusion) {
        let texts: [String]
        switch source {
        case .texts(_, let values, _): texts = values.texts
        case .stage:
            guard let values = memory?.values ?? conclusion.known as? Values else {
                // A merge of shards without a row has not read the other stage.
                return conclusion.judge("\(named) holds nothing, as there are no rows")
            }
            texts = values.texts
        }
        let lacking = texts.indices.filter { memory?.seen.contains($0) != true }
        guard !lacking.isEmpty else { return }
        let shown = DisplayText.first(8, of: lacking.map { "'\(texts[$0])'" }, isGrouped: true)
        let count = "\(lacking.count.displayText) of \(texts.count.displayText) values\(origin)"
        conclusion.judge("\(named) \(columns.count == 1 ? "lacks" : "lack") \(count): \(shown)")
    }

    static let examples: [StageExample] = [
        .passing(
            "a station that sent nothing is named; others than those asked for may be there",
            options: "rules: [{ contains_all: { column: station, values: [부산, 서울, 제주] } }]",
            rows: """
                station:text
                서울
                대전

                부산
                서울
                """,
            findings: ["0 station lacks-values"]
        ),
        .passing(
            "with 'where', it has to stand among some of the rows",
            options: """
                rules:
                  - contains_all: { column: station, values: 부산 }
                    where: "day >= '2026-11-02'"
                """,
            rows: "station:text,day:day\n부산,2026-11-01\n부산,2026-11-02",
            findings: []
        ),
        .passing(
            "with 'in', each value of another stage has to be there; 'refers_to' asks the other way round",
            options: """
                rules:
                  - contains_all: { column: station, in: stations.name }
                  - refers_to: { column: station, in: stations.name }
                """,
            rows: "station:text\n서울\n대전\n\n부산",
            beside: "name:text\n서울\n제주\n\n부산\n제주",
            findings: ["2 station not-found", "0 station lacks-values"]
        ),
        .passing(
            "several columns are looked for together",
            options: "rules: [{ contains_all: { columns: [shop, shelf], in: 'shelves.[shop, number]' } }]",
            rows: "shop:text,shelf:integer\n서울,1\n부산,2",
            beside: "number:integer,shop:text\n1,서울\n2,서울",
            findings: ["0 - lacks-values"]
        ),
        StageExample(
            "what has to be there is said once",
            options: "rules: [{ contains_all: { column: station, values: [서울], in: stations.name } }]",
            input: "station:text",
            refused: "'values' and 'in' both say what has to be there"
        ),
        StageExample(
            "something has to be there",
            options: "rules: [{ contains_all: { column: station } }]",
            input: "station:text",
            refused: "'contains_all' needs 'values' or 'in'"
        ),
    ]
}

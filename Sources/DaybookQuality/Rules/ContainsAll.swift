/// Each of some texts occurs in a column, among any others.
struct ContainsAll: TableRule, TextRule {
    static let name = "contains_all"
    static let summary = "Every value of a list stands in a text column at least once."

    let column: ColumnName
    let values: [String]
    private let lookup: TextLookup

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of text in which the values are looked for.")
        values = options.read("values", help: "The values that have to be there, byte by byte.")
        lookup = TextLookup(values)
        if values.isEmpty { options.refuse("values", "'values' asks for nothing") }
        for (index, value) in values.enumerated() where values[..<index].contains(value) {
            options.refuse("values", "'values' names '\(value)' twice")
            break
        }
    }

    var finding: Finding.Kind { Finding.Kind("lacks-values", "some values do not stand in the column") }
    var complaint: String { "lack some of \(values.count.displayText) values in '\(column)'" }
    var expectation: String {
        values.count == 1
            ? "'\(values[0])' in '\(column)'" : "each of \(values.count.displayText) values in '\(column)'"
    }

    struct Memory: PartialResult {
        /// Whether each listed value was seen.
        var isThere: [Bool]
    }

    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> Memory {
        var memory = Memory(isThere: [Bool](repeating: false, count: values.count))
        rows.batch.text(in: column).forEachValue { row, cell in
            guard rows.asked?[row] != false else { return }
            let place = lookup.find(cell)
            if place >= 0 { memory.isThere[place] = true }
        }
        return memory
    }

    func merge(_ later: Memory, into earlier: inout Memory, scratch: any Scratch) {
        for place in earlier.isThere.indices where later.isThere[place] { earlier.isThere[place] = true }
    }

    func judgement(of memory: Memory?, in schema: Schema) -> String? {
        let lacking = values.indices.filter { memory?.isThere[$0] != true }.map { values[$0] }
        guard !lacking.isEmpty else { return nil }
        let shown = lacking.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
        let rest = lacking.count > 8 ? " and \((lacking.count - 8).displayText) more" : ""
        return "'\(column)' lacks \(lacking.count.displayText) of \(values.count.displayText) values: \(shown)\(rest)"
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
    ]
}

import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// Rows of rejects say what the lines of a reject file say, whether their columns are made at once or reject by reject.
@Suite struct RejectRowsTests {
    private let scratch = Scratch()

    /// Rules that speak of columns of each kind, of missing values, of whole rows, and of rows long gone.
    private static let rules = """
          - check_rows:
              rules:
                - not_missing: emotion
                  then: reject
                  warn: "> 0"
                - in_set: { column: emotion, values: [행복해, 우울해] }
                  then: reject
                  warn: "> 0"
                - between: { column: count, min: 1, max: 99 }
                  then: reject
                  warn: "> 0"
                - between: { column: date, min: 2026-03-15, max: 2026-04-20 }
                  then: reject
                  warn: "> 0"
                - holds: "count != 12 or note != 'plain'"
                  then: reject
                  warn: "> 0"
                - unique: id
                  then: reject
                  warn: "> 0"
                - unique: [note, emotion]
                  then: reject
                  warn: "> 0"
                - increasing: count
                  where: "id < 90"
                  then: reject
                  warn: "> 0"
            id: gate
        """

    private func run(_ job: String, morsel: Int, maxFindings: Int) throws -> RunOutcome {
        let job = try JobParser { _ in nil }.job(Array(job.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(
            threads: 2,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: morsel,
            maxFindings: maxFindings
        )
        return Runner(plan, settings).run()
    }

    private func objects(_ file: String) throws -> [[String: String]] {
        try (scratch.read(file) ?? "").split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8), options: .fragmentsAllowed)
            return try #require(object as? [String: Any]).mapValues { "\($0)" }
        }
    }

    private static let columns = [
        ["line", "rule", "value"], ["value"], ["source", "code", "field", "stage", "job_line", "line"],
        ["line", "value", "message"], ["column", "byte", "original", "pointer", "line", "value", "source"],
    ]

    @Test(arguments: ["neat", "messy", "lines", "array"], TestSize.seeds(3, of: 9))
    func rowsAndLinesAgree(_ shape: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let read: String
        switch shape {
        case "messy":
            scratch.write("in.csv", MessyTable.text(rows: 400, &random))
            read = "import_csv: { path: in.csv, columns: { id: integer, count: integer } }"
        case "neat":
            scratch.write("in.csv", RejectRowsTests.table(&random).map { $0.joined(separator: ",") + "\n" }.joined())
            read = "import_csv: { path: in.csv, columns: { id: integer, count: integer } }"
        default:
            let rows = RejectRowsTests.table(&random)
            let records = rows.dropFirst().map { row in
                let fields = zip(rows[0], row).map { name, cell in
                    let isNumber = (name == "id" || name == "count") && Int(cell) != nil
                    return #""\#(name)": \#(cell.isEmpty ? "null" : isNumber ? cell : "\"\(cell)\"")"#
                }
                return "{\(fields.joined(separator: ", "))}"
            }
            scratch.write(
                "in.json",
                shape == "lines" ? records.joined(separator: "\n") : "[\(records.joined(separator: ","))]"
            )
            read = "import_json: { path: in.json }"
        }
        let stages = """
            stages:
              - \(read)
              - normalise_dates: { column: date, formats: [iso, "yyyy/MM/dd"] }
            \(RejectRowsTests.rules)
            """
        for (morsel, maxFindings) in [(1 << 20, 0), (700, 3), (5_000, 1_000)] {
            let file = "daybook: 1\nrejects: { path: rejects.ndjson, allow: 100% }\n\(stages)"
            let filed = try run(file, morsel: morsel, maxFindings: maxFindings)
            #expect(filed.errors.isEmpty, "\(filed.errors)")
            let lines = try objects("rejects.ndjson").filter { $0["stage"] == "gate" }
            #expect(lines.count > 100, "\(shape) has \(lines.count) bad rows")
            for names in RejectRowsTests.columns {
                let job = """
                    daybook: 1
                    rejects: { allow: 100% }
                    \(stages)
                      - select_columns: { columns: [\(names.joined(separator: ", "))] }
                        from: gate.rejects
                      - export_json: { path: rows.ndjson, layout: lines }
                    """
                let outcome = try run(job, morsel: morsel, maxFindings: maxFindings)
                #expect(outcome.errors.isEmpty, "\(outcome.errors)")
                let rows = try objects("rows.ndjson")
                let wanted = Set(names)
                let way = "\(shape), \(names), morsels of \(morsel), \(maxFindings) findings"
                let places = zip(rows, lines).enumerated()
                let first = places.first { $0.element.0 != $0.element.1.filter { wanted.contains($0.key) } }
                #expect(rows.count == lines.count, "\(way)")
                #expect(first == nil, "\(way)")
            }
        }
    }

    /// A table with one line for each row, in which many rows are bad.
    private static func table(_ random: inout SeededGenerator) -> [[String]] {
        [["id", "date", "emotion", "count", "colour", "note"]]
            + (0..<400).map { row in
                [
                    "\(Int.random(in: 0..<4, using: &random) == 0 ? row / 2 : row)",
                    "2026-\(row % 2 == 0 ? "03" : "04")-\(Int.random(in: 10...30, using: &random))",
                    ["행복해", "우울해", "기뻐", "$null", "NaN", "null", ""].randomElement(using: &random)!,
                    "\(Int.random(in: 0...120, using: &random))",
                    "#ec007f",
                    ["plain", "a longer note than fits", "$null", "CF$UID", "NaN", ""].randomElement(using: &random)!
                        + (row % 3 == 0 ? "" : "\(row)"),
                ]
            }
    }
}

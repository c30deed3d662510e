import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookDelimited
@testable import DaybookEngine

/// Whole runs on invented files: neither the number of threads nor the size of morsels may show in any byte.
@Suite struct EngineTests {
    private let scratch = Scratch()

    /// A run's outputs and how it ended, at one number of threads and one size of morsels.
    private func run(_ job: String, _ outputs: [String], threads: Int, morsel: Int) throws -> ([String?], RunOutcome) {
        let file = "job.yaml"
        let job = try JobParser { _ in nil }.job(Array(job.utf8), file: file)
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(
            threads: threads,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: morsel
        )
        for output in outputs { scratch.remove(output) }
        let outcome = Runner(plan, settings).run()
        return (outputs.map { scratch.read($0) }, outcome)
    }

    /// The first line in which two texts differ, or nil.
    private func firstDifference(_ found: String, _ expected: String) -> String? {
        if found == expected { return nil }
        let (found, expected) = (found.split(separator: "\n"), expected.split(separator: "\n"))
        let line = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }
        guard let line else { return "\(found.count) lines instead of \(expected.count)" }
        return "line \(line.offset + 1): \(line.element.0) instead of \(line.element.1)"
    }

    /// Runs `job` in many ways and holds every output, finding and ledger line against the first.
    private func expectSameBytes(_ job: String, _ outputs: [String]) throws -> RunOutcome {
        let (first, outcome) = try run(job, outputs, threads: 1, morsel: 1 << 20)
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(first.allSatisfy { $0 != nil })
        for (threads, morsel) in [(2, 1 << 20), (1, 64), (2, 777), (7, 300), (7, 4096), (3, 50_000)] {
            let (bytes, other) = try run(job, outputs, threads: threads, morsel: morsel)
            for (index, output) in outputs.enumerated() {
                let difference = firstDifference(bytes[index] ?? "", first[index] ?? "")
                #expect(difference == nil, "\(output), \(threads) threads, morsels of \(morsel)")
            }
            #expect(other.findings.elementsEqual(outcome.findings), "findings differ")
            #expect(
                other.ledger.map { [$0.rowsIn, $0.rowsOut, $0.rejected, $0.folded, $0.made] }
                    == outcome.ledger.map { [$0.rowsIn, $0.rowsOut, $0.rejected, $0.folded, $0.made] }
            )
            #expect(other.inputs.map(\.digest?.sha256) == outcome.inputs.map(\.digest?.sha256))
        }
        for level in ScanLevel.all {
            let (bytes, other) = try level.scanning { try run(job, outputs, threads: 2, morsel: 777) }
            #expect(bytes == first, "scanned with \(level)")
            #expect(other.findings.elementsEqual(outcome.findings), "findings differ when scanned with \(level)")
        }
        return outcome
    }

    /// Every table and every record under `samples` comes out the same, whatever instructions it is read with.
    @Test func samplesReadTheSameAtEveryLevelOfScanning() throws {
        let samples = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../samples").standardized.path
        var compared = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: samples).sorted() {
            guard let ending = ["csv", "json", "ndjson"].first(where: { name.hasSuffix("." + $0) }) else { continue }
            let job = """
                daybook: 1
                rejects: { path: rejects.ndjson, allow: 100% }
                stages:
                  - import_\(ending == "csv" ? "csv" : "json"): { path: "\(samples)/\(name)" }
                  - export_json: { path: out.json }
                """
            let outputs = ["out.json", "rejects.ndjson"]
            let found = try ScanLevel.all.map { level in
                try level.scanning { try run(job, outputs, threads: 1, morsel: 999) }
            }
            for (bytes, outcome) in found {
                #expect(bytes == found[0].0, "\(name)")
                #expect(outcome.findings.elementsEqual(found[0].1.findings), "\(name)")
            }
            if found[0].1.errors.isEmpty { compared += 1 }
        }
        #expect(compared > 15, "\(compared) samples were read")
    }

    @Test(arguments: TestSize.seeds(2, of: 5))
    func messyTablesGiveTheSameBytes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        scratch.write("in.csv", MessyTable.text(rows: 700, &random))
        let outcome = try expectSameBytes(
            """
            daybook: 1
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { path: in.csv, columns: { count: integer } }
              - normalise_dates: { column: date, formats: [iso, "yyyy/MM/dd"] }
              - validate_hex_colours: { column: colour, case: upper }
                id: clean
              - export_csv: { path: clean.csv }
              - summarise_monthly_emotions: { count: count }
              - export_json: { path: months.json }
              - sort_rows: { by: [{ column: count, order: descending }, id], memory_mebibytes: 1 }
                from: clean
              - export_csv: { path: sorted.csv }
              - select_columns: { columns: [code, line, original] }
                from: clean.rejects
              - export_csv: { path: bad-colours.csv }
            """,
            ["clean.csv", "months.json", "sorted.csv", "bad-colours.csv", "rejects.ndjson"]
        )
        #expect(outcome.ledger[0].rejected > 20, "the table is messy")
        #expect(outcome.ledger[2].rowsOut > 200, "and not only messy")
    }

    @Test(arguments: ["lines", "array"])
    func jsonGivesTheSameBytes(layout: String) throws {
        var random = SeededGenerator(seed: 11)
        let records = (0..<500).map { id in
            let note = ["plain", "say \\\"hi\\\"", "two\\nlines", "행복 \\ud83d\\ude00"].randomElement(using: &random)!
            let temperature = Int.random(in: -99...399, using: &random)
            return #"{"id": \#(id), "note": "\#(note)", "main": {"temp": \#(temperature).5}, "tags": ["a", \#(id)]}"#
        }
        let text = layout == "lines" ? records.joined(separator: "\n") : "[\n" + records.joined(separator: ",\n") + "]"
        scratch.write("in.json", text)
        let outcome = try expectSameBytes(
            """
            daybook: 1
            stages:
              - import_json: { path: in.json }
              - export_json: { path: out.json }
              - export_csv: { path: out.csv }
            """,
            ["out.json", "out.csv"]
        )
        #expect(outcome.ledger[0].rowsOut == 500)
    }

    /// All on one line, of which a morsel has only a part.
    @Test func recordsOnOneLineAreToldAtTheirBraces() throws {
        let records = (0..<300).map { #"{"id": \#($0), "note": "행복", "colour": "\#($0 % 7 == 3 ? "빨강" : "#EC007F")"}"# }
        let opening = #"{"누구": "민아", "all": ["#
        let text = opening + records.joined(separator: ",  ") + "]}"
        scratch.write("in.json", text)
        let outcome = try expectSameBytes(
            """
            daybook: 1
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_json: { path: in.json, records: /all }
              - format_text: { templates: { made: "{colour}" } }
              - validate_hex_colours: { column: made }
              - export_csv: { path: out.csv }
            """,
            ["out.csv", "rejects.ndjson"]
        )
        var columns = [opening.unicodeScalars.count + 1]
        for (index, record) in records.enumerated() { columns.append(columns[index] + record.unicodeScalars.count + 3) }
        let bad = stride(from: 3, to: 300, by: 7)
        #expect(outcome.findings.map(\.line) == bad.map { _ in 1 })
        #expect(outcome.findings.map(\.column) == bad.map { columns[$0] })
        #expect(outcome.findings.map(\.pointer) == bad.map { "/all/\($0)" })
    }

    @Test func aFailedGateWritesItsRejectsAndNothingElse() throws {
        scratch.write("in.csv", "id,colour\n1,#EC007F\n2,red\n")
        scratch.write("out.csv", "old")
        let job = """
            daybook: 1
            rejects: { path: rejects.ndjson }
            stages:
              - import_csv: { path: in.csv }
              - validate_hex_colours: {}
              - export_csv: { path: out.csv }
            """
        let plan = try Plan(
            JobParser { _ in nil }.job(Array(job.utf8), file: "job.yaml"),
            table: .builtIn,
            asOf: CalendarDay(number: 0)
        )
        let settings = RunSettings(threads: 1, directory: scratch.path, state: StateDirectory(scratch["state"]))
        let outcome = Runner(plan, settings).run()
        #expect(outcome.exitCode == 1)
        #expect(scratch.read("out.csv") == "old")
        #expect(
            scratch.read("rejects.ndjson") == """
                {"code":"not-a-hex-colour","message":"'red' is not a hex colour: expected # and 6 hex digits",\
                "stage":"validate_hex_colours","job_line":5,"source":"in.csv","line":3,"column":3,"byte":22,\
                "pointer":null,"field":"colour","value":"red","original":"2,red"}

                """
        )
    }

    @Test func aSecretIsReadNowhere() throws {
        scratch.write("in.csv", "id,colour\n1,hunter2\n")
        let job = """
            daybook: 1
            params: { token: { default: hunter2, secret: true } }
            rejects: { path: rejects.ndjson, allow: 1 }
            stages:
              - import_csv: { path: in.csv }
              - validate_hex_colours: {}
            """
        let (bytes, outcome) = try run(job, ["rejects.ndjson"], threads: 1, morsel: 100)
        #expect(bytes[0]?.contains("hunter2") == false)
        #expect(bytes[0]?.contains(SecretMask.mark) == true)
        #expect(!"\(outcome.findings)".contains("hunter2"))
    }

    @Test("a quote that swallows more than is read at a time costs its line, however the text is cut")
    func aQuoteThatSwallowsMuch() throws {
        let rows = (1...12_000).map { "\($0),2026-03-\(10 + $0 % 20),plain,\($0 * 3)\n" }
        let few = rows.prefix(50).joined()
        let text =
            "id,date,note,count\n" + few + "51,2026-03-11,\"open,1\n" + rows.joined() + "9,2026-03-12,x\",5\n" + few
            + "8,2026-03-12,\"never closed,5\n" + few + String(repeating: "x\n", count: Morsel.mostRecords + 5_000)
        #expect(rows.joined().utf8.count > CSVCutter.longRecord)
        scratch.write("in.csv", text)
        let job = """
            daybook: 1
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { path: in.csv }
              - export_csv: { path: out.csv }
            """
        let outcome = try expectSameBytes(job, ["out.csv", "rejects.ndjson"])
        let found = outcome.findings.map { "\($0.code) \($0.line ?? 0):\($0.column ?? 0)" }
        #expect(
            Set(found).isSuperset(of: [
                "unclosed-quote 52:15", "stray-quote 12053:15", "unclosed-quote 12104:14", "ragged-row 12155:1",
            ])
        )
        #expect(outcome.ledger.first?.rowsIn == 12_000 + 3 * 50 + 3 + Morsel.mostRecords + 5_000)
        #expect(outcome.ledger.first?.rowsOut == 12_000 + 3 * 50)
    }
}

/// Tables with everything that goes wrong in them.
enum MessyTable {
    static func text(rows: Int, _ random: inout SeededGenerator) -> String {
        let ends = ["\n", "\r\n"]
        let end = ends.randomElement(using: &random)!
        var text = "id,date,emotion,count,colour,note" + end
        for id in 0..<rows {
            let date = [
                "2026-03-\(Int.random(in: 10...31, using: &random))",
                "2026/04/\(Int.random(in: 10...31, using: &random))",
                "", "soon",
            ][Int.random(in: 0..<20, using: &random) < 18 ? id % 2 : 2 + id % 2]
            let emotion = ["행복해", "우울해", "심심해", "기뻐"][Int.random(in: 0..<20, using: &random) % 4]
            let count = ["1", "12", "-3", "", "many"][min(4, Int.random(in: 0..<40, using: &random) / 8)]
            let colour = Int.random(in: 0..<9, using: &random) == 0 ? "red" : "#ec007f"
            let note = [
                "plain", "\"one, two\"", "\"said \"\"so\"\"\"", "\"two\(end)lines\"", "\"\"", "", "6\" tall", "\"open",
                "\"junk\"x", "a,b",
            ][Int.random(in: 0..<30, using: &random) < 24 ? id % 6 : 6 + id % 4]
            text += "\(id),\(date),\(emotion),\(count),\(colour),\(note)"
            // A lone carriage return is out of place; the end of the file ends a record.
            text += Int.random(in: 0..<50, using: &random) == 0 ? "\r" : id == rows - 1 ? "" : end
            if Int.random(in: 0..<60, using: &random) == 0 { text += end }
        }
        return text
    }
}

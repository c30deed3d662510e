import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// Runs of `check_rows` on invented tables: neither threads nor morsels nor what goes to disk may show.
@Suite struct RuleRunTests {
    private let scratch = Scratch()

    /// Rows with a name and a colour each, in which a few hundred ids stand twice.
    private func table(_ rows: Int, _ random: inout SeededGenerator) -> String {
        var text = "id,name,count,colour\n"
        var id = 0
        for _ in 0..<rows {
            let isRepeat = id > 10 && Int.random(in: 0..<20, using: &random) == 0
            id += isRepeat ? 0 : 1
            let shown = isRepeat ? Int.random(in: 1..<id, using: &random) : id
            let name = Int.random(in: 0..<9, using: &random) == 0 ? "" : "\"name \(shown),\n\(id % 7)\""
            let count = Int.random(in: 0..<15, using: &random) == 0 ? "n/a" : String(shown % 50)
            text += "\(shown),\(name),\(count),\(id % 11 == 0 ? "pink" : "#EC007F")\n"
        }
        return text
    }

    private static let job = """
        daybook: 1
        rejects: { path: rejects.ndjson }
        stages:
          - import_csv: { path: in.csv, columns: { id: integer } }
          - check_rows:
              rules:
                - unique: id
                  then: reject
                  fail: "> 50%"
                - not_missing: name
                  then: reject
                  fail: "> 50%"
                - increasing: { column: id, strictly: true }
                  then: reject
                  fail: "> 50%"
                - consistent_kind: { column: count, share: 80% }
                - hex_colour: colour
                  where: "id > 100"
                - sum: { column: id, max: 10 }
          - export_csv: { path: out.csv }
        """

    @Test func rowsOfFilesKeepTheirPlacesBesideRowsThatStagesMade() throws {
        scratch.write("in.csv", "value\na\nodd\na\nodd\nb\nb\n")
        let text = """
            daybook: 1
            rejects: { allow: 100% }
            stages:
              - import_csv: { path: in.csv }
              - check_rows: { rules: [{ in_set: { column: value, values: [a, b] }, warn: "> 0", then: reject }] }
                id: first
              - select_columns: { columns: value }
                from: first.rejects
                id: refused
              - union_rows: {}
                from: [first, refused]
              - check_rows: { rules: [{ unique: value, warn: "> 0", then: reject }] }
                id: second
              - select_columns: { columns: [line, value] }
                from: second.rejects
              - export_csv: { path: out.csv }
            """
        let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(threads: 2, directory: scratch.path, state: StateDirectory(scratch["state"]))
        let outcome = Runner(plan, settings).run()
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        // A row of rejects has no line, and one of texts no value beside it.
        #expect(scratch.read("out.csv") == "line,value\n4,a\n7,b\n,\n")
    }

    /// What stands in the file with quotes and escapes is told as the text for which it stands, as other rules do.
    @Test(arguments: [
        ("in.csv", "import_csv", #"id,note\n1,"a""b"\n2,"a""b"\n3,x\n4,"x"\n5,"two\nlines"\n6,"two\nlines"\n"#),
        (
            "in.json", "import_json",
            #"[{"note":"a\"b"},{"note":"a\u0022b"},{"note":"x"},{"note":"\u0078"},{"note":"two\nlines"},{"note":"two\nlines"}]"#
        ),
    ])
    func lateValuesAreTexts(file: String, importer: String, text: String) throws {
        scratch.write(file, importer == "import_csv" ? text.replacingOccurrences(of: "\\n", with: "\n") : text)
        let text = """
            daybook: 1
            rejects: { allow: 100% }
            stages:
              - \(importer): { path: \(file) }
              - check_rows: { rules: [{ unique: note, warn: "> 0", then: reject }] }
                id: gate
              - select_columns: { columns: value }
                from: gate.rejects
              - export_json: { path: out.json }
            """
        let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(threads: 2, directory: scratch.path, state: StateDirectory(scratch["state"]))
        let outcome = Runner(plan, settings).run()
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        let rows = try JSONDecoder().decode([[String: String]].self, from: Data((scratch.read("out.json") ?? "").utf8))
        #expect(rows.map { $0["value"] } == ["a\"b", "x", "two\nlines"])
    }

    /// The newest date stands in the first of many parts, and the others hold figures of their own.
    @Test func figuresOfTheTableAreThoseOfAllItsParts() throws {
        scratch.write("in.csv", "date\n2026-11-20\n" + String(repeating: "2026-01-01\n", count: 99))
        let text = """
            daybook: 1
            stages:
              - import_csv: { path: in.csv, columns: { date: day } }
              - check_rows:
                  rules:
                    - freshness: { column: date, within: 2 days }
                    - row_count: { min: 100, max: 100 }
                    - share: { of: "date < to_day('2026-11-20')", min: 99%, max: 99% }
            """
        let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(
            threads: 2,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: 64
        )
        let outcome = Runner(plan, settings).run()
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.rules.map(\.judgement) == [nil, nil, nil])
    }

    /// More rows than are told in one go, and more than one block of what a rule remembers of them.
    @Test func everyRowMayFallBack() throws {
        let rows = 20_000
        scratch.write("in.csv", "id\n" + (0..<rows).map { "\(rows - $0)\n" }.joined())
        let text = """
            daybook: 1
            rejects: { path: rejects.ndjson }
            stages:
              - import_csv: { path: in.csv, columns: { id: integer } }
              - check_rows: { rules: [{ increasing: id, warn: "> 0", then: reject }] }
            """
        let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(
            threads: 2,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: 4_000
        )
        let outcome = Runner(plan, settings).run()
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.ledger[1].rejected == rows - 1)
        let lines = (scratch.read("rejects.ndjson") ?? "").split(separator: "\n")
        #expect(lines.count == rows - 1)
        #expect(lines.last?.contains("\"line\":20001,") == true)
    }

    /// Against a plain reckoning, for each group across batches, threads and what is on disk.
    @Test(arguments: [(1, 1 << 20, 1 << 20), (2, 300, 1 << 20), (3, 700, 64)])
    func ordersAndDependenciesOfGroups(_ threads: Int, _ morsel: Int, _ held: Int) throws {
        var random = SeededGenerator(seed: 7)
        var (text, rows) = ("code,n,name\n", [(code: Int?, n: Int?, name: String?)]())
        for row in 0..<3_000 {
            let code = Int.random(in: 0..<9, using: &random)
            let back = Int.random(in: 0..<20, using: &random) == 0 ? 60 : 0
            let n = Int.random(in: 0..<40, using: &random) == 0 ? nil : row - back
            let dice = Int.random(in: 0..<60, using: &random)
            let name = dice == 0 ? nil : dice < 6 ? "nom \(code)" : "name \(code)"
            rows.append((code == 8 ? nil : code, n, name))
            text += "\(code == 8 ? "" : "\(code)"),\(n.map(String.init) ?? ""),\(name ?? "")\n"
        }
        scratch.write("in.csv", text)
        var (last, falling) = ([Int: Int](), [Int]())
        var counts: [Int: [String: Int]] = [:]
        for (row, (code, n, name)) in rows.enumerated() {
            guard let code else { continue }
            if let name { counts[code, default: [:]][name, default: 0] += 1 }
            guard let n else { continue }
            if let before = last[code], n < before { falling.append(row + 2) }
            last[code] = n
        }
        let odd = rows.enumerated().compactMap { row, one -> Int? in
            guard let code = one.code, let name = one.name, let all = counts[code] else { return nil }
            return all[name] == all.values.max() ? nil : row + 2
        }
        #expect(falling.count > 100 && odd.count > 100)
        for (rule, expected) in [
            ("increasing: { column: n, by: code }", falling), ("depends_on: { column: name, by: code }", odd),
        ] {
            let job = """
                daybook: 1
                rejects: { path: rejects.ndjson }
                stages:
                  - import_csv: { path: in.csv, columns: { code: integer, n: integer } }
                  - check_rows: { rules: [{ \(rule), warn: "> 0", then: reject }] }
                """
            let plan = try Plan(
                try JobParser { _ in nil }.job(Array(job.utf8), file: "job.yaml"),
                table: .builtIn,
                asOf: CalendarDay(iso: "2026-11-21")!
            )
            var settings = RunSettings(
                threads: threads,
                directory: scratch.path,
                state: StateDirectory(scratch["state"]),
                morselSize: morsel
            )
            settings.heldBytes = held
            let outcome = Runner(plan, settings).run()
            #expect(outcome.errors.isEmpty, "\(outcome.errors)")
            let lines = (scratch.read("rejects.ndjson") ?? "").split(separator: "\n")
            let found = lines.compactMap { $0.firstMatch(of: /"line":(\d+)/).flatMap { Int($0.1) } }
            #expect(found.sorted() == expected, "\(rule)")
        }
    }

    private func run(threads: Int, morsel: Int, held: Int?) throws -> ([String?], RunOutcome) {
        let job = try JobParser { _ in nil }.job(Array(Self.job.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        var settings = RunSettings(
            threads: threads,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: morsel,
            maxFindings: 40
        )
        if let held { (settings.heldBytes, settings.foldBytes) = (held, held / 8) }
        scratch.remove("out.csv")
        scratch.remove("rejects.ndjson")
        let outcome = Runner(plan, settings).run()
        return (["out.csv", "rejects.ndjson"].map { scratch.read($0) }, outcome)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func rulesTellTheSameInEveryWay(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        scratch.write("in.csv", table(4_000, &random))
        let (first, outcome) = try run(threads: 1, morsel: 1 << 20, held: nil)
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.rules.map(\.verdict) == [.passed, .passed, .passed, .failed, .failed, .failed])
        #expect(outcome.rules.dropLast().allSatisfy { $0.failing > 0 })
        let line = outcome.ledger[1]
        #expect(line.unaccounted == 0 && line.rejected > 300)
        #expect(first[1]?.split(separator: "\n").count == line.rejected)
        // Rows that several rules reject are told for each, and rejected once.
        #expect(outcome.rules.prefix(3).reduce(0) { $0 + $1.failing } > line.rejected)
        for (threads, morsel, held) in [(2, 777, nil), (7, 4096, 20_000), (1, 300, 1), (3, 50_000, 1 << 16)]
            as [(Int, Int, Int?)]
        {
            let (bytes, other) = try run(threads: threads, morsel: morsel, held: held)
            #expect(bytes == first, "\(threads) threads, morsels of \(morsel), \(held ?? 0) bytes held")
            #expect(other.findings == outcome.findings)
            #expect(other.rules.map(\.message) == outcome.rules.map(\.message))
            #expect(other.ledger.map(\.rejected) == outcome.ledger.map(\.rejected))
        }
    }
}

import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// Every line of a reject file, held against the bytes of the source: by hand, and not by the code that found the places.
@Suite struct RejectPlaceTests {
    private let scratch = Scratch()

    /// Rows that break rules at once or at the end, with cells over several lines, wide characters and characters to escape.
    private func table(_ rows: Int, lineEnd: String, _ random: inout SeededGenerator) -> String {
        let notes = ["", "한 줄", "\"두\(lineEnd)줄\"", "\"a \"\"b\"\" \\ c\"", "tab\there", "é"]
        var text = "note,id,colour\(lineEnd)"
        for row in 0..<rows {
            let id = Int.random(in: 0..<3, using: &random) == 0 ? row / 2 : row
            let colour = ["#EC007F", "분홍", "\"p,i\"\"nk\""].randomElement(using: &random)!
            text += "\(notes.randomElement(using: &random)!),\(id),\(colour)\(lineEnd)"
        }
        return text
    }

    private func rejects(_ stages: String, threads: Int) throws -> [[String: Any]] {
        let job = """
            daybook: 1
            rejects: { path: rejects.ndjson }
            stages:
              - import_csv: { path: in.csv, columns: { id: integer } }
            \(stages)
              - check_rows:
                  rules:
                    - { unique: id, then: reject }
                    - { hex_colour: colour, then: reject, where: "id % 5 = 0" }
            """
        scratch.remove("rejects.ndjson")
        let parsed = try JobParser { _ in nil }.job(Array(job.utf8), file: "job.yaml")
        let plan = try Plan(parsed, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(
            threads: threads,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: 50_000
        )
        let outcome = Runner(plan, settings).run()
        #expect(outcome.errors.isEmpty && outcome.ledger.allSatisfy { $0.unaccounted == 0 }, "\(outcome.errors)")
        return try (scratch.read("rejects.ndjson") ?? "").split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test(arguments: TestSize.most(of: ["\r\n", "\n", "\r"]), ["", "  - sort_rows: { by: note }"])
    func everyRejectStandsWhereItSays(lineEnd: String, between: String) throws {
        var random = SeededGenerator(seed: 5)
        let text = table(15_000, lineEnd: lineEnd, &random)
        scratch.write("in.csv", text)
        let bytes = Array(text.utf8)
        // The line and the column of every byte, counted one by one.
        var places: [(line: Int, column: Int)] = []
        var (line, column) = (1, 1)
        for (index, byte) in bytes.enumerated() {
            places.append((line, column))
            if byte == 10 || (byte == 13 && (index + 1 == bytes.count || bytes[index + 1] != 10)) {
                (line, column) = (line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        let found = try rejects(between, threads: 3)
        #expect(Set(found.map { $0["code"] as? String ?? "" }) == ["duplicate-key", "not-a-hex-colour"])
        #expect(found.count > 5_000)
        var wrong: [String] = []
        for reject in found {
            let at = try #require(reject["byte"] as? Int)
            let original = Array(try #require(reject["original"] as? String).utf8)
            let value = try #require(reject["value"] as? String)
            let isKey = reject["field"] as? String == "id"
            // A value begins where the finding points, behind the quote of a quoted cell.
            let cell =
                isKey ? value : bytes[at] == 34 ? "\"" + value.replacingOccurrences(of: "\"", with: "\"\"") : value
            let isRight =
                bytes[at...].starts(with: cell.utf8)
                && places[at] == (reject["line"] as? Int ?? 0, reject["column"] as? Int ?? 0)
                && (max(0, at - 100)...at).contains { start in
                    start + original.count > at && bytes[start...].starts(with: original)
                }
            if !isRight { wrong.append("\(reject)") }
        }
        #expect(wrong.isEmpty, "\(wrong.count) of \(found.count): \(wrong.first ?? "")")
        #expect(try rejects(between, threads: 1) as NSArray == found as NSArray)
    }
}

import DaybookStandard
import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// Lookups that are larger than the memory they may take.
@Suite struct LargeLookupTests {
    private let scratch = Scratch()

    private static let kinds = ["inner", "left", "right", "full", "semi", "anti"]

    /// About 4 MiB of visits, up to three of each person, some of nobody.
    private static func visits(_ random: inout SeededGenerator) -> String {
        var text = "person,day,note\n"
        for visit in 0..<40_000 {
            let person = visit % 97 == 0 ? "" : "p\(Int.random(in: 0..<20_000, using: &random))"
            let note = String(repeating: "가나", count: Int.random(in: 1...12, using: &random))
            text += "\(person),2026-03-\(10 + visit % 20),\(note) \(visit)\n"
        }
        return text
    }

    private func run(_ kind: String, mebibytes: Int, threads: Int) throws -> (String?, [LedgerLine]) {
        let takes = kind != "semi" && kind != "anti"
        let unmatched = kind == "inner" || kind == "right" ? ", unmatched: drop" : ""
        let text = """
            daybook: 1
            stages:
              - import_csv: { path: people.csv }
                id: people
              - import_csv: { path: visits.csv, columns: { day: day } }
                id: visits
              - join_rows: { by: { id: person }, kind: \(kind), memory_mebibytes: \(mebibytes)\(unmatched)\(takes ? ", duplicates: all" : "") }
                from: [people, visits]
              - export_csv: { path: out.csv }
            """
        let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(
            threads: threads,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: 20_000
        )
        scratch.remove("out.csv")
        let outcome = Runner(plan, settings).run()
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.ledger.allSatisfy { $0.unaccounted == 0 })
        return (scratch.read("out.csv"), outcome.ledger)
    }

    @Test("a lookup on disk gives the bytes and the ledger of one in memory", arguments: kinds)
    func sameOnDisk(kind: String) throws {
        var random = SeededGenerator(seed: 7)
        scratch.write("visits.csv", Self.visits(&random))
        let people = (0..<9_000).map { "p\($0 * 3 % 30_000),\($0)\n" }.joined()
        scratch.write("people.csv", "id,number\n" + people + ",9000\n")
        let (expected, ledger) = try run(kind, mebibytes: 256, threads: 1)
        let lines = try #require(expected).split(separator: "\n")
        #expect(lines.count > 1_000)
        for threads in TestSize.most(of: [7, 1, 2]) {
            let (bytes, other) = try run(kind, mebibytes: 1, threads: threads)
            #expect(bytes == expected, "\(threads) threads")
            #expect(other.map(\.rowsOut) == ledger.map(\.rowsOut))
            #expect(other.map(\.added) == ledger.map(\.added))
        }
    }

    @Test("two rows with one key are told with their lines, wherever they are")
    func repeatsOnDisk() throws {
        scratch.write("people.csv", "id\n1\n")
        let rows = (0..<50_000).map { "\($0),\(String(repeating: "x", count: 30))\n" }
        scratch.write("visits.csv", "id,note\n" + rows.joined() + "49999,again\n17,again\n")
        for mebibytes in [1, 256] {
            let text = """
                daybook: 1
                stages:
                  - import_csv: { path: people.csv }
                    id: people
                  - import_csv: { path: visits.csv }
                    id: visits
                  - join_rows: { by: id, memory_mebibytes: \(mebibytes) }
                    from: [people, visits]
                  - export_csv: { path: out.csv }
                """
            let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
            let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
            let settings = RunSettings(threads: 2, directory: scratch.path, state: StateDirectory(scratch["state"]))
            let outcome = Runner(plan, settings).run()
            let messages = outcome.errors.map(\.message)
            let expected = "two rows of 'visits' have the key '49999', in lines 50001 and 50002 of visits.csv"
            #expect(messages == [expected], "\(mebibytes) MiB")
        }
    }
}

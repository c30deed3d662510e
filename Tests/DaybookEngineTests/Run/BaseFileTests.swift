import DaybookStandard
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What an output starts from is not written over when somebody else is at it.
@Suite struct BaseFileTests {
    let scratch = Scratch()

    private func run(_ stages: String, table: StageTable = .builtIn) throws -> RunOutcome {
        scratch.write("rows.csv", "id\n1\n2\n")
        let text = "daybook: 1\njob: base\nstages:\n  - import_csv: { path: rows.csv }\n\(stages)\n"
        let reading = JobParser(stageNames: table.names, environment: { _ in nil }).read(
            Array(text.utf8),
            file: "base.yaml"
        )
        #expect(reading.problems.isEmpty)
        let asOf = try #require(CalendarDay(iso: "2026-11-21"))
        let plan = try Plan(try #require(reading.job), table: table, asOf: asOf)
        let settings = RunSettings(threads: 1, directory: scratch.path, state: StateDirectory(scratch["state"]))
        return Runner(plan, settings).run()
    }

    @Test("what another program writes into the base while the run goes on is not lost")
    func changedMeanwhile() throws {
        scratch.write("dump.json", #"{"kept":1}"#)
        let outcome = try run(
            """
              - write_meanwhile: { path: \(scratch["dump.json"]) }
              - export_user_defaults: { path: dump.json, into: dump.json, key: rows }
            """,
            table: StageTable(StageTable.builtIn.stages + [WriteMeanwhile.self])
        )
        #expect(outcome.errors.map(\.code) == ["input-changed"])
        #expect(outcome.exitCode == 3)
        #expect(scratch.read("dump.json") == #"{"kept":1,"saved":2}"#)
    }

    @Test(
        "what another run makes meanwhile is not lost either",
        arguments: [
            "export_csv: { path: all.csv, append: true }",
            "export_json: { path: all.csv, layout: lines, append: true }",
            "export_sqlite: { path: all.csv, table: rows }",
        ]
    )
    func madeMeanwhile(_ export: String) throws {
        let outcome = try run(
            "  - write_meanwhile: { path: \(scratch["all.csv"]) }\n  - \(export)",
            table: StageTable(StageTable.builtIn.stages + [WriteMeanwhile.self])
        )
        #expect(
            outcome.errors.map(\.message) == [
                "'all.csv' was made while the run went on, and what changed would be lost"
            ]
        )
        #expect(outcome.exitCode == 3)
        #expect(scratch.read("all.csv") == #"{"kept":1,"saved":2}"#)
    }

    @Test("an output starts from no output of another stage, by whatever path")
    func baseIsOutput() throws {
        scratch.write("step1.json", "{}")
        symlink("step1.json", scratch["link.json"])
        let outcome = try run(
            """
              - export_user_defaults: { path: step1.json, into: step1.json, key: a }
              - export_user_defaults: { path: step2.json, into: link.json, key: b }
            """
        )
        #expect(outcome.errors.map(\.code) == ["base-is-output"])
        #expect(scratch.read("step1.json") == "{}" && scratch.read("step2.json") == nil)
    }

    @Test("a database that an app has open with an empty log is left alone", arguments: ["-wal", "-shm"])
    func openWithLog(_ ending: String) throws {
        let made = try run("  - export_sqlite: { path: rows.sqlite, table: rows }")
        #expect(made.errors.isEmpty)
        let before = try Data(contentsOf: URL(fileURLWithPath: scratch["rows.sqlite"]))
        scratch.write("rows.sqlite\(ending)", "")
        let outcome = try run("  - export_sqlite: { path: rows.sqlite, table: rows }")
        #expect(outcome.errors.map(\.code) == ["database-in-use"])
        #expect(outcome.exitCode == 3)
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch["rows.sqlite"])) == before)
    }

    @Test("a name cannot end the statement that it stands in, whatever follows its quote")
    func namesStayNames() throws {
        let made = try run("  - export_sqlite: { path: rows.sqlite, table: keep }")
        #expect(made.errors.isEmpty)
        let name = "a\"\u{301} TEXT); DROP TABLE keep; --"
        let quoted = name.replacingScalars("\"", with: "\"\"")
        scratch.write("hostile.csv", "\"\(quoted)\"\n")
        let outcome = try run(
            "  - import_csv: { path: hostile.csv }\n  - export_sqlite: { path: rows.sqlite, table: hostile }"
        )
        #expect(outcome.errors.isEmpty)
        let kept = try run(
            "  - import_sqlite: { path: rows.sqlite, table: keep }\n  - export_csv: { path: kept.csv }"
        )
        #expect(kept.errors.isEmpty)
        #expect(scratch.read("kept.csv") == "id\n1\n2\n")
        let columns = try run(
            "  - import_sqlite: { path: rows.sqlite, table: hostile }\n  - export_csv: { path: names.csv }"
        )
        #expect(columns.errors.isEmpty)
        #expect(scratch.read("names.csv").map { Array($0.utf8) } == Array("\"\(quoted)\"\n".utf8))
    }
}

/// Writes into a file, as another program does while a run goes on.
struct WriteMeanwhile: TransformStage {
    let path: String

    init(reading options: inout OptionReader) { path = options.read("path", help: "The file to write into.") }

    static let description = StageDescription(name: "write_meanwhile", summary: "Write meanwhile.", examples: [])

    func schema(after input: Schema) throws(DaybookError) -> Schema { input }
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        try? #"{"kept":1,"saved":2}"#.write(toFile: path, atomically: true, encoding: .utf8)
        return batch
    }
}

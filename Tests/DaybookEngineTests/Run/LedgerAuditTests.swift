import DaybookStandard
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// A stage that loses a row makes the run fail, whatever its role, and nothing is written.
@Suite struct LedgerAuditTests {
    let scratch = Scratch()

    static let table = StageTable(
        StageTable.builtIn.stages + [
            LoseRecord.self, LoseRow.self, RepeatRow.self, LoseFoldedRow.self, LoseSortedRow.self, LoseWrittenRow.self,
            TradeRows.self, MakeTwins.self, LoseMadeRow.self, ForgetParent.self, DropAtTheEnd.self,
        ]
    )

    /// Four entries, of which one has a colour that is none, so that a row is lost beside one that is rejected.
    static let diary = """
        date,emotion,colour
        2026-11-18,행복해,#EC007F
        2026-11-19,우울해,pink
        2026-11-20,행복해,#FFD54F
        2026-11-21,심심해,#81C784

        """

    /// Every stage once, so that each can be swapped for its faulty double.
    static let job = """
        daybook: 1
        job: book
        rejects: { path: out/rejects.ndjson, allow: 1 }
        stages:
          - import_csv: { path: diary.csv, columns: { date: day } }
          - validate_hex_colours: {}
            id: colours
          - sort_rows: { by: [date] }
          - export_csv: { path: out/rows.csv }
          - summarise_monthly_emotions: {}
            from: colours
          - export_csv: { path: out/months.csv }

        """

    private func plan(_ text: String) throws -> Plan {
        let reading = JobParser(stageNames: Self.table.names, environment: { _ in nil }).read(
            Array(text.utf8),
            file: "book.yaml"
        )
        #expect(reading.problems.isEmpty)
        let asOf = try #require(CalendarDay(iso: "2026-11-21"))
        return try Plan(try #require(reading.job), table: Self.table, asOf: asOf)
    }

    private func run(_ text: String, of diary: String = diary, threads: Int = 2) throws -> RunOutcome {
        scratch.write("diary.csv", diary)
        return Runner(
            try plan(text),
            RunSettings(
                threads: threads,
                directory: scratch.path,
                state: StateDirectory(scratch["state"]),
                morselSize: 64
            )
        ).run()
    }

    @Test("with stages that lose nothing the ledger balances")
    func honest() throws {
        let outcome = try run(Self.job)
        #expect(outcome.exitCode == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.ledger.allSatisfy { $0.unaccounted == 0 })
        #expect(scratch.everything(under: "out") == ["out/months.csv", "out/rejects.ndjson", "out/rows.csv"])
    }

    @Test("a row that is lost between two stages is missed")
    func between() throws {
        var ledger = try run(Self.job).ledger
        let stages = try plan(Self.job).stages
        try LedgerAudit.check(ledger, stages)
        ledger[2].rowsIn -= 1
        ledger[2].rowsOut -= 1
        #expect(throws: DaybookError.self) { try LedgerAudit.check(ledger, stages) }
    }

    @Test("rows that became others are folded, and these are made")
    func madeRows() throws {
        let outcome = try run(Self.job.swapping("validate_hex_colours: {}", for: "make_twins"))
        #expect(outcome.errors.isEmpty)
        let line = try #require(outcome.ledger.first { $0.id == "colours" })
        #expect([line.rowsIn, line.folded, line.made, line.rowsOut] == [4, 4, 8, 8])
        #expect(scratch.read("out/rows.csv")?.split(separator: "\n").count == 9)
    }

    @Test("a fold that gives its rows back drops some in the end and tells the places of others")
    func findingsAtTheEnd() throws {
        let outcome = try run(Self.job.swapping("sort_rows: { by: [date] }", for: "drop_at_the_end"))
        #expect(outcome.errors.isEmpty)
        let line = try #require(outcome.ledger.first { $0.id == "drop_at_the_end" })
        #expect([line.rowsIn, line.rowsOut, line.rejected, line.folded, line.made] == [3, 2, 0, 0, 0])
        #expect(line.dropped == ["bored": 1])
        let late = outcome.findings.filter { $0.code == "seen-late" }
        #expect(late.map(\.line) == [2, 4])
        #expect(late.map(\.column) == [12, 12])
        #expect(late.map(\.value) == ["행복해", "행복해"])
    }

    @Test("a row lost in one batch is not made up for by one repeated in another")
    func traded() throws {
        // Morsels of three, three, three and six records: two lose a row and two repeat one.
        let records = (10..<25).map { "2026-11-\($0),x,#EC007F\n" }
        let job = Self.job.swapping("validate_hex_colours: {}", for: "trade_rows")
        let outcome = try run(job, of: "date,emotion,colour\n" + records.joined())
        #expect(outcome.ledger.first { $0.id == "colours" }.map { [$0.rowsIn, $0.rowsOut] } == [15, 15])
        #expect(outcome.exitCode == 3)
        #expect(outcome.errors.map(\.code) == ["unbalanced-book"])
        #expect(outcome.errors.first?.message.contains("'colours' lost rows of some batches") == true)
        #expect(scratch.everything(under: "out").isEmpty)
    }

    @Test(
        "a stage that loses rows, or makes them up, fails the run and nothing is written",
        arguments: [
            (
                "import_csv: { path: diary.csv, columns: { date: day } }", "lose_record",
                "stage 'lose_record' lost 1 row"
            ),
            ("validate_hex_colours: {}", "lose_row", "stage 'colours' lost 1 row"),
            ("validate_hex_colours: {}", "repeat_row", "stage 'colours' passed on 1 row that never came in"),
            ("validate_hex_colours: {}", "lose_made_row", "stage 'colours' lost 1 row"),
            ("validate_hex_colours: {}", "forget_parent", "stage 'colours' lost 1 row"),
            ("sort_rows: { by: [date] }", "lose_sorted_row", "stage 'lose_sorted_row' lost 1 row"),
            ("export_csv: { path: out/rows.csv }", "lose_written_row", "stage 'lose_written_row' lost 1 row"),
            ("summarise_monthly_emotions: {}", "lose_folded_row", "stage 'lose_folded_row' lost 1 row"),
        ],
        [1, 2]
    )
    func faulty(_ fault: (honest: String, faulty: String, message: String), threads: Int) throws {
        for name in ["rows.csv", "months.csv", "rejects.ndjson"] { scratch.write("out/\(name)", "yesterday's") }
        let outcome = try run(Self.job.swapping(fault.honest, for: fault.faulty), threads: threads)
        #expect(outcome.exitCode == 3)
        let error = try #require(outcome.errors.first)
        #expect(outcome.errors.count == 1)
        #expect(error.code == "unbalanced-book")
        #expect(error.message.hasPrefix("the ledger does not balance: " + fault.message), "\(error.message)")
        #expect(error.hint == "this is a fault of the stage, not of the data; nothing was written")
        #expect(outcome.outputs.isEmpty)
        #expect(scratch.everything(under: "out") == ["out/months.csv", "out/rejects.ndjson", "out/rows.csv"])
        for name in scratch.everything(under: "out") { #expect(scratch.read(name) == "yesterday's") }
        #expect(scratch.everything(under: "state/runs").isEmpty)
    }
}

extension String {
    /// The job with the stage `honest` under the name `faulty`, and its own options.
    fileprivate func swapping(_ honest: String, for faulty: String) -> String {
        let isPlain = ["repeat_row", "make_twins", "lose_made_row", "forget_parent"].contains(faulty)
        let options = isPlain ? ": {}" : honest.drop { $0 != ":" }
        return replacing(honest, with: faulty + options)
    }

    private func replacing(_ part: String, with other: String) -> String {
        guard let start = indices.first(where: { self[$0...].hasPrefix(part) }) else { return self }
        return self[..<start] + other + self[index(start, offsetBy: part.count)...]
    }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookDelimited
@testable import DaybookJSON
@testable import DaybookQuality
@testable import DaybookStages

/// What holds for every stage, whatever the rows: the size of batches, the order of columns, what stands under a gap
/// and where a file is cut must not show. Importers meet bytes that no one would write.
@Suite struct StagePropertyTests {
    @Test("invented rows come out the same in every disguise", arguments: StageExampleTests.cases)
    func inventedRows(_ shown: StageExampleTests.Case) {
        for seed in TestSize.seeds(4, of: 12) {
            var random = SeededGenerator(seed: seed)
            let failures = ExampleRunner.failures(
                of: shown.stage,
                withOptionsOf: shown.example,
                rows: 9,
                &random
            )
            for failure in failures.prefix(2) {
                Issue.record("seed \(seed)\n\(failure.description)")
            }
            if !failures.isEmpty { return }
        }
    }

    @Test("the place of a field in the source survives selecting and renaming")
    func places() throws {
        let rows = try BatchText.read("a:text,b:text\nx,y")
        var findings = Findings()
        let renamed = try ExampleRunner.make(RenameColumns.self, "names: { a: b, b: a }")
        let swapped = renamed.process(rows, reporting: &findings)
        #expect(swapped.schema.fields.map(\.source) == ["a", "b"])
        #expect(try renamed.schema(after: rows.schema) == swapped.schema)
        let selected = try ExampleRunner.make(SelectColumns.self, "columns: [a]")
        var field = Field("a", .text, source: "b")
        field.isRenamed = true
        #expect(selected.process(swapped, reporting: &findings).schema.fields == [field])
    }

    @Test("a stage of days says how an instant becomes one")
    func daysOfInstants() throws {
        let stage = try ExampleRunner.make(SplitDays.self, "days: at\nparts: { w: weekday }")
        let error = #expect(throws: DaybookError.self) { try stage.schema(after: Schema([Field("at", .instant)])) }
        #expect(error?.hint?.contains("day_of(at)") == true)
    }

    @Test("a colour column without changes keeps pointing into its buffer")
    func noCopy() throws {
        let stage = try ExampleRunner.make(ValidateHexColours.self, "case: upper")
        var findings = Findings()
        let right = try BatchText.read("colour:text\n#EC007F\nwrong")
        let kept = stage.process(right, reporting: &findings).text(in: ColumnName("colour"))
        #expect(kept.bytes === right.text(in: ColumnName("colour")).bytes)
        let lower = try BatchText.read("colour:text\n#ec007f")
        let copied = stage.process(lower, reporting: &findings).text(in: ColumnName("colour"))
        #expect(copied.bytes !== lower.text(in: ColumnName("colour")).bytes)
    }

    @Test("hex digits are exactly 0 to 9, A to F and a to f, at every place and length")
    func everyByte() throws {
        for count in [3, 4, 6, 8] {
            let stage = try ExampleRunner.make(ValidateHexColours.self, "digits: \(count)")
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    let bytes = Bytes()
                    bytes.append(UInt8(ascii: "#"))
                    for position in 0..<count { bytes.append(position == place ? byte : UInt8(ascii: "9")) }
                    let column = TextColumn(bytes, views: [TextView(offset: 0, length: bytes.count)])
                    let batch = Batch(Schema([Field("colour", .text)]), [.text(column)], count: 1, provenance: .made)
                    var findings = Findings()
                    _ = stage.process(batch, reporting: &findings)
                    let isDigit = Character(UnicodeScalar(byte)).isHexDigit && byte < 128
                    #expect(findings.rejectedRows.isEmpty == isDigit, "byte \(byte) at \(place) of \(count)")
                }
            }
        }
    }

    @Test("what is exported is imported again as it was", arguments: TestSize.seeds(8, of: 24))
    func exportThenImport(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let like = try BatchText.read("t:text,i:integer,f:flag,day:day,u:text\n행복해,1,true,2026-03-01,=1+1")
        let rows = try RandomRows.batch(like: like, count: 9, &random)
        let kinds = "columns: { t: text, i: integer, f: flag, day: day, u: text }"
        let csv = try Self.written(rows, by: try ExampleRunner.make(ExportCSV.self, "{ path: x, formulas: keep }"))
        let json = try Self.written(rows, by: try ExampleRunner.make(ExportJSON.self, "path: x"))
        for (stage, input) in [(ImportCSV.self, csv), (ImportJSON.self, json)] as [(any Stage.Type, String)] {
            let example = StageExample(
                "comes back",
                options: "path: x\n\(kinds)" + (stage is ImportCSV.Type ? "\nblank_rows: keep" : ""),
                input: input,
                output: BatchText.write(rows)
            )
            let failures = ExampleRunner.failures(of: stage, in: example)
            #expect(failures.isEmpty, "\(random): \(failures.first?.description ?? "")")
        }
    }

    private static func written(_ rows: Batch, by sink: some SinkOperator) throws -> String {
        let out = MemoryOutput()
        var findings = Findings()
        var writer = try sink.writer(in: SinkContext(rows.schema))
        try writer.begin(out)
        try writer.append(sink.piece(of: rows, from: 0, reporting: &findings), input: 0, to: out)
        try writer.finish(RunSummary(job: "test", asOf: ExampleRunner.context.asOf, ledger: []), out)
        #expect(findings.isEmpty)
        return out.text
    }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookJSON

/// What `export_json` writes, `import_json` reads back.
@Suite struct JSONRoundTripTests {
    static let schema = Schema([
        Field("id", .integer), Field("main.temp", .decimal), Field("note", .text), Field("done", .flag),
        Field("day", .day), Field("main.\"x\"", .text), Field("tags", .json),
    ])
    static let columns =
        "columns: { id: integer, main.temp: decimal, note: text, done: flag, day: day, 'main.\"x\"': text, tags: json }"

    static func batch(_ random: inout SeededGenerator, rows: Int) -> Batch {
        func text() -> String {
            let pool = [
                "", "a", "\"", "\\", "\n", "\u{1}", "\u{1F}", "\u{7F}", "감", "😀", "/", "a long run of plain text, ",
                "\t",
            ]
            if Int.random(in: 0..<12, using: &random) == 0 {
                return RandomRows.reservedWords.randomElement(using: &random)!
            }
            return (0..<Int.random(in: 0..<9, using: &random)).map { _ in pool.randomElement(using: &random)! }.joined()
        }
        func mask() -> Mask? {
            guard Bool.random(using: &random) else { return nil }
            var mask: Mask?
            for row in 0..<rows where Int.random(in: 0..<4, using: &random) == 0 { mask.insert(row, of: rows) }
            return mask
        }
        func texts(_ make: () -> String) -> TextColumn {
            let gaps = mask()
            var builder = TextColumnBuilder(rows: rows)
            for row in 0..<rows {
                if gaps.isMissing(row) { builder.appendMissing() } else { builder.append(make()) }
            }
            return builder.build()
        }
        func values<Element>(_ make: () -> Element) -> Values<Element> {
            Values((0..<rows).map { _ in make() }, missing: mask())
        }
        let columns: [Column] = [
            .integers(values { Int64(bitPattern: random.next() >> UInt64.random(in: 0..<64, using: &random)) }),
            .decimals(
                values {
                    let value = Double(bitPattern: random.next())
                    return value.isFinite ? value : -0.0
                }
            ),
            .text(texts(text)), .flags(values { Bool.random(using: &random) }),
            .days(values { Int32.random(in: -700_000...2_900_000, using: &random) }), .text(texts(text)),
            .json(texts { ["[1,2]", "{\"a\":null}", "\"x\"", "12345678901234567890"].randomElement(using: &random)! }),
        ]
        return Batch(schema, columns, count: rows, provenance: .made)
    }

    static func exported(_ batch: Batch, _ options: String) throws -> [UInt8] {
        let stage = try ExampleRunner.make(ExportJSON.self, "path: out.json\n" + options)
        _ = try stage.bind(StageInputs(batch.schema))
        let out = MemoryOutput()
        var writer = try stage.writer(in: SinkContext(batch.schema))
        try writer.begin(out)
        let half = batch.count / 2
        for part in [0..<half, half..<batch.count] {
            var findings = Findings()
            let piece = stage.piece(of: batch.keeping(part.map { Int32($0) }), from: 0, reporting: &findings)
            #expect(findings.isEmpty)
            try writer.append(piece, input: 0, to: out)
        }
        try writer.finish(RunSummary(job: "test", asOf: CalendarDay(number: 0), ledger: []), out)
        #expect(writer.writtenRows == batch.count)
        return Array(out.written.filled)
    }

    @Test(
        "export then import is identity",
        arguments: [
            "", "pretty: true", "nest: true", "layout: lines", "layout: lines\nnest: true", "pretty: true\nnest: true",
        ]
    )
    func identity(_ options: String) throws {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let batch = Self.batch(&random, rows: Int.random(in: 0..<60, using: &random))
            let bytes = try Self.exported(batch, options)
            #expect(batch.count == 0 || options.contains("lines") || JSONReference.accepts(bytes))
            let lines = options.contains("lines") ? "layout: lines\n" : "layout: document\n"
            let trial = JSONTrial(bytes, options: lines + Self.columns)
            let order = trial.schema.names.map { name in batch.column(ColumnName(name)) }
            let expected = (0..<batch.count).map { row in
                order.map { $0.displayText(row) ?? "∅" }.joined(separator: "|")
            }
            #expect(trial.error == nil && trial.rejects.isEmpty, "\(random)")
            #expect(Set(trial.schema.names) == Set(batch.schema.names), "\(random)")
            #expect(trial.rows == expected, "\(random)")
        }
    }

    @Test("a line never breaks, whatever JSON text its cells hold")
    func oneLine() throws {
        var builder = TextColumnBuilder(rows: 1)
        builder.append("[1,\r\n \"a\\n\"]")
        let batch = Batch(Schema([Field("a", .json)]), [.json(builder.build())], count: 1, provenance: .made)
        let bytes = try Self.exported(batch, "layout: lines")
        #expect(String(decoding: bytes, as: UTF8.self) == "{\"a\":[1, \"a\\n\"]}\n")
    }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages

/// What no example of `cast_columns` and `fill_missing` can say in a few rows.
@Suite struct CastColumnsTests {
    @Test("what was made text becomes the same number again", arguments: 1...20 as ClosedRange<UInt64>)
    func thereAndBack(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let like = try BatchText.read("i:integer,d:decimal,f:flag,t:day\n1,0.5,true,2026-03-01")
        let rows = try RandomRows.batch(like: like, count: 20, &random)
        let finite = rows.keeping(
            (0..<20).filter { rows.decimals(in: ColumnName("d"))[$0]?.isFinite ?? true }.map { Int32($0) }
        )
        let away = try ExampleRunner.make(CastColumns.self, "columns: { i: text, d: text, f: text, t: text }")
        let back = try ExampleRunner.make(CastColumns.self, "columns: { i: integer, d: decimal, f: flag, t: day }")
        var findings = Findings()
        let text = away.process(finite, reporting: &findings)
        #expect(text.schema.fields.allSatisfy { $0.kind == .text })
        let again = back.process(text, reporting: &findings)
        #expect(findings.isEmpty)
        #expect(BatchText.write(again) == BatchText.write(finite), "\(random)")
        let twice = back.process(again, reporting: &findings)
        #expect(BatchText.write(twice) == BatchText.write(again))
    }

    @Test(
        "marks between digits are told apart from other text",
        arguments: [
            ("1,234", "grouped-number"), ("-12,345,678", "grouped-number"), ("1 234", "grouped-number"),
            ("1.234.567", "grouped-number"), ("1,234.50", "grouped-number"), ("1\u{202F}234", "grouped-number"),
            ("12,34", "not-an-integer"), ("1234,567", "not-an-integer"), ("1,2345", "not-an-integer"),
            ("", "not-an-integer"), ("-", "not-an-integer"), (" 1", "not-an-integer"), ("1.", "not-an-integer"),
            ("0x10", "not-an-integer"), ("１２", "not-an-integer"), ("9223372036854775808", "not-an-integer"),
        ]
    )
    func groupedWholes(_ text: String, _ code: String) throws {
        #expect(try Self.codes("columns: { x: integer }", text) == [code])
    }

    @Test(
        "a decimal comma is told, and read only where the job says so",
        arguments: [
            ("0,5", "decimal-comma", true), ("1234,5", "decimal-comma", true), ("1,234", "grouped-number", true),
            ("1.234,5", "grouped-number", false), ("1,2,3", "not-a-number", false), (",5", "decimal-comma", true),
        ]
    )
    func decimalCommas(_ text: String, _ code: String, _ isRead: Bool) throws {
        #expect(try Self.codes("columns: { x: decimal }", text) == [code])
        let found = try Self.codes("columns: { x: decimal }\ndecimal_comma: true", text)
        #expect(found.isEmpty == isRead, "\(found)")
    }

    @Test func `a number that no decimal can hold is refused as one, in the words of a cast`() throws {
        let cast = try ExampleRunner.make(CastColumns.self, "columns: { x: decimal }")
        var findings = Findings()
        _ = cast.process(try BatchText.read("x:text\n1e999\n"), reporting: &findings)
        let subjects = findings.rejectedRows.map { findings.subjects[findings.index(of: $0.token)] }
        #expect(subjects.map(\.kind.message) == ["{value} is too large for a decimal, which has 64 bits"])
        #expect(subjects.map(\.kind.code) == ["not-a-number"])
    }

    @Test(
        "a number in text that no decimal holds is told so, however it is written",
        arguments: [
            ("columns: { x: decimal }", "9007199254740993", "{value} has more digits than a decimal can hold"),
            ("columns: { x: decimal }", "1e-400", "{value} is too close to 0 for a decimal, which has 64 bits"),
            (
                "columns: { x: decimal }\ndecimal_comma: true", "\"1,5e-400\"",
                "{value} is too close to 0 for a decimal, which has 64 bits"
            ),
            (
                "columns: { x: decimal }\nnumber_format: { thousands: \".\", decimal: \",\" }",
                "9.007.199.254.740.993", "{value} has more digits than a decimal can hold"
            ),
        ]
    )
    func digitsLost(_ options: String, _ cell: String, _ message: String) throws {
        let cast = try ExampleRunner.make(CastColumns.self, options)
        var findings = Findings()
        _ = cast.process(try BatchText.read("x:text\n\(cell)\n12\n"), reporting: &findings)
        let subjects = findings.rejectedRows.map { findings.subjects[findings.index(of: $0.token)] }
        #expect(subjects.map(\.kind.message) == [message])
        #expect(subjects.map(\.kind.code) == ["inexact-decimal"])
    }

    @Test func `an escape in JSON that stands for a NUL makes no text`() throws {
        let rows = try BatchText.read(#"x:json"# + "\n" + #""""a\u0000b""""# + "\n" + #""""a\\u0000b""""# + "\n")
        let cast = try ExampleRunner.make(CastColumns.self, "columns: { x: text }")
        var findings = Findings()
        _ = cast.process(rows, reporting: &findings)
        #expect(findings.rejectedRows.map(\.row) == [0])
        #expect(findings.subjects.map(\.kind.code).contains("nul-character"))
    }

    @Test("numbers are flags only where the job says which")
    func numbersAsFlags() throws {
        let rows = try BatchText.read("x:integer\n1\n0\n2\n")
        let plain = try ExampleRunner.make(CastColumns.self, "columns: { x: flag }")
        let error = #expect(throws: DaybookError.self) { try plain.schema(after: rows.schema) }
        #expect(error?.hint == "say which numbers they are: 'flags: { true: 1, false: 0 }'")
        let spelt = try ExampleRunner.make(CastColumns.self, "columns: { x: flag }\nflags: { true: 1, false: 0 }")
        var findings = Findings()
        let flags = spelt.process(rows, reporting: &findings)
        #expect(findings.rejectedRows.map(\.row) == [2])
        #expect(BatchText.write(flags.keeping([0, 1, 3])) == "x:flag\ntrue\nfalse\n")
    }

    @Test(
        "kinds that need more are refused with a way to go",
        arguments: [
            (
                "columns: { x: instant }",
                "'x': expected one of text, integer, decimal, flag, day, found 'instant'"
            ),
            ("columns: { x: int }", "'x': expected one of text, integer, decimal, flag, day, found 'int'"),
            ("x: int", "'x': expected one of text, integer, decimal, flag, day, found 'int'"),
            ("flags: { true: 1, false: 0 }", "the option 'columns' is missing"),
            (
                "columns: { x: text }\nflags: { true: 1, false: 0 }",
                "'flags' has no meaning, since no column is to hold flags"
            ),
            ("columns: { x: flag }\nflags: { true: 1 }", "'flags': both true and false have to be spelt"),
            ("columns: { x: flag }\nflags: { true: 1, false: 1 }", "'flags': '1' stands there twice"),
            ("columns: {}", "'columns' names no column"),
        ]
    )
    func refusals(_ options: String, _ message: String) throws {
        let error = #expect(throws: DaybookErrors.self) { try ExampleRunner.make(CastColumns.self, options) }
        #expect(error?.errors.map(\.message) == [message])
    }

    @Test("every filled cell is counted, and cells that stay missing are not")
    func fills() throws {
        let stage = try ExampleRunner.make(FillMissing.self, "from_columns: { a: b }\nwith: { b: 7 }")
        let rows = try BatchText.read("a:integer,b:integer\n1,\n,2\n,\n3,4")
        var findings = Findings()
        let filled = stage.process(rows, reporting: &findings)
        // What fills a column is what came in, so the third row of 'a' does not see the 7 that 'b' gets.
        #expect(BatchText.write(filled) == "a:integer,b:integer\n1,7\n2,2\n,7\n3,4")
        #expect(findings.filled.map(\.column) == ["a", "b"])
        #expect(findings.filled.map(\.count) == [1, 2])
    }

    @Test("a constant of every kind that can be written fills a column of it")
    func constants() throws {
        for (kind, value) in [
            ("text", "x"), ("integer", "-12"), ("decimal", "0.5"), ("flag", "true"), ("day", "2026-11-21"),
        ] {
            let stage = try ExampleRunner.make(FillMissing.self, "with: { a: \(value) }")
            let rows = try BatchText.read("a:\(kind)\n\n\(value)\n")
            _ = try stage.schema(after: rows.schema)
            var findings = Findings()
            let filled = BatchText.write(stage.process(rows, reporting: &findings))
            #expect(filled == "a:\(kind)\n\(value)\n\(value)\n\(value)")
        }
        for kind in ["instant", "json"] {
            let stage = try ExampleRunner.make(FillMissing.self, "with: { a: x }")
            #expect(throws: DaybookError.self) { try stage.schema(after: try BatchText.read("a:\(kind)").schema) }
        }
    }

    private static func codes(_ options: String, _ text: String) throws -> [String] {
        let stage = try ExampleRunner.make(CastColumns.self, options)
        let rows = try BatchText.read("x:text\n\"\(text)\"")
        var findings = Findings()
        _ = stage.process(rows, reporting: &findings)
        return findings.rejectedRows.map { findings.subjects[findings.index(of: $0.token)].kind.code }
    }
}

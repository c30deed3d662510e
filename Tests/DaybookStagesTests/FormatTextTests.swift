import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookStages

/// `format_text` against the formats of C and Python, which are known to round exactly.
@Suite struct FormatTextTests {
    /// The texts that a stage makes of one column named `v`.
    static func texts(_ template: String, _ column: Column) throws -> TextColumn {
        let stage = try ExampleRunner.make(FormatText.self, "templates: { t: \"\(template)\" }")
        let batch = Batch(Schema([Field("v", column.kind)]), [column], count: column.count, provenance: .made)
        _ = try stage.schema(after: batch.schema)
        var findings = Findings()
        let result = stage.process(batch, reporting: &findings)
        #expect(findings.isEmpty)
        return result.text(in: ColumnName("t"))
    }

    /// What C writes, without the minus of a zero.
    static func printed(_ value: Double, decimals: Int) -> String {
        let text = String(format: "%.\(decimals)f", value)
        return text.contains { ("1"..."9").contains($0) } ? text : text.replacing("-", with: "")
    }

    @Test("decimals are rounded as printf rounds them, whatever the number and the decimals", arguments: 0...20)
    func rounding(_ decimals: Int) throws {
        var random = SeededGenerator(seed: UInt64(decimals))
        var values: [Double] = [0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -1e22, 9.5, 99.95, 0.045]
        // Every bit pattern may come, and numbers of the size that people have.
        for _ in 0..<2_000 {
            let value = Double(bitPattern: random.next())
            if value.isFinite { values.append(value) }
            values.append(Double.random(in: -1_000...1_000, using: &random))
        }
        // Exact ties: odd multiples of a half of the last place that binary fractions can have.
        for _ in 0..<1_000 {
            let halves = Double(Int.random(in: -9_999...9_999, using: &random) * 2 + 1)
            values.append(halves / Double(1 << Int.random(in: 0...decimals + 2, using: &random)))
        }
        let texts = try Self.texts("{v:.\(decimals)f}", .decimals(Values(values)))
        for (row, value) in values.enumerated() where texts[row] != Self.printed(value, decimals: decimals) {
            Issue.record("\(value) with \(decimals) decimals: \(texts[row] ?? "missing"), \(random)")
        }
    }

    @Test(
        "a nought has one digit before its point, whatever its kind",
        arguments: [
            ("%", "0.000000%"), (".0%", "0%"), (".2%", "0.00%"), ("+.0%", "+0%"), ("<8.0%", "0%      "),
            ("08.1%", "00000.0%"),
            (",.0%", "0%"), ("^6.0%", "  0%  "), (".3f", "0.000"), ("d", "0"), ("03d", "000"),
        ]
    )
    func nought(_ format: String, _ text: String) throws {
        #expect(try Self.texts("{v:\(format)}", .integers(Values([0])))[0] == text)
        guard !format.hasSuffix("d") else { return }
        #expect(try Self.texts("{v:\(format)}", .decimals(Values([0, -0.0])))[1] == text)
    }

    @Test("percent rounds the hundredfold once", arguments: 0...18)
    func percent(_ decimals: Int) throws {
        var random = SeededGenerator(seed: UInt64(decimals))
        let values = (0..<2_000).map { _ in Double.random(in: -2...2, using: &random) }
        let texts = try Self.texts("{v:.\(decimals)%}", .decimals(Values(values)))
        for (row, value) in values.enumerated() {
            // Two decimals more, and the point two places on.
            let digits = Self.printed(value, decimals: decimals + 2).filter(\.isNumber).drop { $0 == "0" }
            let found = (texts[row] ?? "").filter(\.isNumber).drop { $0 == "0" }
            #expect(found == digits, "\(value) with \(decimals) decimals, \(random)")
        }
    }

    /// Made by CPython 3: value, format, and what `format(value, format)` gives. Left out are percents that Python rounds
    /// twice, such as 2.675, whose hundredfold it takes to be 267.5.
    static let python = """
        1234567|d|1234567|
        1234567|,|1,234,567|
        1234567|+d|+1234567|
        1234567|12d|     1234567|
        1234567|012d|000001234567|
        1234567|<12d|1234567     |
        1234567|^13d|   1234567   |
        1234567|*>13,d|****1,234,567|
        1234567|+,|+1,234,567|
        1234567|.2f|1234567.00|
        1234567|,.1f|1,234,567.0|
        1234567|.0%|123456700%|
        -1234567|d|-1234567|
        -1234567|,|-1,234,567|
        -1234567|+d|-1234567|
        -1234567|12d|    -1234567|
        -1234567|012d|-00001234567|
        -1234567|<12d|-1234567    |
        -1234567|^13d|  -1234567   |
        -1234567|*>13,d|***-1,234,567|
        -1234567|+,|-1,234,567|
        -1234567|.2f|-1234567.00|
        -1234567|,.1f|-1,234,567.0|
        -1234567|.0%|-123456700%|
        999|d|999|
        999|,|999|
        999|+d|+999|
        999|12d|         999|
        999|012d|000000000999|
        999|<12d|999         |
        999|^13d|     999     |
        999|*>13,d|**********999|
        999|+,|+999|
        999|.2f|999.00|
        999|,.1f|999.0|
        999|.0%|99900%|
        -9223372036854775808|d|-9223372036854775808|
        -9223372036854775808|,|-9,223,372,036,854,775,808|
        -9223372036854775808|+d|-9223372036854775808|
        -9223372036854775808|12d|-9223372036854775808|
        -9223372036854775808|012d|-9223372036854775808|
        -9223372036854775808|<12d|-9223372036854775808|
        -9223372036854775808|^13d|-9223372036854775808|
        -9223372036854775808|*>13,d|-9,223,372,036,854,775,808|
        -9223372036854775808|+,|-9,223,372,036,854,775,808|
        -9223372036854775808|.2f|-9223372036854775808.00|
        -9223372036854775808|,.1f|-9,223,372,036,854,775,808.0|
        -9223372036854775808|.0%|-922337203685477580800%|
        1234.5678|f|1234.567800|
        1234.5678|.0f|1235|
        1234.5678|.1f|1234.6|
        1234.5678|.2f|1234.57|
        1234.5678|9.1f|   1234.6|
        1234.5678|09.1f|0001234.6|
        1234.5678|+.3f|+1234.568|
        1234.5678|,.2f|1,234.57|
        1234.5678|^12,.1f|  1,234.6   |
        1234.5678|~<10.0f|1235~~~~~~|
        1234.5678|.1%|123456.8%|
        1234.5678|+.0%|+123457%|
        -0.5|f|-0.500000|
        -0.5|.1f|-0.5|
        -0.5|.2f|-0.50|
        -0.5|9.1f|     -0.5|
        -0.5|09.1f|-000000.5|
        -0.5|+.3f|-0.500|
        -0.5|,.2f|-0.50|
        -0.5|^12,.1f|    -0.5    |
        -0.5|.1%|-50.0%|
        -0.5|+.0%|-50%|
        2.675|f|2.675000|
        2.675|.0f|3|
        2.675|.1f|2.7|
        2.675|.2f|2.67|
        2.675|9.1f|      2.7|
        2.675|09.1f|0000002.7|
        2.675|+.3f|+2.675|
        2.675|,.2f|2.67|
        2.675|^12,.1f|    2.7     |
        2.675|~<10.0f|3~~~~~~~~~|
        2.675|.1%|267.5%|
        0.125|f|0.125000|
        0.125|.0f|0|
        0.125|.1f|0.1|
        0.125|.2f|0.12|
        0.125|9.1f|      0.1|
        0.125|09.1f|0000000.1|
        0.125|+.3f|+0.125|
        0.125|,.2f|0.12|
        0.125|^12,.1f|    0.1     |
        0.125|~<10.0f|0~~~~~~~~~|
        0.125|.1%|12.5%|
        0.125|+.0%|+12%|
        1e+22|f|10000000000000000000000.000000|
        1e+22|.0f|10000000000000000000000|
        1e+22|.1f|10000000000000000000000.0|
        1e+22|.2f|10000000000000000000000.00|
        1e+22|9.1f|10000000000000000000000.0|
        1e+22|09.1f|10000000000000000000000.0|
        1e+22|+.3f|+10000000000000000000000.000|
        1e+22|,.2f|10,000,000,000,000,000,000,000.00|
        1e+22|^12,.1f|10,000,000,000,000,000,000,000.0|
        1e+22|~<10.0f|10000000000000000000000|
        """

    @Test("width, sign, zeros, thousands and percent are as Python has them", arguments: python.split(separator: "\n"))
    func asPython(_ line: Substring) throws {
        let parts = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\n")) }
        try #require(parts.count == 3)
        let column: Column =
            if let whole = Int64(parts[0]) {
                .integers(Values([whole]))
            } else {
                .decimals(Values([try #require(Double(parts[0]))]))
            }
        #expect(try Self.texts("{v:\(parts[1])}", column)[0] == parts[2])
    }

    @Test("infinity and NaN have no digits to fill up or to group")
    func noNumbers() throws {
        let values = Column.decimals(Values([.infinity, -.infinity, .nan]))
        for (format, expected) in [
            ("", ["inf", "-inf", "nan"]), (":.1f", ["inf", "-inf", "nan"]), (":06.1f", ["   inf", "  -inf", "   nan"]),
            (":,.0%", ["inf%", "-inf%", "nan%"]),
        ] {
            let texts = try Self.texts("{v\(format)}", values)
            #expect((0..<3).map { texts[$0] } == expected)
        }
    }

    @Test(
        "a mistake is told at its own column of the template",
        arguments: [
            (
                #"templates: { a: "기온 {temp:.1q}" }"#, 27, 3,
                "'.1q' is neither a format of numbers and text nor a date pattern"
            ),
            (#"templates: { a: '{b} }' }"#, 22, 1, "a '}' closes nothing"),
            (#"templates: { a: "{}" }"#, 18, 2, "the braces name no column"),
            ("templates:\n  a: x{b", 7, 1, "a '{' is never closed"),
            (#"templates: { a: "\u0078{b" }"#, 17, 10, "a '{' is never closed"),
        ] as [(String, Int, Int, String)]
    )
    func places(_ options: String, _ column: Int, _ length: Int, _ message: String) throws {
        let error = #expect(throws: (any Error).self) { try ExampleRunner.make(FormatText.self, options) }
        let problem = try #require((error as? DaybookErrors)?.errors.first)
        #expect(problem.place?.column == column)
        #expect(problem.place?.length == length)
        #expect(problem.message.contains(message), "\(problem.message)")
    }

    @Test("an unknown column and a wrong kind are told where the template names them")
    func columnPlaces() throws {
        let stage = try ExampleRunner.make(FormatText.self, #"templates: { a: "x {temp:.1f} {day:HH:mm}" }"#)
        func place(_ header: String) throws -> Int? {
            let schema = try BatchText.read(header).schema
            let error = #expect(throws: DaybookError.self) { try stage.schema(after: schema) }
            return error?.place?.column
        }
        #expect(try place("day:day,tmep:decimal") == 21)
        #expect(try place("day:day,temp:flag") == 26)
        #expect(try place("day:day,temp:decimal") == 36)
        #expect(throws: Never.self) { try stage.schema(after: Schema([], isOpen: true)) }
    }

    @Test("a text of more than 1 MiB is rejected, and no other")
    func longText() throws {
        let stage = try ExampleRunner.make(FormatText.self, #"templates: { t: "{v}{v}{v}" }"#)
        var builder = TextColumnBuilder(rows: 3)
        for length in [1 << 19, 1 << 18, 349_525] { builder.append(String(repeating: "x", count: length)) }
        let batch = Batch(Schema([Field("v", .text)]), [.text(builder.build())], count: 3, provenance: .made)
        var findings = Findings()
        let result = stage.process(batch, reporting: &findings)
        #expect(findings.rejectedRows.map(\.row) == [0])
        let lengths = (1..<3).map { result.text(in: ColumnName("t"))[$0]?.utf8.count }
        #expect(lengths == [3 << 18, 1_048_575])
    }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookStages

/// What no example can say: the words of findings and refusals, and what holds for any dates.
@Suite struct NormaliseDatesTests {
    private func batch(_ texts: [String?]) -> Batch {
        var builder = TextColumnBuilder(rows: texts.count)
        for text in texts { if let text { builder.append(text) } else { builder.appendMissing() } }
        return Batch(
            Schema([Field("date", .text, source: "date")]),
            [.text(builder.build())],
            count: texts.count,
            provenance: .made
        )
    }

    private func findings(_ options: String, _ texts: String...) throws -> [String] {
        let stage = try ExampleRunner.make(NormaliseDates.self, "column: date\n" + options)
        var findings = Findings()
        _ = stage.process(batch(texts), reporting: &findings)
        return findings.rejectedRows.indices.map { index in
            let subject = findings.subjects[findings.index(of: findings.rejectedRows[index].token)]
            return "\(subject.kind.code): \(findings.message(ofRejectedRow: index) ?? subject.kind.message)"
        }
    }

    private func refusals(_ options: String) -> [String] {
        do {
            _ = try ExampleRunner.make(NormaliseDates.self, options)
            return []
        } catch let errors as DaybookErrors {
            return errors.errors.map(\.message)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `formats that are not as they look are named`() throws {
        let decomposed = "yyyy년".decomposed
        #expect(
            try findings("formats: [\(decomposed)MM월dd일]", "2026년03월01일") == [
                "unreadable-date: {value} is not a date in the formats \(decomposed)MM월dd일: the formats hold decomposed "
                    + "Hangul, U+1102 (Unicode form NFD)"
            ]
        )
    }

    @Test func `a year of fewer than four digits is a finding of its own`() throws {
        let words =
            "short-year: {value} has a year of fewer than four digits; 'pivot_year' says which century two digits belong to"
        #expect(try findings("formats: [y년 M월 d일]", "26년 3월 1일") == [words])
        #expect(try findings("formats: [y년 M월 d일]\npivot_year: 1970", "26년 3월 1일", "126년 3월 1일") == [words])
    }

    @Test(arguments: [
        (
            "formats: [\"yyyy-MM-dd'T'HH:mm:ss'Z'\"]\nto: instant",
            "'Z' in quotes is plain text and not UTC: 'yyyy-MM-dd'T'HH:mm:ss'Z'' reads times as those of Asia/Seoul"
        ),
        (
            "formats: [iso, \"yyyy-MM-dd HH:mm 'UTC'\"]",
            "'UTC' in quotes is plain text and not UTC: 'yyyy-MM-dd HH:mm 'UTC'' takes the day as it is written, and not the one "
                + "in Asia/Seoul"
        ),
        (
            "to: instant\nas: \"yyyyMMdd'T'HHmmss'Z'\"",
            "'Z' in quotes is plain text and not UTC: 'yyyyMMdd'T'HHmmss'Z'' writes the time in Asia/Seoul before it"
        ),
        ("formats: [\"yyyy-MM-dd'T'HH:mm:ss'Z'\"]\nto: instant\ntimezone: UTC", nil),
        ("formats: [\"yyyy-MM-dd'T'HH:mm:ssX\"]\nto: instant", nil), ("formats: [\"'Z'yyyy-MM-dd\"]", nil),
    ])
    func `a word for UTC in quotes is warned of`(_ options: String, _ message: String?) throws {
        let warnings = try ExampleRunner.warnings(of: NormaliseDates.self, "column: date\n" + options)
        #expect(warnings.map(\.message) == (message.map { [$0] } ?? []))
    }

    @Test func `every finding has its code and its words`() throws {
        #expect(
            try findings(
                "formats: [iso, dd/MM/yyyy, MM/dd/yyyy, EEE d MMM yyyy]",
                "03/04/2024",
                "30/02/2024",
                "?",
                "Mon 21 Nov 2026"
            )
                == [
                    "ambiguous-date: '03/04/2024' is 2024-04-03 by dd/MM/yyyy and 2024-03-04 by MM/dd/yyyy",
                    "impossible-date: {value} names a day or a time that does not exist",
                    "unreadable-date: {value} is not a date in the formats iso, dd/MM/yyyy, MM/dd/yyyy, EEE d MMM yyyy",
                    "contradicting-weekday: {value} names another weekday than its date has",
                ]
        )
        #expect(
            try findings("to: instant\ntimezone: Europe/Berlin", "2026-03-29T02:30", "2026-10-25T02:30") == [
                "skipped-local-time: clocks in Europe/Berlin never showed {value}",
                "doubled-local-time: clocks in Europe/Berlin showed {value} twice, so it names two instants",
            ]
        )
        #expect(
            try findings("formats: [epoch_seconds]", "999999999999") == [
                "date-out-of-range: {value} lies outside the years 1 to 9999"
            ]
        )
    }

    private func remarks(_ options: String, _ column: Column) throws -> [String] {
        let stage = try ExampleRunner.make(NormaliseDates.self, "column: date\n" + options)
        var findings = Findings()
        let batch = Batch(Schema([Field("date", column.kind)]), [column], count: column.count, provenance: .made)
        let read = stage.process(batch, reporting: &findings).columns[0]
        var said = (0..<column.count).map { read.displayText($0) ?? "" }
        for row in findings.rejectedRows {
            said[Int(row.row)] = findings.subjects[findings.index(of: row.token)].kind.code
        }
        for row in findings.warnedRows {
            said[Int(row.row)] += " " + findings.subjects[findings.index(of: row.token)].kind.code
        }
        return said
    }

    @Test func `an instant that was finer than a microsecond is warned of, however it was written`() throws {
        let finer = " finer-than-a-microsecond"
        let iso = batch([
            "2026-11-21T05:00:00.1234567Z", "2026-11-21T05:00:00.12345600000000000000001Z",
            "2026-11-21T05:00:00,1234560000000000Z", "2026-11-21",
        ]).columns[0]
        #expect(
            try remarks("to: instant", iso) == [
                "2026-11-21T05:00:00.123456Z" + finer, "2026-11-21T05:00:00.123456Z" + finer,
                "2026-11-21T05:00:00.123456Z", "2026-11-20T15:00:00Z",
            ]
        )
        #expect(try remarks("to: day", iso) == Array(repeating: "2026-11-21", count: 4))
        let nanos = batch(["20261121 05:00:00.123456789", "20261121 05:00:00.123456000"]).columns[0]
        let pattern = "to: instant\ntimezone: UTC\nformats: [\"yyyyMMdd HH:mm:ss.SSSSSSSSS\"]"
        #expect(
            try remarks(pattern, nanos) == ["2026-11-21T05:00:00.123456Z" + finer, "2026-11-21T05:00:00.123456Z"]
        )
        // Several formats that may contradict each other are searched in another way.
        #expect(try remarks("to: instant\nformats: [iso, \"yyyy-MM-dd'T'HH:mm:ss.SSSSSSSX\"]", iso)[0].hasSuffix(finer))
        let seconds = batch(["0.1234564", "0.1234565", "0.123456", "-0.0000001"]).columns[0]
        #expect(
            try remarks("to: instant\nformats: [apple_seconds]", seconds) == [
                "2001-01-01T00:00:00.123456Z" + finer, "2001-01-01T00:00:00.123456Z" + finer,
                "2001-01-01T00:00:00.123456Z", "2000-12-31T23:59:59.999999Z" + finer,
            ]
        )
    }

    @Test func `numbers are finer than a microsecond only where their digits are`() throws {
        let finer = " finer-than-a-microsecond"
        let numbers = Column.decimals(Values([0.1, 817_707_600.123_456, 817_707_600.123_456_7, 1e-9, 0.1 + 0.2, -0.5]))
        let flags = try remarks("to: instant\nformats: [apple_seconds]", numbers).map { $0.hasSuffix(finer) }
        #expect(flags == [false, false, true, true, true, false])
        // The last two are the doubles nearest to whole microseconds, and lie a little above and below them.
        let millis = Column.decimals(
            Values([
                1_795_237_200_123.25, 1_795_237_200_123.5, 0.000_5, 0.001, 1_795_237_200_123.457, 1_795_237_200_123.459,
            ])
        )
        #expect(
            try remarks("to: instant\nformats: [epoch_millis]", millis) == [
                "2026-11-21T05:00:00.123250Z", "2026-11-21T05:00:00.123500Z", "1970-01-01T00:00:00Z" + finer,
                "1970-01-01T00:00:00.000001Z", "2026-11-21T05:00:00.123457Z", "2026-11-21T05:00:00.123459Z",
            ]
        )
        // Every number of whole microseconds, written as the nearest double, is not finer.
        var random = SeededGenerator(seed: 7)
        var exact: [Double] = []
        for _ in 0..<20_000 {
            let micros = Int64.random(in: -60_000_000_000_000_000...250_000_000_000_000_000, using: &random)
            // Above 2³³ seconds a double does not hold microseconds any more.
            let size = Int64.random(in: 1...25, using: &random)
            exact.append(Double(micros % (1 << (2 * size))) / 1_000_000)
        }
        #expect(
            try remarks("to: instant\nformats: [epoch_seconds]", .decimals(Values(exact))).allSatisfy {
                !$0.hasSuffix(finer)
            }
        )
    }

    @Test func `only days that their month does not have are clamped`() throws {
        let clamped = " impossible-date-clamped"
        let texts = batch(["2026-02-31", "2026-02-32", "2026-00-31", "2024-02-30T10:00Z", "2026-02-29T25:00"]).columns[
            0
        ]
        #expect(
            try remarks("impossible: clamp", texts) == [
                "2026-02-28" + clamped, "impossible-date", "impossible-date", "2024-02-29" + clamped, "impossible-date",
            ]
        )
        #expect(
            try remarks("impossible: clamp\nto: instant", texts)[0] == "2026-02-27T15:00:00Z" + clamped
        )
        #expect(try remarks("impossible: reject", texts)[0] == "impossible-date")
        // A format that reads the text as it stands comes first; two that would clamp to different days leave it open.
        let two = batch(["30/02/26", "31/02/30"]).columns[0]
        #expect(
            try remarks("impossible: clamp\npivot_year: 2000\nformats: [dd/MM/yy, yy/MM/dd]", two) == [
                "2030-02-26", "ambiguous-date",
            ]
        )
        let weekday = batch(["Sun 31 Feb 2026", "Sat 31 Feb 2026"]).columns[0]
        #expect(
            try remarks("impossible: clamp\nformats: [EEE d MMM yyyy]", weekday) == [
                "impossible-date", "2026-02-28" + clamped,
            ]
        )
    }

    @Test func `options that contradict each other are refused together`() {
        #expect(
            refusals("column: [a, b]\ninto: c\nformats: [yyyy-MM]\nas: HH:mm\ntimezone: KST\nlocale: xx") == [
                "'KST' is not a time zone", "'xx' is not a locale",
                "the pattern 'yyyy-MM' has no d, so it does not say the day",
                "'as' writes a time, and a day has none", "'into' takes one column, and 'column' names 2",
            ]
        )
        #expect(refusals("column: a\nas: d MMM") == ["'as' writes names, and no 'locale' says in which language"])
        #expect(refusals("column: a\nas: epoch_millis") == ["'as' writes text, and 'epoch_millis' is a number"])
        #expect(refusals("column: a\npivot_year: 0").count == 1)
        #expect(
            refusals("column: a\nformats: [epoch_second]") == [
                "'formats': 'e' in the pattern 'epoch_second' is not a date field"
            ]
        )
    }

    @Test func `numbers need a format that reads numbers, and flags are refused`() throws {
        let stage = try ExampleRunner.make(NormaliseDates.self, "column: a")
        #expect(throws: DaybookError.self) { try stage.schema(after: Schema([Field("a", .integer)])) }
        #expect(throws: DaybookError.self) { try stage.schema(after: Schema([Field("a", .flag)])) }
        #expect(throws: Never.self) { try stage.schema(after: Schema([], isOpen: true)) }
        let epoch = try ExampleRunner.make(NormaliseDates.self, "column: a\nformats: [epoch_millis]")
        #expect(
            try epoch.schema(after: Schema([Field("a", .decimal, source: "a")])).fields == [
                Field("a", .day, source: "a")
            ]
        )
    }

    @Test func `only the columns that are read are needed`() throws {
        let stage = try ExampleRunner.make(NormaliseDates.self, "column: a\ninto: b")
        #expect(stage.columns(neededFor: ColumnSet(ColumnName("b"), ColumnName("c"))) == .some(["a", "c"]))
        #expect(stage.columns(neededFor: .all) == .all)
    }

    @Test(arguments: ["to: day", "to: instant"])
    func `normalising twice equals normalising once`(_ target: String) throws {
        let stage = try ExampleRunner.make(
            NormaliseDates.self,
            "column: date\nformats: [iso, epoch_seconds]\n\(target)"
        )
        var findings = Findings()
        let once = stage.process(
            batch(["2026-11-21", nil, "1795237200", "2026-11-21T23:00:00Z"]),
            reporting: &findings
        )
        let twice = stage.process(once, reporting: &findings)
        #expect(findings.isEmpty)
        #expect(once.schema == twice.schema)
        for row in 0..<4 { #expect(once.columns[0].displayText(row) == twice.columns[0].displayText(row)) }
    }

    @Test func `JSON text is read without its quotes, and JSON numbers as they stand`() throws {
        let stage = try ExampleRunner.make(NormaliseDates.self, "column: date\nformats: [iso, epoch_seconds]")
        var builder = TextColumnBuilder(rows: 2)
        builder.append("\"2026-11-21\"")
        builder.append("1795237200")
        let mixed = Batch(Schema([Field("date", .json)]), [.json(builder.build())], count: 2, provenance: .made)
        var findings = Findings()
        let read = stage.process(mixed, reporting: &findings)
        #expect(findings.isEmpty && (0..<2).allSatisfy { read.columns[0].displayText($0) == "2026-11-21" })
    }
}

extension String {
    /// Hangul syllables as their letters, the form NFD of Unicode.
    fileprivate var decomposed: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
                    guard (0xAC00...0xD7A3).contains(scalar.value) else { return [scalar] }
                    let place = scalar.value - 0xAC00
                    let letters = [0x1100 + place / 588, 0x1161 + place % 588 / 28, 0x11A7 + place % 28]
                    return letters.filter { $0 != 0x11A7 }.compactMap(Unicode.Scalar.init)
                }
            )
        )
    }
}

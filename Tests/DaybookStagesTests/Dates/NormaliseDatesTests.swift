import DaybookCore
import DaybookTestSupport
import Testing

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
            origins: .made
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
        for row in 0..<4 { #expect(once.columns[0].spoken(row) == twice.columns[0].spoken(row)) }
    }

    @Test func `JSON text is read without its quotes, and JSON numbers as they stand`() throws {
        let stage = try ExampleRunner.make(NormaliseDates.self, "column: date\nformats: [iso, epoch_seconds]")
        var builder = TextColumnBuilder(rows: 2)
        builder.append("\"2026-11-21\"")
        builder.append("1795237200")
        let mixed = Batch(Schema([Field("date", .json)]), [.json(builder.build())], count: 2, origins: .made)
        var findings = Findings()
        let read = stage.process(mixed, reporting: &findings)
        #expect(findings.isEmpty && (0..<2).allSatisfy { read.columns[0].spoken($0) == "2026-11-21" })
    }
}

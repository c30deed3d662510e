import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookStages

/// Starts that are moments: their days, and what is said where adding 24 hours a day leads elsewhere.
@Suite struct AnniversariesOfMomentsTests {
    private struct Listed {
        var dates: [String] = []
        var warnings: [Int: String] = [:]
    }

    private func stage(_ options: [(String, String)], in timezone: String?) throws -> ListAnniversaries {
        let place = SourcePlace(file: "job.yaml", line: 1, column: 1)
        let entries = ([("start", "saved")] + options).map {
            OptionNode.Entry(key: $0.0, keyPlace: place, value: OptionNode(.text($0.1, quoted: false), at: place))
        }
        let context = OptionReader.Context(asOf: ExampleRunner.context.asOf, timezone: timezone)
        var reader = OptionReader(entries, at: place, context: context)
        let stage = ListAnniversaries(reading: &reader)
        if !reader.problems.isEmpty { throw DaybookErrors(reader.problems) }
        return stage
    }

    private func list(_ moments: [Int64], at counts: [Int64], in timezone: String) throws -> Listed {
        let stage = try stage([("at", "n")], in: timezone)
        let schema = Schema([Field("saved", .instant), Field("n", .integer)])
        _ = try stage.schema(after: schema)
        var findings = Findings()
        let columns = [Column.instants(Values(moments)), .integers(Values(counts))]
        let result = stage.process(
            Batch(schema, columns, count: moments.count, provenance: .made),
            reporting: &findings
        )
        #expect(findings.rejectedRows.isEmpty && findings.droppedRows.isEmpty)
        var listed = Listed()
        listed.dates = result.days(in: ColumnName("date")).elements.map { CalendarDay(number: $0).description }
        for (index, row) in findings.warnedRows.enumerated()
        where findings.subjects[findings.index(of: row.token)].kind == ListAnniversaries.daylightSaving {
            listed.warnings[Int(row.row)] = findings.message(ofWarnedRow: index)
        }
        return listed
    }

    private func micros(_ text: String) throws -> Int64 {
        Int64(try #require(ISO8601DateFormatter().date(from: text)).timeIntervalSince1970) * 1_000_000
    }

    /// By Foundation's calendar and by seconds, as the app counts.
    @Test(arguments: [
        ("Asia/Seoul", 6_300...7_000), ("Europe/Berlin", 18_000...20_000), ("America/New_York", 18_000...20_000),
        ("Australia/Lord_Howe", 18_000...20_000), ("Pacific/Apia", 14_800...18_000), ("UTC", 0...20_000),
    ])
    func `dates are those of a calendar, and warnings stand where seconds lead to other days`(
        _ name: String,
        _ days: ClosedRange<Int64>
    ) throws {
        let zone = try #require(TimeZone(identifier: name))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = .gmt
        func civil(_ date: Date, _ calendar: Calendar) -> String {
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
        }
        var random = SeededGenerator(seed: 1_988)
        // Moments near midnight of years in which these zones changed their clocks, to the second.
        let seconds = (0..<250).map { _ in
            let day = Int64.random(in: days, using: &random)
            return day * 86_400 - Int64(zone.secondsFromGMT()) + Int64.random(in: -7_200...7_200, using: &random)
        }
        let counts = seconds.map { _ in
            Int64.random(in: 1...400, using: &random) * (Bool.random(using: &random) ? 1 : -1)
        }
        let found = try list(seconds.map { $0 * 1_000_000 + 999_999 }, at: counts, in: name)
        var strays = 0
        for (row, start) in seconds.enumerated() {
            let moment = Date(timeIntervalSince1970: Double(start))
            let parts = calendar.dateComponents([.year, .month, .day], from: moment)
            // Days are added where no clock is ever changed.
            let kept = try #require(utc.date(from: parts)).addingTimeInterval(Double(counts[row]) * 86_400)
            let expected = civil(kept, utc)
            let bySeconds = civil(moment.addingTimeInterval(Double(counts[row]) * 86_400), calendar)
            #expect(found.dates[row] == expected, "\(start) and \(counts[row]) days")
            #expect((found.warnings[row] != nil) == (bySeconds != expected), "\(start) and \(counts[row]) days")
            if let warning = found.warnings[row] {
                strays += 1
                #expect(
                    warning.contains(" is \(expected), ") && warning.contains(" gives \(bySeconds), "),
                    "\(warning)"
                )
            }
        }
        #expect(name == "UTC" ? strays == 0 : strays > 0)
    }

    @Test func `a warning says which day people mean and which is reached`() throws {
        let summer = try micros("1988-10-01T00:00:00+10:00")
        let winter = try micros("1988-05-07T23:30:00+09:00")
        let found = try list([summer, winter, summer, summer, winter], at: [100, 1, -200, 7, 0], in: "Asia/Seoul")
        #expect(found.dates == ["1989-01-09", "1988-05-08", "1988-03-15", "1988-10-08", "1988-05-07"])
        #expect(
            found.warnings == [
                0: """
                100 days after 1988-10-01 is 1989-01-09, the day that people mean; adding up 100 times 24 hours gives \
                1989-01-08, because clocks in Asia/Seoul were changed in between
                """,
                1: """
                1 day after 1988-05-07 is 1988-05-08, the day that people mean; adding up 24 hours gives 1988-05-09, because \
                clocks in Asia/Seoul were changed in between
                """,
                2: """
                200 days before 1988-10-01 is 1988-03-15, the day that people mean; adding up 200 times 24 hours gives \
                1988-03-14, because clocks in Asia/Seoul were changed in between
                """,
            ]
        )
    }

    @Test func `of a list that strays often the first is told and the others are counted`() throws {
        let stage = try stage([("every", "100"), ("years", "1")], in: "Asia/Seoul")
        var findings = Findings()
        let starts = Column.instants(Values([try micros("1988-10-01T00:00:00+10:00")]))
        let schema = Schema([Field("saved", .instant)])
        let result = stage.process(Batch(schema, [starts], count: 1, provenance: .made), reporting: &findings)
        #expect(result.count == 3 && result.column(ColumnName("saved")).count == 3)
        #expect(findings.warnedRows.count == 1)
        #expect(findings.message(ofWarnedRow: 0)?.hasSuffix("; 2 more of its anniversaries differ likewise") == true)
    }

    @Test func `moments need a time zone, and days need none`() throws {
        let moments = Schema([Field("saved", .instant)])
        let homeless = try stage([("every", "100")], in: nil)
        #expect(throws: Never.self) { try homeless.schema(after: Schema([Field("saved", .day)])) }
        let error = #expect(throws: DaybookError.self) { try homeless.schema(after: moments) }
        #expect(error?.code == "missing-timezone")
        #expect(error?.message == "the job needs a 'timezone' because column 'saved' holds instants")
        let settled = try stage([("every", "100")], in: "Asia/Seoul").schema(after: moments)
        #expect(settled[ColumnName("saved")]?.kind == .instant && settled[ColumnName("date")]?.kind == .day)
    }

    @Test func `a moment belongs to the day that ends at the midnight after it`() throws {
        let midnight = try micros("2026-11-01T00:00:00+09:00")
        let found = try list([midnight - 1, midnight, midnight + 1], at: [10, 10, 10], in: "Asia/Seoul")
        #expect(found.dates == ["2026-11-10", "2026-11-11", "2026-11-11"])
    }
}

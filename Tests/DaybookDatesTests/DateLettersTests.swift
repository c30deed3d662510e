import DaybookContracts
import Testing

@testable import DaybookDates

/// The table of the letters of date patterns, which the reference pages print.
@Suite struct DateLettersTests {
    @Test func `the table has the letters that a pattern takes, and no others`() {
        let listed = DatePattern.letters.flatMap(\.spellings)
        #expect(Set(listed).count == listed.count)
        var taken: Set<String> = []
        for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
            for count in 1...12 {
                let text = String(repeating: letter, count: count)
                if (try? DatePattern(text)) != nil { taken.insert(text) }
            }
        }
        #expect(taken == Set(listed))
    }

    @Test func `every example is what the letters write, and spellings of one row write the same`() throws {
        let english = try #require(LocaleNames(locale: "en_US"))
        // 2026-03-02T05:05:09.25Z, as clocks in Seoul show it.
        let day = try #require(CalendarDay(iso: "2026-03-02"))
        let instant = (Int64(day.number) * 86_400 + 5 * 3_600 + 5 * 60 + 9) * 1_000_000 + 250_000
        for letters in DatePattern.letters {
            for spelling in letters.spellings {
                let writer = DateWriter(try DatePattern(spelling), names: english)
                let written = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: writer.maximumLength) { room in
                    let count = writer.write(instant: instant, offset: 32_400, to: room.baseAddress!)
                    return String(decoding: room.prefix(count), as: UTF8.self)
                }
                if spelling == letters.spellings[0] { #expect(written == letters.example, "\(spelling)") }
                guard !spelling.hasPrefix("S") else { continue }
                #expect(written == letters.example, "\(spelling)")
            }
        }
    }
}

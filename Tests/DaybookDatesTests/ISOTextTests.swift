import DaybookContracts
import Testing

@Suite struct ISOTextTests {
    private func day(_ number: Int32) -> String { Samples.written { ISOText.write(day: number, to: $0) } }
    private func instant(_ micros: Int64) -> String { Samples.written { ISOText.write(instant: micros, to: $0) } }

    @Test func `days are written as ISO 8601 does, also outside four-digit years`() {
        #expect(day(0) == "1970-01-01")
        #expect(day(20_778) == "2026-11-21")
        #expect(day(-719_162) == "0001-01-01")
        #expect(day(-719_163) == "0000-12-31")
        #expect(day(-719_529) == "-0001-12-31")
        #expect(day(2_932_896) == "9999-12-31")
        #expect(day(2_932_897) == "+10000-01-01")
        #expect(day(.min) == "-5877641-06-23")
        #expect(day(.max) == "+5881580-07-11")
    }

    @Test func `instants are written as RFC 3339 does, with a fraction only when there is one`() {
        #expect(instant(0) == "1970-01-01T00:00:00Z")
        #expect(instant(-1) == "1969-12-31T23:59:59.999999Z")
        #expect(instant(1_500) == "1970-01-01T00:00:00.001500Z")
        #expect(instant(1_795_237_200_000_000) == "2026-11-21T05:00:00Z")
        #expect(instant(1_795_237_200_120_000) == "2026-11-21T05:00:00.120Z")
        #expect(instant(.min).utf8.count <= 32)
        #expect(instant(.max).utf8.count <= 32)
    }

    @Test func `an offset is written in minutes, and the time still names the same instant`() {
        func local(_ micros: Int64, _ offset: Int32) -> String {
            Samples.written { ISOText.write(instant: micros, offset: offset, to: $0) }
        }
        #expect(local(1_795_237_200_000_000, 32_400) == "2026-11-21T14:00:00+09:00")
        #expect(local(1_795_237_200_000_000, -12_600) == "2026-11-21T01:30:00-03:30")
        #expect(local(0, 30_472) == "1970-01-01T08:27:00+08:27")
        #expect(local(.max, .max).utf8.count <= ISOText.maximumLength)
        #expect(local(.min, .min).utf8.count <= ISOText.maximumLength)
    }

    @Test(arguments: [.min, -1, 0, 1, 20_778, 36_524, 36_525, 36_526, .max] as [Int32])
    func `days that were written before read like those that are written anew`(_ number: Int32) {
        #expect(Samples.written { WrittenDays.shared.write(number, to: $0) } == day(number))
    }
}

import Testing

@testable import DaybookContracts
@testable import DaybookDates
@testable import DaybookValues

@Suite struct DateFuzzTests {
    /// SplitMix64, by Sebastiano Vigna: the same numbers on every machine.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static let patterns = [
        "yyyy-MM-dd", "yyyy년 M월 d일", "yyyy년 M월 d일 a h시 m분", "EEEE, d MMMM yyyy HH:mm:ss.SSS ZZZZ", "y.M.d", "yyyyMMdd",
        "d MMM yyyy", "yyyy-MM-dd'T'HH:mm:ssXXX", "yyyy/MM/dd",
    ]

    @Test func `no bytes make a reader trap, alone or between other bytes`() throws {
        var random = Generator(state: 20_261_121)
        let seeds = [
            "2026-11-21", "20261121T050000Z", "2026년\u{A0}11월 21일 오후 2시 5분",
            "Saturday, 21 November 2026 05:00:00.000 GMT+09:00", "-12345.678",
        ]
        var formats = try DateFuzzTests.patterns.map { try Samples.format($0) } + DateFormat.allISO
        formats += EpochUnit.allCases.map { DateFormat.epoch($0) }
        let texts = (0..<4_000).map { _ in
            var bytes = Array(seeds[Int.random(in: 0..<seeds.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place...)
                case 2: bytes.insert(UInt8.random(in: 0x2D...0x3A, using: &random), at: place)
                default: bytes.remove(at: place)
                }
            }
            return bytes
        }
        // One column holds all texts without anything between; each is also read at the end of its own memory.
        var builder = TextColumnBuilder(rows: texts.count)
        for text in texts { text.withUnsafeBufferPointer { builder.append($0) } }
        let column = builder.build()
        for target in [DateTarget.day, .instant] {
            let reader = DateColumnReader(formats, to: target, zone: Samples.berlin2026)
            var outcomes: [Int: DateOutcome] = [:]
            let together = reader.read(.text(column)) { outcomes[$0] = $1.outcome }
            for (row, format) in zip(texts.indices, (0..<texts.count).map { formats[$0 % formats.count] }) {
                let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: texts[row].count)
                defer { memory.deallocate() }
                _ = memory.initialize(from: texts[row])
                var reading = DateReading()
                _ = format.reader.read(Cell(memory), into: &reading)
            }
            for row in texts.indices where outcomes[row] == nil { #expect(together.displayText(row) != nil) }
        }
    }

    @Test func `what a pattern writes it reads again`() throws {
        var random = Generator(state: 7)
        for text in ["yyyy-MM-dd", "yyyy년 M월 d일", "EEEE, d MMMM yyyy", "EEE MMM dd yyyy", "yyyyMMdd", "d.M.y"] {
            let pattern = try DatePattern(text)
            for names in [Samples.korean, Samples.english] {
                let writer = DateWriter(pattern, names: names)
                let days = (0..<500).map { _ in Int32.random(in: -719_162...2_932_896, using: &random) }
                let written = days.map { day in Samples.written { writer.write(day: day, to: $0) } }
                let format = try DateFormat(pattern, names: [names])
                // `y` writes no more digits than a year has, and reads none of fewer than four without a pivot.
                let expected = days.map { day in
                    text == "d.M.y" && CivilDate(day: day).year < 1_000
                        ? "shortYear" : CalendarDay(number: day).description
                }
                #expect(Samples.read(written, [format]) == expected)
                #expect(written.allSatisfy { $0.utf8.count <= writer.maximumLength })
            }
        }
    }

    @Test func `what a pattern with a time writes it reads again`() throws {
        var random = Generator(state: 8)
        let text = "yyyy-MM-dd a hh:mm:ss.SSSSSS XXX"
        let writer = DateWriter(try DatePattern(text), names: Samples.english)
        let format = try Samples.format(text)
        let instants = (0..<500).map { _ in
            Int64.random(in: -62_000_000_000_000_000...250_000_000_000_000_000, using: &random)
        }
        let written = instants.map { instant in
            Samples.written { writer.write(instant: instant, offset: 34_200, to: $0) }
        }
        let expected = instants.map { instant in Samples.written { ISOText.write(instant: instant, to: $0) } }
        #expect(Samples.read(written, [format], to: .instant, zone: .utc) == expected)
    }
}

import Testing

@testable import DaybookContracts
@testable import DaybookDates
@testable import DaybookValues

@Suite struct ManyFormatsTests {
    private func mayContradict(_ one: DateFormat.Kind, _ other: DateFormat.Kind) -> Bool {
        let names = [Samples.korean, Samples.english]
        let shapes = (FormatShape(one, names: names), FormatShape(other, names: names))
        #expect(shapes.0.mayContradict(shapes.1) == shapes.1.mayContradict(shapes.0))
        return shapes.0.mayContradict(shapes.1)
    }

    @Test(arguments: [
        ("dd/MM/yyyy", "MM/dd/yyyy", true), ("d/M/yyyy", "M/d/yyyy", true), ("yy-MM-dd", "dd-MM-yy", true),
        ("dd/MM/yyyy", "MM-dd-yyyy", false), ("yyyy-MM-dd", "yyyy-M-d", false), ("yyyy-MM-dd", "yyyy/MM/dd", false),
        ("dd/MM/yyyy", "d/M/yyyy", false), ("yyyyMMdd", "ddMMyyyy", true), ("d MMM yyyy", "d MMMM yyyy", false),
        ("yyyy-MM-dd", "yy-MM-dd", false), ("y-MM-dd", "yy-MM-dd", true), ("yyyy년 M월 d일", "yyyy-MM-dd", false),
        ("yyyy-MM-dd HH:mm", "yyyy-dd-MM HH:mm", true), ("yyyy-MM-dd HH:mm", "yyyy-MM-dd kk:mm", true),
    ])
    func `formats contradict each other only when some text fits both and means two things`(
        _ one: String,
        _ other: String,
        _ expected: Bool
    ) throws {
        #expect(mayContradict(.pattern(try DatePattern(one)), .pattern(try DatePattern(other))) == expected)
    }

    @Test func `iso and numbers take part`() throws {
        #expect(!mayContradict(.iso, .pattern(try DatePattern("yyyy-MM-dd"))))
        #expect(mayContradict(.iso, .pattern(try DatePattern("yyyy-dd-MM"))))
        #expect(!mayContradict(.iso, .pattern(try DatePattern("yyyy-MM-dd'T'HH:mm:ss.SSSX"))))
        #expect(!mayContradict(.iso, .epoch(.epochSeconds)))
        #expect(mayContradict(.epoch(.epochMillis), .epoch(.epochSeconds)))
        #expect(mayContradict(.epoch(.epochSeconds), .pattern(try DatePattern("yyyyMMdd"))))
    }

    @Test func `the basic form of iso is held against numbers, and the extended one is not`() throws {
        #expect(!mayContradict(.iso, .isoBasic))
        #expect(mayContradict(.isoBasic, .epoch(.epochSeconds)))
        #expect(!mayContradict(.isoBasic, .pattern(try DatePattern("yyyyMMdd"))))
        #expect(mayContradict(.isoBasic, .pattern(try DatePattern("ddMMyyyy"))))
        let reader = DateColumnReader(DateFormat.allISO + [.epoch(.epochSeconds)], to: .day, zone: .utc)
        #expect(reader.rivals[0].isEmpty)
    }

    @Test func `digits that are a date, possible or not, are not taken for a number`() throws {
        let seconds = DateFormat.epoch(.epochSeconds)
        for dates in try [DateFormat.allISO, [Samples.format("yyyyMMdd")]] {
            for formats in [dates + [seconds], [seconds] + dates] {
                #expect(
                    Samples.read(["20260101", "20260230", "20261301", "1795237200", "20260101.5"], formats, zone: .utc)
                        == [
                            "ambiguous", "impossible", "impossible", "2026-11-21", "1970-08-23",
                        ]
                )
            }
        }
        let short = try Samples.format("MMddy")
        #expect(Samples.read("031221", seconds, short, zone: .utc) == "shortYear")
        let reader = DateColumnReader(
            [seconds] + DateFormat.allISO,
            to: .day,
            zone: .utc,
            names: [],
            clampsDays: true
        )
        let clamped = reader.read(.text(Samples.column(["20260230"]))) { _, _ in Issue.record("failed") }
        #expect(clamped.displayText(0) == "2026-02-28")
    }

    @Test func `whatever came before, a text reads the same`() throws {
        let formats =
            try ["dd/MM/yyyy", "MM/dd/yyyy", "yyyy/dd/MM", "yyyy/MM/dd"].map { try Samples.format($0) } + [.iso]
        let texts = [
            "13/04/2026", "04/13/2026", "03/04/2026", "04/04/2026", "2026/13/04", "2026/04/13", "2026/04/03",
            "2026-01-02", "31/04/2026", "nonsense", "31/31/2026",
        ]
        let alone = texts.map { Samples.read([$0], formats)[0] }
        #expect(
            alone == [
                "2026-04-13", "2026-04-13", "ambiguous", "2026-04-04", "2026-04-13", "2026-04-13", "ambiguous",
                "2026-01-02", "impossible", "unreadable", "impossible",
            ]
        )
        for first in texts {
            for (text, expected) in zip(texts, alone) { #expect(Samples.read([first, text], formats)[1] == expected) }
        }
    }

    @Test func `an ambiguous text says its first two readings in the order of the formats`() throws {
        let formats = try ["MM/dd/yy", "dd/MM/yy", "yy/MM/dd"].map { try Samples.format($0, pivotYear: 2000) }
        let reader = DateColumnReader(formats, to: .day, zone: nil)
        for texts in [["03/04/05"], ["30/04/05", "03/04/05"], ["99/04/05", "03/04/05"]] {
            var failures: [DateColumnReader.Failure] = []
            _ = reader.read(.text(Samples.column(texts))) { failures.append($1) }
            #expect(failures.last?.readings.map(\.format) == ["MM/dd/yy", "dd/MM/yy"])
            #expect(failures.last?.readings.map(\.value) == [12_846, 12_876])
        }
    }

    @Test func `missing rows are not read and stay missing`() {
        let reader = DateColumnReader([.iso], to: .day, zone: nil)
        let column = reader.read(.text(Samples.column([nil, "2026-11-21", nil]))) { _, _ in Issue.record("read a gap") }
        #expect((0..<3).map { column.displayText($0) } == [nil, "2026-11-21", nil])
    }

    @Test func `reading twice equals reading once`() throws {
        for target in [DateTarget.day, .instant] {
            let reader = DateColumnReader([.iso], to: target, zone: Samples.seoul)
            let once = reader.read(.text(Samples.column(["2026-11-21", nil]))) { _, _ in Issue.record("failed") }
            let twice = reader.read(once) { _, _ in Issue.record("failed") }
            #expect((0..<2).map { once.displayText($0) } == (0..<2).map { twice.displayText($0) })
        }
    }
}

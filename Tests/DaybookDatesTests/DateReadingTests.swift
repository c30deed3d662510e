import Testing

@testable import DaybookContracts
@testable import DaybookDates
@testable import DaybookValues

@Suite struct DateReadingTests {
    @Test(arguments: [
        ("yyyy-MM-dd", "2026-11-21", "2026-11-21"), ("yyyy-MM-dd", "2026-1-21", "unreadable"),
        ("yyyy-MM-dd", "2026-11-21 ", "unreadable"), ("yyyy-MM-dd", "2026/11/21", "unreadable"),
        ("yyyy-MM-dd", "２026-1-1", "unreadable"), ("yyyy-MM-dd", "", "unreadable"),
        ("yyyy-MM-dd", "2026-02-30", "impossible"), ("yyyy-MM-dd", "0000-01-01", "impossible"),
        ("yyyy-MM-dd", "9999-12-31", "9999-12-31"), ("yyyy-MM-dd", "0001-01-01", "0001-01-01"),
        ("yyyy/MM/dd", "2026/11/21", "2026-11-21"), ("yyyy.MM.dd", "2026.02.28", "2026-02-28"),
        ("yyyy년 M월 d일", "2026년 3월 1일", "2026-03-01"), ("yyyy년 M월 d일", "2026년 03월 01일", "2026-03-01"),
        ("yyyy년 M월 d일", "2026년 13월 1일", "impossible"), ("yyyy년 M월 d일", "2026년 3월 1", "unreadable"),
        ("yyyy년 M월 d일", "26년 3월 1일", "unreadable"), ("yyyy년 MM월 dd일", "2026년 3월 1일", "unreadable"),
        ("yyyy년\nMM월dd일", "2026년\n03월01일", "2026-03-01"), ("yyyyMMdd", "20261121", "2026-11-21"),
        ("y-M-d", "33-4-3", "shortYear"), ("y-M-d", "0033-4-3", "0033-04-03"),
        ("y년 M월 d일", "26년 3월 1일", "shortYear"), ("M/d/y", "2/2/21", "shortYear"), ("u-MM-dd", "205-01-01", "shortYear"),
        ("y-M-d", "26-13-1", "shortYear"), ("d.M.y", "1.2.2026", "2026-02-01"),
        ("d MMM yyyy", "21 Nov 2026", "2026-11-21"), ("d MMM yyyy", "21 November 2026", "2026-11-21"),
        ("d MMM yyyy", "21 NOV 2026", "2026-11-21"), ("d MMM yyyy", "21 nov 2026", "2026-11-21"),
        ("d MMM yyyy", "21 11월 2026", "2026-11-21"), ("d MMM yyyy", "21 Nev 2026", "unreadable"),
        ("MMMM d, yyyy", "May 5, 2026", "2026-05-05"), ("yyyy MMM d EEEE", "2026 1월 5 월요일", "2026-01-05"),
        ("EEE yyyy-MM-dd", "Sat 2026-11-21", "2026-11-21"), ("EEE yyyy-MM-dd", "토 2026-11-21", "2026-11-21"),
        ("EEE yyyy-MM-dd", "Sun 2026-11-21", "contradictingWeekday"),
        ("yyyy-MM-dd HH:mm", "2026-11-21 24:00", "impossible"), ("yyyy-MM-dd HH:mm", "2026-11-21 23:60", "impossible"),
        ("yyyy-MM-dd'T'HH:mm:ss", "2026-11-21T23:59:60", "impossible"),
        ("'on the occasion of' yyyy-MM-dd", "on the occasion of 2026-11-21", "2026-11-21"),
        ("'on the occasion of' yyyy-MM-dd", "on the occasion", "unreadable"),
    ])
    func `a pattern reads its texts and no others`(_ pattern: String, _ text: String, _ expected: String) throws {
        #expect(Samples.read(text, try Samples.format(pattern)) == expected)
    }

    @Test(arguments: [
        ("yyyy년 M월 d일 a h시 m분", "2026년 11월 21일 오후 2시 5분", "2026-11-21T05:05:00Z"),
        ("yyyy년 M월 d일 a h시 m분", "2026년 11월 21일 오전 12시 0분", "2026-11-20T15:00:00Z"),
        ("yyyy년 M월 d일 a h시 m분", "2026년 11월 21일 PM 12시 0분", "2026-11-21T03:00:00Z"),
        ("yyyy년 M월 d일 a h시 m분", "2026년 11월 21일 오후 13시 0분", "impossible"),
        ("yyyy-MM-dd a HH:mm", "2026-11-21 오후 14:30", "2026-11-21T05:30:00Z"),
        ("yyyy-MM-dd a HH:mm", "2026-11-21 오전 14:30", "impossible"),
        ("yyyy-MM-dd kk", "2026-11-21 24", "2026-11-20T15:00:00Z"), ("yyyy-MM-dd kk", "2026-11-21 00", "impossible"),
        ("yyyy-MM-dd a K", "2026-11-21 PM 11", "2026-11-21T14:00:00Z"),
        ("yyyy-MM-dd a K", "2026-11-21 PM 12", "impossible"),
        ("yyyy-MM-dd HH:mm:ss.SSS", "2026-11-21 09:00:00.250", "2026-11-21T00:00:00.250Z"),
        ("yyyy-MM-dd HH:mm:ss.SSSSSSSSS", "2026-11-21 09:00:00.123456789", "2026-11-21T00:00:00.123456Z"),
        ("yyyy-MM-dd HH:mm:ss.S", "2026-11-21 09:00:00.25", "unreadable"),
        ("yyyy-MM-dd HH:mm:ssZ", "2026-11-21 09:00:00+0100", "2026-11-21T08:00:00Z"),
        ("yyyy-MM-dd HH:mm:ssX", "2026-11-21 09:00:00Z", "2026-11-21T09:00:00Z"),
        ("yyyy-MM-dd HH:mm:ssXXX", "2026-11-21 09:00:00-03:30", "2026-11-21T12:30:00Z"),
        ("yyyy-MM-dd HH:mm:ss ZZZZ", "2026-11-21 09:00:00 GMT+09:00", "2026-11-21T00:00:00Z"),
        ("yyyy-MM-dd HH:mm:ss ZZZZ", "2026-11-21 09:00:00 GMT", "2026-11-21T09:00:00Z"),
        ("yyyy-MM-dd HH:mm:ssX", "2026-11-21 09:00:00+24:00", "unreadable"),
        ("yyyy-MM-dd HH:mm:ssX", "9999-12-31 23:00:00-09", "outOfRange"),
        ("yyyy-MM-dd", "2026-11-21", "2026-11-20T15:00:00Z"),
    ])
    func `times are read as instants`(_ pattern: String, _ text: String, _ expected: String) throws {
        #expect(Samples.read(text, try Samples.format(pattern), to: .instant, zone: Samples.seoul) == expected)
    }

    @Test(arguments: [
        ("2026-11-21", "2026-11-21"), ("2026-11-21T23:00", "2026-11-21"), ("2026-11-21 23:00:00", "2026-11-21"),
        ("2026-11-21T23:00:00Z", "2026-11-22"), ("2026-11-21t23:00:00.5z", "2026-11-22"),
        ("2026-11-21T23:00:00,123+09:00", "2026-11-21"), ("2026-11-21T23:00+0900", "2026-11-21"),
        ("2026-11-21T23:00+09", "2026-11-21"), ("20261121", "2026-11-21"), ("2026-11-21T", "unreadable"),
        ("2026-11-21T23", "2026-11-21"), ("2026-11-21T23Z", "2026-11-22"), ("2026-11-21 23+09", "2026-11-21"),
        ("20261121T", "unreadable"), ("20261121T23", "2026-11-21"), ("20261121T2300", "2026-11-21"),
        ("20261121T230000Z", "2026-11-22"), ("20030925T104941Z", "2003-09-25"),
        ("20261121T230000.5-0300", "2026-11-22"),
        ("20261121t23z", "2026-11-22"), ("20261121 230000+09:00", "2026-11-21"), ("20261121T230", "unreadable"),
        ("20261121T23000", "unreadable"), ("20261121T23:00", "unreadable"), ("2026-11-21T2300", "unreadable"),
        ("2026-1121", "unreadable"), ("202611-21", "unreadable"), ("2026112", "unreadable"),
        ("202611211", "unreadable"),
        ("20261131", "impossible"), ("20261121T2400", "impossible"), ("2026-11-21T23:00.", "unreadable"),
        ("2026-11-21T23:00:00.", "unreadable"),
        ("2026-11-21T25:00", "impossible"), ("2026-11-31T23:00", "impossible"), ("2026-11-21X", "unreadable"),
    ])
    func `iso reads days, and the day of an instant in the zone`(_ text: String, _ expected: String) {
        #expect(Samples.read([text], DateFormat.allISO, zone: Samples.seoul) == [expected])
    }

    @Test func `no-break spaces are read as plain ones, in a text, a pattern and a name`() throws {
        let spanish = LocaleNames(
            wideMonths: Samples.english.wideMonths,
            shortMonths: Samples.english.shortMonths,
            wideWeekdays: Samples.english.wideWeekdays,
            shortWeekdays: Samples.english.shortWeekdays,
            dayPeriods: ["a.\u{A0}m.", "p.\u{A0}m."]
        )
        let plain = try DateFormat(DatePattern("M/d/yyyy h:mm a"), names: [Samples.english, spanish])
        let written = try DateFormat(DatePattern("M/d/yyyy h:mm\u{202F}a"), names: [Samples.english, spanish])
        let texts = [
            "11/21/2026 11:37 AM", "11/21/2026 11:37\u{202F}AM", "11/21/2026\u{A0}11:37\u{202F}AM",
            "11/21/2026 11:37\u{202F}a.\u{A0}m.", "11/21/2026 11:37 a. m.",
        ]
        for format in [plain, written] {
            #expect(Samples.read(texts, [format]) == Array(repeating: "2026-11-21", count: texts.count))
            #expect(
                Samples.read(["11/21/2026\u{2009}11:37 AM", "\u{A0}11/21/2026 11:37 AM"], [format]) == [
                    "unreadable", "unreadable",
                ]
            )
        }
        let korean = try Samples.format("yyyy년 M월 d일")
        #expect(
            Samples.read(["2026년\u{A0}3월\u{202F}1일", "2026년\u{A0}2월 30일"], [korean]) == ["2026-03-01", "impossible"]
        )
        #expect(Samples.read(["2026-11-21\u{A0}05:00"], DateFormat.allISO) == ["2026-11-21"])
        let both = try ["MM dd yyyy", "dd MM yyyy"].map { try Samples.format($0) }
        #expect(Samples.read(["03\u{A0}04\u{A0}2026", "13\u{A0}04 2026"], both) == ["ambiguous", "2026-04-13"])
    }

    @Test func `an instant has no day without a zone`() {
        #expect(Samples.read("2026-11-21T23:00:00Z", .iso) == "zoneNeeded")
        #expect(Samples.read("2026-11-21T23:00:00", .iso) == "2026-11-21")
    }

    @Test func `two-digit years are those of the hundred years from the pivot on`() throws {
        for (pivot, short, year) in [
            (1970, "70", 1970), (1970, "69", 2069), (2000, "00", 2000), (1950, "26", 2026), (9_900, "99", 9_999),
        ] {
            let format = try Samples.format("yy-MM-dd", pivotYear: Int32(pivot))
            #expect(Samples.read("\(short)-01-02", format) == "\(year)-01-02")
            let single = try Samples.format("y-M-d", pivotYear: Int32(pivot))
            #expect(Samples.read("\(short)-1-2", single) == "\(year)-01-02")
        }
        let format = try Samples.format("y-M-d", pivotYear: 1970)
        #expect(Samples.read(["5-1-2", "205-1-2", "0070-1-2"], [format]) == ["shortYear", "shortYear", "0070-01-02"])
    }

    @Test(arguments: [
        (EpochUnit.epochSeconds, "0", "1970-01-01T00:00:00Z"), (.epochSeconds, "-1.5", "1969-12-31T23:59:58.500Z"),
        (.epochSeconds, "1795237200.1234565", "2026-11-21T05:00:00.123456Z"),
        (.epochSeconds, "253402300799", "9999-12-31T23:59:59Z"), (.epochSeconds, "253402300800", "outOfRange"),
        (.epochSeconds, "99999999999999999999999", "outOfRange"), (.epochSeconds, "1e9", "unreadable"),
        (.epochSeconds, "+1", "unreadable"), (.epochSeconds, "1.", "unreadable"), (.epochSeconds, ".5", "unreadable"),
        (.epochSeconds, "-", "unreadable"), (.epochSeconds, "0x10", "unreadable"),
        (.epochMillis, "1795237200123", "2026-11-21T05:00:00.123Z"),
        (.epochMillis, "0.25", "1970-01-01T00:00:00.000250Z"),
        (.epochMillis, "253402300800000", "outOfRange"), (.appleSeconds, "0", "2001-01-01T00:00:00Z"),
        (.appleSeconds, "816930000", "2026-11-21T05:00:00Z"), (.appleSeconds, "9223372036854775807", "outOfRange"),
    ])
    func `numbers count from their instant`(_ unit: EpochUnit, _ text: String, _ expected: String) {
        #expect(Samples.read(text, .epoch(unit), to: .instant, zone: .utc) == expected)
    }

    @Test func `numbers in columns read as the same numbers in text`() {
        let reader = DateColumnReader([.epoch(.appleSeconds)], to: .instant, zone: .utc)
        var failed: [Int] = []
        let decimals: [Double] = [0, -0.5, 816_930_000.25, 0.999_999_9, .infinity, .nan, 1e300, -1e300]
        let read = reader.read(.decimals(Values(decimals))) { row, _ in failed.append(row) }
        #expect(failed == [4, 5, 6, 7])
        #expect(
            (0..<4).map { read.displayText($0) } == [
                "2001-01-01T00:00:00Z", "2000-12-31T23:59:59.500Z", "2026-11-21T05:00:00.250Z",
                "2001-01-01T00:00:00.999999Z",
            ]
        )
        let whole = reader.read(.integers(Values([816_930_000, .max, .min]))) { row, _ in failed.append(row) }
        #expect(whole.displayText(0) == "2026-11-21T05:00:00Z" && failed.suffix(2) == [1, 2])
    }

    @Test func `an offset holds from the second of its change on`() {
        let offsets = [1_774_745_999, 1_774_746_000, 1_792_889_999, 1_792_890_000].map { (seconds: Int64) in
            var cursor = ZoneCursor(Samples.berlin2026)
            return cursor.offset(atUTC: seconds)
        }
        #expect(offsets == [3_600, 7_200, 7_200, 3_600])
    }
}

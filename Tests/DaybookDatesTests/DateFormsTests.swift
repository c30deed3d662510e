import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookDates

/// Forms of names, years of other calendars, and times that a clock shows twice.
@Suite struct DateFormsTests {
    /// What some formats read of texts: days, or why there is none.
    private static func read(_ texts: [String], _ formats: [String], locales: [String]) throws -> [String] {
        let names = try locales.map { try #require(LocaleNames(locale: $0)) }
        let compiled = try formats.map { try DateFormat(try DatePattern($0), names: names, pivotYear: 1970) }
        let reader = DateColumnReader(compiled, to: .day, zone: nil, names: names)
        var failures: [Int: DateOutcome] = [:]
        let dates = reader.read(.text(TextColumn(texts, at: texts.indices))) { failures[$0] = $1.outcome }
        return texts.indices.map { failures[$0].map { "\($0)" } ?? dates.displayText($0) ?? "" }
    }

    @Test(
        "months are read as ICU 78 writes them, as older versions did, and as people do",
        arguments: [
            ("de_DE", "15. Mrz 2026", "2026-03-15"), ("de_DE", "15. Jänner 2026", "2026-01-15"),
            ("de_DE", "15. Jän. 2026", "2026-01-15"), ("de_AT", "15. Januar 2026", "2026-01-15"),
            ("de_AT", "15. Feber 2026", "2026-02-15"), ("de_DE", "15. Sep 2026", "2026-09-15"),
            ("de_DE", "15. Sept. 2026", "2026-09-15"), ("en_GB", "15. Sept 2026", "2026-09-15"),
            ("en_AU", "15. Sept 2026", "2026-09-15"), ("es_ES", "15. sept 2026", "2026-09-15"),
            ("es_MX", "15. sep 2026", "2026-09-15"), ("es_PE", "15. setiembre 2026", "2026-09-15"),
            ("fr_CA", "15. juill. 2026", "2026-07-15"), ("fr_FR", "15. juil. 2026", "2026-07-15"),
            ("ru_RU", "15. мар. 2026", "2026-03-15"), ("ru_RU", "15. июн. 2026", "2026-06-15"),
            ("ru_RU", "15. сен. 2026", "2026-09-15"), ("ca_ES", "15. d’abr. 2026", "2026-04-15"),
            ("hi_IN", "15. अक्टूबर 2026", "2026-10-15"), ("bn_BD", "15. জানুয়ারি 2026", "2026-01-15"),
            ("sv_SE", "15. sept. 2026", "2026-09-15"), ("zh_CN", "15. 三月 2026", "2026-03-15"),
            ("no_NO", "15. mars 2026", "2026-03-15"), ("sr_RS", "15. март 2026", "2026-03-15"),
        ]
    )
    func months(_ locale: String, _ text: String, _ day: String) throws {
        #expect(try Self.read([text], ["d. MMM y"], locales: [locale]) == [day])
    }

    @Test(
        "the halves of the day are read with full stops, without, and in English",
        arguments: [
            ("en_CA", "5:00 p.m."), ("en_US", "5:00 p. m."), ("es_ES", "5:00 p.\u{202F}m."), ("es_MX", "5:00 pm"),
            ("nl_NL", "5:00 p.m."), ("nb_NO", "5:00 p.m."), ("nn_NO", "5:00 e.m."), ("ko_KR", "5:00 PM"),
            ("ko_KR", "5:00 오후"),
            ("el_GR", "5:00 μ.μ."), ("he_IL", "5:00 PM"), ("hi_IN", "5:00 pm"), ("zh_TW", "5:00 下午"),
            ("fa_IR@calendar=gregorian", "5:00 ب.ظ."),
        ]
    )
    func halves(_ locale: String, _ text: String) throws {
        let names = try #require(LocaleNames(locale: locale))
        let format = try DateFormat(try DatePattern("yyyy-MM-dd h:mm a"), names: [names])
        let reader = DateColumnReader([format], to: .instant, zone: .utc, names: [names])
        let dates = reader.read(.text(TextColumn(["2026-11-21 " + text], at: 0..<1))) { _, failure in
            Issue.record("\(locale) \(text): \(failure.outcome)")
        }
        #expect(dates.displayText(0) == "2026-11-21T17:00:00Z")
    }

    @Test("the first of a month may be an ordinal, and no other day")
    func firstDay() throws {
        let texts = ["1er mars 2026", "1 mars 2026", "11 mars 2026", "2er mars 2026", "21er mars 2026"]
        let expected = ["2026-03-01", "2026-03-01", "2026-03-11", "unreadable", "unreadable"]
        #expect(try Self.read(texts, ["d MMMM y"], locales: ["fr_FR"]) == expected)
        #expect(try Self.read(["1º marzo 2026"], ["d MMMM y"], locales: ["it_IT"]) == ["2026-03-01"])
        #expect(try Self.read(["1.º de março de 2026"], ["d 'de' MMMM 'de' y"], locales: ["pt_PT"]) == ["2026-03-01"])
        #expect(try Self.read(["1er mars 2026"], ["d MMMM y"], locales: ["en_US"]) == ["unreadable"])
    }

    @Test("years are counted as the locale counts them")
    func calendars() throws {
        let texts = ["21/11/2569", "21/11/2026"]
        #expect(try Self.read(texts, ["dd/MM/yyyy"], locales: ["th_TH"]) == ["2026-11-21", "unlikelyYear"])
        #expect(try Self.read(["21 พ.ย. 69"], ["d MMM yy"], locales: ["th_TH"]) == ["2026-11-21"])
        #expect(
            try Self.read(texts, ["dd/MM/yyyy"], locales: ["th_TH@calendar=gregorian"]) == ["2569-11-21", "2026-11-21"]
        )
        #expect(try Self.read(["21/11/2026"], ["dd/MM/yyyy"], locales: ["th-TH-u-ca-gregory"]) == ["2026-11-21"])
        #expect(try Self.read(["115-11-21"], ["y-MM-dd"], locales: ["zh_TW"]) == ["shortYear"])
        for locale in ["fa_IR", "ar_SA", "ps_AF"] { #expect(LocaleNames(locale: locale) == nil) }
        #expect(throws: DatePattern.Problem.self) {
            _ = try Self.read([], ["yyyy-MM-dd"], locales: ["ja_JP@calendar=japanese"])
        }
    }

    @Test(
        "eras are read in their languages, as far as they reach",
        arguments: [
            ("ja_JP", "Gy年M月d日", "令和8年11月21日", "2026-11-21"), ("ja_JP", "Gy年M月d日", "平成元年1月8日", "1989-01-08"),
            ("ja_JP", "Gy年M月d日", "昭和64年1月7日", "1989-01-07"), ("ja_JP", "Gy年M月d日", "昭和64年1月9日", "impossible"),
            ("ja_JP", "Gy年M月d日", "平成31年5月2日", "impossible"), ("ja_JP", "GGGyy.MM.dd", "R08.11.21", "2026-11-21"),
            ("ja_JP", "Gy年M月d日", "西暦2026年11月21日", "2026-11-21"), ("ja_JP", "Gy年M月d日", "紀元前1年1月1日", "impossible"),
            ("ko_KR", "G y년 M월 d일", "서기 2026년 11월 21일", "2026-11-21"),
            ("ko_KR", "G y년 M월 d일", "AD 2026년 11월 21일", "2026-11-21"),
            ("th_TH", "d MMM G y", "21 พ.ย. พ.ศ. 2569", "2026-11-21"),
            ("th_TH", "d MMMM G y", "21 พฤศจิกายน ค.ศ. 2026", "2026-11-21"),
            ("zh_TW", "Gy年M月d日", "民國115年11月21日", "2026-11-21"), ("en_US", "d MMM y G", "21 Nov 2026 AD", "2026-11-21"),
            ("en_US", "d MMM y G", "21 Nov 2026 CE", "2026-11-21"),
        ]
    )
    func eras(_ locale: String, _ pattern: String, _ text: String, _ day: String) throws {
        #expect(try Self.read([text], [pattern], locales: [locale]) == [day])
    }

    @Test("what a locale's calendar writes it reads again")
    func written() throws {
        let days = (0..<400).map { Int32(-9_000 + $0 * 97) }
        for (locale, pattern) in [
            ("th_TH", "d MMMM y"), ("th_TH", "dd/MM/yyyy"), ("th_TH", "EEE d MMM G y"),
            ("ja_JP@calendar=japanese", "Gy年M月d日"), ("en_US", "G y-MM-dd"), ("zh_TW@calendar=roc", "Gy年M月d日"),
        ] {
            let names = try #require(LocaleNames(locale: locale))
            let parsed = try DatePattern(pattern)
            let writer = DateTextWriter(DateWriter(parsed, names: names), zone: .utc)
            let column = Column.days(Values(days))
            let reader = DateColumnReader([try DateFormat(parsed, names: [names])], to: .day, zone: nil, names: [names])
            let texts = writer.text(of: column)
            let back = reader.read(texts) { row, failure in
                Issue.record("\(locale) \(pattern) \(texts.displayText(row) ?? ""): \(failure.outcome)")
            }
            #expect(days.indices.allSatisfy { back.displayText($0) == column.displayText($0) })
        }
    }

    @Test("a time that clocks showed twice or never becomes the instant that is asked for")
    func clocks() throws {
        let zone = try #require(ZoneRules(named: "Europe/Berlin"))
        let texts = ["2026-03-29 02:30", "2026-10-25 02:30", "2026-10-25 01:30"]
        let format = try DateFormat(try DatePattern("yyyy-MM-dd HH:mm"))
        func read(_ doubled: ClockChoice, _ skipped: ClockChoice) -> [String] {
            var reader = DateColumnReader([format], to: .instant, zone: zone)
            (reader.doubled, reader.skipped) = (doubled, skipped)
            var failures: [Int: DateOutcome] = [:]
            let dates = reader.read(.text(TextColumn(texts, at: 0..<3))) { failures[$0] = $1.outcome }
            return texts.indices.map { failures[$0].map { "\($0)" } ?? dates.displayText($0) ?? "" }
        }
        #expect(read(.reject, .reject) == ["skippedLocalTime", "doubledLocalTime", "2026-10-24T23:30:00Z"])
        #expect(read(.earlier, .earlier) == ["2026-03-29T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-24T23:30:00Z"])
        #expect(read(.later, .later) == ["2026-03-29T01:30:00Z", "2026-10-25T01:30:00Z", "2026-10-24T23:30:00Z"])
    }

    @Test("decimals may lack the zero before their point")
    func decimals() {
        func decimal(_ text: String) -> Double? {
            let bytes = Bytes(text)
            return withExtendedLifetime(bytes) { CellReading.keptDecimal(bytes.filled) }
        }
        #expect(decimal(".5") == 0.5)
        #expect(decimal("-.25") == -0.25)
        #expect(decimal("+.5e1") == 5)
        for text in [".", "-.", ".e5", "5.", "..5", ".5.", ""] { #expect(decimal(text) == nil, "\(text)") }
    }
}

import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookDates
@testable import DaybookDiscover

/// What is learnt of columns by looking at their values.
@Suite struct InferenceTests {
    static let candidates = DateCandidates(names: ["ko_KR", "en_US"].compactMap { LocaleNames(locale: $0) })

    private func batch(_ values: [String?], _ name: String = "x") -> Batch {
        var builder = TextColumnBuilder(rows: values.count)
        for value in values { if let value { builder.append(value) } else { builder.appendMissing() } }
        return Batch(
            Schema([Field(name, .text, source: name)]),
            [.text(builder.build())],
            count: values.count,
            provenance: .made
        )
    }

    private func look(_ values: [String?], _ name: String = "x") -> TableInference {
        let batch = batch(values, name)
        var look = TableInference(batch.schema, InferenceTests.candidates)
        look.add(batch)
        return look
    }

    private func verdict(_ values: [String]) -> DateVerdict? {
        let look = look(values)
        return look.dateVerdict(of: look.columns[0])
    }

    private func numbers(_ values: [Double]) -> NumberInference {
        var numbers = NumberInference()
        for value in values { numbers.add(value) }
        return numbers
    }

    @Test("the first and the last day are those of the formats that were chosen")
    func daysOfTheChosenFormats() {
        let american = verdict(["10/10/26", "10/13/26", "10/14/26", "10/15/26"])
        #expect(american.map { "\($0.first) to \($0.last)" } == "2026-10-10 to 2026-10-15")
    }

    // MARK: - Kinds

    @Test func numbersAreThoseThatComeOutAsTheyWentIn() {
        let text = look(["1", "-20", "0", "007", "+5", "-0", "1.5", "1.50", "12e4", "9223372036854775808", "", " 1"])
            .columns[0]
            .text
        #expect(text.integers.fitting == 3)
        #expect(text.decimals.fitting == 6)
        #expect(text.integers.misfit?.text == "007")
        #expect(text.codes.count == 4)
        #expect(text.codes.sample?.text == "007")
        #expect(text.respelt?.text == "1.50")
        #expect(look(["7", "1e3"]).columns[0].text.respelt?.text == "1e3")
    }

    @Test func numbersAreReadAsImportersReadThem() {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                    "0123456789012345678901234567899+-.eE".randomElement(using: &generator)!
                }
            )
            let cell = Bytes(text)
            let form = NumberForm(cell.filled)
            let number = CellReading.decimal(cell.filled)
            #expect(form.isCode ? form.number == nil && number != nil : form.number == number, "\(text)")
            #expect(form.whole == nil || form.whole == CellReading.integer(cell.filled), "\(text)")
            withExtendedLifetime(cell) {}
        }
    }

    @Test func wholeNumbersKeepTheirDigits() {
        var look = look(["9007199254740995", "12"])
        look.merge(self.look(["-9223372036854775808", "9007199254740993"]))
        let numbers = look.columns[0].numbers
        #expect(numbers.count == 4)
        #expect(numbers.wholes.least == .min && numbers.wholes.most == 9_007_199_254_740_995)
        let text = look.columns[0].text
        #expect(text.areDecimals(4) == false && text.wides.count == 3 && text.lossySample(of: 4) == nil)
    }

    @Test func digitsThatADecimalWouldLoseAreNamed() {
        let text = look(["1.5", "9007199254740993", "0.12345678901234567"]).columns[0].text
        #expect(!text.areDecimals(3) && text.lossySample(of: 3)?.text == "9007199254740993")
        // Also in a format of people, which makes decimals of them.
        #expect(look(["1,5", "9007199254740993"]).columns[0].numberVerdict == nil)
    }

    @Test func gapsFlagsAndColoursAreCounted() {
        let look = look(["true", "N/A", nil, "-", "#EC007F", "#ec007f", "#EC007", "no"])
        let column = look.columns[0]
        #expect(column.count == 8)
        #expect(column.missing == 1)
        #expect(column.text.gaps == ["N/A": 1, "-": 1])
        #expect(column.text.flags.fitting == 1)
        #expect(column.text.colours.fitting == 2)
        #expect(column.text.colours.misfit?.text == "true")
    }

    @Test func looksMergedInTheirOrderEqualOneLook() {
        var generator = SeededGenerator(seed: 11)
        let words = [
            "1", "2.5", "007", "2026-11-21", "21/11/2026", "03/04/2026", "-", "#EC007F", "true", "x y", "786543210.5",
        ]
        for _ in 0..<200 {
            let values: [String?] = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                Int.random(in: 0..<8, using: &generator) == 0 ? nil : words.randomElement(using: &generator)
            }
            let whole = look(values)
            let cut = Int.random(in: 0...values.count, using: &generator)
            var parts = look(Array(values[..<cut]))
            parts.merge(look(Array(values[cut...])))
            #expect(parts.rows == whole.rows)
            let (one, other) = (parts.columns[0], whole.columns[0])
            #expect(one.text == other.text)
            #expect(one.numbers == other.numbers)
            #expect(one.dates == other.dates)
            #expect(one.missing == other.missing)
            #expect(one.sample == other.sample)
        }
    }

    @Test func samplesTellTheLineOfTheirCell() {
        let text = "id\n1\n2\nmany\n4\n"
        let bytes = Bytes(text)
        let source = SourceName(index: 0, path: "in.csv")
        let morsel = Morsel(source: source, bytes: bytes, offset: 0, firstLine: 1, firstRecord: 0)
        let starts = [3, 5, 7, 12]
        let views = zip(starts, [1, 1, 4, 1]).map { TextView(offset: $0, length: $1) }
        let batch = Batch(
            Schema([Field("id", .text)]),
            [.text(TextColumn(bytes, views: views))],
            count: 4,
            provenance: .morsel(
                morsel,
                spans: starts.map { RecordSpan(start: $0, end: $0 + 1) },
                records: [0, 1, 2, 3]
            )
        )
        var look = TableInference(batch.schema, InferenceTests.candidates)
        look.add(batch)
        #expect(look.columns[0].text.integers.misfit?.line == 4)
        #expect(look.columns[0].text.integers.misfit?.source == "in.csv")
        #expect(look.columns[0].sample?.line == 2)
    }

    // MARK: - Dates

    @Test func theStrictestFormatThatReadsAllIsTaken() {
        #expect(verdict(["2026-11-21", "2026-01-02"])?.formats.map(\.text) == ["iso"])
        #expect(verdict(["2026/11/21", "2026/01/02"])?.formats.map(\.text) == ["yyyy/MM/dd"])
        #expect(verdict(["2026/11/21", "2026/1/2"])?.formats.map(\.text) == ["yyyy/M/d"])
        #expect(verdict(["2026년 3월 1일", "2026년 11월 21일"])?.formats.map(\.text) == ["yyyy년 M월 d일"])
        #expect(verdict(["1 Mar 2026", "21 November 2026"])?.formats.map(\.text) == ["d MMM yyyy"])
        #expect(verdict(["20260301", "20261121"])?.formats.map(\.text) == ["yyyyMMdd"])
        #expect(verdict(["20260301T104941Z", "20261121T10"])?.formats.map(\.text) == ["iso"])
        #expect(verdict(["20260301T10", "2026-11-21T10", "2026-11-21"])?.formats.map(\.text) == ["iso"])
        #expect(
            verdict(["3/1/2026 11:37\u{202F}AM", "3/13/2026\u{A0}1:37 PM"])?.formats.map(\.text) == ["M/d/yyyy h:mm a"]
        )
    }

    @Test func severalFormatsAreNamedByHowManyTheyRead() throws {
        let verdict = try #require(self.verdict(["2026-11-21", "2026/11/21", "2026-11-22", "2026년 3월 1일"]))
        #expect(verdict.formats.map(\.text) == ["iso", "yyyy/MM/dd", "yyyy년 M월 d일"])
        #expect(verdict.formats.map(\.count) == [2, 1, 1])
        #expect(verdict.choices.isEmpty)
        #expect("\(verdict.first) \(verdict.last)" == "2026-03-01 2026-11-22")
    }

    @Test func theOrderOfDayAndMonthIsLeftToThePerson() throws {
        let verdict = try #require(self.verdict(["03/04/2024", "05/06/2024", "07/07/2024"]))
        #expect(verdict.formats.isEmpty)
        #expect(verdict.choices.map(\.format) == ["dd/MM/yyyy", "MM/dd/yyyy"])
        #expect(verdict.choices.map(\.order) == ["the day first", "the month first"])
        #expect(verdict.doubtfulCount == 3)
    }

    @Test func oneDateThatDecidesTheOrderDecidesItForAll() throws {
        let verdict = try #require(self.verdict(["03/04/2024", "25/12/2024", "05/06/2024"]))
        #expect(verdict.formats.map(\.text) == ["dd/MM/yyyy"])
        #expect(verdict.choices.isEmpty)
        #expect(verdict.decider?.text == "25/12/2024")
        #expect(self.verdict(["3/4/2024", "12/25/2024"])?.formats.map(\.text) == ["M/d/yyyy"])
    }

    @Test func ordersThatContradictEachOtherAreLeftToThePerson() throws {
        let verdict = try #require(self.verdict(["25/12/2024", "12/25/2024", "03/04/2024"]))
        #expect(verdict.formats.isEmpty)
        #expect(verdict.choices.count == 2)
    }

    @Test func twoDigitYearsAreMoreDoubtfulStill() throws {
        let verdict = try #require(self.verdict(["03/04/05", "01/02/03"]))
        #expect(verdict.choices.map(\.format) == ["yy/MM/dd", "dd/MM/yy", "MM/dd/yy"])
        #expect(verdict.hasTwoDigitYears)
        #expect(self.verdict(["21.11.99", "30.12.98"])?.choices.isEmpty == true)
    }

    @Test func daysThatDoNotExistDoNotHideTheOthers() throws {
        let verdict = try #require(self.verdict(["2026-02-28", "2026-02-30", "2026-03-01", "2026-03-02"]))
        #expect(verdict.unread == 1)
        #expect(verdict.misfit?.text == "2026-02-30")
        #expect(self.verdict(["2026-02-28", "yesterday", "2026-03-01"]) == nil)
    }

    @Test func whatIsNoDateIsNone() {
        for values in [
            ["a", "b"], ["1", "2"], ["12345678", "87654321"], ["010-1234-5678"], ["1.2.3.4"], [""], ["2026"],
        ] {
            #expect(verdict(values) == nil, "\(values)")
        }
    }

    @Test func timesMakeInstants() {
        #expect(verdict(["2026-11-21T05:00:00Z"])?.isTimed == true)
        #expect(verdict(["2026-11-21 05:00"])?.isTimed == true)
        #expect(verdict(["2026-11-21T00:00:00+09:00"])?.isTimed == true)
        #expect(verdict(["2026-11-21"])?.isTimed == false)
        #expect(verdict(["2026. 11. 21. 오후 5:00"])?.formats.map(\.text) == ["yyyy. M. d. a h:mm"])
    }

    @Test func everyCandidateReadsWhatItsFormatWrites() throws {
        var written = 0
        for candidate in InferenceTests.candidates.all {
            guard case .pattern(let pattern) = candidate.format.kind else { continue }
            let format = DateWriter(
                pattern,
                names: LocaleNames(
                    locale: pattern.text.contains("년") || pattern.text.contains("a h:mm") ? "ko_KR" : "en_US"
                )
            )
            let writer = DateTextWriter(format, zone: .utc)
            let text = try #require(writer.text(of: .instants(Values([1_795_237_267_000_000]))).displayText(0))
            #expect(verdict([text]) != nil, "\(pattern.text) wrote '\(text)'")
            written += 1
        }
        #expect(written > 10, "\(written) candidates are patterns")
    }

    // MARK: - Numbers that count time

    @Test func secondsOfAppsAreToldFromSecondsSince1970() throws {
        let evidence = try #require(EpochEvidence(numbers([573_177_600.25, 816_912_000.5]), column: "targetDate"))
        #expect(evidence.readings.first?.unit == .appleSeconds)
        #expect(evidence.isConvincing)
        #expect(
            evidence.displayText
                == "2 values from 2019-03-02 to 2026-11-21 as apple_seconds; as epoch_seconds they would be 1988 to 1995"
        )
        // A birthday among them lies before 1990.
        #expect(
            EpochEvidence(numbers([-386_676_000, 730_911_600, 819_730_800]), column: "targetDate")?.isConvincing == true
        )
        let unix = try #require(EpochEvidence(numbers([1_700_000_000, 1_700_000_900]), column: "created_at"))
        #expect(unix.readings.first?.unit == .epochSeconds)
        #expect(unix.isConvincing)
        let millis = try #require(EpochEvidence(numbers([1_700_000_000_000]), column: "t"))
        #expect(millis.readings.first?.unit == .epochMillis)
        #expect(millis.isConvincing)
        // Milliseconds among seconds make no column of dates, and births before 1970 do.
        let mixed = numbers([1_709_164_800, 1_709_251_200, 1_709_424_000, 1_709_510_400, 1_709_337_600_000])
        #expect(EpochEvidence(mixed, column: "ts") == nil)
        let births = numbers([-600_000_000_000, -100_000_000_000, 500_000_000_000])
        #expect(EpochEvidence(births, column: "born")?.isConvincing == true)
    }

    @Test func numbersWithoutASignAreNotTakenForDates() throws {
        let evidence = try #require(EpochEvidence(numbers([1_700_000_001, 1_700_000_900]), column: "serial"))
        #expect(!evidence.isConvincing)
        #expect(EpochEvidence(numbers([1, 2, 3]), column: "date") == nil)
        #expect(EpochEvidence(numbers([20_260_301]), column: "date") == nil)
        #expect(EpochEvidence(numbers([]), column: "date") == nil)
        #expect(EpochEvidence(numbers([1e300, -1e300]), column: "date") == nil)
    }

    @Test func whereTwoUnitsAreAsLikelyThePersonMustChoose() throws {
        let evidence = try #require(EpochEvidence(numbers([700_000_000, 1_400_000_000]), column: "date"))
        #expect(Set(evidence.readings.map(\.unit)) == [.epochSeconds, .appleSeconds])
        #expect(!evidence.isClear)
    }

    @Test(arguments: [
        ("savedDate", true), ("created_at", true), ("시작 날짜", true), ("update", false), ("candidate", false),
        ("dday", false), ("lastOn", true),
    ])
    func namesThatSpeakOfDatesAreKnown(_ name: String, _ expected: Bool) {
        #expect(DateWords.are(in: name) == expected)
    }
}

import DaybookContracts
import DaybookDates
import Testing

@Suite struct DatePatternTests {
    @Test(arguments: [
        ("yyyy-MM-DD", "'DD' in the pattern 'yyyy-MM-DD' is not a date field"),
        ("GGGGGy/MM/dd", "'GGGGG' in the pattern 'GGGGGy/MM/dd' is not a date field"),
        ("YYYY-MM-dd", "'YYYY' in the pattern 'YYYY-MM-dd' is not a date field"),
        ("yyy-MM-dd", "'yyy' in the pattern 'yyy-MM-dd' is not a date field"),
        ("d de MMMM", "'de' is not"),
        ("yyyy 'Jahr", "a single quote in the pattern 'yyyy 'Jahr' is never closed"),
        ("''", "the pattern '''' has no date letters"),
        ("", "the pattern '' has no date letters"),
    ])
    func `what is no pattern is refused`(_ text: String, _ message: String) {
        let problem = #expect(throws: DatePattern.Problem.self) { try DatePattern(text) }
        if message != "'de' is not" { #expect(problem?.message == message) }
    }

    @Test(arguments: [
        ("yyyy-MM", "the pattern 'yyyy-MM' has no d, so it does not say the day"),
        ("HH:mm", "the pattern 'HH:mm' has no y, so it does not say the year"),
        ("yyyyMd", "in the pattern 'yyyyMd' nothing shows where the month ends"),
        ("yyyy-MM-dd (M)", "the pattern 'yyyy-MM-dd (M)' says the month twice"),
        (
            "yyyy-MM-dd h:mm",
            "the pattern 'yyyy-MM-dd h:mm' counts hours to twelve and does not say which half of the day"
        ),
        ("yyyy-mm-dd", "the pattern 'yyyy-mm-dd' has no M, so it does not say the month"),
        ("yyyy-MM-dd HH:ss", "the pattern 'yyyy-MM-dd HH:ss' has s without m"),
        ("yyyy-MM-dd Z", "the pattern 'yyyy-MM-dd Z' says the offset from UTC without the hour"),
    ])
    func `a pattern that cannot be read back is refused`(_ text: String, _ message: String) throws {
        let pattern = try DatePattern(text)
        let problem = #expect(throws: DatePattern.Problem.self) { try pattern.checkReadable() }
        #expect(problem?.message == message)
    }

    @Test func `a pattern of strftime is answered with the letters of this one`() {
        let problem = #expect(throws: DatePattern.Problem.self) { try DatePattern("%Y-%m-%d") }
        #expect(problem?.hint?.contains("yyyy-MM-dd") == true)
    }

    @Test func `literals are joined, and quotes give way`() throws {
        #expect(
            try DatePattern("yyyy년'''o''clock'").pieces == [
                .number(.year, minimum: 4, maximum: 4), .literal(Array("년'o'clock".utf8)),
            ]
        )
    }

    @Test func `two-digit years need a pivot`() throws {
        let pattern = try DatePattern("yy-MM-dd")
        #expect(throws: DatePattern.Problem.self) { try DateFormat(pattern) }
        #expect(throws: Never.self) { try DateFormat(pattern, pivotYear: 1970) }
    }
}

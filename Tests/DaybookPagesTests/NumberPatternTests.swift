import Testing

@testable import DaybookContracts
@testable import DaybookPages
@testable import DaybookValues

@Suite struct NumberPatternTests {
    @Test(
        "numbers are shown as the pattern says",
        arguments: [
            ("#,##0", 1_234_567.5, "1,234,568"), ("#,##0.00", 1_234.5, "1,234.50"), ("0.0%", 0.275, "27.5%"),
            ("0.0#", 1.256, "1.26"),
            ("0.0#", 1.2, "1.2"), ("€#,##0", -1_234, "−€1,234"), ("#,##0.00 '#'", 3, "3.00 #"), ("₩#,##0", 0.4, "₩0"),
            ("000", 7, "007"),
            ("#.##", 0.5, ".5"), ("#,##0;(#,##0)", -12, "(12)"), ("0", -0.2, "0"), ("0.00", 2.675, "2.68"),
            ("0 'o''clock'", 9, "9 o'clock"),
            ("#,##0", 1e18, "1e18"), ("0", .infinity, "inf"),
        ]
    )
    func shows(_ pattern: String, _ value: Double, _ text: String) throws {
        #expect(try NumberPattern(pattern).text(of: value, NumberSigns(language: "en")) == text)
    }

    @Test(
        "languages have their own separators",
        arguments: [
            ("de", "1.234,50"), ("ko", "1,234.50"), ("fr-FR", "1\u{202F}234,50"), ("de-CH", "1’234.50"),
            ("xx", "1,234.50"), ("sv", "1\u{A0}234,50"),
        ]
    )
    func languages(_ tag: String, _ text: String) throws {
        #expect(try NumberPattern("#,##0.00").text(of: 1_234.5, NumberSigns(language: tag)) == text)
    }

    @Test(
        "what is no pattern is refused",
        arguments: ["", "€", "0.0.0", "#,##", "0#", "0.#0", "0E0", "'0", "0;0;0", "0 0", "@@", "5", "0.00000000000"]
    )
    func refuses(_ pattern: String) {
        #expect(throws: NumberPattern.Fault.self) { try NumberPattern(pattern) }
    }
}

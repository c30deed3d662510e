import DaybookCore
import Testing

@Suite struct NearestNameTests {
    static let names = [
        "validate_hex_colours", "normalise_dates", "summarise_monthly_emotions", "sort_rows", "date", "day",
    ]

    @Test(
        "the name that was meant is found",
        arguments: [
            ("validate_hex_colors", "validate_hex_colours"), ("normalize_dates", "normalise_dates"),
            ("summarize_monthly_emotions", "summarise_monthly_emotions"), ("sort_row", "sort_rows"),
            ("Sort_Rows", "sort_rows"), ("dtae", "date"), ("dya", "day"),
        ]
    )
    func found(_ written: String, _ meant: String) {
        #expect(NearestName.of(written, among: Self.names) == meant)
    }

    @Test("what is like nothing gets no suggestion", arguments: ["", "colour", "export_html", "x"])
    func unlike(_ written: String) {
        #expect(NearestName.hint(for: written, among: Self.names) == nil)
    }
}

import DaybookContracts
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

    @Test func namesOfOneCharacterAreLikeNoOther() {
        #expect(NearestName.hint(for: "c", among: ["a", "b", "d", "cd"]) == nil)
        #expect(NearestName.hint(for: "ab", among: ["a", "b"]) == nil)
        #expect(NearestName.hint(for: "C", among: ["a", "c"]) == "did you mean 'c'?")
    }

    @Test(
        "a name of several words is found by some of them",
        arguments: [
            ("pivot", "did you mean 'pivot_rows'?"), ("csv", "did you mean 'import_csv' or 'export_csv'?"),
            ("HTML", "did you mean 'export_html'?"), ("rows-pivot", "did you mean 'pivot_rows'?"), ("sort", nil),
            ("", nil),
            ("sort_row", "did you mean 'sort_rows'?"),
        ] as [(String, String?)]
    )
    func foundByWords(_ written: String, _ hint: String?) {
        // 'sort' is a part of too many.
        let names =
            ["import_csv", "export_csv", "export_html", "pivot_rows", "sort_rows"]
            + ["by_sort_1", "by_sort_2", "by_sort_3"]
        #expect(NearestName.hint(forWords: written, among: names) == hint)
    }

    @Test(
        "what looks like a slip stops a run, and a name of its own does not",
        arguments: [
            ("targetdate", "targetDate", true), ("DdayManger", "DdayManager", true), ("tmep", "temp", true),
            ("colour", "color", true), ("savedDare", "savedDate", true), ("rain", "main", false),
            ("temp_min", "temp_max", false), ("todos2", "todos", false), ("id", "at", false), ("lat", "lon", false),
        ]
    )
    func slips(_ written: String, _ name: String, _ isSlip: Bool) {
        #expect(NearestName.slip(written, among: [name]) == (isSlip ? name : nil))
    }
}

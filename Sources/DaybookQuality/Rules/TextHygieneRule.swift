/// Every text is free of faults that readers do not see, such as a blank at an end or `CafÃ©` for `Café`. Missing texts
/// pass.
struct TextHygieneRule: RowRule, TextRule {
    static let name = "text_hygiene"
    static let summary =
        "Every text of a column is free of stray blanks, unseen characters, look-alikes and letters read in another encoding."
    static var shorthand: String? { "column" }

    let column: ColumnName
    let hygiene: TextHygiene

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of text.")
        let faults = options.read(
            "look_for",
            default: TextFault.allCases,
            help: "Faults to look for: blanks at the ends (edges), two in a row (double_blanks), UTF-8 read as "
                + "Windows-1252 and U+FFFD (mojibake), letters of two scripts in a word (mixed_scripts), and unseen characters."
        )
        hygiene = TextHygiene(faults)
        if faults.isEmpty { options.refuse("look_for", "'look_for' names no fault") }
    }

    var finding: Finding.Kind { Finding.Kind("unclean-text", "{value} is not clean", hint: hygiene.hint) }
    var complaint: String { "have a value in '\(column)' that is not clean" }
    var expectation: String { "every value in '\(column)' is clean" }

    /// One breach for all rows with the same faults.
    func breaches(in batch: Batch) -> [Breach] {
        let faults = batch.text(in: column).mapValues(filler: 0) { hygiene.faults(in: $1).rawValue }.elements
        let found = faults.reduce(0 as UInt64) { $0 | 1 << UInt64($1) }
        return (1..<64 as Range<UInt8>).filter { found >> $0 & 1 == 1 }.map { number in
            let words = TextFaults(rawValue: number).displayText
            let kind = Finding.Kind("unclean-text", "{value} has \(words)", hint: hygiene.hint)
            return Breach(kind, in: column, Mask(count: batch.count) { faults[$0] == number })
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "the message names what is wrong and what clean_text would make of it",
            options: "rules: [{ text_hygiene: [city, note] }]",
            rows: """
                city:text,note:text
                Seoul,naïve Ångström « marché »
                 Seoul,two  blanks
                CafÃ©,donâ€™t
                Pаris,12 μm
                Se\u{200B}oul,می\u{200C}خواهم
                ,"a
                  list"
                """,
            findings: [
                "2 city unclean-text", "2 note unclean-text", "3 city unclean-text", "3 note unclean-text",
                "4 city unclean-text", "5 city unclean-text",
            ]
        ),
        .passing(
            "only some faults can be looked for",
            options: "rules: [{ text_hygiene: { column: city, look_for: [edges, mojibake] } }]",
            rows: "city:text\nNew  York\nBusan\u{A0}\nCaf\u{FFFD}",
            findings: ["2 city unclean-text", "3 city unclean-text"]
        ),
    ]
}

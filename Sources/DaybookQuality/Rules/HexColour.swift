/// Every text has to be a colour such as `#EC007F`. A missing colour passes.
struct HexColour: ValueRule {
    static let name = "hex_colour"
    static let summary = "Every text of a column is a colour: # and hex digits, without spaces around it."
    static var shorthand: String? { "column" }

    let column: ColumnName
    let digits: [Int]

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of colours.")
        digits = HexDigits.readCounts(&options)
    }

    var finding: Finding.Kind { .notAHexColour(HexDigits.displayText(digits)) }
    var columns: [ColumnName] { [column] }
    var complaint: String {
        "have a value in '\(column)' that is not # and \(HexDigits.displayText(digits)) hex digits"
    }
    var expectation: String { "every value in '\(column)' is # and \(HexDigits.displayText(digits)) hex digits" }

    func check(_ input: Schema) throws(DaybookError) { try input.requiring(column, .text) }

    func broken(in batch: Batch) -> Mask {
        let lengths = HexDigits.lengths(digits)
        return batch.text(in: column).rows { HexDigits(ofColour: $0, lengths) == nil }
    }

    static let examples: [StageExample] = [
        .passing(
            "a colour is # and six hex digits",
            options: "rules: [{ hex_colour: colour }]",
            rows: """
                colour:text
                #EC007F
                #ec007f
                EC007F

                pink
                """,
            findings: ["3 colour not-a-hex-colour", "5 colour not-a-hex-colour"]
        ),
        .passing(
            "other numbers of digits can be allowed",
            options: "rules: [{ hex_colour: { column: tint, digits: [3, 8] } }]",
            rows: "tint:text\n#FFF\n#EC007F\n#EC007FFF",
            findings: ["2 tint not-a-hex-colour"]
        ),
    ]
}

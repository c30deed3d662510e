/// The length of every text lies between two bounds. Missing texts pass.
struct Length: ValueRule, TextRule {
    enum Unit: String, OptionChoice {
        case characters, bytes

        static var otherWords: [String: String] { ["scalars": "characters", "letters": "characters"] }
    }

    static let name = "length"
    static let summary = "Every text of a column has at least and at most so many characters."

    let column: ColumnName
    let min: Int?
    let max: Int?
    let unit: Unit

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of text.")
        min = options.optional("min", help: "The fewest characters; none when left out.")
        max = options.optional("max", help: "The most characters; none when left out.")
        unit = options.read(
            "unit",
            default: .characters,
            help: "What is counted: characters (Unicode scalars), or bytes of UTF-8, as some databases do."
        )
        RuleBound.check(min, max, of: Self.name, &options, isMore: >)
        if let min, min < 0 { options.refuse("min", "'min' is \(min), and no text is shorter than 0") }
        if let max, max < 0 { options.refuse("max", "'max' is \(max), and no text is shorter than 0") }
    }

    private var displayText: String {
        func long(_ count: Int) -> String {
            "\(count) \(count == 1 ? String(unit.rawValue.dropLast()) : unit.rawValue) long"
        }
        switch (min, max) {
        case (let min?, let max?) where min == max: return long(min)
        case (let min?, let max?): return "\(min) to \(long(max))"
        case (let min?, nil): return "at least \(long(min))"
        case (nil, let max?): return "at most \(long(max))"
        case (nil, nil): return "of any length"
        }
    }

    var finding: Finding.Kind { Finding.Kind("wrong-length", "{value} is not \(displayText)") }
    var complaint: String { "have a value in '\(column)' that is not \(displayText)" }
    var expectation: String { "every value in '\(column)' is \(displayText)" }
    func broken(in batch: Batch) -> Mask {
        let least = min ?? 0
        let most = max ?? .max
        let text = batch.text(in: column)
        guard unit == .characters else { return text.rows { $0.count < least || $0.count > most } }
        return text.rows { cell in
            var count = 0
            for byte in cell { count &+= byte & 0xC0 == 0x80 ? 0 : 1 }
            return count < least || count > most
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "characters are counted, not bytes",
            options: "rules: [{ length: { column: note, min: 1, max: 4 } }]",
            rows: """
                note:text
                바다에서
                ""

                beach
                """,
            findings: ["2 note wrong-length", "4 note wrong-length"]
        ),
        .passing(
            "a database that counts bytes has room for fewer",
            options: "rules: [{ length: { column: note, max: 8, unit: bytes } }]",
            rows: "note:text\n바다\n바다에서\nbeach",
            findings: ["2 note wrong-length"]
        ),
    ]
}

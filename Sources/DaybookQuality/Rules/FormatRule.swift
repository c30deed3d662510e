/// Every text is written in a known format, such as an email address. Missing texts pass.
struct FormatRule: ValueRule, TextRule {
    static let name = "format"
    static let summary =
        "Every text of a column is written as an address, a number with a check digit, or a code of ISO should be."

    let column: ColumnName
    let format: WrittenFormat
    /// The allowed codes; nil for a grammar.
    private let codes: TextLookup?
    private let nearest: NearestNames?

    init(reading options: inout OptionReader) {
        column = options.read(
            "column",
            help: "Column of text. Numbers lose their leading zeros, so keep such a column text."
        )
        format = options.read(
            "is",
            help: "What every value is, without blanks around it. Codes have the case of their standard: KR, KRW, ko. "
                + "Digits of luhn, iban and isbn may be grouped. Whether an address exists is not asked."
        )
        let list = format.codes
        codes = list.map { TextLookup($0) }
        nearest = list.map { NearestNames($0) }
    }

    var finding: Finding.Kind {
        Finding.Kind("wrong-format", "{value} is not \(format.displayText)", hint: nearest?.hint)
    }
    var complaint: String { "have a value in '\(column)' that is not \(format.displayText)" }
    var expectation: String { "every value in '\(column)' is \(format.displayText)" }

    func broken(in batch: Batch) -> Mask {
        let text = batch.text(in: column)
        if let codes { return text.rows { codes.find($0) < 0 } }
        return switch format {
        case .email: text.rows { !WrittenFormat.isEmail($0) }
        case .url: text.rows { !WrittenFormat.isURL($0) }
        case .uuid: text.rows { !WrittenFormat.isUUID($0) }
        case .luhn: text.rows { !WrittenFormat.isLuhn($0) }
        case .iban: text.rows { !WrittenFormat.isIBAN($0) }
        case .isbn: text.rows { !WrittenFormat.isISBN($0) }
        case .ipv4: text.rows { !WrittenFormat.isIPv4($0) }
        case .country, .country3, .currency, .language: preconditionFailure("a format of codes has a list")
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "an address has to be complete; whether anybody answers is not asked",
            options: """
                rules:
                  - format: { column: email, is: email }
                  - format: { column: site, is: url }
                  - format: { column: host, is: ipv4 }
                """,
            rows: """
                email:text,site:text,host:text
                kim@example.kr,https://example.kr:8080/a?b=%20,192.0.2.1
                kim.lee+x@mail.example.co.kr,ftp://127.0.0.1/,0.0.0.0
                kim@example,example.kr,192.0.2
                kim..lee@example.kr,https:///a,192.0.2.256
                kim @example.kr,https://example.kr/a b,192.0.2.01
                kim@-example.kr,https://example.kr/%2,
                kim@example.123,,
                """,
            findings: [
                "3 email wrong-format", "3 site wrong-format", "3 host wrong-format", "4 email wrong-format",
                "4 site wrong-format", "4 host wrong-format", "5 email wrong-format", "5 site wrong-format",
                "5 host wrong-format", "6 email wrong-format", "6 site wrong-format", "7 email wrong-format",
            ]
        ),
        .passing(
            "a wrong check digit is a mistyped number",
            options: """
                rules:
                  - format: { column: card, is: luhn }
                  - format: { column: account, is: iban }
                  - format: { column: book, is: isbn }
                """,
            rows: """
                card:text,account:text,book:text
                4111 1111 1111 1111,DE89 3704 0044 0532 0130 00,978-3-16-148410-0
                4111111111111112,DE89370400440532013001,978-3-16-148410-1
                0,DE89,0-306-40615-2
                ,GB82WEST12345698765432,080442957X
                ,gb82WEST12345698765432,08044X9573
                """,
            findings: [
                "2 card wrong-format", "2 account wrong-format", "2 book wrong-format", "3 card wrong-format",
                "3 account wrong-format", "5 account wrong-format", "5 book wrong-format",
            ]
        ),
        .passing(
            "codes are those of the standards, in their case",
            options: """
                rules:
                  - format: { column: country, is: country }
                  - format: { column: code, is: country3 }
                  - format: { column: money, is: currency }
                  - format: { column: speech, is: language }
                  - format: { column: id, is: uuid }
                """,
            rows: """
                country:text,code:text,money:text,speech:text,id:text
                KR,KOR,KRW,ko,123e4567-e89b-12d3-a456-426614174000
                UK,KO,WON,jp,123e4567e89b12d3a456426614174000
                de,deu,eur,DE,
                """,
            findings: [
                "2 country wrong-format", "2 code wrong-format", "2 money wrong-format", "2 speech wrong-format",
                "2 id wrong-format", "3 country wrong-format", "3 code wrong-format", "3 money wrong-format",
                "3 speech wrong-format",
            ]
        ),
        .passing(
            "several columns are judged by a rule each",
            options: "rules: [{ format: { column: [from, to], is: country } }]",
            rows: "from:text,to:text\nKR,JP\nKorea,JP",
            findings: ["2 from wrong-format"]
        ),
    ]
}

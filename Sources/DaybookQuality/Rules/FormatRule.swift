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

/// How a text is written, judged by its bytes. Each format is a grammar, and for numbers the check digit as well.
enum WrittenFormat: String, OptionChoice {
    case email, url, uuid, luhn, iban, isbn, ipv4, country, country3, currency, language

    static var otherWords: [String: String] {
        ["mail": "email", "uri": "url", "guid": "uuid", "card": "luhn", "credit_card": "luhn", "ip": "ipv4"]
    }

    /// The format in words, as in `is not an email address`.
    var displayText: String {
        switch self {
        case .email: "an email address such as kim@example.kr"
        case .url: "an address such as https://example.kr/a"
        case .uuid: "a UUID such as 123e4567-e89b-12d3-a456-426614174000"
        case .luhn: "a number whose last digit is the Luhn check digit"
        case .iban: "an IBAN with right check digits"
        case .isbn: "an ISBN of 10 or 13 digits with the right check digit"
        case .ipv4: "an IPv4 address such as 192.0.2.1"
        case .country: "a country code of ISO 3166 such as KR"
        case .country3: "a country code of ISO 3166 such as KOR"
        case .currency: "a currency code of ISO 4217 such as KRW"
        case .language: "a language code of ISO 639-1 such as ko"
        }
    }

    /// The codes that the format allows; nil for a grammar.
    var codes: [String]? {
        switch self {
        case .country: CodeLists.countries
        case .country3: CodeLists.threeLetterCountries
        case .currency: CodeLists.currencies
        case .language: CodeLists.languages
        default: nil
        }
    }

    // MARK: - Grammars

    /// An address as mail servers take it: RFC 5321 without quoted names and literal hosts.
    static func isEmail(_ cell: Cell) -> Bool {
        guard cell.count <= 254, let at = cell.lastIndex(of: UInt8(ascii: "@")), 1...64 ~= at else { return false }
        var last = UInt8(ascii: ".")
        for place in 0..<at {
            let byte = cell[place]
            guard isNameByte(byte) || (byte == UInt8(ascii: ".") && last != byte) else { return false }
            last = byte
        }
        return last != UInt8(ascii: ".") && isHost(cell, (at + 1)..<cell.count, needsDot: true)
    }

    /// A scheme, `://`, a host, and a rest without blanks or other bytes that an address has to escape.
    static func isURL(_ cell: Cell) -> Bool {
        var place = 0
        while place < cell.count, isLetter(cell[place]) || (place > 0 && isSchemeByte(cell[place])) { place += 1 }
        let mark = ":".utf8.first ?? 0
        guard place > 0, place + 3 < cell.count, cell[place] == mark, cell[place + 1] == 0x2F, cell[place + 2] == 0x2F
        else { return false }
        let start = place + 3
        var end = start
        while end < cell.count, cell[end] != 0x2F, cell[end] != 0x3F, cell[end] != 0x23 { end += 1 }
        for at in start..<cell.count {
            guard isURLByte(cell[at]) else { return false }
            if cell[at] == UInt8(ascii: "%") {
                guard at + 2 < cell.count, isHex(cell[at + 1]), isHex(cell[at + 2]) else { return false }
            }
        }
        var host = start..<end
        if let at = cell[host].lastIndex(of: UInt8(ascii: "@")) { host = (at + 1)..<end }
        guard !host.isEmpty else { return false }
        if cell[host.lowerBound] == UInt8(ascii: "[") { return cell[host].contains(UInt8(ascii: "]")) }
        if let port = cell[host].lastIndex(of: mark) {
            guard cell[(port + 1)..<end].allSatisfy(isDigit) else { return false }
            host = host.lowerBound..<port
        }
        return isHost(cell, host, needsDot: false)
    }

    static func isUUID(_ cell: Cell) -> Bool {
        guard cell.count == 36 else { return false }
        for place in 0..<36 {
            let isHyphen = place == 8 || place == 13 || place == 18 || place == 23
            guard isHyphen ? cell[place] == UInt8(ascii: "-") : isHex(cell[place]) else { return false }
        }
        return true
    }

    /// Four numbers up to 255 without leading zeros, which some programs read as octal.
    static func isIPv4(_ cell: Cell) -> Bool {
        var (parts, digits, value) = (1, 0, 0)
        for byte in cell {
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return false }
                (parts, digits, value) = (parts + 1, 0, 0)
            } else {
                guard isDigit(byte), digits == 0 || value > 0 else { return false }
                (digits, value) = (digits + 1, value * 10 + Int(byte & 15))
                guard value <= 255 else { return false }
            }
        }
        return parts == 4 && digits > 0
    }

    /// Digits in groups: every second one from the right doubled, and all added up to a multiple of 10 (ISO/IEC 7812).
    static func isLuhn(_ cell: Cell) -> Bool {
        var (count, sum) = (0, 0)
        guard let ends = cell.last, isDigit(ends), let begins = cell.first, isDigit(begins) else { return false }
        for byte in cell.reversed() where !isSeparator(byte) {
            guard isDigit(byte) else { return false }
            let digit = Int(byte & 15)
            sum += count & 1 == 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
            count += 1
            guard count <= 64 else { return false }
        }
        return count > 1 && sum % 10 == 0
    }

    /// A country, two check digits and 11 to 30 letters and digits whose number leaves 1 when divided by 97 (ISO 13616).
    static func isIBAN(_ cell: Cell) -> Bool {
        guard cell.count >= 15, isUpper(cell[0]), isUpper(cell[1]), isDigit(cell[2]), isDigit(cell[3]),
            cell[cell.count - 1] != UInt8(ascii: " ")
        else { return false }
        var (rest, count) = (0, 0)
        for place in (4..<cell.count + 4) {
            let byte = cell[place < cell.count ? place : place - cell.count]
            if byte == UInt8(ascii: " ") { continue }
            count += 1
            guard count <= 34, isDigit(byte) || isUpper(byte) else { return false }
            rest = (isDigit(byte) ? rest * 10 + Int(byte & 15) : rest * 100 + Int(byte) - 55) % 97
        }
        return count >= 15 && rest == 1
    }

    /// Ten digits, of which the last may be X, or thirteen that begin with 978 or 979; hyphens or blanks between them.
    static func isISBN(_ cell: Cell) -> Bool {
        var (count, ten, thirteen, start) = (0, 0, 0, 0)
        var endsInX = false
        guard let first = cell.first, isDigit(first), let last = cell.last, !isSeparator(last) else { return false }
        for byte in cell where !isSeparator(byte) {
            guard !endsInX, count < 13 else { return false }
            endsInX = byte == UInt8(ascii: "X")
            guard endsInX || isDigit(byte) else { return false }
            let digit = endsInX ? 10 : Int(byte & 15)
            ten += (10 - count) * digit
            thirteen += count & 1 == 0 ? digit : digit * 3
            if count < 3 { start = start * 10 + digit }
            count += 1
        }
        if count == 10 { return ten % 11 == 0 }
        return count == 13 && !endsInX && thirteen % 10 == 0 && (start == 978 || start == 979)
    }

    /// Labels of letters, digits and hyphens with dots between them. Letters of other scripts are letters.
    private static func isHost(_ cell: Cell, _ range: Range<Int>, needsDot: Bool) -> Bool {
        var (length, dots, letters) = (0, 0, 0)
        var last = UInt8(ascii: ".")
        for place in range {
            let byte = cell[place]
            if byte == UInt8(ascii: ".") {
                guard length > 0, last != UInt8(ascii: "-") else { return false }
                (length, dots, letters) = (0, dots + 1, 0)
            } else {
                guard isLetter(byte) || isDigit(byte) || byte >= 0x80 || (byte == UInt8(ascii: "-") && length > 0),
                    length < 63 || byte >= 0x80
                else { return false }
                length += 1
                if !isDigit(byte) { letters += 1 }
            }
            last = byte
        }
        return length > 0 && last != UInt8(ascii: "-") && (!needsDot || (dots > 0 && letters > 0))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    private static func isUpper(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }
    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    private static func isHex(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 6 }
    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") }
    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
    /// Bytes of the name before `@`: those of RFC 5322 besides dots, and of other scripts.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        if isLetter(byte) || isDigit(byte) || byte >= 0x80 { return true }
        return switch byte {
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2F, 0x3D, 0x3F, 0x5E...0x60, 0x7B...0x7E: true
        default: false
        }
    }
    private static func isURLByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D, 0x7F: false
        default: true
        }
    }
}

/// Codes of ISO standards, packed, as of 2025. They are unpacked only for a rule that uses them.
enum CodeLists {
    /// ISO 3166-1: the two letters of each country or territory, and its three.
    static var countries: [String] { pieces(of: countryPairs, size: 5).map { String($0.prefix(2)) } }
    static var threeLetterCountries: [String] { pieces(of: countryPairs, size: 5).map { String($0.dropFirst(2)) } }
    /// ISO 4217: currencies in use, with precious metals, funds and test codes.
    static var currencies: [String] { pieces(of: currencyCodes, size: 3) }
    /// ISO 639-1: languages.
    static var languages: [String] { pieces(of: languageCodes, size: 2) }

    private static func pieces(of packed: String, size: Int) -> [String] {
        let letters = Array(packed)
        return letters.indices.pieces(of: size).map { String(letters[$0]) }
    }

    private static let countryPairs = """
        ADANDAEAREAFAFGAGATGAIAIAALALBAMARMAOAGOAQATAARARGASASMATAUTAUAUSAWABWAXALAAZAZEBABIHBBBRBBDBGDBEBELBFBFA\
        BGBGRBHBHRBIBDIBJBENBLBLMBMBMUBNBRNBOBOLBQBESBRBRABSBHSBTBTNBVBVTBWBWABYBLRBZBLZCACANCCCCKCDCODCFCAFCGCOG\
        CHCHECICIVCKCOKCLCHLCMCMRCNCHNCOCOLCRCRICUCUBCVCPVCWCUWCXCXRCYCYPCZCZEDEDEUDJDJIDKDNKDMDMADODOMDZDZAECECU\
        EEESTEGEGYEHESHERERIESESPETETHFIFINFJFJIFKFLKFMFSMFOFROFRFRAGAGABGBGBRGDGRDGEGEOGFGUFGGGGYGHGHAGIGIBGLGRL\
        GMGMBGNGINGPGLPGQGNQGRGRCGSSGSGTGTMGUGUMGWGNBGYGUYHKHKGHMHMDHNHNDHRHRVHTHTIHUHUNIDIDNIEIRLILISRIMIMNININD\
        IOIOTIQIRQIRIRNISISLITITAJEJEYJMJAMJOJORJPJPNKEKENKGKGZKHKHMKIKIRKMCOMKNKNAKPPRKKRKORKWKWTKYCYMKZKAZLALAO\
        LBLBNLCLCALILIELKLKALRLBRLSLSOLTLTULULUXLVLVALYLBYMAMARMCMCOMDMDAMEMNEMFMAFMGMDGMHMHLMKMKDMLMLIMMMMRMNMNG\
        MOMACMPMNPMQMTQMRMRTMSMSRMTMLTMUMUSMVMDVMWMWIMXMEXMYMYSMZMOZNANAMNCNCLNENERNFNFKNGNGANINICNLNLDNONORNPNPL\
        NRNRUNUNIUNZNZLOMOMNPAPANPEPERPFPYFPGPNGPHPHLPKPAKPLPOLPMSPMPNPCNPRPRIPSPSEPTPRTPWPLWPYPRYQAQATREREUROROU\
        RSSRBRURUSRWRWASASAUSBSLBSCSYCSDSDNSESWESGSGPSHSHNSISVNSJSJMSKSVKSLSLESMSMRSNSENSOSOMSRSURSSSSDSTSTPSVSLV\
        SXSXMSYSYRSZSWZTCTCATDTCDTFATFTGTGOTHTHATJTJKTKTKLTLTLSTMTKMTNTUNTOTONTRTURTTTTOTVTUVTWTWNTZTZAUAUKRUGUGA\
        UMUMIUSUSAUYURYUZUZBVAVATVCVCTVEVENVGVGBVIVIRVNVNMVUVUTWFWLFWSWSMYEYEMYTMYTZAZAFZMZMBZWZWE
        """

    private static let currencyCodes = """
        AEDAFNALLAMDAOAARSAUDAWGAZNBAMBBDBDTBHDBIFBMDBNDBOBBOVBRLBSDBTNBWPBYNBZDCADCDFCHECHFCHWCLFCLPCNYCOPCOUCRC\
        CUPCVECZKDJFDKKDOPDZDEGPERNETBEURFJDFKPGBPGELGHSGIPGMDGNFGTQGYDHKDHNLHTGHUFIDRILSINRIQDIRRISKJMDJODJPYKES\
        KGSKHRKMFKPWKRWKWDKYDKZTLAKLBPLKRLRDLSLLYDMADMDLMGAMKDMMKMNTMOPMRUMURMVRMWKMXNMXVMYRMZNNADNGNNIONOKNPRNZD\
        OMRPABPENPGKPHPPKRPLNPYGQARRONRSDRUBRWFSARSBDSCRSDGSEKSGDSHPSLESOSSRDSSPSTNSVCSYPSZLTHBTJSTMTTNDTOPTRYTTD\
        TWDTZSUAHUGXUSDUSNUYIUYUUYWUZSVEDVESVNDVUVWSTXADXAFXAGXAUXBAXBBXBCXBDXCDXCGXDRXOFXPDXPFXPTXSUXTSXUAXXXYER\
        ZARZMWZWG
        """

    private static let languageCodes = """
        aaabaeafakamanarasavayazbabebgbibmbnbobrbscacechcocrcscucvcydadedvdzeeeleneoeseteufafffifjfofrfygagdglgn\
        gugvhahehihohrhthuhyhziaidieigiiikioisitiujajvkakgkikjkkklkmknkokrkskukvkwkylalblglilnloltlulvmgmhmimkml\
        mnmrmsmtmynanbndnengnlnnnonrnvnyocojomorospapiplpsptqurmrnrorurwsascsdsesgsiskslsmsnsosqsrssstsusvswta\
        tetgthtitktltntotrtstttwtyugukuruzvevivowawoxhyiyozazhzu
        """
}

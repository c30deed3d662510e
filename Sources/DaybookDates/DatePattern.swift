/// A date pattern in the letters of Unicode TR35, familiar from `DateFormatter`.
///
/// Source: Unicode Technical Standard 35, part 4, "Date Format Patterns". Reading is strict where `DateFormatter`
/// guesses: `M`, `d`, `H`, `m`, `s` take one or two digits and their doubled forms exactly two; `yyyy` takes four, `y`
/// one to four, `S…` as many as there are letters. Names take their short and long forms alike. Letters that Daybook
/// does not know are refused, so that a typing error cannot turn into a literal. Text in single quotes stands for
/// itself, as does everything that is not an ASCII letter; two single quotes stand for one.
public struct DatePattern: Sendable, Hashable {
    /// The fault of a pattern, in words for the person who wrote it.
    public struct Problem: Error, Sendable, Hashable {
        public var message: String
        public var hint: String?
    }

    /// The pattern as it was written.
    public let text: String
    /// Its parts; neighbouring literals are one.
    public let pieces: [PatternPiece]

    public init(_ text: String) throws(Problem) {
        self.text = text
        pieces = try PatternScanner.pieces(of: text)
        guard pieces.contains(where: { $0.field != nil }) else {
            let hint = "yyyy-MM-dd reads dates such as 2026-11-21"
            throw Problem(message: "the pattern '\(text)' has no date letters", hint: hint)
        }
    }

    public func contains(_ field: DateField) -> Bool { pieces.contains { $0.field == field } }
    public var needsPivotYear: Bool { pieces.contains(.shortYear) && !contains(.era) }
    public var needsNames: Bool { pieces.contains(where: \.isName) }
    public var hasTime: Bool { pieces.contains { DatePattern.timeFields.contains($0.field) } }

    private static let timeFields: Set<DateField?> = [.dayPeriod, .hour, .minute, .second, .micros, .offset]

    /// Checks that texts written like this can be read back without guessing.
    public func checkReadable() throws(Problem) {
        for (field, letter) in [(DateField.year, "y"), (.month, "M"), (.day, "d")] where !contains(field) {
            throw Problem(
                message: "the pattern '\(text)' has no \(letter), so it does not say \(field.displayText)",
                hint: "a date is read from a year, a month and a day"
            )
        }
        var seen: Set<DateField> = []
        for field in pieces.compactMap(\.field) where !seen.insert(field).inserted {
            throw Problem(message: "the pattern '\(text)' says \(field.displayText) twice", hint: nil)
        }
        for (first, second) in zip(pieces, pieces.dropFirst()) where first.isElastic && second.mayStartWithDigit {
            throw Problem(
                message: "in the pattern '\(text)' nothing shows where \(first.field?.displayText ?? "a part") ends",
                hint: "double the letter, as in yyyyMMdd, or put something between"
            )
        }
        try checkTime()
    }

    private func checkTime() throws(Problem) {
        let countsToTwelve = pieces.contains {
            if case .hour(let clock, _) = $0 { clock == .oneTo12 || clock == .zeroTo11 } else { false }
        }
        if countsToTwelve, !contains(.dayPeriod) {
            throw Problem(
                message: "the pattern '\(text)' counts hours to twelve and does not say which half of the day",
                hint: "add a for am and pm, or write H for hours from 0 to 23"
            )
        }
        let units: [(DateField, String)] = [(.hour, "H"), (.minute, "m"), (.second, "s"), (.micros, "S")]
        for (larger, smaller) in zip(units, units.dropFirst()) where contains(smaller.0) && !contains(larger.0) {
            let hint = "is it M for the month?"
            throw Problem(message: "the pattern '\(text)' has \(smaller.1) without \(larger.1)", hint: hint)
        }
        for field in [DateField.offset, .dayPeriod] where contains(field) && !contains(.hour) {
            throw Problem(message: "the pattern '\(text)' says \(field.displayText) without the hour", hint: nil)
        }
    }
}

/// Cuts a pattern into pieces.
private struct PatternScanner {
    let text: String
    var pieces: [PatternPiece] = []

    static func pieces(of text: String) throws(DatePattern.Problem) -> [PatternPiece] {
        var scanner = PatternScanner(text: text)
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            var end = position + 1
            if byte == UInt8(ascii: "'") {
                end = try scanner.readQuote(bytes, from: position)
            } else if isLetter(byte) {
                while end < bytes.count, bytes[end] == byte { end += 1 }
                scanner.pieces.append(try scanner.piece(byte, end - position))
            } else {
                scanner.append([byte])
            }
            position = end
        }
        return scanner.pieces
    }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }

    /// Reads `'literal'` or `''` and returns the place after it.
    mutating func readQuote(_ bytes: [UInt8], from start: Int) throws(DatePattern.Problem) -> Int {
        let quote = UInt8(ascii: "'")
        var position = start + 1
        if position < bytes.count, bytes[position] == quote {
            append([quote])
            return position + 1
        }
        while position < bytes.count {
            if bytes[position] == quote {
                guard position + 1 < bytes.count, bytes[position + 1] == quote else { return position + 1 }
                position += 1
            }
            append([bytes[position]])
            position += 1
        }
        let hint = "two single quotes stand for one"
        throw DatePattern.Problem(message: "a single quote in the pattern '\(text)' is never closed", hint: hint)
    }

    mutating func append(_ bytes: [UInt8]) {
        if case .literal(let before) = pieces.last {
            pieces[pieces.count - 1] = .literal(before + bytes)
        } else {
            pieces.append(.literal(bytes))
        }
    }

    func piece(_ letter: UInt8, _ count: Int) throws(DatePattern.Problem) -> PatternPiece {
        switch (Character(UnicodeScalar(letter)), count) {
        case ("y", 1), ("u", 1): .number(.year, minimum: 1, maximum: 4)
        case ("y", 2): .shortYear
        case ("y", 4), ("u", 4): .number(.year, minimum: 4, maximum: 4)
        case ("M", 1...2), ("L", 1...2): .number(.month, minimum: count, maximum: 2)
        case ("M", 3...4), ("L", 3...4): .monthName(isWide: count == 4)
        case ("d", 1...2): .number(.day, minimum: count, maximum: 2)
        case ("E", 1...4): .weekdayName(isWide: count == 4)
        case ("c", 3...4): .weekdayName(isWide: count == 4)
        case ("a", 1...3): .dayPeriodName
        case ("G", 1...4): .eraName(isWide: count == 4)
        case ("H", 1...2): .hour(.zeroTo23, minimum: count)
        case ("h", 1...2): .hour(.oneTo12, minimum: count)
        case ("k", 1...2): .hour(.oneTo24, minimum: count)
        case ("K", 1...2): .hour(.zeroTo11, minimum: count)
        case ("m", 1...2): .number(.minute, minimum: count, maximum: 2)
        case ("s", 1...2): .number(.second, minimum: count, maximum: 2)
        case ("S", 1...9): .fraction(digits: count)
        case ("Z", 1...3), ("x", 2): .offset(.basic)
        case ("Z", 4): .offset(.named)
        case ("Z", 5), ("X", 3): .offset(.extendedOrZ)
        case ("X", 1): .offset(.short)
        case ("X", 2): .offset(.basicOrZ)
        case ("x", 3): .offset(.extended)
        default: throw problem(letter, count)
        }
    }

    func problem(_ letter: UInt8, _ count: Int) -> DatePattern.Problem {
        let written = String(repeating: String(UnicodeScalar(letter)), count: count)
        let hint: String =
            switch Character(UnicodeScalar(letter)) {
            case _ where text.contains("%"):
                "write the letters of a pattern, such as yyyy-MM-dd HH:mm:ss for %Y-%m-%d %H:%M:%S"
            case "Y": "y is the calendar year; Y would be the year of the week"
            case "D": "d is the day of the month"
            case "G": "G is the era, also where it is of one letter, as in R8/11/21"
            case "z", "O", "V", "v": "Z, X and x read offsets such as +09:00; names of zones are not read"
            case "y", "M", "L", "d", "E", "c", "H", "h", "k", "K", "m", "s", "S", "a", "Z", "X", "x", "u":
                "it is written with another number of letters"
            default: "put words into single quotes, as in d 'de' MMMM"
            }
        return DatePattern.Problem(message: "'\(written)' in the pattern '\(text)' is not a date field", hint: hint)
    }
}

extension DatePattern {
    /// One row of the table of letters.
    public struct Letters: Sendable {
        /// The spellings with that meaning, as in `MMM`.
        public let spellings: [String]
        public let meaning: String
        /// The text of the first spelling for 2 March 2026, 14:05:09.25, in Seoul and in English.
        public let example: String

        init(_ spellings: String, _ meaning: String, _ example: String) {
            self.spellings = spellings.split(separator: " ").map(String.init)
            (self.meaning, self.example) = (meaning, example)
        }
    }

    /// All letters of patterns, and how many of each; others are refused.
    public static let letters: [Letters] = [
        Letters("yyyy uuuu", "the year in four digits", "2026"),
        Letters("y u", "the year; of two digits only with pivot_year, of one or three never", "2026"),
        Letters("yy", "the last two digits of the year; needs pivot_year", "26"),
        Letters(
            "G GG GGG",
            "the era, such as AD, พ.ศ. or 令和, by which the year is counted; long and short ones are read",
            "AD"
        ),
        Letters("GGGG", "the same, written long", "Anno Domini"),
        Letters("M L", "the month in one or two digits", "3"),
        Letters("MM LL", "the month in two digits", "03"),
        Letters("MMM LLL", "the name of the month; long and short ones are read", "Mar"),
        Letters("MMMM LLLL", "the same, written long", "March"),
        Letters("d", "the day in one or two digits", "2"),
        Letters("dd", "the day in two digits", "02"),
        Letters("EEE E EE ccc", "the weekday, which must be that of the date; long and short ones are read", "Mon"),
        Letters("EEEE cccc", "the same, written long", "Monday"),
        Letters("a aa aaa", "before or after noon", "PM"),
        Letters("H", "the hour from 0 to 23 in one or two digits", "14"),
        Letters("HH", "the same in two digits", "14"),
        Letters("h", "the hour from 1 to 12 in one or two digits; needs a", "2"),
        Letters("hh", "the same in two digits", "02"),
        Letters("k", "the hour from 1 to 24, where 24 is midnight, in one or two digits", "14"),
        Letters("kk", "the same in two digits", "14"),
        Letters("K", "the hour from 0 to 11 in one or two digits; needs a", "2"),
        Letters("KK", "the same in two digits", "02"),
        Letters("m", "the minute in one or two digits", "5"),
        Letters("mm", "the minute in two digits", "05"),
        Letters("s", "the second in one or two digits", "9"),
        Letters("ss", "the second in two digits", "09"),
        Letters(
            "SSS S SS SSSS SSSSS SSSSSS SSSSSSS SSSSSSSS SSSSSSSSS",
            "the fraction of a second, in as many digits as there are letters",
            "250"
        ),
        Letters("X", "the offset from UTC, and Z for UTC; every way of writing one is read", "+09"),
        Letters("XX", "the same, written with minutes", "+0900"),
        Letters("XXX ZZZZZ", "the same, written with a colon", "+09:00"),
        Letters("Z ZZ ZZZ xx", "the same, written without Z for UTC", "+0900"),
        Letters("xxx", "the same, written with a colon and without Z", "+09:00"),
        Letters("ZZZZ", "the same behind GMT or UTC", "GMT+09:00"),
    ]
}

/// One part of a date pattern.
public enum PatternPiece: Sendable, Hashable {
    /// How an offset from UTC is written.
    public enum OffsetStyle: UInt8, Sendable, Hashable, BitwiseCopyable {
        /// `+0900`, and `+0000` for UTC: `Z`, `ZZ`, `ZZZ`, `xx`.
        case basic
        /// `+09`, `+0930`, and `Z` for UTC: `X`.
        case short
        /// `+0900`, and `Z` for UTC: `XX`.
        case basicOrZ
        /// `+09:00`, and `Z` for UTC: `XXX`, `ZZZZZ`.
        case extendedOrZ
        /// `+09:00`, and `+00:00` for UTC: `xxx`.
        case extended
        /// `GMT+09:00`, and `GMT` for UTC: `ZZZZ`.
        case named
    }

    case literal([UInt8])
    /// Decimal digits, at least `minimum` and at most `maximum` of them.
    case number(DateField, minimum: Int, maximum: Int)
    /// The last two digits of a year.
    case shortYear
    case hour(HourClock, minimum: Int)
    /// Exactly that many digits of a fraction of a second.
    case fraction(digits: Int)
    case monthName(isWide: Bool)
    case weekdayName(isWide: Bool)
    case dayPeriodName
    case eraName(isWide: Bool)
    case offset(OffsetStyle)

    /// The field of the piece, or nil for a literal.
    public var field: DateField? {
        switch self {
        case .literal: nil
        case .number(let field, _, _): field
        case .shortYear: .year
        case .hour: .hour
        case .fraction: .micros
        case .monthName: .month
        case .weekdayName: .weekday
        case .dayPeriodName: .dayPeriod
        case .eraName: .era
        case .offset: .offset
        }
    }

    /// Whether the piece reads a varying number of digits.
    var isElastic: Bool {
        switch self {
        case .number(_, let minimum, let maximum): minimum != maximum
        case .hour(_, let minimum): minimum != 2
        case .offset: true
        default: false
        }
    }

    /// Whether the text of the piece may start with a digit.
    var mayStartWithDigit: Bool {
        switch self {
        case .literal(let bytes): bytes.first.map { $0 >= 0x30 && $0 <= 0x39 } ?? false
        case .number, .shortYear, .hour, .fraction, .monthName: true
        case .weekdayName, .dayPeriodName, .eraName, .offset: false
        }
    }

    var isName: Bool {
        switch self {
        case .monthName, .weekdayName, .dayPeriodName, .eraName: true
        default: false
        }
    }
}

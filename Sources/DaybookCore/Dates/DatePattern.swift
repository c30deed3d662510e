/// A date pattern in the letters of Unicode TR35, as `DateFormatter` users know them.
///
/// Source: Unicode Technical Standard 35, part 4, "Date Format Patterns". Reading is strict where `DateFormatter`
/// guesses: `M`, `d`, `H`, `m`, `s` take one or two digits and their doubled forms exactly two; `yyyy` takes four, `y`
/// one to four, `S…` as many as there are letters. Names take their short and long forms alike. Letters that Daybook
/// does not know are refused, so that a typing error cannot turn into a literal. Text in single quotes stands for
/// itself, as does everything that is not an ASCII letter; two single quotes stand for one.
public struct DatePattern: Sendable, Hashable {
    /// What cannot be made of a pattern, in words for the person who wrote it.
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
            throw Problem(
                message: "the pattern '\(text)' has no date letters",
                hint: "yyyy-MM-dd reads dates such as 2026-11-21"
            )
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
                message: "the pattern '\(text)' has no \(letter), so it does not say \(field.spoken)",
                hint: "a date is read from a year, a month and a day"
            )
        }
        var seen: Set<DateField> = []
        for field in pieces.compactMap(\.field) where !seen.insert(field).inserted {
            throw Problem(message: "the pattern '\(text)' says \(field.spoken) twice", hint: nil)
        }
        for (first, second) in zip(pieces, pieces.dropFirst()) where first.isElastic && second.mayStartWithDigit {
            throw Problem(
                message: "in the pattern '\(text)' nothing shows where \(first.field?.spoken ?? "a part") ends",
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
            throw Problem(
                message: "the pattern '\(text)' has \(smaller.1) without \(larger.1)",
                hint: "is it M for the month?"
            )
        }
        for field in [DateField.offset, .dayPeriod] where contains(field) && !contains(.hour) {
            throw Problem(message: "the pattern '\(text)' says \(field.spoken) without the hour", hint: nil)
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

    /// Reads `'literal'` or `''` and gives the place after it.
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
        throw DatePattern.Problem(
            message: "a single quote in the pattern '\(text)' is never closed",
            hint: "two single quotes stand for one"
        )
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

/// The shape `yyyy?MM?dd`, ten bytes with one byte between: read as two words, without a loop.
///
/// Source for reading digits in parallel: Daniel Lemire, "Quickly parsing eight digits" (2018), and Wojciech Muła's
/// notes on SWAR parsing; the range check by adding 0x76 to each byte is the usual one.
struct TenByteDay: BitwiseCopyable {
    /// Zero digits with the separators between them, as they lie in memory.
    private let template: UInt64

    init(separators first: UInt8, _ second: UInt8) {
        template = 0x0030_3000_3030_3030 | UInt64(first) << 32 | UInt64(second) << 56
    }

    /// The byte behind the year.
    var separator: UInt8 { UInt8(truncatingIfNeeded: template >> 32) }

    /// The pattern as this shape, or nil.
    init?(_ pieces: [PatternPiece]) {
        guard pieces.count == 5, pieces[0] == .number(.year, minimum: 4, maximum: 4),
            pieces[2] == .number(.month, minimum: 2, maximum: 2), pieces[4] == .number(.day, minimum: 2, maximum: 2),
            case .literal(let first) = pieces[1], case .literal(let second) = pieces[3], first.count == 1,
            second.count == 1
        else { return nil }
        self.init(separators: first[0], second[0])
    }

    /// Reads the first ten of at least ten bytes.
    @inline(__always)
    func read(_ base: UnsafePointer<UInt8>, into date: inout CivilDate) -> Bool {
        let raw = UnsafeRawPointer(base)
        let word = raw.loadUnaligned(as: UInt64.self).littleEndian ^ template
        let pair = UInt32(raw.loadUnaligned(fromByteOffset: 8, as: UInt16.self).littleEndian ^ 0x3030)
        // A digit is now 0 to 9 and a separator 0; anything else reaches the top bit of its byte.
        let bad = (word &+ 0x7F76_767F_7676_7676 | word) & 0x8080_8080_8080_8080
        let badPair = (pair &+ 0x7676 | pair) & 0x8080
        guard bad | UInt64(badPair) == 0 else { return false }
        let tens = word &* 10 &+ (word >> 8)
        date.year = Int32(truncatingIfNeeded: (tens & 0xFF) &* 100 &+ (tens >> 16 & 0xFF))
        date.month = Int32(truncatingIfNeeded: tens >> 40 & 0xFF)
        date.day = Int32(bitPattern: (pair & 0xFF) &* 10 &+ pair >> 8)
        return true
    }
}

/// Year, month and day in this order with up to eight bytes after each, such as `yyyy년 M월 d일`.
struct YearMonthDay: BitwiseCopyable {
    private let afterYear: LiteralWord
    private let afterMonth: LiteralWord
    private let afterDay: LiteralWord
    private let isMonthElastic: Bool
    private let isDayElastic: Bool

    /// Years of four digits with a month and a day of one or two behind them, for readers of another shape.
    static let none = YearMonthDay()

    private init() {
        (afterYear, afterMonth, afterDay) = (LiteralWord([]), LiteralWord([]), LiteralWord([]))
        (isMonthElastic, isDayElastic) = (true, true)
    }

    /// The pattern as this shape, or nil.
    init?(_ pieces: [PatternPiece]) {
        var words: [LiteralWord] = []
        var fields: [PatternPiece] = []
        for piece in pieces {
            if case .literal(let bytes) = piece {
                // A NUL would look like the zeros that a word has past the end of the text.
                guard bytes.count <= 8, !bytes.contains(0), words.count + 1 == fields.count else { return nil }
                words.append(LiteralWord(bytes))
            } else {
                if words.count < fields.count { words.append(LiteralWord([])) }
                fields.append(piece)
            }
        }
        if words.count < fields.count { words.append(LiteralWord([])) }
        guard fields.count == 3, words.count == 3, fields[0] == .number(.year, minimum: 4, maximum: 4),
            case .number(.month, let monthMinimum, 2) = fields[1], case .number(.day, let dayMinimum, 2) = fields[2]
        else { return nil }
        (afterYear, afterMonth, afterDay) = (words[0], words[1], words[2])
        (isMonthElastic, isDayElastic) = (monthMinimum == 1, dayMinimum == 1)
    }

    /// The first byte behind the year, or nil when another digit may follow it.
    var separator: UInt8? { afterYear.length > 0 ? UInt8(truncatingIfNeeded: afterYear.word) : nil }

    @inline(__always)
    func read(_ cell: Cell, into date: inout CivilDate) -> Bool {
        guard var text = TextScanner(cell) else { return false }
        let year = UInt32(truncatingIfNeeded: text.word) ^ 0x3030_3030
        guard (year &+ 0x7676_7676 | year) & 0x8080_8080 == 0 else { return false }
        let tens = year &* 10 &+ (year >> 8)
        date.year = Int32(bitPattern: (tens & 0xFF) &* 100 &+ (tens >> 16 & 0xFF))
        text.position += 4
        guard text.skip(afterYear), let month = YearMonthDay.number(&text, isMonthElastic),
            text.skip(afterMonth), let day = YearMonthDay.number(&text, isDayElastic), text.skip(afterDay)
        else { return false }
        date.month = month
        date.day = day
        return text.isAtEnd
    }

    @inline(__always)
    private static func number(_ text: inout TextScanner, _ isElastic: Bool) -> Int32? {
        isElastic ? text.oneOrTwoDigits() : text.twoDigits()
    }
}

extension TextScanner {
    /// Skips a literal without NUL bytes. A literal that runs past the end meets zeros and does not match.
    @inline(__always)
    mutating func skip(_ literal: LiteralWord) -> Bool {
        guard word & literal.mask == literal.word else { return false }
        position += Int(literal.length)
        return true
    }
}

/// Reads the days of a column that are spelt in ten bytes, such as `2026-11-21`, and leaves all other rows to others.
///
/// Up to two spellings are read side by side; no row depends on the one before it.
struct PlainDays: Sendable {
    private let first: TenByteDay
    private let second: TenByteDay

    /// Nil for no spelling. Of more than two, the first two are read here.
    init?(_ spellings: [TenByteDay]) {
        guard let first = spellings.first else { return nil }
        self.first = first
        second = spellings.first { $0.separator != first.separator } ?? first
    }

    /// Gives every row that it can read its day, and every other one without a value 0. Returns the rest, in order.
    func read<Date: FixedWidthInteger & BitwiseCopyable>(
        _ views: UnsafeBufferPointer<TextView>,
        _ base: UnsafePointer<UInt8>,
        _ missing: Mask?,
        into dates: UnsafeMutableBufferPointer<Date>
    ) -> [Int32] {
        var rest: [Int32] = []
        let (first, second) = (first, second)
        let separator = second.separator
        for row in 0..<views.count {
            let view = views[row]
            var date = CivilDate(year: 0, month: 0, day: 0)
            if view.length == 10 {
                let text = base + Int(view.offset)
                let spelling = text[4] == separator ? second : first
                if spelling.read(text, into: &date),
                    CivilDate.exists(year: date.year, month: date.month, day: date.day)
                {
                    let day = CivilDate.number(year: date.year, month: date.month, day: date.day)
                    dates.initializeElement(at: row, to: Date(truncatingIfNeeded: day))
                    continue
                }
            }
            dates.initializeElement(at: row, to: 0)
            if !missing.isMissing(row) { rest.append(Int32(truncatingIfNeeded: row)) }
        }
        return rest
    }
}

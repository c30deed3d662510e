/// The texts that a format may match, as an automaton over bytes, to find the formats that can be confused.
///
/// Each place in a text is one position with its allowed bytes and their meaning; `next` lists the positions that may
/// follow. Source: Victor Glushkov's position automaton (1961), which suits texts that are chains with few branches. A
/// shape may match more than its format does, never less.
struct FormatShape {
    /// The meaning of bytes at a position; 0 for literals. Two formats agree on a text if all meanings agree.
    typealias Meaning = UInt16

    struct Position {
        var bytes: ByteSet
        var meaning: Meaning
        var next: [Int] = []
    }

    private(set) var positions: [Position] = []
    private(set) var first: [Int] = []
    /// Where a text may end.
    private(set) var last: Set<Int> = []

    /// Positions before the next one; -1 for the start.
    private var ends: Set<Int> = [-1]

    init(_ kind: DateFormat.Kind, names: [LocaleNames]) {
        switch kind {
        case .iso: addISO(isBasic: false)
        case .isoBasic: addISO(isBasic: true)
        case .epoch(let unit): addEpoch(unit)
        case .pattern(let pattern):
            for piece in pattern.pieces {
                add(piece.withPlainSpaces, names)
                // What may replace digits, or follow them.
                if piece.field == .year, pattern.contains(.era) {
                    optionally { $0.addRun(of: ByteSet(Array("元".utf8)), Self.meaning(.year)) }
                } else if piece == .number(.day, minimum: 1, maximum: 2), names.contains(where: \.marksFirstDay) {
                    optionally { $0.addRun(of: ByteSet(Array("er.º°".utf8)), Self.meaning(.day)) }
                }
            }
        }
        last = ends
    }

    private mutating func add(_ bytes: ByteSet, _ meaning: Meaning) {
        let index = positions.count
        positions.append(Position(bytes: bytes, meaning: meaning))
        for end in ends { if end < 0 { first.append(index) } else { positions[end].next.append(index) } }
        ends = [index]
    }

    private mutating func add(_ literal: some Sequence<UInt8>) {
        for byte in literal { add(ByteSet([byte]), 0) }
    }

    private mutating func addDigits(_ minimum: Int, _ maximum: Int, _ meaning: Meaning) {
        var reached: Set<Int> = []
        for count in 1...maximum {
            add(.digits, meaning)
            if count >= minimum { reached.formUnion(ends) }
        }
        ends = reached
    }

    private mutating func optionally(_ body: (inout FormatShape) -> Void) {
        let before = ends
        body(&self)
        ends.formUnion(before)
    }

    private mutating func addRun(of bytes: ByteSet, _ meaning: Meaning) {
        add(bytes, meaning)
        positions[positions.count - 1].next.append(positions.count - 1)
    }

    private static func meaning(_ field: DateField, _ variant: Int = 0) -> Meaning {
        Meaning(Int(field.rawValue) + 1 + variant * 64)
    }

    private mutating func add(_ piece: PatternPiece, _ names: [LocaleNames]) {
        switch piece {
        case .literal(let bytes): add(bytes)
        case .number(let field, let minimum, let maximum): addDigits(minimum, maximum, Self.meaning(field))
        case .shortYear: addDigits(2, 2, Self.meaning(.year, 1))
        case .hour(let clock, let minimum): addDigits(minimum, 2, Self.meaning(.hour, Int(clock.rawValue)))
        case .fraction(let digits): addDigits(digits, digits, Self.meaning(.micros))
        case .monthName: addName(.month, names)
        case .weekdayName: addName(.weekday, names)
        case .dayPeriodName: addName(.dayPeriod, names)
        case .eraName: addName(.era, names)
        case .offset(let style): addOffset(isNamed: style == .named)
        }
    }

    /// A name is any run of the bytes that occur in such names: looser, and much smaller.
    private mutating func addName(_ field: DateField, _ names: [LocaleNames]) {
        let bytes = NameTable(field, of: names).spellings.reduce(into: ByteSet([])) { $0.insert($1.text) }
        addRun(of: bytes, Self.meaning(field))
    }

    /// The first byte distinguishes an offset from the digits before it; the rest is matched loosely.
    private mutating func addOffset(isNamed: Bool) {
        add(ByteSet(Array((isNamed ? "GUZz+-" : "Zz+-").utf8)), Self.meaning(.offset))
        let rest = ByteSet(Array((isNamed ? "MTC+-:0123456789" : ":0123456789").utf8))
        optionally { $0.addRun(of: rest, Self.meaning(.offset)) }
    }

    private mutating func addEpoch(_ unit: EpochUnit) {
        let meaning = Meaning(1_000 + (EpochUnit.allCases.firstIndex(of: unit) ?? 0))
        optionally { $0.add(ByteSet(Array("-".utf8)), meaning) }
        addRun(of: .digits, meaning)
        optionally {
            $0.add(ByteSet(Array(".".utf8)), meaning)
            $0.addRun(of: .digits, meaning)
        }
    }

    private mutating func addISO(isBasic: Bool) {
        let (hyphen, colon) = isBasic ? ("", "") : ("-", ":")
        addDigits(4, 4, Self.meaning(.year))
        add(hyphen.utf8)
        addDigits(2, 2, Self.meaning(.month))
        add(hyphen.utf8)
        addDigits(2, 2, Self.meaning(.day))
        optionally {
            $0.add(ByteSet(Array("Tt ".utf8)), 0)
            $0.addDigits(2, 2, Self.meaning(.hour))
            $0.optionally {
                $0.add(colon.utf8)
                $0.addDigits(2, 2, Self.meaning(.minute))
                $0.optionally {
                    $0.add(colon.utf8)
                    $0.addDigits(2, 2, Self.meaning(.second))
                    $0.optionally {
                        $0.add(ByteSet(Array(".,".utf8)), 0)
                        $0.addRun(of: .digits, Self.meaning(.micros))
                    }
                }
            }
            $0.optionally { $0.addOffset(isNamed: false) }
        }
    }
}

/// A set of byte values.
struct ByteSet: Hashable {
    private var words = SIMD4<UInt64>(repeating: 0)

    init(_ bytes: [UInt8]) { insert(bytes) }

    static let digits = ByteSet(Array(0x30...0x39))

    mutating func insert(_ bytes: [UInt8]) {
        for byte in bytes { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
    }

    func intersects(_ other: ByteSet) -> Bool { words & other.words != SIMD4(repeating: 0) }
}

extension FormatShape {
    /// Whether some text may match both shapes with different meanings.
    ///
    /// Walks both automata side by side. Two formats of different shape never reach their ends together; two formats
    /// with the same meaning at every byte, such as `iso` and `yyyy-MM-dd`, read the same date and need no second look.
    func mayContradict(_ other: FormatShape) -> Bool {
        // For every pair of positions: can it be reached, having agreed or not, and can both texts end from there?
        struct Pair: Hashable {
            var mine: Int
            var theirs: Int
            var hasDiffered: Bool
        }
        var seen: Set<Pair> = []
        var open: [Pair] = []
        func visit(_ mine: [Int], _ theirs: [Int], _ hasDiffered: Bool) {
            for one in mine {
                for two in theirs where positions[one].bytes.intersects(other.positions[two].bytes) {
                    let differs = hasDiffered || positions[one].meaning != other.positions[two].meaning
                    let pair = Pair(mine: one, theirs: two, hasDiffered: differs)
                    if seen.insert(pair).inserted { open.append(pair) }
                }
            }
        }
        visit(first, other.first, false)
        while let pair = open.popLast() {
            if pair.hasDiffered, last.contains(pair.mine), other.last.contains(pair.theirs) { return true }
            visit(positions[pair.mine].next, other.positions[pair.theirs].next, pair.hasDiffered)
        }
        return false
    }
}

extension TenByteDay {
    /// The pattern as this shape, or nil.
    init?(_ pieces: [PatternPiece]) {
        guard pieces.count == 5, pieces[0] == .number(.year, minimum: 4, maximum: 4),
            pieces[2] == .number(.month, minimum: 2, maximum: 2), pieces[4] == .number(.day, minimum: 2, maximum: 2),
            case .literal(let first) = pieces[1], case .literal(let second) = pieces[3], first.count == 1,
            second.count == 1
        else { return nil }
        self.init(separators: first[0], second[0])
    }
}

/// Year, month and day in this order with up to eight bytes after each, such as `yyyy년 M월 d일`.
struct YearMonthDay: BitwiseCopyable {
    private var afterYear = LiteralWord([])
    private var afterMonth = LiteralWord([])
    private var afterDay = LiteralWord([])
    private var isMonthElastic = true
    private var isDayElastic = true

    /// Years of four digits followed by a month and a day of one or two, for readers of another shape.
    static let none = YearMonthDay()

    private init() {}

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

    /// The first byte after the year, or nil if another digit may follow it.
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

/// Reads the days of a column that are spelt in ten bytes, such as `2026-11-21`, and leaves other rows unread.
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

    /// Stores the day of each row it can read, and 0 for other rows without a value. Returns the rest, in order.
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

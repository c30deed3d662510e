/// A pattern as a flat list of steps over bytes, with the memory that the steps point into.
final class PatternProgram: @unchecked Sendable {
    /// One step. Literals of up to eight bytes are compared as one word.
    struct Step: BitwiseCopyable {
        enum Action: UInt8 {
            case literal, longLiteral, oneOrTwoDigits, twoDigits, digits, shortYear, elasticYear, eraYear, firstDay,
                fraction, name, offset
        }

        var action: Action
        var field: UInt8 = DateFields.nothingIndex
        var minimum: UInt8 = 0
        var maximum: UInt8 = 0
        var length: Int32 = 0
        var word: UInt64 = 0
        var mask: UInt64 = 0
        var bytes: UnsafePointer<UInt8>?
        /// Index into `names`.
        var table: Int32 = 0
    }

    // Written by the initialiser only, so sharing is safe.
    let steps: UnsafeMutableBufferPointer<Step>
    let names: UnsafeMutableBufferPointer<NameIndex>
    private let tables: [NameTable]
    private var literals: [UnsafeMutablePointer<UInt8>] = []

    init(_ pieces: [PatternPiece], names languages: [LocaleNames]) {
        var steps: [Step] = []
        var tables: [NameTable] = []
        let hasEra = pieces.contains { $0.field == .era }
        let marksFirstDay = languages.contains(where: \.marksFirstDay)
        for piece in pieces {
            if piece.isName, let field = piece.field {
                steps.append(Step(action: .name, field: field.rawValue, table: Int32(tables.count)))
                tables.append(NameTable(field, of: languages))
            } else if case .literal(let bytes) = piece {
                let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
                memory.initialize(from: bytes, count: bytes.count)
                literals.append(memory)
                var step = PatternProgram.literal(bytes)
                step.bytes = UnsafePointer(memory)
                steps.append(step)
            } else {
                var step = PatternProgram.step(for: piece)
                // In an era years have as many digits as they have.
                if hasEra, step.action == .elasticYear { step.action = .eraYear }
                if hasEra, step.action == .shortYear { step.action = .twoDigits }
                if marksFirstDay, piece == .number(.day, minimum: 1, maximum: 2) { step.action = .firstDay }
                steps.append(step)
            }
        }
        self.tables = tables
        self.steps = .allocate(capacity: steps.count)
        _ = self.steps.initialize(from: steps)
        names = .allocate(capacity: tables.count)
        _ = names.initialize(from: tables.map(\.index))
    }

    deinit {
        steps.deallocate()
        names.deallocate()
        for literal in literals { literal.deallocate() }
    }

    private static func literal(_ bytes: [UInt8]) -> Step {
        let length = Int32(bytes.count)
        guard bytes.count <= 8 else { return Step(action: .longLiteral, length: length) }
        let word = LiteralWord(bytes)
        return Step(action: .literal, length: length, word: word.word, mask: word.mask)
    }

    private static func step(for piece: PatternPiece) -> Step {
        let field = piece.field?.rawValue ?? 0
        switch piece {
        case .shortYear: return Step(action: .shortYear, field: field)
        case .number(.year, minimum: 1, maximum: 4): return Step(action: .elasticYear, field: field)
        case .number(_, minimum: 2, maximum: 2), .hour(_, minimum: 2):
            return Step(action: .twoDigits, field: field)
        case .number(_, minimum: 1, maximum: 2), .hour: return Step(action: .oneOrTwoDigits, field: field)
        case .number(_, let minimum, let maximum):
            return Step(action: .digits, field: field, minimum: UInt8(minimum), maximum: UInt8(maximum))
        case .fraction(let digits): return Step(action: .fraction, field: field, minimum: UInt8(digits))
        case .offset(let style): return Step(action: .offset, field: field, minimum: style == .named ? 1 : 0)
        case .literal, .monthName, .weekdayName, .dayPeriodName, .eraName:
            preconditionFailure("literals and names are compiled where their memory is made")
        }
    }
}

/// Up to eight bytes as one little-endian word.
struct LiteralWord: BitwiseCopyable {
    var word: UInt64 = 0
    var mask: UInt64 = 0
    var length: Int32 = 0

    init(_ bytes: [UInt8]) {
        for (index, byte) in bytes.prefix(8).enumerated() {
            word |= UInt64(byte) << UInt64(8 * index)
            mask |= 0xFF << UInt64(8 * index)
        }
        length = Int32(bytes.count)
    }
}

extension PatternProgram.Step {
    /// Runs `steps` over a whole text and stores the fields. False if the text has another shape.
    static func run(
        _ steps: UnsafeBufferPointer<PatternProgram.Step>,
        names: UnsafePointer<NameIndex>?,
        over cell: Cell,
        into fields: inout DateFields
    ) -> Bool {
        guard var text = TextScanner(cell) else { return false }
        return withUnsafeMutableBytes(of: &fields) { memory in
            let values = memory.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: Int32.self)
            for index in 0..<steps.count {
                let step = steps.baseAddress.unsafelyUnwrapped + index
                guard let value = step.pointee.read(&text, names) else { return false }
                values[Int(step.pointee.field)] = value
            }
            return text.isAtEnd
        }
    }

    /// The value that the step reads at `text`, or nil if it does not match there.
    @inline(__always)
    private func read(_ text: inout TextScanner, _ names: UnsafePointer<NameIndex>?) -> Int32? {
        switch action {
        case .literal:
            guard text.word & mask == word, text.remaining >= Int(length) else { return nil }
            text.position += Int(length)
            return 0
        case .oneOrTwoDigits: return text.oneOrTwoDigits()
        case .twoDigits: return text.twoDigits()
        case .digits: return text.digits(Int(minimum), Int(maximum))
        case .shortYear: return text.twoDigits().map(ShortYear.ofCentury)
        case .elasticYear: return text.year()
        case .eraYear: return text.yearOfEra()
        case .firstDay: return text.dayOfMonth()
        case .fraction: return text.fraction(digits: Int(minimum))
        case .name:
            guard let found = names?[Int(table)].match(text.position, text.end) else { return nil }
            text.position += found.length
            return found.value
        case .offset: return text.offset(mayBeNamed: minimum == 1)
        case .longLiteral: return skipLongLiteral(&text)
        }
    }

    @inline(never)
    private func skipLongLiteral(_ text: inout TextScanner) -> Int32? {
        guard text.remaining >= Int(length), let bytes else { return nil }
        for place in 0..<Int(length) where text.position[place] != bytes[place] { return nil }
        text.position += Int(length)
        return 0
    }
}

extension TextScanner {
    /// A year of up to four digits; fewer digits are marked as a `ShortYear`.
    @inline(__always)
    mutating func year() -> Int32? {
        let start = position
        guard let year = digits(1, 4) else { return nil }
        switch position - start {
        case 4: return year
        case 2: return ShortYear.ofCentury(year)
        default: return ShortYear.other
        }
    }

    /// A year of up to four digits, or the first of an era in Chinese characters: `令和元年`.
    @inline(never)
    mutating func yearOfEra() -> Int32? {
        if word & 0xFF_FFFF == 0x83_85E5 {
            position += 3
            return 1
        }
        return digits(1, 4)
    }

    /// One or two digits; after a 1 optionally the mark of an ordinal: `1er`, `1º`.
    @inline(never)
    mutating func dayOfMonth() -> Int32? {
        guard let day = oneOrTwoDigits() else { return nil }
        guard day == 1 else { return day }
        let next = word
        if next & 0xFFFF == 0x7265 || next & 0xFFFF == 0xBAC2 || next & 0xFFFF == 0xB0C2 { position += 2 }
        if next & 0xFF_FFFF == 0xBA_C22E { position += 3 }
        return day
    }

    /// Exactly that many digits after the point, nine at most, as nanoseconds.
    @inline(never)
    mutating func fraction(digits: Int) -> Int32? {
        guard var nanos = self.digits(digits, digits) else { return nil }
        for _ in digits..<9 { nanos &*= 10 }
        return nanos
    }

    /// An offset from UTC in seconds: `Z`, `+09`, `+0900`, `+09:00`, each also with `-`; with a name also `GMT`
    /// or `UTC`, alone or before the offset.
    ///
    /// Every form is accepted whatever the pattern's letter, as it cannot be confused with anything. Hours above 23 or
    /// minutes above 59 are no offset.
    @inline(never)
    mutating func offset(mayBeNamed: Bool) -> Int32? {
        let isNamed = mayBeNamed && skipName()
        if !isNamed, skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) { return 0 }
        let sign: Int32
        if skip(UInt8(ascii: "+")) {
            sign = 1
        } else if skip(UInt8(ascii: "-")) {
            sign = -1
        } else {
            return isNamed ? 0 : nil
        }
        guard let hours = twoDigits(), hours <= 23 else { return nil }
        var minutes: Int32 = 0
        if skip(UInt8(ascii: ":")) {
            guard let value = twoDigits() else { return nil }
            minutes = value
        } else if let value = twoDigits() {
            minutes = value
        }
        guard minutes <= 59 else { return nil }
        return sign &* (hours &* 3_600 &+ minutes &* 60)
    }

    private mutating func skipName() -> Bool {
        let name = word & 0xFF_FFFF
        // "GMT" and "UTC" as little-endian words.
        guard name == 0x54_4D47 || name == 0x43_5455 else { return false }
        position += 3
        return true
    }
}

/// The no-break spaces U+00A0 and U+202F. ICU 72 and later write them into dates, as in `11:37 AM`, and to a reader
/// they look like plain spaces; so dates with either are read as with plain ones.
enum NoBreakSpace {
    /// The length in bytes of a no-break space at `place`, or 0 for anything else. No other character has these bytes.
    @inline(__always)
    private static func length(at place: Int, of text: Cell) -> Int {
        switch text[place] {
        case 0xC2 where place &+ 1 < text.count && text[place &+ 1] == 0xA0: 2
        case 0xE2 where place &+ 2 < text.count && text[place &+ 1] == 0x80 && text[place &+ 2] == 0xAF: 3
        default: 0
        }
    }

    static func occurs(in text: Cell) -> Bool {
        for place in 0..<text.count where length(at: place, of: text) > 0 { return true }
        return false
    }

    /// Passes the text on with plain spaces instead of no-break ones.
    static func folding<Result>(_ text: Cell, _ body: (Cell) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, text.count)) { folded in
            var count = 0
            var place = 0
            while place < text.count {
                let length = length(at: place, of: text)
                folded.initializeElement(at: count, to: length > 0 ? UInt8(ascii: " ") : text[place])
                count &+= 1
                place &+= max(1, length)
            }
            return body(Cell(rebasing: Cell(folded)[..<count]))
        }
    }

    static func folding(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { text in occurs(in: text) ? folding(text) { Array($0) } : bytes }
    }
}

extension PatternPiece {
    /// The piece as texts are read by it: where a pattern has a no-break space, it means a space too.
    var withPlainSpaces: PatternPiece {
        if case .literal(let bytes) = self { .literal(NoBreakSpace.folding(bytes)) } else { self }
    }
}

/// A cursor over a text, front to back, never past its end.
struct TextScanner: BitwiseCopyable {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var position: UnsafePointer<UInt8>

    /// Nil for a text of no bytes, which may have no address.
    @inline(__always)
    init?(_ cell: Cell) {
        guard let base = cell.baseAddress, cell.count > 0 else { return nil }
        start = base
        end = base + cell.count
        position = base
    }

    @inline(__always)
    var isAtEnd: Bool { position == end }

    @inline(__always)
    var remaining: Int { end - position }

    /// The next byte, or 0 at the end.
    @inline(__always)
    var next: UInt8 { position < end ? position.pointee : 0 }

    /// The next eight bytes, the first lowest, with zeros past the end.
    @inline(__always)
    var word: UInt64 {
        let left = end - position
        if left >= 8 { return UnsafeRawPointer(position).loadUnaligned(as: UInt64.self).littleEndian }
        if left > 0, end - start >= 8 {
            let last = UnsafeRawPointer(end - 8).loadUnaligned(as: UInt64.self).littleEndian
            return last &>> UInt64(64 &- 8 &* left)
        }
        return shortWord
    }

    @inline(never)
    private var shortWord: UInt64 {
        var word: UInt64 = 0
        var place = end
        while place > position {
            place -= 1
            word = word << 8 | UInt64(place.pointee)
        }
        return word
    }

    /// The digit `offset` bytes ahead, or a number above 9.
    @inline(__always)
    func digit(_ offset: Int) -> UInt32 { offset < end - position ? UInt32(position[offset]) ^ 0x30 : 255 }

    /// One or two digits, as many as there are.
    @inline(__always)
    mutating func oneOrTwoDigits() -> Int32? {
        let first = digit(0)
        guard first <= 9 else { return nil }
        let second = digit(1)
        guard second <= 9 else {
            position += 1
            return Int32(bitPattern: first)
        }
        position += 2
        return Int32(bitPattern: first &* 10 &+ second)
    }

    @inline(__always)
    mutating func twoDigits() -> Int32? {
        let first = digit(0)
        let second = digit(1)
        guard first <= 9, second <= 9 else { return nil }
        position += 2
        return Int32(bitPattern: first &* 10 &+ second)
    }

    /// Digits up to `maximum`, at most nine, and at least `minimum`.
    @inline(__always)
    mutating func digits(_ minimum: Int, _ maximum: Int) -> Int32? {
        var value: UInt32 = 0
        var count = 0
        while count < maximum {
            let next = digit(count)
            guard next <= 9 else { break }
            value = value &* 10 &+ next
            count &+= 1
        }
        guard count >= minimum else { return nil }
        position += count
        return Int32(bitPattern: value)
    }

    /// All digits of a fraction as a number of so many decimals, at most 18; sets `isFiner` if further digits are not
    /// all 0. Nil without a digit.
    mutating func fraction(decimals: Int, _ isFiner: inout Bool) -> Int64? {
        var fraction: Int64 = 0
        var count = 0
        while digit(0) <= 9 {
            if count < decimals {
                fraction = fraction &* 10 &+ Int64(digit(0))
            } else if digit(0) > 0 {
                isFiner = true
            }
            count &+= 1
            position += 1
        }
        guard count > 0 else { return nil }
        while count < decimals {
            fraction &*= 10
            count &+= 1
        }
        return fraction
    }

    @inline(__always)
    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte, position < end else { return false }
        position += 1
        return true
    }
}

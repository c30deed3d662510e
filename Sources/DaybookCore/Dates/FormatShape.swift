/// The texts that a format may match, as an automaton over bytes, to find out which formats can be confused.
///
/// Every place in a text is one position with the bytes that may stand there and the meaning they would have; `next`
/// says which positions may follow. Source: Victor Glushkov's position automaton (1961), which suits texts that are
/// chains with few branches. A shape may match more than its format does, never less.
struct FormatShape {
    /// What bytes at a position mean; 0 for literals. Two formats agree on a text when all meanings agree.
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

    /// Positions after which the next one comes; -1 for the start.
    private var ends: Set<Int> = [-1]

    init(_ kind: DateFormat.Kind, names: [LocaleNames]) {
        switch kind {
        case .iso: addISO(isBasic: false)
        case .isoBasic: addISO(isBasic: true)
        case .epoch(let unit): addEpoch(unit)
        case .pattern(let pattern):
            for piece in pattern.pieces {
                add(piece.withPlainSpaces, names)
                // What may stand in the place of digits, or behind them.
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

    /// A name is taken for any run of the bytes that occur in such names: looser, and much smaller.
    private mutating func addName(_ field: DateField, _ names: [LocaleNames]) {
        let bytes = NameTable(field, of: names).spellings.reduce(into: ByteSet([])) { $0.insert($1.text) }
        addRun(of: bytes, Self.meaning(field))
    }

    /// The first byte tells an offset from the digits before it; what follows is taken loosely.
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
    /// Whether some text may match both shapes and mean something else in each.
    ///
    /// Walks both automata side by side. Two formats of different shape never reach their ends together; two that
    /// do and mean the same at every byte, such as `iso` and `yyyy-MM-dd`, read the same date and need no second look.
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

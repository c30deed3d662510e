/// Reads numbers by a format, exactly: a cell is a number in that format, or it is none.
///
/// The kernel rewrites the cell as `-1234.56`, into a buffer that all cells share, and `CellReading` does the rest; so
/// a number has the same value however it is written, rounded once. One reader serves one thread.
public struct NumberReader {
    public let format: NumberFormat
    /// The concatenated currencies, longest first, since one may be a prefix of another; and the end of each.
    private let currencies: [UInt8]
    private let currencyEnds: [Int]
    /// Capacity for the sign and for the zeros of a percentage, then the digits.
    private let scratch = Bytes(capacity: NumberReader.longest + 16)

    /// Longer texts are no numbers that people write.
    private static let longest = 400

    public init(_ format: NumberFormat) {
        self.format = format
        let longestFirst = format.currency.map { Array($0.utf8) }.sorted { $0.count > $1.count }
        currencies = longestFirst.flatMap { $0 }
        currencyEnds = longestFirst.indices.map { longestFirst[...$0].reduce(0) { $0 + $1.count } }
    }

    public func integer(_ cell: Cell) -> Int64? {
        if case .number(let number) = rewriting(cell) { CellReading.integer(buffered: number) } else { nil }
    }

    public func decimal(_ cell: Cell) -> Double? {
        if case .number(let number) = rewriting(cell) { CellReading.keptDecimal(number) } else { nil }
    }

    /// Whether a cell is a number in this format, even one that no whole number or decimal represents exactly.
    public func isNumber(_ cell: Cell) -> Bool {
        guard case .number(let number) = rewriting(cell) else { return false }
        return CellReading.integer(buffered: number) != nil || CellReading.decimal(number) != nil
    }

    /// Why a cell is not read as a number.
    public enum Fault: Sendable, Hashable, CaseIterable {
        /// It is not written so.
        case other
        /// Its groups have other numbers of digits.
        case groups
        /// The text has a currency that the format does not name.
        case currency
        /// The text has a percent sign that the format does not name.
        case percent
        /// 64 bits do not hold it.
        case tooLarge
        /// No decimal has all of its digits.
        case inexact
        /// It is not 0, but too close to 0 for a decimal.
        case tooSmall
        /// The text has decimals, or is a share, where a whole number is expected.
        case fraction
    }

    public func fault(of cell: Cell, as kind: ColumnKind) -> Fault {
        switch rewriting(cell) {
        case .groups: return .groups
        case .percent: return .percent
        case .none: return NumberEvidence(cell)?.currency == nil ? .other : .currency
        case .number(let number) where kind == .integer:
            return CellReading.isTooLargeInteger(number) ? .tooLarge : .fraction
        case .number(let number):
            switch CellReading.fault(ofDecimal: number) {
            case .inexact: return .inexact
            case .tooSmall: return .tooSmall
            case .tooLarge, .other: return .tooLarge
            }
        }
    }

    // MARK: - Kernel

    private enum Rewriting {
        /// As `CellReading` reads it; valid until the next cell is read.
        case number(Cell)
        case groups, percent, none
    }

    private enum Sign { case none, plus, minus, open, closed }

    private func rewriting(_ cell: Cell) -> Rewriting {
        guard cell.count <= NumberReader.longest else { return .none }
        var place = 0
        var sign = Sign.none
        takeSign(cell, &place, &sign)
        let hasCurrency = takeCurrency(cell, &place)
        if hasCurrency {
            place &+= NumberMark.space.length(at: place, of: cell)
            if sign == .none { takeSign(cell, &place, &sign) }
        }
        // One byte for the sign, and two for the zeros of a percentage.
        let start = scratch.mutableBase + 3
        var end = start
        guard let isGrouped = takeWhole(cell, &place, &end) else { return .groups }
        var whole = end - start
        var hasExponent = false
        let point = format.decimal.length(at: place, of: cell)
        guard whole > 0 || point > 0 else { return .none }
        if whole == 0 {
            // `,5` is 0.5.
            end.pointee = 48
            (end, whole) = (end + 1, 1)
        }
        if point > 0 {
            end.pointee = UInt8(ascii: ".")
            end += 1
            place &+= point
            guard NumberReader.takeDigits(cell, &place, &end) > 0 else { return .none }
        }
        if !isGrouped { hasExponent = NumberReader.takeExponent(cell, &place, &end) }
        switch takeEnd(cell, place, &sign, hasCurrency: hasCurrency, hasExponent: hasExponent) {
        case .none: return .none
        case .percent where format.percent == .refuse: return .percent
        case .percent where format.percent == .divide:
            let first = NumberReader.divide(start, &end, whole)
            return .number(NumberReader.signed(first, end, sign))
        default: return .number(NumberReader.signed(start, end, sign))
        }
    }

    @inline(__always)
    private func takeSign(_ cell: Cell, _ place: inout Int, _ sign: inout Sign) {
        guard place < cell.count else { return }
        switch cell[place] {
        case UInt8(ascii: "-"): (sign, place) = (.minus, place &+ 1)
        case UInt8(ascii: "+"): (sign, place) = (.plus, place &+ 1)
        case UInt8(ascii: "("): (sign, place) = (.open, place &+ 1)
        case 0xE2 where NumberReader.isMinus(cell, place): (sign, place) = (.minus, place &+ 3)
        default: break
        }
    }

    /// The sign of mathematics, U+2212.
    static func isMinus(_ cell: Cell, _ place: Int) -> Bool {
        place &+ 2 < cell.count && cell[place] == 0xE2 && cell[place &+ 1] == 0x88 && cell[place &+ 2] == 0x92
    }

    @inline(__always)
    private func takeCurrency(_ cell: Cell, _ place: inout Int) -> Bool {
        var start = 0
        for end in currencyEnds {
            var next = place
            while start < end, next < cell.count, currencies[start] == cell[next] {
                (start, next) = (start &+ 1, next &+ 1)
            }
            if start == end {
                place = next
                return true
            }
            start = end
        }
        return false
    }

    @inline(__always)
    private static func takeDigits(_ cell: Cell, _ place: inout Int, _ end: inout UnsafeMutablePointer<UInt8>) -> Int {
        let start = place
        while place < cell.count, cell[place] &- 48 <= 9 {
            end.pointee = cell[place]
            end += 1
            place &+= 1
        }
        return place &- start
    }

    /// The digits before the decimals, and whether they are grouped; nil when their groups are wrong.
    @inline(__always)
    private func takeWhole(_ cell: Cell, _ place: inout Int, _ end: inout UnsafeMutablePointer<UInt8>) -> Bool? {
        let start = place
        let first = NumberReader.takeDigits(cell, &place, &end)
        guard first > 0, let mark = format.thousands else { return false }
        var group = first
        var groups = 0
        while true {
            // A space without a digit after it precedes a currency.
            let length = mark.length(at: place, of: cell)
            guard length > 0, place &+ length < cell.count, cell[place &+ length] &- 48 <= 9 else { break }
            if groups > 0, group != (format.groups == .three ? 3 : 2) { return nil }
            place &+= length
            group = NumberReader.takeDigits(cell, &place, &end)
            groups &+= 1
        }
        guard groups > 0 else { return false }
        let isRight = first <= (format.groups == .three ? 3 : 2) && group == 3 && cell[start] != 48
        return isRight ? true : nil
    }

    /// `e-7` after the digits, which no word resembles.
    private static func takeExponent(_ cell: Cell, _ place: inout Int, _ end: inout UnsafeMutablePointer<UInt8>) -> Bool
    {
        guard place < cell.count, cell[place] | 0x20 == UInt8(ascii: "e") else { return false }
        var next = place &+ 1
        let isSigned = next < cell.count && (cell[next] == UInt8(ascii: "-") || cell[next] == UInt8(ascii: "+"))
        if isSigned { next &+= 1 }
        guard next < cell.count, cell[next] &- 48 <= 9 else { return false }
        for byte in cell[place..<next] {
            end.pointee = byte
            end += 1
        }
        place = next
        return takeDigits(cell, &place, &end) > 0
    }

    private enum End { case plain, percent, none }

    /// What may follow the digits: a minus, a currency or a percent sign, and the parenthesis that closes.
    @inline(__always)
    private func takeEnd(_ cell: Cell, _ start: Int, _ sign: inout Sign, hasCurrency: Bool, hasExponent: Bool) -> End {
        var place = start
        if place == cell.count { return sign == .open ? .none : .plain }
        if sign == .none {
            if cell[place] == UInt8(ascii: "-") {
                (sign, place) = (.minus, place &+ 1)
            } else if NumberReader.isMinus(cell, place) {
                (sign, place) = (.minus, place &+ 3)
            }
        }
        NumberReader.close(cell, &place, &sign)
        var end = End.plain
        let blank = NumberMark.space.length(at: place, of: cell)
        if place < cell.count {
            var next = place &+ blank
            if next < cell.count, cell[next] == UInt8(ascii: "%"), !hasCurrency, !hasExponent {
                (end, place) = (.percent, next &+ 1)
            } else if !hasCurrency, takeCurrency(cell, &next) {
                place = next
            }
        }
        NumberReader.close(cell, &place, &sign)
        return place == cell.count && sign != .open ? end : .none
    }

    @inline(__always)
    private static func close(_ cell: Cell, _ place: inout Int, _ sign: inout Sign) {
        guard sign == .open, place < cell.count, cell[place] == UInt8(ascii: ")") else { return }
        (sign, place) = (.closed, place &+ 1)
    }

    /// Moves the point of a percentage two digits to the left, and returns the new start of the number.
    private static func divide(
        _ start: UnsafeMutablePointer<UInt8>,
        _ end: inout UnsafeMutablePointer<UInt8>,
        _ whole: Int
    ) -> UnsafeMutablePointer<UInt8> {
        var (first, whole) = (start, whole)
        // Zeros before the digits until there are three of them: 5 is 005, and then 0.05.
        while whole < 3 {
            first -= 1
            first.pointee = 48
            whole += 1
        }
        let point = first + whole
        if point == end { end += 1 }
        point.pointee = point[-1]
        point[-1] = point[-2]
        point[-2] = UInt8(ascii: ".")
        return first
    }

    @inline(__always)
    private static func signed(
        _ start: UnsafeMutablePointer<UInt8>,
        _ end: UnsafeMutablePointer<UInt8>,
        _ sign: Sign
    ) -> Cell {
        guard sign == .minus || sign == .closed else { return Cell(start: start, count: end - start) }
        start[-1] = UInt8(ascii: "-")
        return Cell(start: start - 1, count: end - start + 1)
    }
}

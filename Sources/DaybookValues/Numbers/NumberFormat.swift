/// How numbers are written where people write them: `1.234,56`, `(12.50)`, `€ 12`.
///
/// With a format each text has one meaning or none. Only the named marks count, groups have the right number of digits,
/// the sign has one place, and nothing else that the format does not name may surround the digits.
public struct NumberFormat: Sendable, Hashable {
    /// The number of digits between two marks.
    public enum Groups: String, Sendable, CaseIterable {
        /// `1,234,567`.
        case three
        /// `12,34,567`: three at the end, and two in each group before.
        case indian
    }

    /// The meaning of a percent sign after a number.
    public enum Percent: String, Sendable, CaseIterable {
        /// The number is not one.
        case refuse
        /// `12 %` is 12.
        case keep
        /// `12 %` is 0.12.
        case divide
    }

    public var decimal: NumberMark
    public var thousands: NumberMark?
    public var groups: Groups
    public var percent: Percent
    /// Currencies allowed before or behind the digits, such as `€` or `EUR`.
    public var currency: [String]

    public init(
        decimal: NumberMark = .point,
        thousands: NumberMark? = nil,
        groups: Groups = .three,
        percent: Percent = .refuse,
        currency: [String] = []
    ) {
        self.decimal = decimal
        self.thousands = thousands
        self.groups = groups
        self.percent = percent
        self.currency = currency
    }

    /// A number written so: `1.234,56`.
    package var sample: String {
        guard let mark = thousands?.text else { return "1234\(decimal.text)56" }
        return groups == .three ? "1\(mark)234\(decimal.text)56" : "12\(mark)34\(mark)567\(decimal.text)89"
    }

    /// A whole number written so: `1.234`.
    package var wholeSample: String {
        guard let mark = thousands?.text else { return "1234" }
        return groups == .three ? "1\(mark)234" : "12\(mark)34\(mark)567"
    }
}

/// A mark between the digits of a number, which groups them or begins the decimals.
public enum NumberMark: UInt8, Sendable, Hashable, BitwiseCopyable, CaseIterable {
    case point, comma
    /// `'`, or the typographic U+2019.
    case apostrophe
    /// A space, also one that does not break (U+00A0, U+202F) or is thin (U+2009).
    case space
    case underscore

    /// The length in bytes of the mark at a place, or 0 if another character is there.
    @inlinable
    @inline(__always)
    package func length(at place: Int, of cell: Cell) -> Int {
        guard place < cell.count else { return 0 }
        let byte = cell[place]
        switch self {
        case .point: return byte == UInt8(ascii: ".") ? 1 : 0
        case .comma: return byte == UInt8(ascii: ",") ? 1 : 0
        case .underscore: return byte == UInt8(ascii: "_") ? 1 : 0
        case .apostrophe: return byte == UInt8(ascii: "'") ? 1 : NumberMark.isWide(0x99, at: place, of: cell) ? 3 : 0
        case .space: return byte == UInt8(ascii: " ") ? 1 : NumberMark.wideSpace(at: place, of: cell)
        }
    }

    @inlinable
    static func wideSpace(at place: Int, of cell: Cell) -> Int {
        if cell[place] == 0xC2 { return place &+ 1 < cell.count && cell[place &+ 1] == 0xA0 ? 2 : 0 }
        return isWide(0xAF, at: place, of: cell) || isWide(0x89, at: place, of: cell) ? 3 : 0
    }

    /// Whether a character of general punctuation (U+2000 and on) stands there, by the last of its three bytes.
    @inlinable
    @inline(__always)
    static func isWide(_ last: UInt8, at place: Int, of cell: Cell) -> Bool {
        cell[place] == 0xE2 && place &+ 2 < cell.count && cell[place &+ 1] == 0x80 && cell[place &+ 2] == last
    }

    /// The mark at a place, whichever it is, and its bytes.
    package static func found(at place: Int, of cell: Cell) -> (mark: NumberMark, length: Int)? {
        for mark in allCases {
            let length = mark.length(at: place, of: cell)
            if length > 0 { return (mark, length) }
        }
        return nil
    }

    /// As a job writes it.
    package var text: String {
        switch self {
        case .point: "."
        case .comma: ","
        case .apostrophe: "'"
        case .space: " "
        case .underscore: "_"
        }
    }

    /// The mark that a text is; nil for any other text.
    package init?(_ text: String) {
        let bytes = Bytes(text)
        defer { withExtendedLifetime(bytes) {} }
        guard let found = NumberMark.found(at: 0, of: bytes.filled), found.length == bytes.count else { return nil }
        self = found.mark
    }
}

/// What a text shows of the format of its numbers, if none was named: `1.234,56` has points between groups and a comma
/// before decimals, and `1.234` may be either.
public struct NumberEvidence: Sendable, Hashable {
    /// The mark that can only begin decimals.
    public private(set) var decimal: NumberMark?
    /// The mark that can only group digits.
    public private(set) var thousands: NumberMark?
    /// The mark that may do either.
    public private(set) var either: NumberMark?
    /// The groups that it may have; both where there are none.
    public private(set) var mayBeThree = true
    public private(set) var mayBeIndian = true
    /// The range of the currency.
    public private(set) var currency: Range<Int>?
    public private(set) var hasPercent = false
    /// Digits that a number would lose: leading zeros, or more than fifteen.
    public private(set) var isCode = false
    /// Whether no digit precedes the decimals.
    public private(set) var isBare = false

    /// The format that reads the text, as far as the evidence goes; nil without evidence.
    package var format: NumberFormat? {
        guard decimal != nil || thousands != nil else { return nil }
        let other: NumberMark = thousands == .point ? .comma : .point
        return NumberFormat(decimal: decimal ?? other, thousands: thousands, groups: mayBeThree ? .three : .indian)
    }

    /// Examines a text; nil if no format makes a number of it.
    public init?(_ cell: Cell) {
        guard cell.count <= 64 else { return nil }
        var place = 0
        var (isSigned, isOpen) = NumberEvidence.takeSign(cell, &place)
        let word = NumberEvidence.wordBeforeDigits(cell, from: place)
        if !word.isEmpty {
            place = word.upperBound
            place += NumberMark.space.length(at: place, of: cell)
            if !isSigned, !isOpen { (isSigned, isOpen) = NumberEvidence.takeSign(cell, &place) }
            currency = word
        }
        guard readDigits(cell, &place) else { return nil }
        if !isSigned, !isOpen { _ = NumberEvidence.take("-", cell, &place) || NumberEvidence.takeMinus(cell, &place) }
        if isOpen, NumberEvidence.take(")", cell, &place) { isOpen = false }
        if place < cell.count {
            let behind = place + NumberMark.space.length(at: place, of: cell)
            let unit = NumberEvidence.word(cell, from: behind)
            if !unit.isEmpty, currency == nil {
                (currency, place) = (unit, unit.upperBound)
            } else if currency == nil, behind < cell.count, cell[behind] == UInt8(ascii: "%") {
                (hasPercent, place) = (true, behind + 1)
            }
        }
        if isOpen, NumberEvidence.take(")", cell, &place) { isOpen = false }
        guard place == cell.count, !isOpen else { return nil }
        if let currency, !NumberEvidence.isCurrency(Cell(rebasing: cell[currency])) { return nil }
    }

    /// Reads digits with marks between them; false if the groups are invalid.
    private mutating func readDigits(_ cell: Cell, _ place: inout Int) -> Bool {
        let start = place
        let first = NumberEvidence.digits(cell, &place)
        guard first > 0 else {
            // Decimals without a zero before them: `,5`.
            guard let found = NumberMark.found(at: place, of: cell), found.mark == .point || found.mark == .comma else {
                return false
            }
            (decimal, isBare, place) = (found.mark, true, place + found.length)
            return NumberEvidence.digits(cell, &place) > 0
        }
        var digits = first
        var (groups, last) = (0, first)
        var mark: NumberMark?
        while let found = NumberMark.found(at: place, of: cell), mark == nil || found.mark == mark {
            var next = place + found.length
            let group = NumberEvidence.digits(cell, &next)
            guard group > 0 else { break }
            if groups > 0 {
                mayBeThree = mayBeThree && last == 3
                mayBeIndian = mayBeIndian && last == 2
            }
            (mark, last, place) = (found.mark, group, next)
            groups += 1
            digits += group
        }
        let hasZero = cell[start] == 48
        if let mark {
            mayBeThree = mayBeThree && first <= 3 && last == 3 && !hasZero
            mayBeIndian = mayBeIndian && first <= 2 && last == 3 && !hasZero
            let isGrouped = mayBeThree || mayBeIndian
            var next = place
            if let found = NumberMark.found(at: place, of: cell), found.mark == .point || found.mark == .comma {
                next += found.length
                let decimals = NumberEvidence.digits(cell, &next)
                guard isGrouped, decimals > 0 else { return false }
                (thousands, decimal, place) = (mark, found.mark, next)
                digits += decimals
            } else if groups > 1 || (mark != .point && mark != .comma) {
                guard isGrouped else { return false }
                thousands = mark
            } else if isGrouped {
                either = mark
            } else {
                (decimal, mayBeThree, mayBeIndian) = (mark, true, true)
            }
        }
        isCode = digits > 15 || (hasZero && first > 1)
        return true
    }

    private static func digits(_ cell: Cell, _ place: inout Int) -> Int {
        let start = place
        while place < cell.count, cell[place] &- 48 <= 9 { place += 1 }
        return place - start
    }

    private static func take(_ bytes: StaticString, _ cell: Cell, _ place: inout Int) -> Bool {
        guard place < cell.count else { return false }
        for index in 0..<bytes.utf8CodeUnitCount where bytes.utf8Start[index] == cell[place] {
            place += 1
            return true
        }
        return false
    }

    private static func takeSign(_ cell: Cell, _ place: inout Int) -> (isSigned: Bool, isOpen: Bool) {
        let isSigned = take("-+", cell, &place) || takeMinus(cell, &place)
        return (isSigned, !isSigned && take("(", cell, &place))
    }

    private static func takeMinus(_ cell: Cell, _ place: inout Int) -> Bool {
        guard NumberReader.isMinus(cell, place) else { return false }
        place += 3
        return true
    }

    /// The word before digits: the mark in `$.50` belongs to the digits, and the mark in `Fr.50` does not.
    private static func wordBeforeDigits(_ cell: Cell, from start: Int) -> Range<Int> {
        let word = word(cell, from: start)
        guard word.upperBound < cell.count, cell[word.upperBound] &- 48 <= 9, let last = cell[word].last,
            last == UInt8(ascii: ".") || last == UInt8(ascii: ","), !isCurrency(Cell(rebasing: cell[word]))
        else { return word }
        return word.lowerBound..<word.upperBound - 1
    }

    /// The bytes from a place on that may be a currency: at most eight, and none that a number has.
    private static func word(_ cell: Cell, from start: Int) -> Range<Int> {
        var end = start
        while end < cell.count, end - start <= 8 {
            let byte = cell[end]
            if byte <= 0x20 || byte &- 48 <= 9 || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: "+")
                || NumberMark.space.length(at: end, of: cell) > 0 || NumberReader.isMinus(cell, end)
            {
                break
            }
            end += 1
        }
        return end - start <= 8 ? start..<max(start, end) : start..<start
    }

    /// Whether a text is a sign such as `€` or `US$`, an ISO 4217 code, or a common word for money.
    static func isCurrency(_ cell: Cell) -> Bool {
        if words.contains(where: { $0.elementsEqual(cell) }) { return true }
        let letters = cell.prefix { $0 >= 65 && $0 <= 90 }.count
        guard letters <= 3 else { return false }
        let scalars = String(decoding: cell.dropFirst(letters), as: UTF8.self).unicodeScalars
        return scalars.count == 1 && scalars.first?.properties.generalCategory == .currencySymbol
    }

    /// Codes of currencies that most exports are in (ISO 4217), and words for them.
    private static let words = """
        AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW KWD LKR MAD MXN MYR NGN \
        NOK NZD OMR PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD UYU VND ZAR kr kr. Kč zł Ft Fr Fr. SFr. lei лв руб руб. 원 \
        円 元 Rs Rs. Rp
        """.split(separator: " ").map { Array($0.utf8) }
}

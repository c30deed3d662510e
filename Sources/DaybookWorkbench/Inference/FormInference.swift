/// How many values have one form, and the first that has not.
public struct FormInference: Sendable, Hashable {
    public private(set) var fitting = 0
    public internal(set) var misfit: InferenceSample?

    @inline(__always)
    package mutating func add(_ fits: Bool, _ cell: Cell, row: Int, times: Int) {
        if fits { fitting &+= times } else if misfit.isFree { misfit = InferenceSample(cell, row: row) }
    }

    package mutating func merge(_ later: FormInference) {
        fitting += later.fitting
        misfit = misfit ?? later.misfit
    }
}

/// What the texts of a column look like: numbers, flags, colours, spellings of a gap.
public struct TextInference: Sendable, Hashable {
    /// Whole numbers that come out as they went in: no leading zero, no plus, 64 bits.
    public internal(set) var integers = FormInference()
    /// Numbers with or without a point that come out with every digit; trailing zeros are lost.
    public internal(set) var decimals = FormInference()
    /// `true` and `false`.
    public internal(set) var flags = FormInference()
    /// Numbers as people write them.
    public internal(set) var formats = NumberFormatInference()
    /// A hash and six hex digits.
    public internal(set) var colours = FormInference()
    /// Digits that a number would lose: leading zeros, a plus, more digits than a number holds.
    public internal(set) var codes = 0
    public internal(set) var code: InferenceSample?
    /// The first decimal with a zero at its end, which a number does not keep.
    public internal(set) var padded: InferenceSample?
    /// Words that often mean that there is no value, with how often each was met.
    public internal(set) var gaps: [String: Int] = [:]
    /// The first of them.
    public internal(set) var gap: InferenceSample?
    public private(set) var gapCount = 0

    /// Spellings of a missing value; compared as they are written.
    static let gapWords = [
        "-", "--", "?", "N/A", "n/a", "#N/A", "NA", "na", "null", "NULL", "Null", "(null)", "<null>", "nil", "None",
        "none",
        "NaN", "nan", "\\N", "없음",
    ]
    /// How databases write that there is no value, in columns of text too.
    static let databaseNull = "\\N"
    private static let gapBytes = gapWords.map { Array($0.utf8) }
    /// Which bytes begin one of them, so that most cells are passed over at a glance.
    private static let beginsGap: [Bool] = {
        var begins = [Bool](repeating: false, count: 256)
        for word in gapBytes { begins[Int(word[0])] = true }
        return begins
    }()

    /// Adds a value that comes `times` times, first in `row`, and says what it is; a date it does not tell.
    package mutating func add(_ cell: Cell, row: Int, times: Int, numbers: inout NumberInference) -> ValueForm {
        if cell.count <= 6, cell.count > 0, TextInference.beginsGap[Int(cell[0])],
            let word = TextInference.gapWord(cell)
        {
            gaps[word, default: 0] += times
            gapCount += times
            if gap.isFree { gap = InferenceSample(cell, row: row) }
            return ValueForm(.gap)
        }
        let form = NumberForm(cell)
        integers.add(form.isInteger, cell, row: row, times: times)
        decimals.add(form.isDecimal, cell, row: row, times: times)
        let isFlag = CellReading.flag(cell) != nil
        let isColour = TextInference.isColour(cell)
        if !form.isCode { formats.add(cell, isPlain: form.isInteger, row: row, times: times) }
        flags.add(isFlag, cell, row: row, times: times)
        colours.add(isColour, cell, row: row, times: times)
        if form.isCode {
            codes &+= times
            if code.isFree { code = InferenceSample(cell, row: row) }
            return ValueForm(.code)
        }
        if form.isDecimal {
            numbers.add(form.value, times: times)
            if !form.isInteger, padded.isFree, cell[cell.count - 1] == 48 { padded = InferenceSample(cell, row: row) }
        }
        if form.isInteger { return ValueForm(.integer, number: form.value) }
        if form.isDecimal { return ValueForm(.decimal, number: form.value) }
        return ValueForm(isFlag ? .flag : isColour ? .colour : cell.isEmpty ? .empty : .text)
    }

    package mutating func merge(_ later: TextInference) {
        integers.merge(later.integers)
        decimals.merge(later.decimals)
        flags.merge(later.flags)
        formats.merge(later.formats)
        colours.merge(later.colours)
        codes += later.codes
        code = code ?? later.code
        padded = padded ?? later.padded
        gaps.merge(later.gaps, uniquingKeysWith: +)
        gapCount += later.gapCount
        gap = gap ?? later.gap
    }

    private static func gapWord(_ cell: Cell) -> String? {
        for (index, word) in gapBytes.enumerated() where word.count == cell.count && word.elementsEqual(cell) {
            return gapWords[index]
        }
        return nil
    }

    private static func isColour(_ cell: Cell) -> Bool {
        guard cell.count == 7, cell[0] == UInt8(ascii: "#") else { return false }
        var wrong = false
        for place in 1..<7 { wrong = wrong || !isHex[Int(cell[place])] }
        return !wrong
    }

    private static let isHex: [Bool] = (0..<256).map {
        (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0)
    }
}

/// What kind of number a text is, and whether it would come out of a number as it went in.
struct NumberForm {
    var isInteger = false
    var isDecimal = false
    var isCode = false
    var value = 0.0

    init(_ cell: Cell) {
        var position = 0
        if let first = cell.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") { position = 1 }
        let hasPlus = cell.first == UInt8(ascii: "+")
        let start = position
        while position < cell.count, cell[position] &- 48 <= 9 { position += 1 }
        let whole = position - start
        guard whole > 0 else { return }
        let isPadded = whole > 1 && cell[start] == 48
        if position == cell.count {
            guard !isPadded, !hasPlus, let number = CellReading.integer(cell), number != 0 || start == 0 else {
                isCode = true
                return
            }
            isInteger = true
            // A double must hold it too for the column to be one of decimals.
            isDecimal = number.magnitude <= 1 << 53
            value = Double(number)
            return
        }
        guard cell[position] == UInt8(ascii: "."), position + 1 < cell.count else { return }
        let decimals = cell.count - position - 1
        for byte in cell[(position + 1)...] where byte &- 48 > 9 { return }
        // Fifteen digits are what every double keeps.
        guard !isPadded, !hasPlus, whole + decimals <= 15, let number = CellReading.decimal(cell) else {
            isCode = true
            return
        }
        isDecimal = true
        value = number
    }
}

/// What one value is, as far as it tells by itself.
package struct ValueForm: BitwiseCopyable {
    /// The kinds that values are counted by; each value is of one.
    package enum Kind: UInt8, CaseIterable, BitwiseCopyable {
        /// A word that often means that there is no value, such as `N/A`.
        case gap
        case empty
        case integer
        case decimal
        /// Digits that a number would lose, such as `007`.
        case code
        case flag
        /// A hash and six hex digits.
        case colour
        case day
        /// A day with a time, or a moment.
        case instant
        case text
        /// A value of JSON that holds others, or that is of several kinds.
        case json
    }

    package var kind: Kind
    /// The number that it is; of a date the days since 1970-01-01.
    package var number: Double

    package init(_ kind: Kind, number: Double = 0) {
        self.kind = kind
        self.number = number
    }
}

/// Counts the values with a form, and keeps the first without it.
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

/// Counts the values with a trait, and keeps the first.
public struct SampledCount: Sendable, Hashable {
    public internal(set) var count = 0
    public internal(set) var sample: InferenceSample?

    @inline(__always)
    mutating func add(_ cell: Cell, row: Int, times: Int) { add(times, InferenceSample(cell, row: row)) }

    @inline(__always)
    mutating func add(_ times: Int, _ first: @autoclosure () -> InferenceSample) {
        count &+= times
        if sample.isFree { sample = first() }
    }

    mutating func merge(_ later: SampledCount) {
        count += later.count
        sample = sample ?? later.sample
    }
}

/// The forms of the texts of a column: numbers, flags, colours, gap words.
public struct TextInference: Sendable, Hashable {
    /// Whole numbers that keep their spelling: no leading zero, no plus, 64 bits.
    public internal(set) var integers = FormInference()
    /// Numbers as the importers read them, with or without a point or an exponent.
    public internal(set) var decimals = FormInference()
    /// `true` and `false`.
    public internal(set) var flags = FormInference()
    /// Numbers as people write them.
    public internal(set) var formats = NumberFormatInference()
    /// A hash and six hex digits.
    public internal(set) var colours = FormInference()
    /// Digits that a number would lose: leading zeros, a plus, more than 64 bits.
    public internal(set) var codes = SampledCount()
    /// Numbers with more digits than a decimal keeps.
    public internal(set) var wides = SampledCount()
    /// The first decimal that changes its spelling, such as `1.50` or `1e3`.
    public internal(set) var respelt: InferenceSample?
    /// Digits, an E and digits, such as `1E10`: a code, unless other values have a point or a signed exponent.
    public internal(set) var powers = SampledCount()
    /// How many decimals have a point or a signed exponent.
    public internal(set) var scientific = 0
    /// The first decimal with a padding zero, such as `1.10`, and the fewest and the most decimals.
    public internal(set) var padded: InferenceSample?
    public internal(set) var fewestDecimals = Int.max
    public internal(set) var mostDecimals = 0
    /// Words that often mean a missing value, with their counts.
    public internal(set) var gaps: [String: Int] = [:]
    /// The count of all gap words.
    public internal(set) var gapped = SampledCount()

    public var gapCount: Int { gapped.count }

    /// The gap words with their counts, the most frequent first.
    var frequentGaps: [(word: String, count: Int)] {
        gaps.map { (word: $0.key, count: $0.value) }.sorted { ($1.count, $0.word) < ($0.count, $1.word) }
    }

    /// Spellings of a missing value; compared byte by byte.
    static let gapWords = [
        "-", "--", "?", "N/A", "n/a", "#N/A", "NA", "na", "null", "NULL", "Null", "(null)", "<null>", "nil", "None",
        "none", "NaN", "nan", "\\N", "없음",
    ]
    /// The missing value of databases, in columns of text too.
    static let databaseNull = "\\N"
    private static let gapBytes = gapWords.map { Array($0.utf8) }
    /// The first bytes of gap words, to skip most cells quickly.
    private static let beginsGap: [Bool] = {
        var begins = [Bool](repeating: false, count: 256)
        for word in gapBytes { begins[Int(word[0])] = true }
        return begins
    }()

    /// Adds a value that occurs `times` times, first in `row`, and returns its form, except for dates.
    package mutating func add(_ cell: Cell, row: Int, times: Int, numbers: inout NumberInference) -> ValueForm {
        if cell.count <= 6, cell.count > 0, TextInference.beginsGap[Int(cell[0])],
            let word = TextInference.gapWord(cell)
        {
            gaps[word, default: 0] += times
            gapped.add(cell, row: row, times: times)
            return ValueForm(.gap)
        }
        let form = NumberForm(cell)
        integers.add(form.whole != nil, cell, row: row, times: times)
        decimals.add(form.number != nil, cell, row: row, times: times)
        // As a flag, TRUE would become true.
        let isFlag = CellReading.flag(cell) != nil && cell[0] >= UInt8(ascii: "a")
        let isColour = TextInference.isColour(cell)
        if !form.isCode { formats.add(cell, isPlain: form.whole != nil, row: row, times: times) }
        flags.add(isFlag, cell, row: row, times: times)
        colours.add(isColour, cell, row: row, times: times)
        if form.isCode {
            codes.add(cell, row: row, times: times)
            return ValueForm(.code)
        }
        if form.isWide { wides.add(cell, row: row, times: times) }
        if let whole = form.whole {
            numbers.add(whole: whole, times: times)
            return ValueForm(whole: whole)
        }
        if let number = form.number {
            numbers.add(number, times: times)
            if form.isRespelt, respelt.isFree { respelt = InferenceSample(cell, row: row) }
            if form.isPower { powers.add(cell, row: row, times: times) } else { scientific &+= times }
            if form.decimals > 0 {
                fewestDecimals = min(fewestDecimals, form.decimals)
                mostDecimals = max(mostDecimals, form.decimals)
                if form.isPadded, padded.isFree { padded = InferenceSample(cell, row: row) }
            }
            return ValueForm(.decimal, number: number)
        }
        return ValueForm(isFlag ? .flag : isColour ? .colour : cell.isEmpty ? .empty : .text)
    }

    package mutating func merge(_ later: TextInference) {
        integers.merge(later.integers)
        decimals.merge(later.decimals)
        flags.merge(later.flags)
        formats.merge(later.formats)
        colours.merge(later.colours)
        codes.merge(later.codes)
        wides.merge(later.wides)
        respelt = respelt ?? later.respelt
        powers.merge(later.powers)
        scientific += later.scientific
        padded = padded ?? later.padded
        fewestDecimals = min(fewestDecimals, later.fewestDecimals)
        mostDecimals = max(mostDecimals, later.mostDecimals)
        gaps.merge(later.gaps, uniquingKeysWith: +)
        gapped.merge(later.gapped)
    }

    /// Whether all `values` are numbers that a column of decimals keeps digit by digit.
    package func areDecimals(_ values: Int) -> Bool {
        decimals.fitting == values && wides.count == 0 && decimalCode == nil
    }

    /// The first text that is a code: `1E10` if no other value is a power, and `1.10` beside `1.9`, since as numbers `1.10`
    /// and `1.1` would be equal. No version has three decimals, as a measure has.
    private var decimalCode: InferenceSample? {
        if powers.count > 0, scientific == 0 { return powers.sample }
        return fewestDecimals < mostDecimals && mostDecimals < 3 ? padded : nil
    }

    /// The first text that a number would not keep, if all `values` are digits that no number keeps.
    package func lossySample(of values: Int) -> InferenceSample? {
        guard integers.fitting < values, codes.count + decimals.fitting >= values else { return nil }
        return codes.sample ?? wides.sample ?? decimalCode
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

    private static let isHex = (0..<256).map {
        (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0)
    }
}

/// The kind of number of a text, and whether a number keeps its spelling.
struct NumberForm {
    /// A whole number that keeps its spelling.
    private(set) var whole: Int64?
    /// The number that an importer reads; nil for a code.
    private(set) var number: Double?
    /// Whether a decimal loses digits.
    private(set) var isWide = false
    /// Whether a decimal has another spelling: `1.50`, `1e3`.
    private(set) var isRespelt = false
    /// Whether it is digits that a number would lose.
    private(set) var isCode = false
    /// Whether it is digits, an E and digits.
    private(set) var isPower = false
    /// How many digits are after the point, and whether the last of several is a zero.
    private(set) var decimals = 0
    private(set) var isPadded = false

    init(_ cell: Cell) {
        let start = cell.first == UInt8(ascii: "-") || cell.first == UInt8(ascii: "+") ? 1 : 0
        let digits = NumberForm.digits(cell, from: start)
        // A decimal may lack the zero before its point.
        guard digits > 0 || (start < cell.count && cell[start] == UInt8(ascii: ".")) else { return }
        isCode = (digits > 1 && cell[start] == 48) || cell[0] == UInt8(ascii: "+")
        let end = start + digits
        if end == cell.count {
            guard !isCode, let number = CellReading.integer(cell), number != 0 || start == 0 else {
                isCode = true
                return
            }
            whole = number
            self.number = Double(number)
            isWide = number.magnitude > 1 << 53
            return
        }
        guard let number = CellReading.decimal(cell) else {
            isCode = false
            return
        }
        guard !isCode else { return }
        self.number = number
        decimals = cell[end] == UInt8(ascii: ".") ? NumberForm.digits(cell, from: end + 1) : 0
        isPower = start == 0 && cell[end] | 0x20 == UInt8(ascii: "e") && cell[end + 1] &- 48 <= 9
        isPadded = decimals > 1 && cell[cell.count - 1] == 48 && end + 1 + decimals == cell.count
        // Every double keeps fifteen digits, and some keep seventeen: those that a program has written from one.
        isWide = digits + decimals > 15 && number.description != String(decoding: cell, as: UTF8.self)
        let hasExponent = end + (decimals > 0 ? decimals + 1 : 0) < cell.count
        isRespelt = hasExponent || cell[cell.count - 1] == 48 || digits == 0
    }

    private static func digits(_ cell: Cell, from start: Int) -> Int { cell[start...].prefix { $0 &- 48 <= 9 }.count }
}

/// The form of one value.
package struct ValueForm: BitwiseCopyable {
    /// The kinds by which values are counted; each value has one.
    package enum Kind: UInt8, CaseIterable, BitwiseCopyable {
        /// A word that often means a missing value, such as `N/A`.
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
        /// A day with a time, or a point in time.
        case instant
        case text
        /// A nested value of JSON, or one of mixed kinds.
        case json
    }

    package var kind: Kind
    /// The number; days since 1970-01-01 for a date.
    package var number: Double
    /// The exact whole number.
    package var whole: Int64?

    package init(_ kind: Kind, number: Double = 0) { (self.kind, self.number) = (kind, number) }

    package init(whole: Int64) {
        self.init(.integer, number: Double(whole))
        self.whole = whole
    }
}

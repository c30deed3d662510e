/// How a number or a text is written: the part of Python's format specification that reports need.
///
/// ```
/// [[fill]align][+][0][width][,][.decimals][type]
/// ```
/// `align` is `<`, `>` or `^`; by default numbers are aligned right and text left. The type is `d` for whole numbers,
/// `f` for a fixed number of decimals (6 without a precision), `%` for a hundredfold with a percent sign, and `s` for
/// text. Source: "Format Specification Mini-Language" in the documentation of Python's module `string`.
package struct FieldFormat: Sendable, Hashable {
    package enum Alignment: Sendable { case left, right, centre }
    package enum Style: Sendable { case whole, fixed, percent, text }

    package struct Problem: Error, Sendable, Hashable {
        package var message: String
        package var hint: String?
        /// Whether the text does not even look like a format, and so may be something else.
        var isOfForm = false
    }

    /// The character that fills up to the width, in UTF-8.
    package var fill: [UInt8] = [UInt8(ascii: " ")]
    package var alignment: Alignment?
    var showsPlus = false
    var padsZeros = false
    /// The least number of characters, which are Unicode scalars.
    package var width = 0
    var isGrouped = false
    var precision: Int?
    package var style: Style?

    package static let plain = FieldFormat()

    private static let widest = 200
    /// Ten to this power and two more, for percent, times a mantissa still fit into 128 bits.
    private static let mostDecimals = 20

    private init() {}

    package init(_ text: String) throws(Problem) {
        let scalars = Array(text.unicodeScalars)
        var position = 0
        func next() -> Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }
        func take(_ scalar: Unicode.Scalar) -> Bool {
            guard next() == scalar else { return false }
            position += 1
            return true
        }
        func number() -> Int? {
            var value: Int?
            while let digit = next(), ("0"..."9").contains(digit) {
                value = min(999_999, (value ?? 0) * 10 + Int(digit.value - 48))
                position += 1
            }
            return value
        }
        if scalars.count > 1, let alignment = Self.alignments[scalars[1]] {
            fill = Array(String(scalars[0]).utf8)
            self.alignment = alignment
            position = 2
        } else if let first = next(), let alignment = Self.alignments[first] {
            self.alignment = alignment
            position = 1
        }
        showsPlus = take("+")
        padsZeros = take("0")
        width = number() ?? 0
        isGrouped = take(",")
        if take(".") {
            precision = number()
            guard precision != nil else { throw Self.problem(text, hint: "say how many decimals, as in .1f") }
        }
        if let letter = next(), let style = Self.styles[letter] {
            self.style = style
            position += 1
        }
        guard position == scalars.count else {
            let hint = next().flatMap { Self.hints[$0] }
            throw Self.problem(text, hint: hint ?? ValueFormat.hint)
        }
        try checkItself(text)
    }

    private static let alignments: [Unicode.Scalar: Alignment] = ["<": .left, ">": .right, "^": .centre]
    private static let styles: [Unicode.Scalar: Style] = ["d": .whole, "f": .fixed, "%": .percent, "s": .text]
    private static let hints: [Unicode.Scalar: String] = [
        "e": "write .1f for one decimal", "g": "write .1f for one decimal", "F": "write f", "D": "write d",
        "_": "write , to part thousands", "-": "a minus is always written", "@": "a text is written without a type",
    ]

    private static func problem(_ text: String, hint: String?) -> Problem {
        Problem(message: "'\(text)' is not a format of numbers and text", hint: hint, isOfForm: true)
    }

    private func checkItself(_ text: String) throws(Problem) {
        if width > Self.widest {
            throw Problem(message: "the width in '\(text)' is more than \(Self.widest)", hint: nil)
        }
        if let precision, precision > Self.mostDecimals {
            throw Problem(message: "'\(text)' asks for more than \(Self.mostDecimals) decimals", hint: nil)
        }
        if padsZeros, alignment != nil || isGrouped {
            throw Problem(
                message: "'\(text)' fills up with zeros, which goes with neither an alignment nor ','",
                hint: "leave the 0 in front of the width out"
            )
        }
        if precision != nil, style != .fixed, style != .percent {
            let hint = "write .1f for one decimal, or .1% for percent"
            throw Problem(message: "'\(text)' has a number of decimals and no type that writes them", hint: hint)
        }
        if style == .text, let problem = problem(with: .text) { throw problem }
    }

    /// Why values of that kind cannot be written like this; nil when they can.
    package func problem(with kind: ColumnKind) -> Problem? {
        switch kind {
        case .integer:
            return style == .text ? Problem(message: "'s' writes text", hint: "leave the s out") : nil
        case .decimal:
            if style == .text { return Problem(message: "'s' writes text", hint: "leave the s out") }
            return style == .whole ? Problem(message: "'d' writes whole numbers", hint: "write .0f") : nil
        case .text, .json, .flag:
            let isOfNumbers = showsPlus || padsZeros || isGrouped || precision != nil
            guard isOfNumbers || (style != nil && style != .text) else { return nil }
            let hint: String? = kind == .text ? "declare the column as decimal or integer where it is imported" : nil
            return Problem(message: "the format is one of numbers", hint: hint)
        case .day, .instant: return nil
        }
    }

    package var decimals: Int {
        switch style {
        case .fixed, .percent: precision ?? 6
        case .whole, .text, nil: 0
        }
    }
}

extension FieldFormat {
    package func text(of values: Values<Int64>) -> TextColumn {
        let shift = decimals + (style == .percent ? 2 : 0)
        return text(values.count, values.missing) { row, digits in
            let value = values.elements[row]
            digits.put(value.magnitude, shift: shift, decimals: decimals)
            return value < 0
        }
    }

    package func text(of values: Values<Double>) -> TextColumn {
        let shift = decimals + (style == .percent ? 2 : 0)
        let isPlain = style == nil
        return text(values.count, values.missing) { row, digits in
            let value = values.elements[row]
            if isPlain || !value.isFinite {
                digits.put(shortest: value)
            } else {
                digits.put(value.magnitude, shift: shift, decimals: decimals)
            }
            return value < 0
        }
    }

    /// One text per row; `put` puts the digits of its number, and returns whether it is negative.
    @inline(__always)
    private func text(
        _ rows: Int,
        _ missing: Mask?,
        _ put: (_ row: Int, _ digits: inout DigitBuffer) -> Bool
    ) -> TextColumn {
        var digits = DigitBuffer()
        return fill.withUnsafeBufferPointer { fill in
            TextColumn(rows: rows, missing: missing, capacity: rows * max(width, 12)) { row, bytes in
                let isNegative = put(row, &digits)
                append(digits, isNegative: isNegative, fill, to: bytes)
            }
        }
    }

    /// Appends a number; one whose digits are all 0 has no minus: −0.0 ℃ is never meant.
    @inline(__always)
    private func append(_ digits: borrowing DigitBuffer, isNegative: Bool, _ fill: Cell, to bytes: Bytes) {
        let characters = digits.characters
        let whole = digits.wholeDigits
        let minus = isNegative && !digits.isZero
        let commas = isGrouped && whole > 0 ? (whole - 1) / 3 : 0
        let length = (minus || showsPlus ? 1 : 0) + characters.count + commas + (style == .percent ? 1 : 0)
        let gap = max(0, width - length)
        // Non-finite numbers, such as inf, are padded with spaces.
        let zeros = padsZeros && whole > 0 ? gap : 0
        let left = leftPart(of: gap - zeros, unlessAligned: .right)
        let start = bytes.reserve(length + gap * fill.count)
        var next = Self.repeated(fill, left, at: start)
        if minus || showsPlus {
            next.pointee = minus ? UInt8(ascii: "-") : UInt8(ascii: "+")
            next += 1
        }
        for _ in 0..<zeros {
            next.pointee = UInt8(ascii: "0")
            next += 1
        }
        for place in 0..<characters.count {
            if isGrouped, place > 0, place < whole, (whole - place) % 3 == 0 {
                next.pointee = UInt8(ascii: ",")
                next += 1
            }
            next.pointee = characters[place]
            next += 1
        }
        if style == .percent {
            next.pointee = UInt8(ascii: "%")
            next += 1
        }
        next = Self.repeated(fill, gap - zeros - left, at: next)
        bytes.count += next - start
    }

    /// The padded texts; the same column without a width.
    package func text(of column: TextColumn) -> TextColumn {
        guard width > 0 else { return column }
        let capacity = column.count * width
        return fill.withUnsafeBufferPointer { fill in
            TextColumn(rows: column.count, missing: column.missing, capacity: capacity) { row, bytes in
                column.withCell(row) { append($0, fill, to: bytes) }
            }
        }
    }

    private func append(_ cell: Cell, _ fill: Cell, to bytes: Bytes) {
        var characters = 0
        for byte in cell where byte & 0xC0 != 0x80 { characters &+= 1 }
        let gap = max(0, width - characters)
        let left = leftPart(of: gap, unlessAligned: .left)
        let start = bytes.reserve(cell.count + gap * fill.count)
        var next = Self.repeated(fill, left, at: start)
        if let first = cell.baseAddress { next.update(from: first, count: cell.count) }
        next = Self.repeated(fill, gap - left, at: next + cell.count)
        bytes.count += next - start
    }

    /// How much of the padding goes to the left.
    private func leftPart(of gap: Int, unlessAligned usual: Alignment) -> Int {
        switch alignment ?? usual {
        case .left: 0
        case .right: gap
        case .centre: gap / 2
        }
    }

    private static func repeated(
        _ fill: Cell,
        _ count: Int,
        at place: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var next = place
        for _ in 0..<count {
            for byte in fill {
                next.pointee = byte
                next += 1
            }
        }
        return next
    }
}

/// The decimal digits of one number at a time, rounded exactly.
///
/// A double is a whole number times a power of two, so it has an exact decimal form, and that form is rounded: to the
/// nearest, and ties to even, as C's `printf` does. 2.675 is a little less than it looks, and so 2.67; 0.125 is a tie,
/// and so 0.12. No intermediate result is rounded, also not for percent.
struct DigitBuffer: ~Copyable {
    /// 309 digits before the point, up to 22 after it, and the point.
    private static let size = 352

    private let buffer: UnsafeMutablePointer<UInt8>
    /// The digits fill the buffer from here to its end.
    private var start = DigitBuffer.size
    /// How many of the characters, from the first, are digits before a point.
    private(set) var wholeDigits = 0
    /// Whether every digit is 0.
    private(set) var isZero = true

    init() { buffer = .allocate(capacity: DigitBuffer.size) }

    deinit { buffer.deallocate() }

    var characters: Cell { Cell(start: buffer + start, count: DigitBuffer.size - start) }

    /// Puts a whole number times ten to the power of `shift`, with its last `decimals` digits after a point.
    mutating func put(_ magnitude: UInt64, shift: Int, decimals: Int) {
        begin(zeros: magnitude == 0 ? 0 : shift)
        prepend(magnitude)
        close(decimals)
    }

    /// Puts a finite unsigned number times ten to the power of `shift`, rounded to a whole one, with its last
    /// `decimals` digits after a point. `shift` is at most 22.
    mutating func put(_ value: Double, shift: Int, decimals: Int) {
        let bits = value.bitPattern
        let exponent = Int(bits >> 52 & 0x7FF)
        let mantissa = bits & 0xF_FFFF_FFFF_FFFF | (exponent > 0 ? 1 << 52 : 0)
        // A subnormal has the exponent of the smallest normal number.
        let power = max(exponent, 1) - 1_075
        if power < 0 {
            begin(zeros: 0)
            prepend(Self.rounded(mantissa, shift, halvings: -power))
        } else {
            begin(zeros: shift)
            if power <= 75 { prepend(UInt128(mantissa) << UInt128(power)) } else { prepend(mantissa, doubled: power) }
        }
        close(decimals)
    }

    /// Puts the shortest digits that read back as the same number, or its name if it is not finite.
    mutating func put(shortest value: Double) {
        start = 0
        let count = NumberText.write(value.magnitude, to: buffer)
        start = DigitBuffer.size - count
        // From the end, since the two stretches may overlap.
        for place in stride(from: count - 1, through: 0, by: -1) { buffer[start + place] = buffer[place] }
        wholeDigits = 0
        while wholeDigits < count, buffer[start + wholeDigits] &- 48 <= 9 { wholeDigits += 1 }
        isZero = value == 0
    }

    /// mantissa × 10^shift ÷ 2^halvings, to the nearest whole number, ties to even.
    private static func rounded(_ mantissa: UInt64, _ shift: Int, halvings: Int) -> UInt128 {
        // 53 bits times 10²² are less than 2¹²⁷, half of what the smallest divisor left out here would need.
        let scaled = UInt128(mantissa) * powersOfTen[shift]
        guard halvings < 128 else { return 0 }
        let quotient = scaled >> UInt128(halvings)
        let rest = scaled & (1 << UInt128(halvings) - 1)
        let half: UInt128 = 1 << UInt128(halvings - 1)
        return rest > half || (rest == half && quotient & 1 == 1) ? quotient + 1 : quotient
    }

    private static let powersOfTen: [UInt128] = (0...22).map { exponent in
        (0..<exponent).reduce(into: UInt128(1)) { power, _ in power *= 10 }
    }

    private mutating func begin(zeros: Int) {
        start = DigitBuffer.size
        isZero = true
        for _ in 0..<zeros { prepend(digit: 0) }
    }

    @inline(__always)
    private mutating func prepend(digit: UInt64) {
        start &-= 1
        buffer[start] = 48 &+ UInt8(truncatingIfNeeded: digit)
    }

    private mutating func prepend(_ value: UInt64) {
        var rest = value
        if rest > 0 { isZero = false }
        while rest > 0 {
            prepend(digit: rest % 10)
            rest /= 10
        }
    }

    private mutating func prepend(_ value: UInt128) {
        var rest = value
        while rest > UInt128(UInt64.max) {
            let (quotient, lowest) = rest.quotientAndRemainder(dividingBy: 10_000_000_000_000_000_000)
            prepend(UInt64(lowest), digits: 19)
            rest = quotient
        }
        prepend(UInt64(rest))
    }

    private mutating func prepend(_ value: UInt64, digits: Int) {
        let end = start - digits
        prepend(value)
        while start > end { prepend(digit: 0) }
    }

    /// For numbers of more than 128 bits, which are never measured: limbs to the base 10⁹, the lowest first.
    private mutating func prepend(_ mantissa: UInt64, doubled power: Int) {
        let base: UInt64 = 1_000_000_000
        var limbs = [mantissa % base, mantissa / base]
        var left = power
        while left > 0 {
            let step = min(left, 32)
            var carry: UInt64 = 0
            for index in limbs.indices {
                let value = limbs[index] << UInt64(step) + carry
                limbs[index] = value % base
                carry = value / base
            }
            while carry > 0 {
                limbs.append(carry % base)
                carry /= base
            }
            left -= step
        }
        for limb in limbs.dropLast() { prepend(limb, digits: 9) }
        prepend(limbs[limbs.count - 1])
    }

    /// Ensures a digit before the point, and sets the point.
    private mutating func close(_ decimals: Int) {
        while DigitBuffer.size - start <= decimals { prepend(digit: 0) }
        wholeDigits = DigitBuffer.size - start - decimals
        guard decimals > 0 else { return }
        start -= 1
        for place in start..<start + wholeDigits { buffer[place] = buffer[place + 1] }
        buffer[start + wholeDigits] = UInt8(ascii: ".")
    }
}

/// How a number or a text is written: the part of Python's format specification that reports need.
///
/// ```
/// [[fill]align][+][0][width][,][.decimals][type]
/// ```
/// `align` is `<`, `>` or `^`; numbers stand on the right and text on the left unless it says otherwise. The type is `d` for
/// whole numbers, `f` for a fixed number of decimals (6 without a precision), `%` for a hundredfold with a percent sign, and
/// `s` for text. Source: "Format Specification Mini-Language" in the documentation of Python's module `string`.
package struct FieldFormat: Sendable, Hashable {
    package enum Alignment: Sendable { case left, right, centre }
    package enum Style: Sendable { case whole, fixed, percent, text }

    package struct Problem: Error, Sendable, Hashable {
        package var message: String
        package var hint: String?
        /// Whether the text does not even have the form of a format, and so may be something else.
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
            throw Problem(
                message: "'\(text)' has a number of decimals and no type that writes them",
                hint: "write .1f for one decimal, or .1% for percent"
            )
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
            return Problem(
                message: "the format is one of numbers",
                hint: kind == .text ? "declare the column as decimal or integer where it is imported" : nil
            )
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

/// A way of showing numbers, written as Unicode TR35 writes number patterns: `#,##0.00`, `0.0%`, `€#,##0`, `#,##0 'km'`.
///
/// Groups, the fewest and the most digits, per cent, a text in front and behind, and another pattern for what is below 0 behind a
/// semicolon. Exponents, significant digits, rounding steps and padding are refused.
package struct NumberPattern: Sendable, Hashable {
    /// What a pattern does not say well.
    package struct Fault: Error {
        package let message: String
    }

    package let text: String
    private let prefix: String
    private let suffix: String
    /// What stands around a number below 0, where the pattern says so.
    private let negative: (prefix: String, suffix: String)?
    private let leastWhole: Int
    private let leastPlaces: Int
    private let mostPlaces: Int
    private let isGrouped: Bool
    private let isPercent: Bool

    package static func == (one: NumberPattern, other: NumberPattern) -> Bool { one.text == other.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// The most digits behind the point; a double has no more to give.
    private static let mostDigits = 10

    package init(_ text: String) throws(Fault) {
        self.text = text
        var parts = try NumberPattern.parts(of: text)
        guard parts.count <= 2 else { throw Fault(message: "a pattern has one ';' at most") }
        let positive = try NumberPattern.affixes(of: parts.removeFirst())
        negative = try parts.first.map { part throws(Fault) in
            let affixes = try NumberPattern.affixes(of: part)
            return (affixes.prefix, affixes.suffix)
        }
        (prefix, suffix) = (positive.prefix, positive.suffix)
        isPercent = positive.isPercent
        let pieces = positive.number.split(separator: ".", omittingEmptySubsequences: false)
        guard pieces.count <= 2 else { throw Fault(message: "a pattern has one '.' at most") }
        let whole = pieces[0].filter { $0 != "," }
        let groups = pieces[0].split(separator: ",", omittingEmptySubsequences: false)
        isGrouped = groups.count > 1
        guard !isGrouped || groups[groups.count - 1].count == 3 else {
            throw Fault(message: "numbers are grouped by three digits: '#,##0'")
        }
        guard !whole.drop(while: { $0 == "#" }).contains("#") else {
            throw Fault(message: "'#' stands in front of '0' before the point")
        }
        leastWhole = whole.count { $0 == "0" }
        let places = pieces.count == 2 ? pieces[1] : ""
        guard !places.contains(","), !places.drop(while: { $0 == "0" }).contains("0") else {
            throw Fault(message: "'0' stands in front of '#' behind the point")
        }
        guard places.count <= NumberPattern.mostDigits, leastWhole <= NumberPattern.mostDigits else {
            throw Fault(message: "a pattern has at most \(NumberPattern.mostDigits) digits on a side of the point")
        }
        (leastPlaces, mostPlaces) = (places.count { $0 == "0" }, places.count)
    }

    /// The number as the pattern shows it, rounded half away from 0.
    package func text(of value: Double, _ signs: NumberSigns) -> String {
        let number = isPercent ? value * 100 : value
        guard number.isFinite else { return prefix + signs.localised(Figure.spoken(number)) + suffix }
        let digits = digits(of: number.magnitude)
        let isBelow = number < 0 && digits.contains { $0 != "0" && $0 != "." }
        let shown = signs.localised(digits)
        guard isBelow else { return prefix + shown + suffix }
        if let negative { return negative.prefix + shown + negative.suffix }
        return "−" + prefix + shown + suffix
    }

    /// `1,234.50`.
    private func digits(of value: Double) -> String {
        let power = (0..<mostPlaces).reduce(1.0) { power, _ in power * 10 }
        // Beyond this the digits of a double say nothing any more.
        guard value * power < 9e15 else { return Figure.spoken(value) }
        let scaled = UInt64((value * power).rounded())
        let unit = UInt64(power)
        var whole = String(scaled / unit)
        whole = leastWhole == 0 && whole == "0" && mostPlaces > 0 ? "" : whole
        whole = String(repeating: "0", count: max(0, leastWhole - whole.count)) + whole
        if isGrouped {
            let start = whole.count % 3
            whole = whole.enumerated().reduce(into: "") { text, digit in
                if digit.offset > 0, digit.offset % 3 == start { text += "," }
                text.append(digit.element)
            }
        }
        var fraction = String(String(scaled % unit + unit).dropFirst())
        while fraction.count > leastPlaces, fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? whole : "\(whole).\(fraction)"
    }

    // MARK: Reading

    /// A character of a pattern, and whether quotes make it a text.
    private typealias Sign = (character: Character, isText: Bool)

    /// The parts between semicolons, without their quotes.
    private static func parts(of text: String) throws(Fault) -> [[Sign]] {
        guard text.count <= 60 else { throw Fault(message: "a pattern has at most 60 characters") }
        var parts: [[Sign]] = [[]]
        var isQuoted = false
        var last: Character?
        for character in text {
            if character == "'" {
                if last == "'" { parts[parts.count - 1].append(("'", true)) }
                last = last == "'" ? nil : "'"
                isQuoted.toggle()
                continue
            }
            last = character
            if character == ";", !isQuoted {
                parts.append([])
            } else {
                parts[parts.count - 1].append((character, isQuoted))
            }
        }
        guard !isQuoted else { throw Fault(message: "a quote in the pattern is not closed") }
        return parts
    }

    private static func affixes(of part: [Sign]) throws(Fault) -> (
        prefix: String, number: String, suffix: String, isPercent: Bool
    ) {
        func isDigit(_ sign: Sign) -> Bool { !sign.isText && "#0.,".contains(sign.character) }
        guard let start = part.firstIndex(where: isDigit), let end = part.lastIndex(where: isDigit),
            part.contains(where: { !$0.isText && "#0".contains($0.character) })
        else { throw Fault(message: "a pattern has digits, such as '#,##0.00'") }
        let number = part[start...end]
        guard number.allSatisfy(isDigit) else { throw Fault(message: "the digits of a pattern stand together") }
        let around = part[..<start] + part[(end + 1)...]
        for sign in around
        where !sign.isText && ("E@*‰¤".contains(sign.character) || "123456789".contains(sign.character)) {
            throw Fault(message: "'\(sign.character)' is not known here; put it in quotes where it is a text")
        }
        return (
            String(part[..<start].map(\.character)), String(number.map(\.character)),
            String(part[(end + 1)...].map(\.character)), around.contains { !$0.isText && $0.character == "%" }
        )
    }
}

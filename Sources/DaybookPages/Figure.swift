/// Writes numbers the way a page shows them: `12,345`, `−3.5`, `1.2M`.
///
/// None of it depends on the machine's locale.
package enum Figure {
    /// `1,234,567`.
    package static func grouped(_ value: Int) -> String { (value < 0 ? "−" : "") + value.magnitude.displayText }

    /// Digits with a sign between groups of three.
    static func grouped(_ digits: String, by sign: String) -> String {
        let start = digits.count % 3
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, digit.offset % 3 == start { text += sign }
            text.append(digit.element)
        }
    }

    /// `1 row`, `2,000 rows`.
    package static func counted(_ count: Int, _ noun: String) -> String {
        "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// All digits up to 10^15, with at most four after the point; beyond that, the shortest that identify the double.
    package static func full(_ value: Double) -> String {
        guard value.magnitude < 1e15, value == 0 || value.magnitude >= 1e-3 else {
            return signed(value, shortest(value.magnitude))
        }
        // A double has no more than 15 digits to give.
        return rounded(value, places: value.magnitude < 1e11 ? 4 : 0)
    }

    /// All digits up to 10^15, and three digits beyond that.
    package static func displayText(_ value: Double) -> String { value.magnitude < 1e15 ? full(value) : compact(value) }

    /// At most about five characters, for axes and narrow cells: `950`, `12,000`, `1.2M`, `3B`, `1e15`.
    package static func compact(_ value: Double) -> String {
        let size = value.magnitude
        switch size {
        case ..<1e-3 where size > 0: return scientific(value)
        case ..<10: return rounded(value, places: 3)
        case ..<1_000: return rounded(value, places: 1)
        // Below the next unit even after rounding.
        case ..<999_500: return rounded(value, places: 0)
        case ..<999.5e6: return rounded(value / 1e6, places: size < 99.5e6 ? 1 : 0) + "M"
        case ..<999.5e9: return rounded(value / 1e9, places: size < 99.5e9 ? 1 : 0) + "B"
        case ..<999.5e12: return rounded(value / 1e12, places: size < 99.5e12 ? 1 : 0) + "T"
        default: return scientific(value)
        }
    }

    /// `27.5 %`, of a share between 0 and 1.
    package static func percent(_ share: Double) -> String { rounded(share * 100, places: 1) + " %" }

    /// A length in a drawing, to a hundredth of a unit: `12.25`. What is far outside every drawing stays outside.
    package static func length(_ value: Double) -> String {
        assert(value.isFinite, "a length that is no number")
        let hundredths = value.isNaN ? 0 : Int((max(-1e9, min(value, 1e9)) * 100).rounded())
        let (whole, part) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
        let sign = hundredths < 0 ? "-" : ""
        if part == 0 { return "\(sign)\(whole)" }
        return part % 10 == 0 ? "\(sign)\(whole).\(part / 10)" : "\(sign)\(whole).\(part.padded(to: 2))"
    }

    /// Rounded to at most `places` digits after the point, grouped, without zeros at the end. Below 10^15.
    private static func rounded(_ value: Double, places: Int) -> String {
        let unit = [1, 10, 100, 1_000, 10_000][places]
        let number = DecimalRounding(places: Int64(places)).rounded(value.magnitude)
        let scaled = Int((number * Double(unit)).rounded())
        var fraction = String(scaled % unit + unit).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        let text = grouped(scaled / unit) + (fraction.isEmpty ? "" : ".\(fraction)")
        return scaled == 0 ? text : signed(value, text)
    }

    /// Three digits and a power of ten: `1.25e15`.
    private static func scientific(_ value: Double) -> String {
        guard value.isFinite, value != 0 else { return signed(value, shortest(value.magnitude)) }
        var (mantissa, exponent) = (value.magnitude, 0)
        while mantissa >= 9.995 {
            mantissa /= 10
            exponent += 1
        }
        while mantissa < 0.9995 {
            mantissa *= 10
            exponent -= 1
        }
        return signed(value, "\(rounded(mantissa, places: 2))e\(exponent)")
    }

    /// The shortest digits that identify the double.
    static func shortest(_ value: Double) -> String {
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func signed(_ value: Double, _ text: String) -> String { value < 0 ? "−" + text : text }
}

/// The number signs of a language: the decimal sign and the thousands sign.
///
/// A small table, rather than the system's locale, so that a page is the same on every machine.
package struct NumberSigns: Sendable, Hashable {
    /// The tag of the language; empty if unknown.
    package let language: String
    package let decimal: String
    package let group: String
    /// The page's own texts in that language.
    package let words: PageWords

    /// - Parameter language: a tag such as `ko` or `de-CH`; other languages write numbers as English does.
    package init(language: String) {
        (self.language, words) = (language, PageWords(language: language))
        (decimal, group) = NumberSigns.signs(of: language)
    }

    /// The decimal sign and the thousands sign.
    static func signs(of language: String) -> (decimal: String, group: String) {
        let tag = language.lowercased()
        let main = tag.split(separator: "-").first.map(String.init) ?? ""
        return table[tag] ?? table[main] ?? (".", ",")
    }

    private static let table: [String: (String, String)] = {
        let (hard, narrow) = ("\u{A0}", "\u{202F}")
        var table: [String: (String, String)] = ["fr": (",", narrow), "de-ch": (".", "’"), "de-at": (",", hard)]
        for tag in ["de", "es", "it", "nl", "pt", "id", "tr", "da", "el", "ro", "sl", "hr", "sr", "vi", "ca"] {
            table[tag] = (",", ".")
        }
        for tag in ["ru", "uk", "pl", "cs", "sk", "sv", "fi", "nb", "nn", "no", "hu", "bg", "et", "lv", "lt"] {
            table[tag] = (",", hard)
        }
        // As Spain does not, but the Americas do.
        for tag in ["es-mx", "es-us", "es-pr"] { table[tag] = (".", ",") }
        return table
    }()

    /// A number in words: as its format has it, or in full with its unit behind it.
    func text(of value: Double, as format: NumberPattern?, in unit: String?) -> String {
        if let format { return format.text(of: value, self) }
        let text = localised(Figure.displayText(value))
        return unit.map { $0.isEmpty ? text : "\(text)\u{A0}\($0)" } ?? text
    }

    /// What `Figure` wrote, with the signs of this language.
    package func localised(_ figure: String) -> String {
        if decimal == ".", group == "," { return figure }
        return figure.reduce(into: "") { text, character in
            switch character {
            case ".": text += decimal
            case ",": text += group
            default: text.append(character)
            }
        }
    }
}

/// A way of showing numbers, written as Unicode TR35 writes number patterns: `#,##0.00`, `0.0%`, `€#,##0`, `#,##0 'km'`.
///
/// Groups, the fewest and the most digits, per cent, a text in front and behind, and another pattern for what is below 0 behind a
/// semicolon. Exponents, significant digits, rounding steps and padding are refused.
package struct NumberPattern: Sendable, Hashable {
    /// The fault of a pattern.
    package struct Fault: Error { package let message: String }

    /// What stands around the digits.
    private struct Affixes: Hashable {
        var prefix: String
        var suffix: String
        var isPercent: Bool
    }

    package let text: String
    private let positive: Affixes
    /// The texts around a negative number, if the pattern has some.
    private let negative: Affixes?
    private let leastWhole: Int
    private let leastPlaces: Int
    private let mostPlaces: Int
    private let isGrouped: Bool

    /// The most digits after the point; a double has no more.
    private static let mostDigits = 10

    package init(_ text: String) throws(Fault) {
        self.text = text
        var parts = try NumberPattern.parts(of: text)
        guard parts.count <= 2 else { throw Fault(message: "a pattern has one ';' at most") }
        let number: String
        (positive, number) = try NumberPattern.affixes(of: parts.removeFirst())
        negative = try parts.first.map(NumberPattern.affixes)?.0
        let pieces = number.split(separator: ".", omittingEmptySubsequences: false)
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
        let number = scaled(value)
        guard number.isFinite else { return framing(signs.localised(Figure.displayText(number)), isBelow: false) }
        let digits = digits(of: number.magnitude)
        let isBelow = number < 0 && digits.contains { $0 != "0" && $0 != "." }
        return framing(signs.localised(digits), isBelow: isBelow)
    }

    /// The number whose digits the pattern shows: a share in per cent.
    func scaled(_ value: Double) -> Double { positive.isPercent ? value * 100 : value }

    /// Digits between the texts of the pattern.
    func framing(_ digits: String, isBelow: Bool) -> String {
        if isBelow, let negative { return negative.prefix + digits + negative.suffix }
        return (isBelow ? "−" : "") + positive.prefix + digits + positive.suffix
    }

    /// `1,234.50`.
    private func digits(of value: Double) -> String {
        let power = (0..<mostPlaces).reduce(1.0) { power, _ in power * 10 }
        // Beyond this limit the digits of a double mean nothing.
        guard value * power < 9e15 else { return Figure.displayText(value) }
        let scaled = UInt64((DecimalRounding(places: Int64(mostPlaces)).rounded(value) * power).rounded())
        let unit = UInt64(power)
        var whole = String(scaled / unit)
        whole = leastWhole == 0 && whole == "0" && mostPlaces > 0 ? "" : whole
        whole = String(repeating: "0", count: max(0, leastWhole - whole.count)) + whole
        if isGrouped { whole = Figure.grouped(whole, by: ",") }
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

    private static func affixes(of part: [Sign]) throws(Fault) -> (Affixes, number: String) {
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
        let affixes = Affixes(
            prefix: String(part[..<start].map(\.character)),
            suffix: String(part[(end + 1)...].map(\.character)),
            isPercent: around.contains { !$0.isText && $0.character == "%" }
        )
        return (affixes, String(number.map(\.character)))
    }
}

/// The short forms of numbers on axes and in narrow cells, in the signs and the units of a language.
extension NumberSigns {
    /// A unit of large numbers, with the most digits after the point that read well.
    private typealias Unit = (size: Double, name: String, places: Int)

    /// The largest first. Korean counts in ten thousands.
    private var units: [Unit] {
        words.isKorean
            ? [(1e12, "조", 1), (1e8, "억", 1), (1e4, "만", 1)] : [(1e12, "T", 3), (1e9, "B", 3), (1e6, "M", 3)]
    }

    /// One number in about five characters, between the texts of its format: `950`, `€1.2M`, `12만`.
    package func compact(_ value: Double, as format: NumberPattern? = nil) -> String {
        let number = format?.scaled(value) ?? value
        let text = words.isKorean ? koreanCompact(number.magnitude) : localised(Figure.compact(number.magnitude))
        return format?.framing(text, isBelow: number < 0) ?? (number < 0 ? "−\(text)" : text)
    }

    private func koreanCompact(_ size: Double) -> String {
        guard size < 1e15, let unit = units.first(where: { size >= $0.size * 0.99995 }) else {
            return localised(Figure.compact(size))
        }
        return localised(Figure.compact(size / unit.size)) + unit.name
    }

    /// The ticks of an axis, all in one unit and with the digits that tell neighbours apart: `0`, `0.5M`, `1M`.
    package func texts(of scale: ChartScale, as format: NumberPattern? = nil) -> [String] {
        let ticks = scale.ticks.map { format?.scaled($0) ?? $0 }
        let largest = ticks.map(\.magnitude).max() ?? 0
        let step = ticks.count > 1 ? ticks[1] - ticks[0] : largest
        guard !scale.isLogarithmic, largest < 1e15, step >= 1e-3 else {
            return scale.ticks.map { compact($0, as: format) }
        }
        // A unit is worth its name only where some ticks are at least ten of the next smaller kind.
        let unit = units.first { unit in
            largest >= unit.size * (words.isKorean ? 10 : 1)
                && (0...unit.places).contains { NumberSigns.isWhole(step / unit.size, places: $0) }
        }
        return ticks.map { tick in
            guard tick != 0 else { return format?.framing("0", isBelow: false) ?? "0" }
            let digits = localised(Figure.full(tick.magnitude / (unit?.size ?? 1))) + (unit?.name ?? "")
            return format?.framing(digits, isBelow: tick < 0) ?? (tick < 0 ? "−\(digits)" : digits)
        }
    }

    private static func isWhole(_ value: Double, places: Int) -> Bool {
        let scaled = (0..<places).reduce(value) { value, _ in value * 10 }
        return scaled >= 0.5 && (scaled - scaled.rounded()).magnitude < 1e-6
    }

    /// The digits of a cell with the signs of the language: `-1234.5` as `-1,234.5`; no groups in a year.
    package func cell(_ digits: String, isGrouped: Bool) -> String {
        guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "n") }) else { return digits }
        let sign = digits.hasPrefix("-") ? "-" : ""
        let parts = digits.dropFirst(sign.count).split(separator: ".", omittingEmptySubsequences: false)
        let whole = isGrouped ? Figure.grouped(String(parts[0]), by: group) : String(parts[0])
        return sign + whole + (parts.count > 1 ? decimal + parts[1] : "")
    }
}

extension Figure {
    /// Whether numbers may all be years, which no language groups: whole, and from 1000 to 2999.
    package static func mayBeYears(_ values: some Sequence<Double>) -> Bool {
        values.allSatisfy { $0 == $0.rounded() && (1_000..<3_000).contains($0) }
    }
}

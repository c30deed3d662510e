/// Numbers and lists as people read them.
public enum DisplayText {
    /// `4,183`.
    package static func count(_ number: Int) -> String { number.displayText }

    /// `1 row`, `4,183 rows`.
    package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? one : many ?? one + "s")"
    }

    /// `0.29 %`; a share too small to show is `< 0.01 %`, and only all of it is `100 %`.
    package static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "0 %" }
        let (high, low) = part.multipliedFullWidth(by: 10_000)
        let (cut, rest) = whole.dividingFullWidth((high, low))
        if cut == 0, part > 0 { return "< 0.01 %" }
        // Rounded, but not up to all.
        let hundredths = cut + (rest >= whole - rest && (cut < 9_999 || part > whole) ? 1 : 0)
        let decimals = hundredths % 100
        guard decimals > 0 else { return "\(count(hundredths / 100)) %" }
        let shown = decimals % 10 == 0 ? "\(decimals / 10)" : decimals.padded(to: 2)
        return "\(count(hundredths / 100)).\(shown) %"
    }

    /// The longest part of a value that a message quotes, in bytes.
    package static let longestValue = 80

    /// A value in quotes, cut between characters if it is long, with invisible characters named; `a missing value`.
    package static func value(_ value: Cell?) -> String {
        guard let value else { return "a missing value" }
        var end = min(value.count, longestValue)
        while end < value.count, end > 0, value[end] & 0xC0 == 0x80 { end -= 1 }
        return "'" + String(decoding: value[..<end], as: UTF8.self) + (end < value.count ? "…'" : "'")
            + (oddity(in: value) ?? "")
    }

    package static func value(_ text: String) -> String {
        let bytes = Bytes(text)
        return withExtendedLifetime(bytes) { value(bytes.filled) }
    }

    /// Why a value differs from what it looks like, to follow it in a message: ` with U+200B (zero width space)`.
    package static func oddity(in value: Cell) -> String? {
        UnseenCharacter.named(in: Cell(rebasing: value.prefix(longestOddValue))).map { " with \($0)" }
    }

    /// How many bytes of a value are searched for invisible characters.
    private static let longestOddValue = 1_024

    /// `a`, `a and b`, `a, b and c`.
    public static func list(_ items: [String], _ word: String = "and") -> String {
        guard items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " \(word) " + items[items.count - 1]
    }

    /// The first of many items, and the number of the others: `a, b and 4 more`.
    ///
    /// - Parameter isGrouped: whether the number has commas between its thousands.
    package static func first(
        _ most: Int,
        of items: [String],
        separator: String = ", ",
        isGrouped: Bool = false
    ) -> String {
        let rest = items.count - most
        let more = rest > 0 ? " and \(isGrouped ? count(rest) : "\(rest)") more" : ""
        return items.prefix(most).joined(separator: separator) + more
    }

    /// `0.42 s`, `3 min 12 s`.
    package static func duration(_ nanoseconds: UInt64) -> String {
        let hundredths = nanoseconds / 10_000_000
        if hundredths < 6_000 {
            return "\(hundredths / 100).\((hundredths % 100).padded(to: 2)) s"
        }
        let seconds = hundredths / 100
        if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }

    /// `812 bytes`, `1.2 MB`; a thousand of one is one of the next.
    public static func size(_ bytes: Int) -> String {
        guard bytes >= 1_000 else { return count(bytes, "byte") }
        var (tenths, unit) = (bytes / 100, 0)
        let units = ["kB", "MB", "GB", "TB", "PB"]
        while tenths >= 10_000, unit < units.count - 1 { (tenths, unit) = (tenths / 1_000, unit + 1) }
        return tenths >= 100 ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}

extension BinaryInteger {
    /// The number as people read it, with commas between its thousands: `4,183`.
    public var displayText: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.utf8.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// The digits, with zeros in front of them up to a width.
    package func padded(to width: Int, radix: Int = 10, uppercase: Bool = false) -> String {
        let digits = String(self, radix: radix, uppercase: uppercase)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}

extension Double {
    /// A figure whose last digits do not matter: six significant digits, or all of a whole number.
    public var brief: String {
        var scale = 1.0
        while magnitude * scale < 100_000, scale < 1e15 { scale *= 10 }
        let rounded = (self * scale).rounded() / scale
        return Column.decimals(Values([rounded.isFinite ? rounded : self])).displayText(0) ?? ""
    }
}

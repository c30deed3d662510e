/// Writes numbers the way a page shows them: `12,345`, `−3.5`, `1.2M`.
///
/// None of it depends on the machine's locale. Cells of tables keep the digits of the rows instead, so that a column of
/// years does not read `2,026`.
package enum Figure {
    /// `1,234,567`.
    package static func grouped(_ value: Int) -> String { (value < 0 ? "−" : "") + value.magnitude.spoken }

    /// `1 row`, `2,000 rows`.
    package static func counted(_ count: Int, _ noun: String) -> String {
        "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// All digits up to 10^15, with at most four after the point; beyond that, the shortest digits that tell it apart.
    package static func full(_ value: Double) -> String {
        guard value.magnitude < 1e15, value == 0 || value.magnitude >= 1e-3 else {
            return signed(value, shortest(value))
        }
        // A double has no more than 15 digits to give.
        return rounded(value, places: value.magnitude < 1e11 ? 4 : 0)
    }

    /// All digits up to 10^15, and beyond that three of them.
    package static func spoken(_ value: Double) -> String { value.magnitude < 1e15 ? full(value) : compact(value) }

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

    /// A length in a drawing, to a hundredth of a unit: `12.25`.
    package static func length(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, part) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
        let sign = hundredths < 0 ? "-" : ""
        if part == 0 { return "\(sign)\(whole)" }
        return part % 10 == 0 ? "\(sign)\(whole).\(part / 10)" : "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
    }

    /// Rounded to at most `places` digits after the point, grouped, without zeros at the end. Below 10^15.
    private static func rounded(_ value: Double, places: Int) -> String {
        let unit = [1, 10, 100, 1_000, 10_000][places]
        let scaled = Int((value.magnitude * Double(unit)).rounded())
        var fraction = String(scaled % unit + unit).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        let text = grouped(scaled / unit) + (fraction.isEmpty ? "" : ".\(fraction)")
        return scaled == 0 ? text : signed(value, text)
    }

    /// Three digits and a power of ten: `1.25e15`.
    private static func scientific(_ value: Double) -> String {
        guard value.isFinite, value != 0 else { return signed(value, shortest(value)) }
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

    private static func shortest(_ value: Double) -> String {
        let text = value.magnitude.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func signed(_ value: Double, _ text: String) -> String { value < 0 ? "−" + text : text }
}

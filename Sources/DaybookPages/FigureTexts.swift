/// The short forms of numbers on axes and in narrow cells, in the signs and the units of a language.
extension NumberSigns {
    /// A unit of large numbers.
    private struct Unit {
        let size: Double
        let name: String
        /// The most digits after the point that read well.
        let places: Int
    }

    /// The largest first. Korean counts in ten thousands.
    private var units: [Unit] {
        words.isKorean
            ? [
                Unit(size: 1e12, name: "조", places: 1), Unit(size: 1e8, name: "억", places: 1),
                Unit(size: 1e4, name: "만", places: 1),
            ]
            : [
                Unit(size: 1e12, name: "T", places: 3), Unit(size: 1e9, name: "B", places: 3),
                Unit(size: 1e6, name: "M", places: 3),
            ]
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
        var whole = String(parts[0])
        if isGrouped, whole.count > 3 {
            let start = whole.count % 3
            whole = whole.enumerated().reduce(into: "") { text, digit in
                if digit.offset > 0, digit.offset % 3 == start { text += group }
                text.append(digit.element)
            }
        }
        return sign + whole + (parts.count > 1 ? decimal + parts[1] : "")
    }
}

extension Figure {
    /// Whether numbers may all be years, which no language groups: whole, and from 1000 to 2999.
    package static func mayBeYears(_ values: some Sequence<Double>) -> Bool {
        values.allSatisfy { $0 == $0.rounded() && (1_000..<3_000).contains($0) }
    }
}

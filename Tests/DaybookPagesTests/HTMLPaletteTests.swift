import DaybookContracts
import Testing

@testable import DaybookPages

/// Measures every contrast that the palette claims, by WCAG 2.2.
@Suite struct HTMLPaletteTests {
    @Test("texts have 4.5:1 against what they stand on, light and dark")
    func texts() {
        for side in [\HTMLPalette.Pair.light, \.dark] {
            for text in [HTMLPalette.ink, HTMLPalette.soft, HTMLPalette.accent, HTMLPalette.good, HTMLPalette.bad] {
                for ground in [HTMLPalette.page, HTMLPalette.card] {
                    #expect(contrast(text[keyPath: side], ground[keyPath: side]) >= 4.5, "\(text) on \(ground)")
                }
            }
            for ground in [HTMLPalette.page, HTMLPalette.card, HTMLPalette.above[1]] {
                for text in [HTMLPalette.rest, HTMLPalette.accent, HTMLPalette.soft, HTMLPalette.ink] {
                    #expect(contrast(text[keyPath: side], ground[keyPath: side]) >= 4.5, "\(text) on \(ground)")
                }
            }
            for shades in [HTMLPalette.above, HTMLPalette.below] {
                #expect(shades.count == HTMLPalette.shades + 1)
                for (index, shade) in shades.enumerated() {
                    let isStrong = index >= HTMLPalette.firstStrongShade
                    let text = isStrong ? HTMLPalette.page : HTMLPalette.ink
                    #expect(contrast(text[keyPath: side], shade[keyPath: side]) >= 4.5, "\(text) on \(shade)")
                }
            }
        }
    }

    @Test("series have 3:1 against the page, light and dark, and are nine")
    func series() {
        #expect(HTMLPalette.series.count == HTMLPalette.seriesCount)
        for colour in HTMLPalette.series + [HTMLPalette.others] {
            #expect(contrast(colour.light, HTMLPalette.page.light) >= 3, "\(colour)")
            #expect(contrast(colour.dark, HTMLPalette.page.dark) >= 3, "\(colour)")
        }
    }

    private func contrast(_ first: String, _ second: String) -> Double {
        let (one, two) = (luminance(first), luminance(second))
        return (max(one, two) + 0.05) / (min(one, two) + 0.05)
    }

    private func luminance(_ colour: String) -> Double {
        let value = Int(colour.dropFirst(), radix: 16)!
        let linear = [16, 8, 0].map { shift -> Double in
            let part = Double(value >> shift & 255) / 255
            return part <= 0.04045 ? part / 12.92 : power((part + 0.055) / 1.055)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    /// x to the power of 2.4, as x² · ⁵√x², by Newton's method.
    private func power(_ x: Double) -> Double {
        let square = x * x
        var root = 1.0
        for _ in 0..<60 { root -= (root * root * root * root * root - square) / (5 * root * root * root * root) }
        return square * root
    }
}

@Suite struct FigureTests {
    @Test(
        "numbers are grouped and rounded for the eye",
        arguments: [
            (0.0, "0"), (-0.0, "0"), (1_234_567, "1,234,567"), (-3.5, "−3.5"), (0.33333, "0.3333"),
            (999.99999, "1,000"),
            (1e15, "1000000000000000"), (1e-5, "1e-05"), (123_456_789_012_345, "123,456,789,012,345"),
        ]
    )
    func full(_ value: Double, _ text: String) { #expect(Figure.full(value) == text) }

    @Test(
        "axes and narrow cells take short forms",
        arguments: [
            (0.0, "0"), (0.002, "0.002"), (0.0002, "2e-4"), (12.34, "12.3"), (950, "950"), (12_000, "12,000"),
            (999_499, "999,499"), (999_500, "1M"), (1_250_000, "1.3M"), (999_499_999, "999M"), (2e9, "2B"),
            (1e12, "1T"),
            (1e15, "1e15"), (-1.5e15, "−1.5e15"), (1e300, "1e300"), (-20, "−20"),
        ]
    )
    func compact(_ value: Double, _ text: String) { #expect(Figure.compact(value) == text) }

    @Test(
        "lengths have at most two places",
        arguments: [(0.0, "0"), (12.345, "12.35"), (-0.5, "-0.5"), (1.05, "1.05"), (-0.001, "0")]
    )
    func lengths(_ value: Double, _ text: String) { #expect(Figure.length(value) == text) }
}

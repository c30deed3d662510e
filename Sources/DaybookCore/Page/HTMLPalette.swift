/// The colours of a page, light and dark.
///
/// The nine series colours were searched for, not picked: at least 3:1 against the page, and as far apart as nine can be
/// for full colour vision and for protan, deutan and tritan vision, neighbours most of all. Order and legend say the same
/// without colour. The tests measure every contrast that is claimed here.
package enum HTMLPalette {
    /// One colour for light surroundings and one for dark.
    package struct Pair {
        package let light: String
        package let dark: String

        package init(_ light: String, _ dark: String) {
            self.light = light
            self.dark = dark
        }
    }

    package static let seriesCount = 9

    package static let page = Pair("#ffffff", "#14171c")
    package static let card = Pair("#f5f7fa", "#1c2027")
    package static let ink = Pair("#1a1f27", "#e8ebef")
    /// Text of less weight.
    package static let soft = Pair("#566070", "#a3adba")
    package static let rule = Pair("#dce1e8", "#333a45")
    package static let accent = Pair("#1657a1", "#89b7f3")
    package static let good = Pair("#17693f", "#6fcf97")
    package static let bad = Pair("#a3241b", "#ff9a8f")

    /// Saturdays and Sundays of a calendar.
    package static let rest = Pair("#b3202c", "#ff918c")

    package static let series = [
        Pair("#124da6", "#3ba7ff"), Pair("#a55e0f", "#c95328"), Pair("#0e796c", "#2c8c7d"),
        Pair("#732d70", "#dd79c7"), Pair("#929713", "#d5d648"), Pair("#775bc6", "#8263cf"),
        Pair("#109dc3", "#5bdeea"), Pair("#c57d81", "#f6a58b"), Pair("#515103", "#91a809"),
    ]
    package static let others = Pair("#7d8794", "#7d8794")

    /// Shades of 0, and then further and further above it.
    package static let above = [
        Pair("#f0f3f7", "#20252d"), Pair("#ddebfd", "#1e2f44"), Pair("#bed8fa", "#254164"),
        Pair("#99c1f4", "#2e5483"), Pair("#72a7eb", "#3767a4"), Pair("#3475c4", "#639be1"),
        Pair("#1657a1", "#89b7f3"), Pair("#083c75", "#b8d7fe"),
    ]
    /// Shades further and further below 0, from the second on.
    package static let below = [
        Pair("#f0f3f7", "#20252d"), Pair("#fae5d9", "#402719"), Pair("#f5ccb6", "#5d341b"),
        Pair("#ebae8d", "#794220"), Pair("#de8e60", "#975124"), Pair("#b35713", "#d38151"),
        Pair("#8b3f01", "#e8a17a"), Pair("#622b01", "#fbc8ac"),
    ]
    /// Shades on each side of 0, which has one of its own.
    package static let shades = 7
    /// The shades from this one on bear text in the colour of the page.
    package static let firstStrongShade = 5

    /// The definitions of all colours for one kind of surroundings.
    package static func definitions(_ colour: (Pair) -> String) -> String {
        var named = [
            ("page", page), ("card", card), ("ink", ink), ("soft", soft), ("rule", rule), ("accent", accent),
            ("good", good), ("bad", bad), ("rest", rest), ("s0", others),
        ]
        named += series.enumerated().map { ("s\($0 + 1)", $1) }
        named += above.enumerated().map { ("h\($0)", $1) }
        named += below.enumerated().dropFirst().map { ("n\($0)", $1) }
        return named.map { "--\($0):\(colour($1))" }.joined(separator: ";")
    }

    /// The classes that fill with those colours.
    package static var classes: String {
        var rules = (0...seriesCount).map { ".s\($0){--k:var(--s\($0));fill:var(--k);background:var(--k)}" }
        for shade in 0...shades {
            rules.append(".h\(shade){fill:var(--h\(shade));background:var(--h\(shade))}")
            if shade > 0 { rules.append(".n\(shade){fill:var(--n\(shade));background:var(--n\(shade))}") }
        }
        let strong = (firstStrongShade...shades).flatMap { [".on-h\($0)", ".on-n\($0)"] }
        return rules.joined(separator: "\n") + "\nsvg \(strong.joined(separator: ",svg ")){fill:var(--page)}"
    }
}

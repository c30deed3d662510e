/// The colours of a page, light and dark. The tests measure that they can be read on each other.
public enum HTMLPalette {
    /// One colour for light surroundings and one for dark.
    public struct Pair: Sendable {
        public let light: String
        public let dark: String

        public init(_ light: String, _ dark: String) {
            self.light = light
            self.dark = dark
        }
    }

    public static let page = Pair("#ffffff", "#14171c")
    public static let card = Pair("#f5f7fa", "#1c2027")
    public static let ink = Pair("#1a1f27", "#e8ebef")
    /// Text of less weight.
    public static let soft = Pair("#566070", "#a3adba")
    public static let rule = Pair("#dce1e8", "#333a45")
    public static let accent = Pair("#1657a1", "#89b7f3")
    public static let good = Pair("#17693f", "#6fcf97")
    public static let bad = Pair("#a3241b", "#ff9a8f")

    /// The colours that every page has, by the names that its style sheet calls them by.
    public static let basics = [
        ("page", page), ("card", card), ("ink", ink), ("soft", soft), ("rule", rule), ("accent", accent),
        ("good", good), ("bad", bad),
    ]

    /// The definitions of colours for one kind of surroundings.
    static func definitions(of named: [(String, Pair)], _ colour: (Pair) -> String) -> String {
        named.map { "--\($0):\(colour($1))" }.joined(separator: ";")
    }
}

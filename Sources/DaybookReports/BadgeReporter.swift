import DaybookPages

/// A small picture with the verdict, for the front page of a repository.
///
/// SVG of two fields, as badges on such pages have them; it loads nothing.
public struct BadgeReporter: Reporter {
    public static let name = "badge"
    public static let summary = "A small picture with the verdict, SVG, for the page of a repository."
    public static let logForm = LogText.Form.markup

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String { report([run]) }

    public func report(_ runs: [RunReport]) -> String {
        let label = runs.count == 1 ? runs[0].job : "data"
        let failed = runs.count { $0.exitCode != 0 }
        let colour = failed == 0 ? HTMLPalette.good : HTMLPalette.bad
        let (verdict, shown) =
            switch (runs.count, failed) {
            case (0, _): ("no gate ran", HTMLPalette.soft)
            case (1, _): (RunVerdict(runs[0]).words, colour)
            case (let all, 0): ("\(DisplayText.count(all, "gate")) passed", colour)
            case (let all, _): ("\(failed.displayText) of \(DisplayText.count(all, "gate")) failed", colour)
            }
        return BadgeReporter.picture(label.shortened(to: 40), verdict, shown.light)
    }

    /// - Parameter colour: that of the verdict.
    private static func picture(_ label: String, _ verdict: String, _ colour: String) -> String {
        let (left, right) = (width(label), width(verdict))
        func text(_ words: String, from start: Int, _ width: Int) -> String {
            "<text x=\"\(start + width / 2)\" y=\"14\" textLength=\"\(width - 12)\">\(HTMLText.escaped(words))</text>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(left + right)" height="20" role="img" aria-label="\(HTMLText.escaped("\(label): \(verdict)"))">
            <clipPath id="edge"><rect width="\(left + right)" height="20" rx="3"/></clipPath>
            <g clip-path="url(#edge)"><rect width="\(left)" height="20" fill="#444b55"/><rect x="\(left)" width="\(right)" height="20" fill="\(colour)"/></g>
            <g fill="#fff" text-anchor="middle" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">
            \(text(label, from: 0, left))
            \(text(verdict, from: left, right))
            </g>
            </svg>

            """
    }

    /// The width of a field in pixels, by the usual width of its letters.
    private static func width(_ text: String) -> Int { Prose.width(of: text) * 13 / 2 + 14 }
}

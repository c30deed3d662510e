/// The way of the rows through a run as a drawing, for pages other than that of `export_html`.
package struct LedgerFlow {
    private let drawing: FlowDrawing

    package init(_ lines: [LedgerLine], links: [RunSummary.Link]) {
        drawing = FlowDrawing(lines: lines, links: links)
    }

    /// Empty where there is nothing to draw. `id` is unique in the page.
    package func markup(id: String) -> HTML { drawing.markup(id: id) }

    /// What it needs of the style sheet: for all surroundings, for narrow screens, and for paper.
    package static let style = (
        screen: ChartStyle.screen + "\n" + FlowStyle.screen, narrow: ChartStyle.narrow, print: ChartStyle.print
    )
}

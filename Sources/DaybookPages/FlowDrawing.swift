/// The flow of rows through a run or a plan: each stage a bar, with a band from each to the next.
///
/// In a run, bar lengths are row counts, and bars name rows that left. A plan has no row counts, so its bars are equal.
package struct FlowDrawing {
    /// A stage of the drawing.
    package struct Stage: Sendable {
        let name: String
        /// The text on the other side of the name.
        let words: String
        /// The rows that came or were made, the rows that entered, and what became of them; nil in a plan.
        var rows: (came: Int, entered: Int, out: Int, rejected: Int, aside: Int)?

        /// A stage of a plan.
        package init(name: String, words: String) { (self.name, self.words) = (name, words) }
    }

    /// Stages that a page of a run draws at most; the table below has them all.
    private static let limit = 80
    /// The most stages on a printed sheet, below their heading; more would be too small, and take several sheets.
    private static let mostOnASheet = 30
    private static let rowHeight = 46.0
    private static let barHeight = 12.0
    /// The share of the width that a bar of a plan takes.
    private static let plannedShare = 0.42

    private let stages: [Stage]
    private let links: [RunSummary.Link]
    private let isPlan: Bool
    /// The page's own texts.
    private let page: PageWords

    /// The way of the rows as it will be.
    package init(planned stages: [Stage], links: [RunSummary.Link]) {
        (self.stages, self.links, isPlan, page) = (stages, links, true, PageWords())
    }

    /// The way of the rows as it was.
    package init(lines: [LedgerLine], links: [RunSummary.Link], page: PageWords = PageWords()) {
        stages = lines.map { line in
            var stage = Stage(name: line.id, words: FlowDrawing.words(of: line, page))
            stage.rows = (
                line.rowsIn + line.made, line.rowsIn, line.rowsOut, line.rejected, line.droppedCount + line.folded
            )
            return stage
        }
        (self.links, isPlan, self.page) = (links, false, page)
    }

    /// The links between stages. Each stage lists the ids it reads, with `.rejects` behind an id for its rejected rows.
    package static func links(among stages: [(id: String, reads: [String])]) -> [RunSummary.Link] {
        let numbers = Dictionary(stages.enumerated().map { ($1.id, $0) }) { first, _ in first }
        return stages.enumerated().flatMap { number, stage in
            stage.reads.compactMap { input in
                let isRejects = input.hasSuffix(".rejects") && numbers[input] == nil
                return numbers[isRejects ? String(input.dropLast(8)) : input].map { from in
                    RunSummary.Link(from: from, to: number, isOfRejects: isRejects)
                }
            }
        }
    }

    private var most: Double { Double(max(1, stages.compactMap(\.rows?.came).max() ?? 1)) }

    /// Empty where there is nothing to draw.
    package func markup(id: String) -> HTML {
        guard isPlan || stages.count > 1 && stages.count <= FlowDrawing.limit && most > 1 else { return "" }
        let runKeys: HTML = """
            <span class="flow-key"><i class="s1"></i> \(page("passed on"))</span> \
            <span class="flow-key"><i class="lost"></i> \(page("rejected"))</span> \
            <span class="flow-key"><i class="aside"></i> \(page("dropped or folded"))</span>
            """
        let planKeys: HTML = "<span class=\"flow-key\"><i class=\"lost\"></i> rows that a stage rejects</span>"
        let hasKeys = !isPlan || links.contains(where: \.isOfRejects)
        return """
            <figure>
            <div class="roomy">\(drawing(.wide, id: "\(id)-w"))</div>
            <div class="tight">\(drawing(.narrow, id: "\(id)-n"))</div>
            \("<p class=\"ramp\">\(isPlan ? planKeys : runKeys)</p>\n", if: hasKeys)</figure>

            """
    }

    /// The drawing as a file of its own.
    package func svg(title: String) -> String { drawing(.wide, id: "flow", title: title, sheet: FlowStyle.file).text }

    private func drawing(_ size: PlotFrame.Size, id: String, title: String? = nil, sheet: String? = nil) -> HTML {
        let arcs = arcs
        let lanes = (arcs.map(\.lane).max() ?? 0) + 1
        // Many lanes are closer together, rather than push the bars aside.
        let step = min(12, 72 / Double(lanes))
        let left = Double(lanes - 1) * step + 16
        let space = size.width - left - 4
        var drawing = Drawing(width: size.width, height: Double(stages.count) * FlowDrawing.rowHeight + 4)
        func top(_ row: Int) -> Double { Double(row) * FlowDrawing.rowHeight + 20 }
        func width(_ rows: Int?) -> Double {
            guard let rows else { return space * FlowDrawing.plannedShare }
            return rows == 0 ? 0 : max(Double(rows) / most * space, 1)
        }
        for row in stages.indices.dropFirst()
        where links.contains(where: { $0.from == row - 1 && $0.to == row && !$0.isOfRejects }) {
            let (start, end) = (width(stages[row - 1].rows?.out), width(stages[row].rows?.entered))
            let (y, next) = (top(row - 1) + FlowDrawing.barHeight, top(row))
            let (x, from, to) = (Figure.length(left), Figure.length(left + start), Figure.length(left + end))
            drawing.add(
                "<path class=\"band\" d=\"M\(x) \(Figure.length(y))H\(from)L\(to) \(Figure.length(next))H\(x)z\"/>\n"
            )
        }
        for arc in arcs {
            let x = left - 6 - Double(arc.lane) * step
            let (start, end) = (top(arc.from) + 6, top(arc.to) + 6)
            let style = arc.isOfRejects ? "arc lost" : "arc"
            drawing.add(
                "<path class=\"\(style)\" d=\"M\(Figure.length(left)) \(Figure.length(start))H\(Figure.length(x))V\(Figure.length(end))H\(Figure.length(left))\"/>\n"
            )
        }
        for (row, stage) in stages.enumerated() {
            var x = left
            if stage.rows == nil {
                let box = Box(x: x, y: top(row), width: width(nil), height: FlowDrawing.barHeight)
                drawing.boxes([box], style: "planned")
                x += box.width
            }
            let parts = stage.rows.map { [($0.out, "s1"), ($0.rejected, "lost"), ($0.aside, "aside")] } ?? []
            for (rows, style) in parts where rows > 0 {
                let width = min(width(rows), size.width - x)
                drawing.boxes([Box(x: x, y: top(row), width: width, height: FlowDrawing.barHeight)], style: style)
                x += width
            }
            if x == left {
                drawing.line(x1: left, y1: top(row), x2: left, y2: top(row) + FlowDrawing.barHeight, style: "axis")
            }
            let widest = size.width - left - 12
            let shown = Drawing.fitted(stage.words, to: widest * 0.62)
            drawing.text(
                Drawing.fitted(stage.name, to: widest - Drawing.width(of: shown)),
                x: left + 2,
                y: top(row) - 6,
                style: "name"
            )
            drawing.text(shown, x: size.width - 4, y: top(row) - 6, style: "end")
        }
        let description = stages.map { $0.words.isEmpty ? $0.name : "\($0.name): \($0.words)" }.joined(separator: "; ")
        return drawing.markup(
            id: id,
            title: title ?? page("The way of the rows"),
            description: description,
            style: stages.count > FlowDrawing.mostOnASheet ? "chart flow tall" : "chart flow",
            sheet: sheet
        )
    }

    /// `4,190 rows, 6 rejected, 45 dropped (duplicates 40, blanks 5)`.
    private static func words(of line: LedgerLine, _ page: PageWords) -> String {
        var words = [page.count(line.rowsOut, "row")]
        if line.rejected > 0 { words.append(page("{0} rejected", Figure.grouped(line.rejected))) }
        let dropped = line.dropped.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        words += dropped.prefix(2).map { page("{0} {1}", Figure.grouped($0.value), page($0.key)) }
        if dropped.count > 2 {
            let others = dropped.dropFirst(2).reduce(0) { $0 + $1.value }
            words.append(page("{0} dropped otherwise", Figure.grouped(others)))
        }
        if line.folded > 0 { words.append(page("{0} folded", Figure.grouped(line.folded))) }
        return words.joined(separator: ", ")
    }

    private struct Arc {
        var from: Int
        var to: Int
        var isOfRejects: Bool
        var lane: Int
    }

    /// The links beyond the next stage, each in a lane without another link beside it.
    private var arcs: [Arc] {
        var arcs: [Arc] = []
        let far = links.filter {
            stages.indices.contains($0.to) && $0.from < $0.to && ($0.to - $0.from > 1 || $0.isOfRejects)
        }
        for link in far.sorted(by: { ($0.to - $0.from, $0.from) < ($1.to - $1.from, $1.from) }) {
            // All links from one stage share a lane. If one ended where another begins, they would look like one line.
            let beside = arcs.filter {
                $0.from <= link.to && link.from <= $0.to && ($0.from, $0.isOfRejects) != (link.from, link.isOfRejects)
            }
            let taken = Set(beside.map(\.lane))
            let lane = (0...taken.count).first { !taken.contains($0) } ?? 0
            arcs.append(Arc(from: link.from, to: link.to, isOfRejects: link.isOfRejects, lane: lane))
        }
        return arcs
    }
}

/// The way of the rows through a run: each stage a bar as long as its rows are many, a band from each to the next, and in it what left by name.
struct FlowDrawing {
    /// Stages that are drawn at most; the table below has them all.
    private static let limit = 80
    private static let rowHeight = 46.0
    private static let barHeight = 12.0

    let lines: [LedgerLine]
    let links: [RunSummary.Link]
    /// What the page says.
    var page = PageWords()

    private var most: Double { Double(max(1, lines.map { $0.rowsIn + $0.made }.max() ?? 1)) }

    /// Empty where there is nothing to draw.
    func markup(id: String) -> HTML {
        guard lines.count > 1, lines.count <= FlowDrawing.limit, most > 1 else { return "" }
        return """
            <figure>
            <div class="roomy">\(drawing(.wide, id: "\(id)-w"))</div>
            <div class="tight">\(drawing(.narrow, id: "\(id)-n"))</div>
            <p class="ramp"><span class="flow-key"><i class="s1"></i> \(page("passed on"))</span> <span class="flow-key"><i class="lost"></i> \(page("rejected"))</span> \
            <span class="flow-key"><i class="aside"></i> \(page("dropped or folded"))</span></p>
            </figure>

            """
    }

    private func drawing(_ size: PlotFrame.Size, id: String) -> HTML {
        let arcs = arcs
        let left = Double(arcs.map(\.lane).max() ?? 0) * 12 + 16
        let room = size.width - left - 4
        var drawing = Drawing(width: size.width, height: Double(lines.count) * FlowDrawing.rowHeight + 4)
        func top(_ row: Int) -> Double { Double(row) * FlowDrawing.rowHeight + 20 }
        func width(_ rows: Int) -> Double { rows == 0 ? 0 : max(Double(rows) / most * room, 1) }
        for row in lines.indices.dropFirst()
        where links.contains(where: { $0.from == row - 1 && $0.to == row && !$0.isOfRejects }) {
            let (start, end) = (width(lines[row - 1].rowsOut), width(lines[row].rowsIn))
            let (y, next) = (top(row - 1) + FlowDrawing.barHeight, top(row))
            let (x, from, to) = (Figure.length(left), Figure.length(left + start), Figure.length(left + end))
            drawing.add(
                "<path class=\"band\" d=\"M\(x) \(Figure.length(y))H\(from)L\(to) \(Figure.length(next))H\(x)z\"/>\n"
            )
        }
        for arc in arcs {
            let x = left - 6 - Double(arc.lane) * 12
            let (start, end) = (top(arc.from) + 6, top(arc.to) + 6)
            let style = arc.isOfRejects ? "arc lost" : "arc"
            drawing.add(
                "<path class=\"\(style)\" d=\"M\(Figure.length(left)) \(Figure.length(start))H\(Figure.length(x))V\(Figure.length(end))H\(Figure.length(left))\"/>\n"
            )
        }
        for (row, line) in lines.enumerated() {
            var x = left
            for (rows, style) in [
                (line.rowsOut, "s1"), (line.rejected, "lost"), (line.droppedCount + line.folded, "aside"),
            ] where rows > 0 {
                let width = min(width(rows), size.width - x)
                drawing.boxes([Box(x: x, y: top(row), width: width, height: FlowDrawing.barHeight)], style: style)
                x += width
            }
            if x == left {
                drawing.line(x1: left, y1: top(row), x2: left, y2: top(row) + FlowDrawing.barHeight, style: "axis")
            }
            let words = self.words(of: line)
            let widest = size.width - left - 12
            let shown = Drawing.fitted(words, to: widest * 0.62)
            drawing.text(
                Drawing.fitted(line.id, to: widest - Drawing.width(of: shown)),
                x: left + 2,
                y: top(row) - 6,
                style: "name"
            )
            drawing.text(shown, x: size.width - 4, y: top(row) - 6, style: "end")
        }
        let description = lines.map { "\($0.id): \(words(of: $0))" }.joined(separator: "; ")
        return drawing.markup(id: id, title: page("The way of the rows"), description: description, style: "chart flow")
    }

    /// `4,190 rows, 6 rejected, 45 dropped (duplicates 40, blanks 5)`.
    private func words(of line: LedgerLine) -> String {
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

    /// What goes further than to the next stage, each in a lane in which no other goes beside it.
    private var arcs: [Arc] {
        var arcs: [Arc] = []
        let far = links.filter {
            lines.indices.contains($0.to) && $0.from < $0.to && ($0.to - $0.from > 1 || $0.isOfRejects)
        }
        for link in far.sorted(by: { ($0.to - $0.from, $0.from) < ($1.to - $1.from, $1.from) }) {
            let beside = Set(arcs.filter { $0.from < link.to && link.from < $0.to }.map(\.lane))
            // Beyond six lanes they share the last, rather than push the bars aside.
            let lane = (0..<6).first { !beside.contains($0) } ?? 5
            arcs.append(Arc(from: link.from, to: link.to, isOfRejects: link.isOfRejects, lane: lane))
        }
        return arcs
    }
}

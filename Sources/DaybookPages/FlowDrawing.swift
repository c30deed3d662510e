/// The flow of rows through a run or a plan: each stage a bar, with a band from each to the next.
///
/// In a run, bar lengths are row counts, and bars name rows that left. A plan has no row counts, so its bars are equal.
package struct FlowDrawing {
    /// A stage of the drawing.
    package struct Stage: Sendable {
        let name: String
        /// The text on the other side of the name.
        let words: String
        /// The rows that entered, were made and left, and what became of the others; nil in a plan.
        var rows: (entered: Int, made: Int, out: Int, rejected: Int, aside: Int)?

        /// What became of the rows that entered.
        var fates: [(Int, String)] {
            guard let rows else { return [] }
            let passed = rows.made == 0 ? rows.out : rows.entered - rows.rejected - rows.aside
            return [(passed, "s1"), (rows.rejected, "lost"), (rows.aside, "aside")]
        }

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
        let branches = LedgerBranches(lines.count, links) { lines[$0].made > 0 }
        stages = branches.groups.map { group in
            let parts = group.map { lines[$0] }
            let (first, last) = (parts[0], parts[parts.count - 1])
            let name = branches.name(of: group) { lines[$0].id }
            var stage = Stage(name: name, words: FlowDrawing.words(of: parts, page))
            stage.rows = (first.rowsIn, 0, last.rowsOut, 0, 0)
            for line in parts {
                stage.rows!.made += line.made
                stage.rows!.rejected += line.rejected
                stage.rows!.aside += line.droppedCount + line.folded
            }
            return stage
        }
        var places: [Int: Int] = [:]
        for (place, group) in branches.groups.enumerated() { for stage in group { places[stage] = place } }
        self.links = links.compactMap { link in
            guard let from = places[link.from], let to = places[link.to], from != to else { return nil }
            return RunSummary.Link(from: from, to: to, isOfRejects: link.isOfRejects)
        }
        (isPlan, self.page) = (false, page)
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

    private var most: Double {
        Double(max(1, stages.compactMap { $0.rows.map { max($0.entered, $0.out) } }.max() ?? 1))
    }

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
        for (link, lane) in arcs {
            let x = left - 6 - Double(lane) * step
            let (start, end) = (top(link.from) + 6, top(link.to) + 6)
            let style = link.isOfRejects ? "arc lost" : "arc"
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
            // Rows that were made are no part of those that entered, and have a bar of their own.
            let hasMade = (stage.rows?.made ?? 0) > 0
            let height = hasMade ? FlowDrawing.barHeight / 2 - 0.5 : FlowDrawing.barHeight
            for (rows, style) in stage.fates where rows > 0 {
                let width = min(width(rows), size.width - x)
                drawing.boxes([Box(x: x, y: top(row), width: width, height: height)], style: style)
                x += width
            }
            if hasMade, let out = stage.rows?.out, out > 0 {
                let y = top(row) + FlowDrawing.barHeight / 2
                drawing.boxes([Box(x: left, y: y, width: width(out), height: FlowDrawing.barHeight / 2)], style: "s1")
                x = max(x, left + width(out))
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

    /// `4,190 rows, 6 rejected, 40 duplicates, 5 blank lines`.
    ///
    /// - Parameter lines: the stages of a branch.
    private static func words(of lines: [LedgerLine], _ page: PageWords) -> String {
        var words = [page.count(lines[lines.count - 1].rowsOut, "row")]
        if lines.count > 1 { words.insert(page.count(lines.count, "stage"), at: 0) }
        let rejected = lines.reduce(0) { $0 + $1.rejected }
        if rejected > 0 { words.append(page("{0} rejected", page.grouped(rejected))) }
        var counts: [String: Int] = [:]
        for line in lines { counts.merge(line.dropped, uniquingKeysWith: +) }
        let dropped = counts.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        words += dropped.prefix(2).map { page("{0} {1}", page.grouped($0.value), page($0.key)) }
        if dropped.count > 2 {
            let others = dropped.dropFirst(2).reduce(0) { $0 + $1.value }
            words.append(page("{0} dropped otherwise", page.grouped(others)))
        }
        let folded = lines.reduce(0) { $0 + $1.folded }
        if folded > 0 { words.append(page("{0} folded", page.grouped(folded))) }
        return words.joined(separator: ", ")
    }

    /// The links beyond the next stage, each in a lane without another link beside it.
    private var arcs: [(link: RunSummary.Link, lane: Int)] {
        var arcs: [(link: RunSummary.Link, lane: Int)] = []
        let far = links.filter {
            stages.indices.contains($0.to) && $0.from < $0.to && ($0.to - $0.from > 1 || $0.isOfRejects)
        }
        for link in far.sorted(by: { ($0.to - $0.from, $0.from) < ($1.to - $1.from, $1.from) }) {
            // All links from one stage share a lane. If one ended where another begins, they would look like one line.
            let beside = arcs.filter { other, _ in
                other.from <= link.to && link.from <= other.to
                    && (other.from, other.isOfRejects) != (link.from, link.isOfRejects)
            }
            let taken = Set(beside.map(\.lane))
            let lane = (0...taken.count).first { !taken.contains($0) } ?? 0
            arcs.append((link, lane))
        }
        return arcs
    }
}

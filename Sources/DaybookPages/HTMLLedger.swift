/// The ledger of a run as a page shows it: every stage, what became of its rows, and whether that adds up.
package struct HTMLLedger {
    /// How many stages that rejected rows are named above the first section.
    private static let namedStages = 6

    let lines: [LedgerLine]
    let links: [RunSummary.Link]
    /// The text about the run at the top.
    let about: String
    let words: PageWords
    let form: Form

    /// How much of the ledger a page shows.
    package enum Form: String, CaseIterable, Sendable {
        /// The drawing, and the table behind a disclosure.
        case full
        /// A sentence, and the drawing and the table behind a disclosure.
        case line
        /// Nothing but the outcome at the top.
        case none
    }

    package init(
        lines: [LedgerLine],
        links: [RunSummary.Link] = [],
        about: String = "",
        words: PageWords = PageWords(),
        form: Form = .line
    ) {
        (self.lines, self.links, self.about, self.words, self.form) = (lines, links, about, words, form)
    }

    package var markup: HTML {
        form == .none ? "" : PageSection(id: "ledger", heading: words("Ledger"), body: body).markup
    }

    /// The ledger below a heading.
    package var body: HTML {
        let flow = FlowDrawing(lines: lines, links: links, page: words).markup(id: "flow")
        guard form == .line, isBalanced, !lines.isEmpty else {
            let table: HTML =
                "<details><summary id=\"ledger-t\">\(words("The ledger as a table"))</summary>\n\(table)</details>\n"
            return "<p class=\"soft\">\(about)\(sentence)</p>\n\(flow)\(table, if: !lines.isEmpty)"
        }
        let short = words("Every row is accounted for, in {0}.", words.count(lines.count, "stage"))
        return """
            <p class="soft">\(about)\(short)</p>
            <details><summary id="ledger-t">\(words("The way of the rows"))</summary>
            <p class="soft" id="way">\(sentence)</p>
            \(flow)\(table)</details>

            """
    }

    var isBalanced: Bool { lines.allSatisfy { $0.unaccounted == 0 } }

    /// Says in plain words whether every row is accounted for.
    var sentence: HTML {
        if lines.isEmpty { return "\(words("This run kept no ledger."))" }
        let lost = lines.filter { $0.unaccounted != 0 }.map { line -> HTML in
            "\(line.id) (\(words.grouped(line.unaccounted)))"
        }
        guard lost.isEmpty else {
            let text = "The ledger does not balance. Rows are unaccounted for in: {0}."
            return words.markup(text, lost.joined(separator: ", "))
        }
        let scope = lines.count == 1 ? "In the one stage" : "In each of the {0} stages"
        let text = words(
            "The ledger balances: every row is accounted for. \(scope), the rows in and the rows made equal the rows out, "
                + "rejected, dropped and folded. What was skipped is no row, such as a blank line.",
            words.grouped(lines.count)
        )
        return "\(text)"
    }

    /// The outcome in a line. A page exists only for a passed run.
    func status(rowCount: Int) -> HTML {
        guard !lines.isEmpty else { return "" }
        let read = lines.filter(\.isSource).reduce(0) { $0 + $1.rowsIn }
        var parts: [HTML] = [
            "<b>\(words(isBalanced ? "Passed" : "The ledger is off"))</b>",
            "\(words("{0} read", words.count(read, "row")))",
            "\(words("{0} in this report", words.grouped(rowCount)))", rejections,
        ]
        let dropped = lines.reduce(0) { $0 + $1.droppedCount }
        if dropped > 0 { parts.append("\(words("{0} dropped", words.grouped(dropped)))") }
        // A link into a closed disclosure opens it.
        let target = form == .line && isBalanced ? "way" : "ledger"
        if form != .none { parts.append("<a href=\"#\(target)\">\(words("where the rows went"))</a>") }
        return "<p class=\"status\(" off", if: !isBalanced)\">\(parts.joined(separator: " · "))</p>\n"
    }

    /// How many rows were rejected, and where.
    var rejections: HTML {
        let all = lines.reduce(0) { $0 + $1.rejected }
        guard all > 0 else { return "\(words("none rejected"))" }
        let parts = lines.filter { $0.rejected > 0 }.map { line -> HTML in
            words.markup("{0} in {1}", "\(words.grouped(line.rejected))", "<bdi>\(line.id)</bdi>")
        }
        let limit = HTMLLedger.namedStages
        let shown = parts.prefix(limit).joined(separator: ", ")
        let rest: HTML = "\(words.count(parts.count - limit, "other stage"))"
        let places = parts.count > limit ? words.markup("{0}, and more in {1}", shown, rest) : shown
        let count: HTML = "<em>\(words("{0} rejected", words.grouped(all)))</em>"
        return words.markup("{0} within limits ({1})", count, places)
    }

    private var table: HTML {
        var rows: HTML = ""
        let branches = LedgerBranches(lines.count, links) { lines[$0].made > 0 }
        for (line, branch) in branches.groups.flatMap({ group in group.map { (lines[$0], group) } }) {
            if branches.areNamed, branch.count > 1, line.id == lines[branch[0]].id {
                let name = branches.name(of: branch) { lines[$0].id }
                rows += "<tr class=\"branch\"><th scope=\"rowgroup\" colspan=\"8\">\(name)</th></tr>\n"
            }
            rows += "<tr><th scope=\"row\">\(line.id)"
            if line.id != line.stage { rows += "<span class=\"words\">\(line.stage)</span>" }
            rows += "</th>"
            rows += cell(line.rowsIn, [:]) + cell(line.made, line.added) + cell(line.rowsOut, [:])
            rows += cell(line.rejected, [:], style: "bad")
            rows += cell(line.droppedCount, line.dropped) + cell(line.folded, [:])
            rows += cell(line.skipped.values.reduce(0, +), line.skipped) + "</tr>\n"
        }
        let heads = ["In", "Made", "Out", "Rejected", "Dropped", "Folded", "Skipped"].map { name -> HTML in
            "<th scope=\"col\" class=\"num\">\(words(name))</th>"
        }
        let box = HTMLTableBox(columns: heads.count + 1, rows: nil, label: "ledger-t")
        return box.markup(["<th scope=\"col\">\(words("Stage"))</th>"] + heads, rows)
    }

    /// A count, with its parts by name below.
    private func cell(_ count: Int, _ parts: [String: Int], style: String = "") -> HTML {
        let names = parts.keys.sorted().map { name -> HTML in
            "<span class=\"words\">\(words(name)) \(words.grouped(parts[name]!))</span>"
        }
        let styles = ["num", count == 0 ? "zero" : style].filter { !$0.isEmpty }.joined(separator: " ")
        return "<td class=\"\(styles)\">\(words.grouped(count))\(names.joined())</td>"
    }
}

/// The stages of a ledger by branch: a branch is a chain of stages, each of which alone reads the one before.
///
/// A stage that makes rows of its own is a branch by itself, so that counts of a branch are of the same rows.
struct LedgerBranches {
    /// Stages up to which each is shown by itself.
    private static let fewStages = 12

    /// The stages of each branch by number, both in the order of the ledger.
    let groups: [[Int]]
    /// Whether the stages are so many that branches are shown.
    let areNamed: Bool

    /// - Parameter makesRows: whether the rows of a stage are others than those that it reads.
    init(_ count: Int, _ links: [RunSummary.Link], makesRows: (Int) -> Bool = { _ in false }) {
        let known = links.filter { $0.from < $0.to && $0.to < count }
        areNamed = count > LedgerBranches.fewStages && !known.isEmpty
        guard areNamed else {
            groups = (0..<count).map { [$0] }
            return
        }
        var (readers, inputs) = ([Int: Set<Int>](), [Int: Set<Int>]())
        for link in known {
            inputs[link.to, default: []].insert(link.isOfRejects ? -1 : link.from)
            if !link.isOfRejects { readers[link.from, default: []].insert(link.to) }
        }
        var groups: [[Int]] = []
        var places: [Int: Int] = [:]
        for stage in 0..<count {
            if let own = inputs[stage], own.count == 1, let before = own.first, readers[before]?.count == 1,
                !makesRows(stage), !makesRows(before),
                let place = places[before]
            {
                groups[place].append(stage)
                places[stage] = place
            } else {
                places[stage] = groups.count
                groups.append([stage])
            }
        }
        self.groups = groups
    }

    /// `import_csv → top_sellers`.
    func name(of group: [Int], _ id: (Int) -> String) -> String {
        group.count == 1 ? id(group[0]) : "\(id(group[0])) → \(id(group[group.count - 1]))"
    }
}

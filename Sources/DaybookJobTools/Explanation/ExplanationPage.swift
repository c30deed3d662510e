import DaybookPages
import DaybookReports

extension PlanExplanation {
    /// The drawing of the plan.
    var flow: FlowDrawing {
        FlowDrawing(planned: stages.map { FlowDrawing.Stage(name: $0.id, words: words(of: $0)) }, links: links)
    }

    /// Which stages read which.
    var links: [RunSummary.Link] { FlowDrawing.links(among: stages.map { ($0.id, $0.reads) }) }

    /// `import_csv, from entries.csv and 11 more`.
    private func words(of stage: Stage) -> String {
        var words = stage.id == stage.type ? [] : [stage.type]
        if !stage.files.isEmpty {
            words.append("from \(DisplayText.first(1, of: stage.files, isGrouped: true))")
        }
        if let output = stage.output { words.append("to \(output)") }
        return words.joined(separator: ", ")
    }

    /// The plan as a page: the drawing, and the stages with their inputs and columns.
    var page: String {
        let zone = timezone.map { ", in \($0)" } ?? ""
        let main: HTML = """
            <section id="flow-s" aria-labelledby="flow-h">
            <h2 id="flow-h">The way of the rows</h2>
            \(flow.markup(id: "flow"))</section>
            \(PageSection(id: "stages", heading: "Stages", body: stageTable).markup)\
            \(PageSection(id: "columns", heading: "Columns of the outputs", body: columnTable { $0.output ?? $0.id }).markup)\(jobSection)
            """
        let day: HTML = "<time datetime=\"\(asOf)\">\(asOf)</time>"
        return PageFrame.markup(
            title: "\(job) · Plan",
            sheet: FlowStyle.page(with: PlanExplanation.style),
            kicker: "Daybook plan",
            heading: "\(job)",
            below: "<p class=\"soft\">As of \(day)\(zone). Nothing has been run.</p>\n",
            main: main,
            foot: "Made by Daybook."
        ).text
    }

    private var stageTable: HTML {
        let rows = stages.map { stage -> HTML in
            let type: HTML = stage.id == stage.type ? "" : "<span class=\"words\">\(stage.type)</span>"
            let notes = notes(of: stage).map { note -> HTML in "<span class=\"words\">\(note)</span>" }
            let reads = stage.role == "source" ? stage.files : stage.reads
            return """
                <th scope="row">\(stage.id)\(type)</th><td class="path">\(PlanExplanation.listed(reads) as HTML)</td>\
                <td class="path">\(stage.output.map(PageParts.path) ?? changes(of: stage))</td><td>\(notes.joined())</td>
                """
        }
        let heads = ["Stage", "Reads", "Changes, or file", "Notes"]
        return PageTable.markup(heads, rows, label: "stages-h", isWhole: true)
    }

    /// Columns that the page shows at most.
    private static let mostColumns = 300

    /// What the columns of the outputs are, and where they come from, stage by stage.
    ///
    /// - Parameter name: what an output is called.
    package func columnTable(_ name: (Stage) -> String) -> HTML {
        let all = stages.flatMap { stage in stage.written.map { (stage, $0) } }
        let isDescribed = all.contains { $1.description != nil }
        let rows = all.prefix(PlanExplanation.mostColumns).map { stage, column -> HTML in
            let description: HTML = isDescribed ? "<td>\(column.description ?? "")</td>" : ""
            let steps = column.steps.map { step -> HTML in "<span class=\"change\">\(step.displayText)</span>" }
            return """
                <th scope="row">\(column.name)<span class="words">\(column.kind.rawValue)</span></th>\
                \(description)<td>\(steps.joined())</td><td class="path">\(PageParts.path(name(stage)))</td>
                """
        }
        let more = all.count - rows.count
        let note: HTML = "<p class=\"note\">And \(Figure.counted(more, "column")) more.</p>\n"
        let heads = ["Column"] + (isDescribed ? ["What it is"] : []) + ["Comes from", "Output"]
        return "\(PageTable.markup(heads, rows, label: "columns-h", isWhole: true))\(note, if: more > 0)"
    }

    /// What a stage changes about the columns that it reads; all of them for an import and for rejected rows.
    private func changes(of stage: Stage) -> HTML {
        let inputs = stages.filter { stage.reads.contains($0.id) }
        guard !stage.columns.isEmpty, inputs.count == stage.reads.count, !inputs.isEmpty else {
            return "\(columns(of: stage))"
        }
        let before = Dictionary(inputs.flatMap(\.columns).map { ($0.name, $0.kind) }) { first, _ in first }
        let after = Set(stage.columns.map(\.name))
        let added = stage.columns.filter { before[$0.name] == nil }.map { "+\u{A0}\($0.name): \($0.kind.rawValue)" }
        let turned = stage.columns.compactMap { column -> String? in
            guard let kind = before[column.name], kind != column.kind else { return nil }
            return "\(column.name): \(kind.rawValue) → \(column.kind.rawValue)"
        }
        var seen = after
        let left = inputs.flatMap(\.columns).filter { seen.insert($0.name).inserted }.map { "−\u{A0}\($0.name)" }
        let lines = [added, turned, left].filter { !$0.isEmpty }.map { names -> HTML in
            "<span class=\"change\">\(names.joined(separator: ", "))</span>"
        }
        return """
            \(lines.joined())<details><summary>\(lines.isEmpty ? "the same " : "")\(Figure.counted(stage.columns.count, "column"))</summary>\
            \(columns(of: stage))</details>
            """
    }

    /// - Parameter colon: what stands between a name and its kind.
    func columns(of stage: Stage, colon: String = ": ") -> String {
        let named = stage.columns.map { $0.name + colon + $0.kind.rawValue }
        let open = stage.isOpen ? [named.isEmpty ? "those of the input" : "and more, as the input has them"] : []
        let all = named + open
        return all.isEmpty ? "none that anybody reads" : all.joined(separator: ", ")
    }

    private func notes(of stage: Stage) -> [String] {
        let first = [stage.unseen.map { "unseen: \($0)" }, stage.takes, stage.since.map { "since: \($0)" }]
        var notes = first.compactMap(\.self)
        if !stage.replaced.isEmpty { notes.append("replaces \(stage.replaced.joined(separator: ", "))") }
        if !stage.kept.isEmpty { notes.append("keeps \(stage.kept.joined(separator: ", ")) as they stand") }
        if !stage.skipped.isEmpty { notes.append("skips \(stage.skipped.joined(separator: ", "))") }
        if !stage.checked.isEmpty {
            let columns = stage.checked.map { "\($0.name): \($0.kind.rawValue)" }
            notes.append("checks \(columns.joined(separator: ", ")), which nobody reads")
        }
        if !stage.wronglyDescribed.isEmpty {
            notes.append("describes \(stage.wronglyDescribed.joined(separator: ", ")), which it does not have")
        }
        for likely in stage.likelyDates { notes += [likely.displayText, "add \(likely.addition)"] }
        if let allow = stage.allow {
            notes.append("of the rows that enter, \(GateText.allowed(allow)) may be rejected")
        }
        if let rejects = stage.rejects { notes.append("rejects go to \(rejects)") }
        return notes
    }

    /// The facts about the job.
    private var jobSection: HTML {
        var facts: [(String, String)] = [("Rows that may be rejected", GateText.allowed(allow))]
        if let rejects { facts.append(("Rejects", rejects)) }
        if let publish { facts.append(("Publishes", publish)) }
        if !surroundings.isEmpty { facts.append(("State and order", surroundings.joined(separator: "; "))) }
        facts += notices.map { ("Told on \($0.events.joined(separator: ", "))", $0.whom) }
        facts += params.map { ("Param \($0.name)", $0.value + ($0.isSet ? " (by --set)" : "")) }
        let body = HTMLDrawing.facts(facts.map { ($0.0, "\($0.1)") })
        return PageSection(id: "job", heading: "The job", body: body).markup
    }

    /// The first names, as many as fit into a cell, and the number of the others.
    static func listed(_ names: [String]) -> String {
        DisplayText.first(8, of: names, isGrouped: true)
    }

    private static func listed(_ names: [String]) -> HTML {
        let more: HTML = " and \(Figure.grouped(names.count - 3)) more"
        return "\(names.prefix(3).map(PageParts.path).joined(separator: ", "))\(more, if: names.count > 3)"
    }

    private static let style = """
        .change{display:block}
        .path{overflow-wrap:break-word}
        td details{margin:.15rem 0 0}
        td summary{font-size:.875rem}
        td.path{min-width:9rem}
        """
}

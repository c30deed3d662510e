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
        if let file = stage.files.first {
            words.append(
                "from \(file)\(stage.files.count > 1 ? " and \(Figure.grouped(stage.files.count - 1)) more" : "")"
            )
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
            \(PageSection(id: "stages", heading: "Stages", body: stageTable).markup)\(surroundings)
            """
        let day: HTML = "<time datetime=\"\(asOf)\">\(asOf)</time>"
        return PageFrame.markup(
            title: "\(job) · Plan",
            sheet: FlowStyle.page(),
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
                <th scope="row">\(stage.id)\(type)</th><td>\(PlanExplanation.listed(reads))</td>\
                <td>\(stage.output ?? columns(of: stage))</td><td>\(notes.joined())</td>
                """
        }
        let heads = ["Stage", "Reads", "Columns, or file", "Notes"]
        return PageTable.markup(heads, rows, label: "stages-h", isWhole: true)
    }

    private func columns(of stage: Stage) -> String {
        let named = stage.columns.map { "\($0.name): \($0.kind.rawValue)" }
        let open = stage.isOpen ? [named.isEmpty ? "those of the input" : "and more, as the input has them"] : []
        let all = named + open
        return all.isEmpty ? "none that anybody reads" : all.joined(separator: ", ")
    }

    private func notes(of stage: Stage) -> [String] {
        var notes: [String] = []
        if let unseen = stage.unseen { notes.append("unseen: \(unseen)") }
        if let takes = stage.takes { notes.append(takes) }
        if let since = stage.since { notes.append("since: \(since)") }
        if !stage.replaced.isEmpty { notes.append("replaces \(stage.replaced.joined(separator: ", "))") }
        if !stage.skipped.isEmpty { notes.append("skips \(stage.skipped.joined(separator: ", "))") }
        if !stage.checked.isEmpty {
            notes.append(
                "checks \(stage.checked.map { "\($0.name): \($0.kind.rawValue)" }.joined(separator: ", ")), which nobody reads"
            )
        }
        for likely in stage.likelyDates { notes += [likely.displayText, "add \(likely.addition)"] }
        if let allow = stage.allow {
            notes.append("of the rows that enter, \(GateText.allowed(allow)) may be rejected")
        }
        if let rejects = stage.rejects { notes.append("rejects go to \(rejects)") }
        return notes
    }

    /// The facts about the job.
    private var surroundings: HTML {
        var facts: [(String, String)] = [("Rows that may be rejected", GateText.allowed(allow))]
        if let rejects { facts.append(("Rejects", rejects)) }
        if let publish { facts.append(("Publishes", publish)) }
        facts += notices.map { notice in
            let remark = notice.remark.map { ", \($0)" } ?? ""
            return ("Told on \(notice.events.joined(separator: ", "))", "\(notice.target)\(remark)")
        }
        facts += params.map { ("Param \($0.name)", $0.value + ($0.isSet ? " (by --set)" : "")) }
        let body = HTMLDrawing.facts(facts.map { ($0.0, "\($0.1)") })
        return PageSection(id: "job", heading: "The job", body: body).markup
    }

    /// The first names, as many as fit into a cell, and the number of the others.
    static func listed(_ names: [String]) -> String {
        let more = names.count > 8 ? " and \(Figure.grouped(names.count - 8)) more" : ""
        return names.prefix(8).joined(separator: ", ") + more
    }
}

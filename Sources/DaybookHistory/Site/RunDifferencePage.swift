import DaybookPages

/// The page of what changed from one run to another.
struct RunDifferencePage {
    let difference: RunDifference
    /// What is told of the rows of each output that changed, in lines.
    let rows: [[String]]

    var markup: HTML {
        let changed = difference.parts.filter { !$0.changes.isEmpty }
        let sections = changed.map(section) + [rowSection].filter { !$0.isEmpty }
        let (earlier, later) = (difference.earlier, difference.later)
        let nothing: HTML = "<p>Nothing changed.</p>\n"
        return """
            \(PageHead.markup(title: "\(later.job) · Changes · Daybook", sheet: Site.sheet))<header>
            <p class="kicker">Daybook changes</p>
            <h1>\(later.job)</h1>
            <p class="soft">From \(RunDifferencePage.name(of: earlier)) to \(RunDifferencePage.name(of: later))</p>
            </header>
            \(PageParts.contents(sections.map(\.link)), if: !sections.isEmpty)<main>
            \(nothing, if: sections.isEmpty)\(sections.map(\.markup).joined())</main>
            \(Site.foot)
            """
    }

    private static func name(of record: RunRecord) -> HTML {
        let day: HTML = record.asOf.map { " of <time datetime=\"\($0)\">\($0)</time>" } ?? ""
        return "the run \(record.run)\(day)"
    }

    private func section(_ part: RunDifference.Part) -> PageSection {
        let id = part.title.replacing(" ", with: "-")
        let rows = part.changes.map { change -> HTML in
            "<th scope=\"row\">\(change.name)</th>\(cell(change.before))\(cell(change.after))"
        }
        let same: HTML = "<p class=\"note\">\(Figure.grouped(part.same)) as before.</p>\n"
        let table = PageTable.markup(["", "Before", "After"], rows, label: "\(id)-h", isWhole: true)
        return PageSection(
            id: id,
            heading: "\(part.title.raisedFirst): \(Figure.counted(part.changes.count, "change"))",
            body: "\(table)\(same, if: part.same > 0)"
        )
    }

    private func cell(_ value: String?) -> HTML {
        guard let value else { return "<td class=\"gap\"><span>none</span></td>" }
        return "<td>\(value)</td>"
    }

    private var rowSection: PageSection {
        let blocks = rows.map { lines -> HTML in "<pre class=\"told\">\(lines.joined(separator: "\n"))</pre>\n" }
        return PageSection(id: "changed-rows", heading: "Rows of outputs", body: blocks.joined())
    }
}

/// The findings of a run as tables of its page, one for each rule, with the lines in which they stand.
struct FindingTables {
    /// How many findings of a rule are shown; more would make a page that nobody reads and no browser likes.
    private static let limit = 100

    let run: RunReport
    let rules: ReportRules
    let entries: [ReportEntry]

    var markup: HTML {
        var byRule = [[ReportEntry]](repeating: [], count: rules.all.count)
        for entry in entries {
            guard case .finding(let finding) = entry.kind, let index = rules.index(of: finding) else { continue }
            byRule[index].append(entry)
        }
        return zip(rules.all, byRule).enumerated().filter { !$1.1.isEmpty }.map { index, pair in
            markup(of: pair.0, pair.1, id: "f\(index + 1)")
        }.joined()
    }

    private func markup(of rule: ReportRule, _ findings: [ReportEntry], id: String) -> HTML {
        let shown = findings.prefix(FindingTables.limit)
        let hasFields = shown.contains { $0.field != nil }
        let hasValues = shown.contains { $0.value != nil }
        var excerpts = SourceExcerpts(directory: run.directory, mask: run.mask)
        let rows = shown.map { row($0, &excerpts, hasFields: hasFields, hasValues: hasValues) }
        let heads = ["Place"] + (hasFields ? ["Column"] : []) + (hasValues ? ["Value"] : []) + ["What is wrong"]
        return """
            <h3 id="\(id)"><span class="\(rule.verdict.rawValue)">\(RunPage.text(rule.name))</span> \
            <span class="soft">in <bdi>\(RunPage.text(rule.stage))</bdi></span></h3>
            <p class="note">\(count(rule, shown.count))</p>
            \(RunTables.table(heads, rows, label: id))
            """
    }

    private func count(_ rule: ReportRule, _ shown: Int) -> String {
        guard rule.new > shown else { return Spoken.count(shown, "finding") + "." }
        return "The first \(Spoken.count(shown)) of \(Spoken.count(rule.new, "finding"))."
    }

    private func row(
        _ entry: ReportEntry,
        _ excerpts: inout SourceExcerpts,
        hasFields: Bool,
        hasValues: Bool
    ) -> HTML {
        var cells: HTML = "<td class=\"place\">\(RunPage.text(entry.shown))</td>"
        if hasFields { cells += "<td class=\"text\">\(RunPage.text(entry.field ?? ""))</td>" }
        if hasValues { cells += "<td class=\"code\">\(RunPage.text((entry.value ?? "").shortened(to: 200)))</td>" }
        var message = RunPage.text(entry.message)
        if case .finding(let finding) = entry.kind, let excerpt = excerpts.excerpt(of: finding) {
            message += ExcerptMarkup.of(excerpt, run.mask)
        }
        return "<tr class=\"\(entry.severity.rawValue)\">\(cells)<td class=\"text\">\(message)</td></tr>"
    }
}

/// A line of a file with its marked part.
enum ExcerptMarkup {
    static func of(_ excerpt: Excerpt, _ mask: SecretMask) -> HTML {
        // Where a secret was taken out of the line, a mark would stand on something else.
        let masked = mask.masking(excerpt.line)
        guard masked == excerpt.line, !excerpt.marked.isEmpty else {
            return "<code class=\"line\">\(masked)</code>"
        }
        let scalars = Array(excerpt.line.unicodeScalars)
        func part(_ range: Range<Int>) -> String {
            String(String.UnicodeScalarView(scalars[range.clamped(to: 0..<scalars.count)]))
        }
        let (start, end) = (excerpt.marked.lowerBound, excerpt.marked.upperBound)
        return "<code class=\"line\">\(part(0..<start))<mark>\(part(start..<end))</mark>"
            + "\(part(end..<max(end, scalars.count)))</code>"
    }
}

/// What stopped the run, with the lines of the job file.
struct ErrorList {
    let run: RunReport

    var markup: HTML {
        let errors = run.outcome.errors + run.afterthoughts
        guard !errors.isEmpty else { return "" }
        return "<ol class=\"errors\">\n\(errors.map(item).joined(separator: "\n"))\n</ol>\n"
    }

    private func item(_ error: DaybookError) -> HTML {
        let mask = run.mask
        var text: HTML = "<li>"
        if let place = error.place { text += "<span class=\"soft\">\(RunPage.text(mask.masking("\(place)"))):</span> " }
        text += "<span class=\"failed\">\(RunPage.text(mask.masking(error.message)))</span>"
        text += " <span class=\"soft\">[\(RunPage.text(error.code.rawValue))]</span>"
        if let place = error.place, let source = run.source, source.file == place.file,
            let excerpt = Excerpt(of: place, in: source, maskedBy: mask)
        {
            text += ExcerptMarkup.of(excerpt, mask)
        }
        if let hint = error.hint { text += "<br>Hint: \(RunPage.text(mask.masking(hint)))" }
        return text + "</li>"
    }
}

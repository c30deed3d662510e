import DaybookPages

/// The findings of a run, one table for each rule: those of rules that failed first, the columns named, the cell marked.
struct FindingTables {
    /// How many findings of a rule are shown; more would make a page that nobody reads and no browser likes.
    private static let limit = 100

    let run: RunReport
    let rules: ReportRules
    private let byRule: [[ReportEntry]]

    init(run: RunReport, rules: ReportRules, entries: [ReportEntry]) {
        self.run = run
        self.rules = rules
        var byRule = [[ReportEntry]](repeating: [], count: rules.all.count)
        for entry in entries {
            guard case .finding(let finding) = entry.kind, let index = rules.index(of: finding) else { continue }
            byRule[index].append(entry)
        }
        self.byRule = byRule
    }

    /// The id of the findings of a rule in the page.
    static func id(of rule: Int) -> String { "f\(rule + 1)" }

    /// The numbers of the rules of which findings are shown.
    var linked: Set<Int> { Set(byRule.indices.filter { !byRule[$0].isEmpty }) }

    var markup: HTML {
        var excerpts = SourceExcerpts(run)
        var text: HTML = ""
        for index in RuleTable.order(of: rules) where !byRule[index].isEmpty {
            text += markup(of: index, &excerpts)
        }
        return text
    }

    private func markup(of index: Int, _ excerpts: inout SourceExcerpts) -> HTML {
        let rule = rules.all[index]
        let shown = Array(byRule[index].prefix(FindingTables.limit))
        let isCut = rule.new > shown.count
        let sights = shown.map { FindingSight($0, of: rule, &excerpts) }
        let table = FindingTable(sights, cutAt: isCut ? shown.count : nil)
        let id = FindingTables.id(of: index)
        return """
            <h3 id="\(id)"><span class="\(rule.verdict.rawValue)">\(RunPage.text(rule.name))</span> \
            <span class="soft">in <bdi>\(RunPage.text(rule.stage))</bdi></span></h3>
            <p class="note">\(count(rule, shown.count))\(table.note)</p>
            \(table.markup(label: id))
            """
    }

    private func count(_ rule: ReportRule, _ shown: Int) -> String {
        guard rule.new > shown else { return Spoken.count(shown, "finding") + "." }
        let first = "The first \(Spoken.count(shown)) of \(Spoken.count(rule.new, "finding"))"
        guard rule.type == nil, rule.severity == .error, let file = run.rejectsFile(of: rule.stage) else {
            return first + "."
        }
        return "\(first); all are in \(PrintableText.of(file))."
    }
}

/// A finding with what can be seen of its record.
struct FindingSight {
    let entry: ReportEntry
    /// Its record, cell by cell, where the file tells it beyond doubt.
    let record: FileRecord?
    /// Its line, where that can be had.
    let line: HTML?

    init(_ entry: ReportEntry, of rule: ReportRule, _ excerpts: inout SourceExcerpts) {
        self.entry = entry
        guard case .finding(let finding) = entry.kind else {
            (record, line) = (nil, nil)
            return
        }
        record = excerpts.record(of: finding, about: rule.columns)
        line = excerpts.excerpt(of: finding).map(ExcerptMarkup.of)
    }

    /// Whether the marked cell of the record says what column and value would.
    var isToldByRecord: Bool {
        guard let record else { return false }
        guard let field = entry.field else { return entry.value == nil }
        return record.marked.contains(field) && (entry.value == nil || record[field] == entry.value)
    }

    /// What makes findings the same but for their places.
    var sameness: [String?] { [entry.severity.rawValue, entry.message, entry.field, entry.value] }
}

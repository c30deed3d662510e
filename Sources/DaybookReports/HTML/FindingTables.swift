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
        for index in RuleTable.order(of: rules) where !byRule[index].isEmpty { text += markup(of: index, &excerpts) }
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
        guard rule.new > shown else { return DisplayText.count(shown, "finding") + "." }
        let first = "The first \(DisplayText.count(shown)) of \(DisplayText.count(rule.new, "finding"))"
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
        line = excerpts.excerpt(of: finding)?.markup
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

/// One table of findings: place, what is wrong, and the columns of their records around the cells.
struct FindingTable {
    /// Columns of records that a table shows at most.
    static let mostColumns = 9
    /// Beyond this a text may be broken.
    private static let shortLength = 24
    /// Characters from which a cell needs the width of a text.
    private static let longLength = 60
    /// After so many rows their words are said again, for those who scroll and where a sheet of paper ends.
    private static let mostSpanned = 15

    private let groups: [[FindingSight]]
    /// The columns of the records that are shown, and how many there are.
    private let columns: [String]
    private let allColumns: Int
    /// How many findings are shown, where there are more.
    private let cut: Int?
    private let hasFields: Bool
    private let hasValues: Bool
    /// Whether lines of files stand in the place of records.
    private let hasLines: Bool

    /// - Parameter cut: how many findings these are, where there are more.
    init(_ sights: [FindingSight], cutAt cut: Int?) {
        var places: [[String?]: Int] = [:]
        var groups: [[FindingSight]] = []
        for sight in sights {
            if let place = places[sight.sameness] {
                groups[place].append(sight)
            } else {
                places[sight.sameness] = groups.count
                groups.append([sight])
            }
        }
        self.groups = groups
        self.cut = cut
        (columns, allColumns) = FindingTable.columns(of: sights)
        let untold = columns.isEmpty ? sights : sights.filter { !$0.isToldByRecord }
        hasFields = untold.contains { $0.entry.field != nil }
        hasValues = untold.contains { $0.entry.value != nil }
        hasLines = columns.isEmpty && sights.contains { $0.line != nil }
    }

    /// All columns where these are few; else those around the marked ones, and the first, which tells rows apart.
    private static func columns(of sights: [FindingSight]) -> (shown: [String], all: Int) {
        let records = sights.compactMap(\.record)
        var names: [String] = []
        var known: Set<String> = []
        for record in records where record.names != records[0].names || names.isEmpty {
            names += record.names.filter { known.insert($0).inserted }
            // Files of very many different columns are shown line by line.
            guard names.count <= 2_000 else { return ([], 0) }
        }
        guard names.count > mostColumns else { return (names, names.count) }
        let marked = records.reduce(into: Set()) { $0.formUnion($1.marked) }
        let places = names.indices.filter { marked.contains(names[$0]) }
        for reach in [3, 2, 1, 0] {
            let near = names.indices.filter { index in index == 0 || places.contains { abs($0 - index) <= reach } }
            if near.count <= mostColumns { return (near.map { names[$0] }, names.count) }
        }
        return ([], 0)
    }

    /// What is left out, in a sentence with a space before it.
    var note: String {
        let rest = allColumns - columns.count
        return rest > 0 && !columns.isEmpty
            ? " Of \(DisplayText.count(allColumns)) columns, the first and those around the cells are shown." : ""
    }

    func markup(label: String) -> HTML {
        var heads: [HTML] = ["<th scope=\"col\">Place</th>", "<th scope=\"col\">What is wrong</th>"]
        if hasFields { heads.append("<th scope=\"col\">Column</th>") }
        if hasValues { heads.append("<th scope=\"col\">Value</th>") }
        if hasLines { heads.append("<th scope=\"col\">In the file</th>") }
        heads += columns.map { "<th scope=\"col\" lang=\"\">\(RunPage.text($0.shortened(to: 80)))</th>" }
        return PageTable.markup(heads: heads, groups.flatMap(rows), label: label)
    }

    /// A row for each finding of a group, or one for all where only their places differ.
    private func rows(of group: [FindingSight]) -> [HTML] {
        let isFlat = group.allSatisfy { (columns.isEmpty || $0.record == nil) && $0.line == nil }
        let rows = isFlat ? [group] : group.map { [$0] }
        return rows.enumerated().map { number, sights in
            let places = sights.map { markup(ofPlace: $0.entry.shown) }
            let place = places.count == 1 ? places[0] : places.map { place -> HTML in "<div>\(place)</div>" }.joined()
            let span = min(FindingTable.mostSpanned, rows.count - number)
            let what = number % FindingTable.mostSpanned == 0 ? shared(by: group, rows: span, isFirst: number == 0) : ""
            return """
                <tr class="\(sights[0].entry.severity.rawValue)"><td class="place">\(place)</td>\
                \(what)\(cells(of: sights[0]))</tr>
                """
        }
    }

    /// A place whose line and column, such as `:12:7`, are not torn apart where its path is broken.
    private func markup(ofPlace place: String) -> HTML {
        let text = place.printable
        let end = text.firstMatch(of: /(?::[0-9]+){1,2}$/)?.range.lowerBound ?? text.endIndex
        let at: HTML = "<wbr><span class=\"at\">\(String(text[end...]))</span>"
        return "\(String(text[..<end]))\(at, if: end < text.endIndex)"
    }

    /// What all findings of a group have in common.
    private func shared(by group: [FindingSight], rows: Int, isFirst: Bool) -> HTML {
        let entry = group[0].entry
        let span: HTML = rows > 1 ? " rowspan=\"\(rows)\"" : ""
        let among = cut.map { " among the first \(DisplayText.count($0))" } ?? ""
        let times: HTML =
            group.count > 1 && isFirst
            ? "<span class=\"words\">\(DisplayText.count(group.count, "time"))\(among)</span>" : ""
        var text: HTML = "<td class=\"text\"\(span)>\(RunPage.text(entry.message))\(times)</td>"
        if hasFields { text += "<td class=\"text\"\(span)>\(RunPage.text(entry.field ?? ""))</td>" }
        if hasValues {
            text += "<td class=\"code\"\(span)>\(RunPage.text((entry.value ?? "").shortened(to: 200)))</td>"
        }
        return text
    }

    private func cells(of sight: FindingSight) -> HTML {
        guard !columns.isEmpty else { return hasLines ? "<td class=\"text\">\(sight.line ?? "")</td>" : "" }
        guard let record = sight.record else {
            return "<td class=\"text\" colspan=\"\(columns.count)\">\(sight.line ?? "")</td>"
        }
        return columns.map { name -> HTML in
            let isMarked = record.marked.contains(name)
            let hit = isMarked ? "hit " : ""
            guard let cell = record[name] else {
                // What lacks and is not the matter needs no sign.
                return isMarked && record.isWhole ? gap("missing", hit) : "<td class=\"cell\"></td>"
            }
            if cell.isEmpty { return gap("empty", hit) }
            let isShort = cell.count <= FindingTable.shortLength && !cell.contains { $0.isNewline }
            let width = isShort ? "one" : cell.count > FindingTable.longLength ? "text" : "cell"
            return """
                <td class="\(hit)\(width)" lang="">\(RunPage.text(cell.shortened(to: 200)))</td>
                """
        }.joined()
    }

    private func gap(_ word: String, _ hit: String) -> HTML { "<td class=\"\(hit)gap\"><span>\(word)</span></td>" }
}

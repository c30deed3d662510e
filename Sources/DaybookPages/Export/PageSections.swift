/// What a page shows of its inputs: the sections that the job lists, or a table of each input under a heading.
struct PageSections: Sendable {
    private enum Form: Sendable {
        case headings(OptionMap<String>)
        case list([SectionEntry])
    }

    private var form: Form
    private let place: SourcePlace?
    private let rows: Int

    private static let kind = OptionKind.either([
        .map(of: .text), .list(of: .object(OptionReader.specs { SectionEntry(reading: &$0, rows: 500) })),
    ])

    /// - Parameter rows: the row limit of tables that set none.
    init(reading options: inout OptionReader, rows: Int) {
        self.rows = rows
        place = options.place(of: "sections") ?? options.place
        let help =
            "What the page shows, in its order; or headings of the inputs by their ids, each of which then is a table."
        options.note(OptionSpec(key: "sections", kind: PageSections.kind, help: help, fallback: "[]"))
        form = .headings(OptionMap(entries: []))
        guard let node = options.written.first(where: { $0.key == "sections" })?.value else { return }
        guard let items = node.list else {
            do throws(DaybookError) { form = .headings(try OptionMap<String>(reading: node)) } catch {
                let hint = "write '- { from: ID, chart: line, x: month, y: revenue }'"
                options.refuse(node.expected("a list of sections, or a map of headings", hint: hint))
            }
            return
        }
        var entries: [SectionEntry] = []
        for item in items {
            var reader = options.reader(of: item, shorthand: item.text == nil ? nil : "from")
            entries.append(SectionEntry(reading: &reader, rows: rows))
            reader.finish(stage: "a section")
            options.add(reader)
        }
        if entries.count(where: \.mail) > HTMLSection.mostMailed {
            options.refuse("sections", "a mail shows \(HTMLSection.mostMailed) sections of a page at most")
        }
        form = .list(entries)
    }

    /// The sections of some inputs alone.
    func limited(to ids: [String]) -> PageSections {
        var copy = self
        switch form {
        case .headings(let headings):
            copy.form = .headings(OptionMap(entries: headings.entries.filter { ids.contains($0.key) }))
        case .list(let entries): copy.form = .list(entries.filter { ids.contains($0.from) })
        }
        return copy
    }

    /// The plans of the sections. Sections with unknown columns are left out.
    ///
    /// - Parameter measured: inputs with a measure; they need no section.
    func plans(
        _ inputs: [StageInput],
        measured: [String],
        asOf: CalendarDay,
        signs: NumberSigns
    ) throws(DaybookError) -> [HTMLSectionPlan] {
        let ids = inputs.map(\.id)
        switch form {
        case .headings(let headings):
            for entry in headings.entries where !ids.contains(entry.key) {
                throw unknown(entry.key, at: entry.place, among: ids)
            }
            return inputs.enumerated().map { number, input in
                let heading = headings.entries.last { $0.key == input.id }?.value
                var table = HTMLTableSpec(input.schema, rows: rows)
                table.signs = signs
                let shown = heading ?? HTMLSection.heading(of: input, columns: table.columns.map(\.title))
                return HTMLSectionPlan(heading: shown, input: number, content: .table(table))
            }
        case .list(let entries):
            var plans: [HTMLSectionPlan] = []
            for entry in entries {
                guard let number = ids.firstIndex(of: entry.from) else {
                    throw unknown(entry.from, at: entry.place, among: ids)
                }
                if let plan = try entry.plan(inputs[number], number: number, asOf: asOf, signs: signs) {
                    plans.append(plan)
                }
            }
            let seen = Set(entries.map(\.from) + measured)
            if let unseen = ids.first(where: { !seen.contains($0) }) {
                let message = "no section shows '\(unseen)', which this stage reads"
                let hint = "add '- { from: \(unseen) }', or take it out of 'from'"
                throw DaybookError("unread-input", message, at: place, hint: hint)
            }
            return plans
        }
    }

    /// The error for a section of an unknown input.
    private func unknown(_ id: String, at place: SourcePlace?, among ids: [String]) -> DaybookError {
        DaybookError(
            "unknown-section",
            "'sections' names '\(id)', which is not an input of this stage",
            at: place,
            hint: NearestName.hint(for: id, among: ids) ?? "the inputs here are \(ids.joined(separator: ", "))"
        )
    }
}

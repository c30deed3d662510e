/// A figure on top of a page as the job writes it.
struct MeasureEntry: Sendable {
    let title: String
    let value: MeasureText
    let from: String?
    let place: SourcePlace?
    let format: NumberPattern?
    let unit: String?
    /// The reference it is compared with; nil without a comparison.
    let compare: PastReference?
    let good: MeasureSpec.Direction

    init(reading options: inout OptionReader) {
        title = options.read("title", help: "What the figure is called.")
        value = options.read(
            "value",
            help:
                "The figure: sum(COLUMN), mean(COLUMN), min(COLUMN), max(COLUMN), last(COLUMN) or count() of an input; "
                + "rejected(STAGE) or rows(STAGE) of the ledger, by the id of the stage."
        )
        from = options.optional(
            "from",
            help: "The input whose rows it is of, by the id of its stage; where there is one input, that."
        )
        format = options.optional(
            "format",
            help: "How it is shown, as Unicode TR35 writes numbers: #,##0.00, 0.0%, €#,##0."
        )
        unit = options.optional("unit", help: "What it is counted in, such as km.")
        let written: PastReference? = options.optional(
            "compare",
            help:
                "What it is compared with, in runs of earlier days that passed: 'last_run', 'median of 7' runs, or 'same weekday'. "
                + "The change stands beside the figure, and below it the line of the last 30 runs."
        )
        good = options.read(
            "good",
            default: .none,
            help:
                "Which way it should go, for the colour of the change. Without 'compare', it is compared with the last run."
        )
        compare = written ?? (good == .none ? nil : .last)
        place = options.place(of: "from") ?? options.place
        if from != nil, case .stage = value.subject {
            options.refuse(
                "from",
                "'from' names an input, and \(value.written) is a count of the ledger",
                hint: "leave 'from' out"
            )
        }
    }

    /// Figures that a page shows at most.
    private static let limit = 24

    private static let specs = OptionReader.specs { MeasureEntry(reading: &$0) }

    /// The measures of a page.
    static func all(reading options: inout OptionReader) -> [MeasureEntry] {
        let help = "Figures on top of the page, each an aggregate of an input."
        options.note(OptionSpec(key: "measures", kind: .list(of: .object(specs)), help: help, fallback: "[]"))
        guard let node = options.written.first(where: { $0.key == "measures" })?.value else { return [] }
        var measures: [MeasureEntry] = []
        for item in node.list ?? [node] {
            guard item.map != nil else {
                options.refuse(item.expected("a measure", hint: "write '{ title: Revenue, value: sum(revenue) }'"))
                continue
            }
            var reader = options.reader(of: item, shorthand: nil)
            measures.append(MeasureEntry(reading: &reader))
            reader.finish(stage: "a measure")
            options.add(reader)
        }
        if measures.count > limit { options.refuse("measures", "a page has \(limit) measures at most") }
        // Earlier runs know a measure by its title.
        var titles: Set<String> = []
        if let second = measures.first(where: { !titles.insert($0.title).inserted }),
            measures.contains(where: { $0.title == second.title && $0.compare != nil })
        {
            options.refuse(
                "measures",
                "two measures are called '\(second.title)', so nobody can tell which is compared",
                hint: "give each a title of its own"
            )
        }
        return measures
    }

    /// The request for earlier runs: how many days with a passed run are needed.
    var request: PastRequest? { compare.map { PastRequest(days: max($0.reach, MeasurePast.mostDays)) } }

    /// The figure, or an error at a missing option. Nil while columns are unknown.
    ///
    /// - Parameter past: the values of earlier runs.
    func spec(among inputs: [StageInput], _ past: FigurePast) throws(DaybookError) -> MeasureSpec? {
        guard let subject = try subject(among: inputs) else { return nil }
        var dayColumn: Int?
        if case .input(let number, _, _) = subject, let day = inputs[number].day {
            let schema = inputs[number].schema
            dayColumn = schema.index(of: day.text).flatMap { schema.fields[$0].kind == .day ? $0 : nil }
            if dayColumn == nil, compare != nil, !schema.isOpen { throw .withoutDay(day).located(at: place) }
        }
        return MeasureSpec(
            title: title,
            subject: subject,
            format: format,
            unit: unit,
            good: good,
            comparison: compare.map { ($0, past) },
            dayColumn: dayColumn
        )
    }

    private func subject(among inputs: [StageInput]) throws(DaybookError) -> MeasureSpec.Subject? {
        let (aggregate, column): (MeasureSpec.Aggregate, ColumnName?)
        switch value.subject {
        case .stage(let id, let count): return .stage(id, count)
        case .column(let asked, let name): (aggregate, column) = (asked, name)
        }
        let ids = inputs.map(\.id)
        guard let number = from.map({ from in ids.firstIndex(of: from) }) ?? (inputs.count == 1 ? 0 : nil) else {
            let known = "the inputs here are \(ids.joined(separator: ", "))"
            guard let from else {
                let message = "the measure '\(title)' does not say of which input it is"
                throw DaybookError("missing-option", message, at: place, hint: "add 'from'; \(known)")
            }
            let message = "the measure '\(title)' is of '\(from)', which is not an input of this stage"
            let hint = NearestName.hint(for: from, among: ids) ?? known
            throw DaybookError("unknown-section", message, at: place, hint: hint)
        }
        var source: ChartSpec.Source?
        if let column {
            let schema = inputs[number].schema
            let kinds: [ColumnKind] =
                switch aggregate {
                case .sum, .mean: [.integer, .decimal]
                // Of a day or a text there is no change in per cent.
                case _ where compare != nil: [.integer, .decimal]
                case .min, .max: [.integer, .decimal, .day, .instant]
                case .last, .count: ColumnKind.allCases.filter { $0 != .json }
                }
            let hint = compare == nil ? nil : "only numbers are compared with earlier runs"
            try schema.requiring(column, kinds, hint: hint)
            guard let index = schema.index(of: column) else { return nil }
            source = ChartSpec.Source(index: index, name: column.text, kind: schema.fields[index].kind)
        }
        return .input(number, aggregate, source)
    }
}

extension MeasureSpec.Direction: OptionChoice {}

/// What a measure is of: `sum(revenue)`, `rejected(clean)`.
struct MeasureText: OptionValue {
    enum Subject {
        case column(MeasureSpec.Aggregate, ColumnName?)
        case stage(String, MeasureSpec.Count)
    }

    let subject: Subject
    let place: SourcePlace?

    static var kind: OptionKind { .text }
    static var placeholder: MeasureText { MeasureText(.column(.count, nil), at: nil) }
    var written: String {
        switch subject {
        case .column(let aggregate, let column): "\(aggregate.rawValue)(\(column?.text ?? ""))"
        case .stage(let id, let count): "\(count.rawValue)(\(id))"
        }
    }

    private init(_ subject: Subject, at place: SourcePlace?) { (self.subject, self.place) = (subject, place) }

    init(reading node: OptionNode) throws(DaybookError) {
        let usual = """
            write sum(COLUMN), mean(COLUMN), min(COLUMN), max(COLUMN), last(COLUMN), count(), rejected(STAGE) or rows(STAGE)
            """
        guard let text = node.text, text.hasSuffix(")"), let bracket = text.firstIndex(of: "(") else {
            throw node.expected("an aggregate such as sum(revenue)", hint: usual)
        }
        let name = String(text[..<bracket])
        let inner = String(text[text.index(after: bracket)...].dropLast())
        if let count = MeasureSpec.Count(rawValue: name) {
            guard !inner.isEmpty else { throw node.expected("the id of a stage in \(name)()", hint: usual) }
            self.init(.stage(inner, count), at: node.place)
            return
        }
        guard let aggregate = MeasureSpec.Aggregate(rawValue: name) else {
            let names = MeasureSpec.Aggregate.allCases.map(\.rawValue) + MeasureSpec.Count.allCases.map(\.rawValue)
            throw node.expected(
                "an aggregate such as sum(revenue)",
                hint: NearestName.hint(for: name, among: names) ?? usual
            )
        }
        guard inner.isEmpty == (aggregate == .count) else {
            throw node.expected(aggregate == .count ? "count() without a column" : "a column in \(name)()", hint: usual)
        }
        self.init(.column(aggregate, inner.isEmpty ? nil : ColumnName(inner, at: node.place)), at: node.place)
    }
}

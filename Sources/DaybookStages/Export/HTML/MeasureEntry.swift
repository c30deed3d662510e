/// A figure on top of a page as the job writes it.
struct MeasureEntry: Sendable {
    let title: String
    let value: MeasureText
    let from: String?
    let place: SourcePlace?
    let format: NumberPattern?
    let unit: String?

    init(reading options: inout OptionReader) {
        title = options.read("title", help: "What the figure is called.")
        value = options.read(
            "value",
            help: "The figure: sum(COLUMN), mean(COLUMN), min(COLUMN), max(COLUMN), last(COLUMN) or count()."
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
        place = options.place(of: "from") ?? options.place
    }

    /// Figures that a page shows at most.
    private static let limit = 24

    private static let specs: [OptionSpec] = {
        var reader = OptionReader.listening()
        _ = MeasureEntry(reading: &reader)
        return reader.specs
    }()

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
        return measures
    }

    /// The figure, or an error at what is not there. Nil where columns are not known yet.
    func spec(among inputs: [SinkInput]) throws(DaybookError) -> MeasureSpec? {
        let ids = inputs.map(\.id)
        guard let number = from.map({ from in ids.firstIndex(of: from) }) ?? (inputs.count == 1 ? 0 : nil) else {
            let known = "the inputs here are \(ids.joined(separator: ", "))"
            guard let from else {
                throw DaybookError(
                    "missing-option",
                    "the measure '\(title)' does not say of which input it is",
                    at: place,
                    hint: "add 'from'; \(known)"
                )
            }
            throw DaybookError(
                "unknown-section",
                "the measure '\(title)' is of '\(from)', which is not an input of this stage",
                at: place,
                hint: NearestName.hint(for: from, among: ids) ?? known
            )
        }
        var source: ChartSpec.Source?
        if let column = value.column {
            let schema = inputs[number].schema
            let kinds: [ColumnKind] =
                switch value.aggregate {
                case .sum, .mean: [.integer, .decimal]
                case .min, .max: [.integer, .decimal, .day, .instant]
                case .last, .count: ColumnKind.allCases.filter { $0 != .json }
                }
            try schema.requiring(column, kinds)
            guard let index = schema.index(of: column) else { return nil }
            source = ChartSpec.Source(index: index, name: column.text, kind: schema.fields[index].kind)
        }
        return MeasureSpec(
            title: title,
            aggregate: value.aggregate,
            input: number,
            column: source,
            format: format,
            unit: unit
        )
    }
}

/// An aggregate of a measure: `sum(revenue)`.
struct MeasureText: OptionValue {
    let aggregate: MeasureSpec.Aggregate
    let column: ColumnName?

    static var kind: OptionKind { .text }
    static var placeholder: MeasureText { MeasureText(aggregate: .count, column: nil) }
    var written: String { "\(aggregate.rawValue)(\(column?.text ?? ""))" }

    private init(aggregate: MeasureSpec.Aggregate, column: ColumnName?) {
        self.aggregate = aggregate
        self.column = column
    }

    init(reading node: OptionNode) throws(DaybookError) {
        let usual = "write sum(COLUMN), mean(COLUMN), min(COLUMN), max(COLUMN), last(COLUMN) or count()"
        guard let text = node.text, text.hasSuffix(")"), let bracket = text.firstIndex(of: "(") else {
            throw node.expected("an aggregate such as sum(revenue)", hint: usual)
        }
        let name = String(text[..<bracket])
        guard let aggregate = MeasureSpec.Aggregate(rawValue: name) else {
            let names = MeasureSpec.Aggregate.allCases.map(\.rawValue)
            throw node.expected(
                "an aggregate such as sum(revenue)",
                hint: NearestName.hint(for: name, among: names) ?? usual
            )
        }
        let column = String(text[text.index(after: bracket)...].dropLast())
        guard column.isEmpty == (aggregate == .count) else {
            throw node.expected(aggregate == .count ? "count() without a column" : "a column in \(name)()", hint: usual)
        }
        self.init(aggregate: aggregate, column: column.isEmpty ? nil : ColumnName(column, at: node.place))
    }
}

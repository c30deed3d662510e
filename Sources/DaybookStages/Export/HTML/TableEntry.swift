/// The table of a section as the job writes it.
struct TableEntry: Sendable {
    enum Order: String, OptionChoice {
        case asWritten = "as_written"
        case newest
    }

    /// More rows than a browser shows at ease, and than should be held in memory.
    static let mostRows = 100_000

    let columns: OptionMap<String>
    let rows: Int
    let order: Order
    let bars: [ColumnName]
    let share: [ColumnName]
    let formats: OptionMap<NumberPattern>

    init(reading options: inout OptionReader, rows usual: Int) {
        columns = options.read(
            "columns",
            default: OptionMap(entries: []),
            help: "The columns that it shows, in that order, and their titles; all of them when left out."
        )
        rows = options.read("rows", default: usual, help: "Rows to show; the others are counted.")
        order = options.read(
            "order",
            default: .asWritten,
            help: "Whether rows stand as they come, or the last one first."
        )
        bars = options.read(
            "bars",
            default: [],
            help: "Columns of numbers with a bar behind each, as long as it is large."
        )
        share = options.read(
            "share",
            default: [],
            help: "Columns of shares, of which 1 is the whole, shown as percent with a bar."
        )
        formats = options.read(
            "formats",
            default: OptionMap(entries: []),
            help: "How the numbers of columns are shown, as Unicode TR35 writes numbers."
        )
        if !(0...TableEntry.mostRows).contains(rows) {
            options.refuse("rows", "'rows' is to be between 0 and \(TableEntry.mostRows)")
        }
    }

    static let specs: [OptionSpec] = {
        var reader = OptionReader.listening()
        _ = TableEntry(reading: &reader, rows: 500)
        return reader.specs
    }()

    /// A reader of the options under `table`, where the section has it.
    static func reader(of node: OptionNode?, in options: OptionReader) -> OptionReader {
        guard let node else { return OptionReader([], at: options.place, context: options.context) }
        return options.reader(of: node, shorthand: nil)
    }

    /// The table, or an error at the column that is not there. Nil where columns are not known yet.
    func spec(of schema: Schema, signs: NumberSigns) throws(DaybookError) -> HTMLTableSpec? {
        var spec = HTMLTableSpec(schema, rows: rows)
        if !columns.entries.isEmpty {
            spec.columns = []
            for entry in columns.entries {
                _ = try schema.requiring(ColumnName(entry.key, at: entry.place))
                guard let index = schema.index(of: entry.key) else { return nil }
                spec.columns.append(
                    HTMLTableSpec.Column(index: index, title: entry.value, kind: schema.fields[index].kind)
                )
            }
        }
        for name in bars { try shown(name, schema, &spec) { $0.hasBar = true } }
        for name in share { try shown(name, schema, &spec) { $0.isShare = true } }
        for entry in formats.entries {
            try shown(ColumnName(entry.key, at: entry.place), schema, &spec) { $0.format = entry.value }
        }
        spec.isNewestFirst = order == .newest
        spec.signs = signs
        return spec
    }

    /// Changes a column of numbers that the table shows.
    private func shown(
        _ name: ColumnName,
        _ schema: Schema,
        _ spec: inout HTMLTableSpec,
        _ change: (inout HTMLTableSpec.Column) -> Void
    ) throws(DaybookError) {
        try schema.requiring(name, .integer, .decimal)
        guard let index = schema.index(of: name) else { return }
        guard let place = spec.columns.firstIndex(where: { $0.index == index }) else {
            throw DaybookError(
                "bad-option",
                "column '\(name)' is not among the 'columns' that the table shows",
                at: name.place,
                hint: "add it to 'columns'",
                column: name.text
            )
        }
        change(&spec.columns[place])
    }
}

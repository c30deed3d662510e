/// A section of a page as the job writes it: a drawing or a table of one of the inputs.
struct SectionEntry: Sendable {
    enum Shape: String, OptionChoice {
        case table, line, bars, stacked, heat, scatter, calendar

        static let otherWords = [
            "lines": "line", "bar": "bars", "stack": "stacked", "heatmap": "heat", "heat_map": "heat",
            "points": "scatter",
        ]
    }

    enum Layout: String, OptionChoice {
        case together
        case smallMultiples = "small_multiples"
    }

    enum Scale: String, OptionChoice {
        case linear
        case logarithmic = "log"
    }

    enum ToDate: String, OptionChoice { case plain, hatch }

    let from: String
    let place: SourcePlace?
    let title: String?
    let shape: Shape
    let x: ColumnName?
    let y: [ColumnName]
    let by: ColumnName?
    let value: ColumnName?
    let text: ColumnName?
    let colour: ColumnName?
    let top: Int?
    let unit: String?
    let format: NumberPattern?
    let layout: Layout
    let toDate: ToDate
    let sum: Bool
    let firstWeekday: FirstWeekday
    let least: Double?
    let most: Double?
    let scale: Scale
    let mail: Bool
    let table: TableEntry

    /// The options of each drawing beside `from`, `title` and `chart`; `!` marks required ones.
    private static let allowed: [Shape: [String]] = [
        .table: ["table", "mail"],
        .line: [
            "x!", "y!", "by", "top", "unit", "format", "layout", "to_date", "sum", "colour", "min", "max", "scale",
            "mail",
        ],
        .bars: ["x!", "y!", "by", "top", "unit", "format", "layout", "to_date", "sum", "colour", "min", "max", "mail"],
        .stacked: ["x!", "y!", "by!", "top", "unit", "format", "to_date", "sum", "colour", "min", "max", "mail"],
        .heat: ["x!", "y!", "value!", "top", "unit", "format", "sum", "min", "max", "scale", "mail"],
        .scatter: ["x!", "y!", "by", "top", "unit", "format", "colour", "min", "max", "scale"],
        .calendar: ["x!", "value", "text", "sum", "first_weekday"],
    ]

    /// - Parameter rows: the row limit of tables that set none.
    init(reading options: inout OptionReader, rows: Int) {
        from = options.read("from", help: "The input whose rows it shows, by the id of its stage.")
        place = options.place(of: "from") ?? options.place
        title = options.optional("title", help: "Its heading; made from what it shows when left out.")
        shape = options.read("chart", default: .table, help: "How it shows them.")
        x = options.optional(
            "x",
            help: "Column of the places from left to right: months such as 2026-03, days, instants, numbers or names."
        )
        y = options.read(
            "y",
            default: [],
            help: "Columns of the values, one or several; in a heat map the column of its rows."
        )
        by = options.optional("by", help: "Column whose texts tell several lines, bars or points apart.")
        value = options.optional(
            "value",
            help: "Column of the numbers in a heat map or a calendar; without it, a calendar counts rows."
        )
        text = options.optional("text", help: "Column that is written on the days of a calendar.")
        colour = options.optional(
            "colour",
            help: "Column with the colours of what 'by' tells apart, or else of the bars, such as #EC007F."
        )
        top = options.optional(
            "top",
            help:
                "How many of what 'by' tells apart are drawn, the largest; the others are Other where they add up, and else are left out."
        )
        unit = options.optional("unit", help: "What the values are counted in, such as € or km.")
        format = options.optional(
            "format",
            help: "How values are shown, as Unicode TR35 writes numbers: #,##0.00, 0.0%, €#,##0."
        )
        layout = options.read("layout", default: .together, help: "Whether each series has a drawing of its own.")
        toDate = options.read(
            "to_date",
            default: .plain,
            help: "Whether the month of as_of, which is not over, is hatched."
        )
        sum = options.read(
            "sum",
            default: false,
            help: "Whether several rows of one place may be added up; they are not drawn otherwise."
        )
        firstWeekday = options.read(
            "first_weekday",
            default: .sunday,
            help: "Weekday on which the weeks of a calendar begin."
        )
        least = options.optional(
            "min",
            help: "The lowest value of the axis, or of the shades of a heat map; lower ones are drawn at its end."
        )
        most = options.optional(
            "max",
            help: "The highest value of the axis, or of the shades of a heat map; higher ones are drawn at its end."
        )
        scale = options.read(
            "scale",
            default: .linear,
            help: "Whether equal distances are equal differences, or with log equal ratios."
        )
        mail = options.read(
            "mail",
            default: false,
            help: "Whether mails about the run show its first rows as a table; of a page three sections at most."
        )
        let written = options.written.first { $0.key == "table" }?.value
        var nested =
            written.map { options.reader(of: $0, shorthand: nil) }
            ?? OptionReader([], at: options.place, context: options.context)
        table = TableEntry(reading: &nested, rows: rows)
        nested.finish(stage: "a table")
        let help = "Which columns and rows a table shows, and how."
        options.note(OptionSpec(key: "table", kind: .object(TableEntry.specs), help: help))
        options.add(nested)
        if options.problems.isEmpty { check(&options) }
    }

    private func check(_ options: inout OptionReader) {
        let allowed = SectionEntry.allowed[shape] ?? []
        let names = allowed.map { $0.filter { $0 != "!" } }
        for name in allowed where name.hasSuffix("!") && !options.isWritten(String(name.dropLast())) {
            let key = String(name.dropLast())
            let required = allowed.filter { $0.hasSuffix("!") }.map { "'\($0.dropLast())'" }.joined(separator: ", ")
            let hint = "'chart: \(shape.rawValue)' needs \(required)"
            options.refuse(
                DaybookError("missing-option", "the option '\(key)' is missing", at: options.place, hint: hint)
            )
        }
        let others = [
            "x", "y", "by", "value", "text", "colour", "top", "unit", "format", "layout", "to_date", "sum",
            "first_weekday", "table", "min", "max", "scale", "mail",
        ]
        for key in others where options.isWritten(key) && !names.contains(key) {
            options.refuse(
                key,
                "'\(key)' has no meaning with 'chart: \(shape.rawValue)'",
                hint: "it takes \(names.joined(separator: ", "))"
            )
        }
        if let top, !(1...limit).contains(top) { options.refuse("top", "'top' is to be between 1 and \(limit)") }
        checkAxis(&options)
        if shape != .line, shape != .bars, y.count > 1 {
            options.refuse(
                "y",
                "'chart: \(shape.rawValue)' takes one column as 'y'",
                hint: "what columns hold is never added up; unpivot_rows makes rows of them"
            )
        } else if by != nil, y.count > 1 {
            options.refuse("by", "'by' goes with one column as 'y'")
        } else if y.count > HTMLPalette.seriesCount, layout == .together {
            options.refuse(
                "y",
                "a drawing has \(HTMLPalette.seriesCount) columns at most",
                hint: "write 'layout: small_multiples', which has 24"
            )
        } else if y.count > 24 {
            options.refuse("y", "a section has 24 drawings at most")
        }
        options.refuseRepeats(of: y, in: "y")
    }

    private func checkAxis(_ options: inout OptionReader) {
        let limits = ChartPoints.ratioLimit...ChartPoints.valueLimit
        for (key, end) in [("min", least), ("max", most)] {
            guard let end, end != 0, !limits.contains(end.magnitude) else { continue }
            options.refuse(key, "the ends of an axis are 0 or between 1e-300 and 1e300, above or below 0")
        }
        if let least, let most, least >= most { options.refuse("max", "'max' is to be above 'min'") }
        if scale == .logarithmic, (least ?? 1) <= 0 || (most ?? 1) <= 0 {
            options.refuse(least == nil ? "max" : "min", "with 'scale: log' an axis has numbers above 0 only")
        }
        if shape == .bars || shape == .stacked, (least ?? 0) > 0 || (most ?? 0) < 0 {
            options.refuse(least == nil ? "max" : "min", "the lengths of bars begin at 0, so the axis has it")
        }
    }

    private var limit: Int { shape == .heat ? 60 : HTMLPalette.seriesCount }

    // MARK: Columns

    /// The plan of the section, or an error at the option that names something missing. Nil while columns are unknown.
    func plan(_ input: StageInput, number: Int, asOf: CalendarDay, signs: NumberSigns) throws(DaybookError)
        -> HTMLSectionPlan?
    {
        guard shape != .table else {
            guard let table = try table.spec(of: input.schema, signs: signs) else { return nil }
            let heading = title ?? HTMLSection.heading(of: input, columns: table.columns.map(\.title))
            return HTMLSectionPlan(heading: heading, input: number, content: .table(table), isMailed: mail)
        }
        guard var spec = try chart(input.schema, asOf: asOf) else { return nil }
        spec.signs = signs
        let heading = title ?? heading(of: spec)
        return HTMLSectionPlan(heading: heading, input: number, content: .chart(spec), isMailed: mail)
    }

    private func chart(_ schema: Schema, asOf: CalendarDay) throws(DaybookError) -> ChartSpec? {
        let numbers: [ColumnKind] = [.integer, .decimal]
        let places: [ColumnKind] =
            switch shape {
            case .scatter: [.integer, .decimal, .day, .instant]
            case .calendar: [.day]
            default: ColumnKind.allCases.filter { $0 != .json }
            }
        guard let kind = ChartSpec.Kind(rawValue: shape.rawValue), x != nil else { return nil }
        let place = try source(x, places, schema)
        var values: [ChartSpec.Source] = []
        let columns = shape == .heat || shape == .calendar ? [value].compactMap { $0 } : y
        for column in columns {
            guard let found = try source(column, shape == .calendar ? [.integer] : numbers, schema) else { return nil }
            values.append(found)
        }
        let grouping = shape == .heat ? y.first : by
        let by = try source(grouping, ColumnKind.allCases.filter { $0 != .json }, schema)
        let (colour, text) = (try source(colour, [.text], schema), try source(text, [.text], schema))
        guard let place, grouping == nil || by != nil else { return nil }
        var spec = ChartSpec(kind: kind, x: place, values: values, by: by, asOf: asOf)
        (spec.colour, spec.text) = (colour, text)
        (spec.top, spec.unit, spec.format) = (top, unit, format)
        spec.isSplit = layout == .smallMultiples
        spec.hatches = toDate == .hatch
        (spec.least, spec.most, spec.isLogarithmic) = (least, most, scale == .logarithmic)
        spec.addsUp = sum
        spec.firstWeekday = firstWeekday
        return spec
    }

    private func source(
        _ name: ColumnName?,
        _ kinds: [ColumnKind],
        _ schema: Schema
    ) throws(DaybookError) -> ChartSpec.Source? {
        guard let name else { return nil }
        try schema.requiring(name, kinds)
        guard let index = schema.index(of: name) else { return nil }
        return ChartSpec.Source(index: index, name: name.text, kind: schema.fields[index].kind)
    }

    /// `Revenue by month`.
    private func heading(of spec: ChartSpec) -> String {
        let x = spec.x.name
        let values = spec.values.map(\.title).joined(separator: ", ")
        return switch shape {
        case .calendar: values.isEmpty ? spec.x.title : values
        case .heat: spec.words("{0} by {1} and {2}", values, spec.by?.name ?? "", x)
        default:
            spec.by.map { spec.words("{0} by {1} and {2}", values, x, $0.name) } ?? spec.words("{0} by {1}", values, x)
        }
    }
}

extension NumberPattern: OptionValue {
    package static var kind: OptionKind { .text }
    package static var placeholder: NumberPattern {
        do { return try NumberPattern("0") } catch { preconditionFailure("a pattern of one digit is good") }
    }
    package var written: String { text }

    package init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text, !text.isEmpty else { throw node.expected("a number pattern such as #,##0.00") }
        do { try self.init(text) } catch {
            let message = "'\(text)' is no number pattern: \(error.message)"
            let hint = "write one such as '#,##0.00', '0.0%' or '€#,##0'"
            throw DaybookError("bad-option", message, at: node.place, hint: hint)
        }
    }
}

/// The table of a section as the job writes it.
struct TableEntry: Sendable {
    enum Order: String, OptionChoice {
        case asWritten = "as_written"
        case newest
    }

    /// More rows than a browser shows at ease, and than should be in memory.
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

    static let specs = OptionReader.specs { TableEntry(reading: &$0, rows: 500) }

    /// The table, or an error at the missing column. Nil while columns are unknown.
    func spec(of schema: Schema, signs: NumberSigns) throws(DaybookError) -> HTMLTableSpec? {
        var spec = HTMLTableSpec(schema, rows: rows)
        if !columns.entries.isEmpty {
            spec.columns = []
            for entry in columns.entries {
                _ = try schema.requiring(ColumnName(entry.key, at: entry.place))
                guard let index = schema.index(of: entry.key) else { return nil }
                let kind = schema.fields[index].kind
                spec.columns.append(HTMLTableSpec.Column(index: index, title: entry.value, kind: kind))
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
            let message = "column '\(name)' is not among the 'columns' that the table shows"
            throw DaybookError("bad-option", message, at: name.place, hint: "add it to 'columns'", column: name.text)
        }
        change(&spec.columns[place])
    }
}

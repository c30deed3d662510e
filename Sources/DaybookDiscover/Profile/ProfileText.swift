import DaybookReports

/// Profiles for people at a terminal: a table of all columns, and then each column by itself.
struct ProfileText {
    private let style: TerminalStyle
    /// How wide the longest bar is.
    private static let barWidth = 24

    init(_ style: TerminalStyle) { self.style = style }

    func text(of tables: [ProfiledTable]) -> String {
        tables.map { table in
            (head(of: table) + overview(of: table) + table.columns.flatMap(lines)).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }

    private func head(of table: ProfiledTable) -> [String] {
        let columns = DisplayText.count(table.columns.count + table.restOfColumns, "column")
        var line = "  \(DisplayText.count(table.rows, "row")), \(columns)"
        if table.part == nil, let bytes = table.bytes { line += ", \(DisplayText.size(bytes))" }
        var lines = [style.bold(printable(table.title)), "  \(printable(table.form))", line].map(style.prose)
        if table.rejected > 0 {
            let are = "cannot be read and \(table.rejected == 1 ? "is" : "are") not counted:"
            lines.append(style.warning("  \(DisplayText.count(table.rejected, "record")) \(are)"))
            lines += table.rejections.map { style.prose("    \(printable($0))") }
            if table.rejected > table.rejections.count {
                lines.append("    and \(DisplayText.count(table.rejected - table.rejections.count)) more")
            }
        }
        if table.restOfColumns > 0 {
            lines.append("  only the first \(DisplayText.count(table.columns.count)) columns were looked at")
        }
        return lines
    }

    // MARK: - All columns

    private func overview(of table: ProfiledTable) -> [String] {
        guard !table.columns.isEmpty else { return [] }
        let rows = table.columns.map { column in
            [
                printable(column.name.shortened(to: 32)), column.holds,
                column.missing == 0 ? "–" : DisplayText.count(column.missing),
                ProfileText.distinct(column), printable(ProfileText.range(of: column) ?? ""),
            ]
        }
        let head = ["column", "holds", "missing", "distinct", "range"]
        let text = TextTable([.left, .left, .right, .right, .left], [head] + rows)
        return [""] + text.lines(width: style.width, heading: style.faint)
    }

    /// `422`, or `≈ 1,204,000` for an estimate.
    static func distinct(_ column: ColumnFacts) -> String {
        column.distinct.isExact
            ? DisplayText.count(column.distinct.count) : "≈ \(DisplayText.count(rounded(column.distinct.count)))"
    }

    /// Rounds to three digits, the precision of an estimate.
    static func rounded(_ number: Int) -> Int {
        var unit = 1
        while number / unit >= 1_000 { unit *= 10 }
        return (number + unit / 2) / unit * unit
    }

    static func range(of column: ColumnFacts) -> String? {
        if let days = column.days { return span(days) }
        // The few numbers among texts say nothing about the others.
        if let numbers = column.numbers, column.holds != ValueForm.Kind.text.displayText {
            let (least, most) = (numbers.displayLeast, numbers.displayMost)
            let others = numbers.others > 0 ? ", and \(DisplayText.count(numbers.others, "other"))" : ""
            return (least == most ? least : "\(least) to \(most)") + others
        }
        return column.lengths.map(length)
    }

    private static func span(_ days: (first: CalendarDay, last: CalendarDay)) -> String {
        days.first == days.last ? "\(days.first)" : "\(days.first) to \(days.last)"
    }

    static func length(_ lengths: TextLengths) -> String {
        lengths.least == lengths.most
            ? DisplayText.count(lengths.most, "character")
            : "\(DisplayText.count(lengths.least)) to \(DisplayText.count(lengths.most)) characters"
    }

    // MARK: - One column

    private func lines(of column: ColumnFacts) -> [String] {
        let rows = ProfileText.facts(of: column).map { ["  \($0.name)", printable($0.value)] }
        let facts = TextTable([.left, .left], rows)
        var lines = ["", style.bold(printable(column.name)) + "  " + style.faint(column.holds)]
        lines += facts.lines(indent: "", width: style.width)
        let bars = ProfileText.bars(of: column)
        if !bars.isEmpty { lines += [""] + bars.lines(style, width: ProfileText.barWidth) }
        lines += column.notes.map { style.prose("  " + style.faint("note: \(printable($0))")) }
        return lines
    }

    /// The facts of a column in words, for text and page.
    static func facts(of column: ColumnFacts) -> [(name: String, value: String)] {
        var facts: [(String, String)] = []
        let missing =
            column.missing == 0
            ? "none missing"
            : "\(DisplayText.count(column.missing)) missing (\(DisplayText.share(column.missing, of: column.rows)))"
        facts.append(("values", "\(DisplayText.count(column.present)), \(missing)"))
        guard column.present > 0 else { return facts }
        if column.kinds.count > 1 {
            let kinds = column.kinds.map { "\(DisplayText.count($0.count)) \($0.kind.displayText)" }
            facts.append(("kinds", DisplayText.list(kinds)))
        }
        var distinct = ProfileText.distinct(column)
        if !column.distinct.isExact { distinct += " (estimated)" }
        if column.isUnique { distinct = "each comes once" + (column.isRising ? ", in rising order" : "") }
        facts.append(("distinct", distinct))
        if let days = column.days { facts.append(("days", span(days))) }
        if !column.formats.isEmpty {
            let formats = column.formats.map { format in
                column.formats.count == 1 ? format.text : "\(format.text) (\(DisplayText.count(format.count)))"
            }
            facts.append(("written", DisplayText.list(formats)))
        }
        if column.days == nil, let numbers = column.numbers {
            facts.append(("numbers", ProfileText.words(for: numbers)))
        }
        if let lengths = column.lengths, column.days == nil {
            var text = length(lengths)
            let mean = (Double(lengths.total) / Double(lengths.count) * 10).rounded() / 10
            if lengths.least < lengths.most { text += ", mean \(DisplayText.number(mean))" }
            facts.append(("length", text))
        }
        return facts
    }

    private static func words(for numbers: NumberFacts) -> String {
        let (least, most) = (numbers.displayLeast, numbers.displayMost)
        var text = "all \(least)"
        if least != most {
            let mean = numbers.mean.magnitude >= WholeRange.exactLimit ? "≈ " : ""
            text = "\(least) to \(most), mean \(mean)\(DisplayText.number(numbers.mean)), median "
            text += numbers.medianIsExact ? DisplayText.number(numbers.median) : "≈ \(estimate(numbers))"
        }
        if numbers.unbounded > 0 { text += "; \(DisplayText.count(numbers.unbounded)) not finite" }
        if numbers.others > 0 {
            text += "; \(DisplayText.count(numbers.others, "other is no number", "others are no numbers"))"
        }
        return text
    }

    /// The certain digits of the median, and one more.
    static func estimate(_ numbers: NumberFacts) -> String {
        let width = numbers.medianBounds.upperBound - numbers.medianBounds.lowerBound
        var unit = 1.0
        while unit * 10 <= width, unit < 1e300 { unit *= 10 }
        while unit > width, unit > 1e-3 { unit /= 10 }
        let rounded = (numbers.median / unit).rounded() * unit
        return DisplayText.number(rounded.isFinite ? rounded : numbers.median)
    }

    /// The bars of a column: its values if they are few or repeat, otherwise their spread.
    static func bars(of column: ColumnFacts) -> ProfileBars {
        // Values that only identify rows have no shape.
        guard !column.isIdentifier else { return ProfileBars(bars: []) }
        let all = column.distinct.isExact && column.undercount == 0 && column.distinct.count <= ColumnFacts.mostTop
        if !all, let histogram = column.histogram { return ProfileBars(histogram) }
        // Bars of unique values would say nothing.
        guard column.distinct.count > 1, let first = column.top.first, first.count > 1
        else { return ProfileBars(bars: []) }
        var top = column.top
        // Numbers and days in their order; other words by their counts.
        if all, column.declared == .day || column.declared == .instant {
            top.sort { $0.text < $1.text }
        } else if all, column.numbers?.count == column.present {
            top.sort { Double($0.text) ?? 0 < Double($1.text) ?? 0 }
        }
        var bars = top.map { (label: label($0), count: $0.count) }
        // If most values are unique, only the others are worth showing.
        if !all { bars = bars.filter { $0.count > 1 } }
        return ProfileBars(bars: bars, certainty: column.undercount > 0 ? .atLeast : .exact)
    }

    private static func label(_ top: ColumnFacts.Top) -> String {
        top.text.isEmpty ? "\"\"" : top.text.shortened(to: 32) + (top.isCut && top.text.count <= 32 ? "…" : "")
    }

    private func printable(_ text: String) -> String { PrintableText.of(text) }
}

/// The bars of a column.
struct ProfileBars {
    /// How exact the counts are.
    enum Certainty { case exact, about, atLeast }

    var bars: [(label: String, count: Int)]
    var certainty = Certainty.exact
    /// Whether the bars stand for ranges and not for single values.
    var isSpread = false

    var isEmpty: Bool { bars.isEmpty }

    var most: Int { bars.map(\.count).max() ?? 0 }

    /// A count, marked if it is an estimate.
    func displayText(_ count: Int) -> String {
        switch certainty {
        case .exact: DisplayText.count(count)
        case .about: count < 10 ? DisplayText.count(count) : "≈ \(DisplayText.count(ProfileText.rounded(count)))"
        case .atLeast: "≥ \(DisplayText.count(count))"
        }
    }

    func lines(_ style: TerminalStyle, width: Int) -> [String] {
        let rows = bars.map {
            [PrintableText.of($0.label), ProfileBars.bar($0.count, of: most, width: width), displayText($0.count)]
        }
        return TextTable([isSpread ? .right : .left, .left, .right], rows).lines(indent: "    ")
    }

    /// A bar in eighths of a cell, at least one for any value.
    private static func bar(_ count: Int, of most: Int, width: Int) -> String {
        guard count > 0, most > 0 else { return "" }
        let eighths = max(1, Int(Double(count) / Double(most) * Double(width * 8)))
        let ends = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + ends[eighths % 8]
    }
}

extension ProfileBars {
    init(_ histogram: Histogram) {
        bars = histogram.bars.map { ($0.label, $0.count) }
        certainty = histogram.isExact ? .exact : .about
        isSpread = true
    }
}

/// Profiles for programs: one document, with sorted keys.
///
/// Estimates have `exact` false, with their bounds beside it.
enum ProfileJSON {
    static func text(of tables: [ProfiledTable]) -> String {
        let document: JSONValue = ["profile": 1, "tables": .list(tables.map(table))]
        return JSONDocument.text(of: document)
    }

    private static func table(_ table: ProfiledTable) -> JSONValue {
        [
            "file": .text(table.file), "part": JSONValue(table.part), "form": .text(table.form),
            "bytes": table.bytes.map(JSONValue.number) ?? .null, "rows": .number(table.rows),
            "rejected": .number(table.rejected), "rejections": .texts(table.rejections),
            "columns": .list(table.columns.map(column)), "columns_not_looked_at": .number(table.restOfColumns),
        ]
    }

    private static func column(_ column: ColumnFacts) -> JSONValue {
        let kinds = Dictionary(uniqueKeysWithValues: column.kinds.map { ($0.kind.key, JSONValue.number($0.count)) })
        let error = column.distinct.isExact ? JSONValue.null : .decimal(DistinctCount.error)
        let distinct = JSONValue(withoutNulls: [
            "count": .number(column.distinct.count), "exact": .flag(column.distinct.isExact), "standard_error": error,
        ])
        return [
            "name": .text(column.name), "column_kind": .text(column.declared.rawValue), "holds": .text(column.holds),
            "count": .number(column.present), "missing": .number(column.missing), "kinds": .map(kinds),
            "distinct": distinct, "values_digest": .text(String(column.digest, radix: 16)),
            "unique": .flag(column.isUnique), "rising": .flag(column.isRising),
            "top": .list(column.top.map(top)),
            "top_exact": .flag(column.undercount == 0), "top_undercount": .number(column.undercount),
            "length": column.lengths.map(length) ?? .null, "numbers": column.numbers.map(numbers) ?? .null,
            "days": column.days.map { ["first": .text("\($0.first)"), "last": .text("\($0.last)")] } ?? .null,
            "date_formats": .list(column.formats.map(format)),
            "gap_words": .list(column.gaps.map { ["word": .text($0.word), "count": .number($0.count)] }),
            "histogram": .list(column.histogram?.bars.map(bar) ?? []),
            "histogram_exact": .flag(column.histogram?.isExact ?? true),
            "notes": .texts(column.notes),
        ]
    }

    private static func length(_ lengths: TextLengths) -> JSONValue {
        [
            "least": .number(lengths.least), "most": .number(lengths.most),
            "mean": .decimal(Double(lengths.total) / Double(lengths.count)),
        ]
    }

    private static func numbers(_ numbers: NumberFacts) -> JSONValue {
        [
            "count": .number(numbers.count),
            "least": numbers.leastWhole.map { .number(Int($0)) } ?? .decimal(numbers.least),
            "most": numbers.mostWhole.map { .number(Int($0)) } ?? .decimal(numbers.most),
            "mean": .decimal(numbers.mean),
            "median": [
                "value": .decimal(numbers.median), "exact": .flag(numbers.medianIsExact),
                "least": .decimal(numbers.medianBounds.lowerBound), "most": .decimal(numbers.medianBounds.upperBound),
            ],
            "quantiles": .list(
                numbers.quantiles.map { share, bounds in
                    [
                        "share": .decimal(share), "least": .decimal(bounds.lowerBound),
                        "most": .decimal(bounds.upperBound),
                    ]
                }
            ),
            "with_fraction": .number(numbers.fractions), "not_finite": .number(numbers.unbounded),
        ]
    }

    private static func format(_ format: DateVerdict.Format) -> JSONValue {
        let sample: JSONValue = ["value": .text(format.sample.text), "line": JSONValue(format.sample.line)]
        return ["format": .text(format.text), "count": .number(format.count), "sample": sample]
    }

    private static func top(_ top: ColumnFacts.Top) -> JSONValue {
        ["value": .text(top.text), "cut": .flag(top.isCut), "count": .number(top.count)]
    }

    private static func bar(_ bar: Histogram.Bar) -> JSONValue {
        ["label": .text(bar.label), "from": .text(bar.from), "count": .number(bar.count)]
    }
}

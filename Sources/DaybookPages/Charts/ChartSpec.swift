/// The content of a drawing, and its columns.
package struct ChartSpec: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case line, bars, stacked, heat, scatter, calendar
    }

    /// A column of the input.
    package struct Source: Sendable, Hashable {
        package var index: Int
        package var name: String
        package var kind: ColumnKind

        /// The name as a title: `unit_price` as "Unit price".
        package var title: String { HTMLSection.heading(ofID: name) }
    }

    package let kind: Kind
    package let x: Source
    /// The columns of values: one or several side by side; none in a calendar that counts rows.
    package let values: [Source]
    /// The column whose texts name the series.
    package let by: Source?
    /// The column with the colours of the series, or of the bars without series.
    package var colour: Source?
    /// The column that is written on the days of a calendar.
    package var text: Source?
    package var top: Int?
    package var unit: String?
    package var format: NumberPattern?
    /// Whether each series has a drawing of its own.
    package var isSplit = false
    /// Whether the unfinished period is hatched.
    package var hatches = false
    /// The ends of the value axis, or of the shades; nil for those of the values.
    package var least: Double?
    package var most: Double?
    /// Whether equal distances are equal ratios.
    package var isLogarithmic = false
    /// Whether rows of one place may be added up.
    package var addsUp = false
    package var firstWeekday = FirstWeekday.sunday
    package var asOf: CalendarDay
    /// The number signs of the page, and its own texts.
    package var signs = NumberSigns(language: "")
    package var words: PageWords { signs.words }

    /// Whether the parts of a drawing make up a total.
    var hasTotals: Bool { kind == .stacked }

    /// The limit of series drawn; the others are drawn together, or left out.
    var mostSeries: Int { top ?? (kind == .heat ? 24 : HTMLPalette.seriesCount) }

    /// What the values are, with their unit: `Revenue, €`.
    var valueTitle: String {
        let name = values.count == 1 ? values[0].title : ""
        guard format == nil, let unit, !unit.isEmpty else { return name }
        return name.isEmpty ? unit : "\(name), \(unit)"
    }

    /// A value as text in a sentence.
    func text(of value: Double) -> String { signs.text(of: value, as: format, in: unit) }
}

/// The part of the style sheet for drawings.
enum ChartStyle {
    static let screen = """
        svg.chart{max-width:none;min-width:0;width:100%;overflow:visible}
        figure{overflow-x:clip}
        .tight{display:none}
        .multiples{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 2rem}
        .multiples figure{margin-top:1.5rem}
        svg.chart path,svg.chart circle,svg.chart rect{stroke-linejoin:round}
        svg.chart .soft{fill:var(--soft)}
        svg.chart .ln{fill:none;stroke:var(--k);stroke-width:2.25;stroke-linecap:round}
        svg.chart .dash{stroke-dasharray:2 5}
        svg.chart .open{fill:var(--page);stroke:var(--k);stroke-width:2}
        svg.chart .point{fill:var(--k);fill-opacity:.62;stroke:var(--k);stroke-width:.75}
        svg.chart .stripe{stroke:var(--page);stroke-width:3.2;fill:none}
        .m{outline:none;cursor:default}
        .m .hit{fill:transparent}
        .m:hover .hit,.m:focus .hit{fill:var(--ink);fill-opacity:.06}
        .m:focus-visible .hit{stroke:var(--accent);stroke-width:1.5}
        .bub{visibility:hidden;pointer-events:none}
        .m:hover .bub,.m:focus .bub{visibility:visible}
        .bub rect{fill:var(--ink)}
        svg.chart .bub text{fill:var(--page)}
        svg.chart .bub .lead{font-weight:650}
        figure>.legend{margin:0 0 .6rem}
        """

    static let narrow = """
        .roomy{display:none}
        .tight{display:block;max-width:30rem}
        .multiples{grid-template-columns:minmax(0,1fr)}
        """

    static let print = """
        .bub{display:none}
        .roomy{display:block}
        .tight{display:none}
        .multiples{grid-template-columns:repeat(2,minmax(0,1fr))}
        svg.flow:not(.tall){max-height:200mm}
        figure:has(svg.tall){break-inside:auto}
        """
}

/// The colours of the series of a page: one name has one colour in all of its drawings, the largest the first.
struct ChartColours {
    private var numbers: [String: Int] = [:]
    private var next = 0

    /// The style of each series of a drawing: a class, or a colour of the data.
    ///
    /// - Parameter column: the column of the series' values; two columns may have values of one name.
    mutating func styles(of series: [ChartTable.Series], in column: String?) -> [SeriesStyle] {
        for one in series where !one.isOther && one.colour == nil {
            let name = ChartColours.name(one.name, column)
            guard numbers[name] == nil else { continue }
            numbers[name] = next
            next += 1
        }
        let own = series.map { one in
            one.isOther ? -1 : (numbers[ChartColours.name(one.name, column)] ?? 0) % HTMLPalette.seriesCount
        }
        // If the page has more names than colours, the series of one drawing still differ.
        let isClear = Set(own).count == own.count
        return series.enumerated().map { index, one in
            if let colour = one.colour { return SeriesStyle(name: "s0", colour: colour) }
            if one.isOther { return SeriesStyle(name: "s0", colour: nil) }
            return SeriesStyle(name: "s\((isClear ? own[index] : index % HTMLPalette.seriesCount) + 1)", colour: nil)
        }
    }

    private static func name(_ series: String, _ column: String?) -> String { "\(column ?? "")\u{0}\(series)" }
}

/// The style of the marks of a series.
struct SeriesStyle: Hashable {
    /// A class of the style sheet, which gives the colour as `--k`.
    let name: String
    /// A colour of the data, checked by `HexSwatch`.
    let colour: String?

    /// The attributes of a mark, with further classes.
    func attributes(_ classes: String = "") -> HTML {
        let names = classes.isEmpty ? name : "\(name) \(classes)"
        let own: HTML = colour.map { " style=\"--k:\($0)\"" } ?? ""
        return " class=\"\(names)\"\(own)"
    }
}

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
    func text(of value: Double, _ signs: NumberSigns) -> String {
        if let format { return format.text(of: value, signs) }
        let text = signs.localised(Figure.displayText(value))
        return unit.map { $0.isEmpty ? text : "\(text)\u{A0}\($0)" } ?? text
    }
}

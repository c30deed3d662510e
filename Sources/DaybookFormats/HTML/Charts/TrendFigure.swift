/// Numbers by day as lines, each in a drawing of its own: what is known of runs that are over.
package struct TrendFigure {
    /// Lines that are drawn at most.
    package static let limit = ChartPoints.seriesLimit

    private let id: String
    private let heading: String
    private let names: [String]
    private let rows: [(day: CalendarDay, values: [Double?])]

    /// - Parameters:
    ///   - id: unique in the page.
    ///   - names: of the lines, each another, up to `limit`.
    ///   - rows: the values of a day in the order of the names; each day once.
    package init(id: String, heading: String, names: [String], rows: [(day: CalendarDay, values: [Double?])]) {
        (self.id, self.heading, self.names, self.rows) = (id, heading, names, rows)
    }

    /// A sentence, the drawings, and the numbers as a table.
    package var markup: HTML {
        let days = Column.days(Values(rows.map(\.day.number)))
        let columns = names.indices.map { index in
            Column.decimals(Values(rows.map { $0.values[index] }, filler: 0))
        }
        let fields = [Field("Day", .day)] + names.map { Field($0, .decimal) }
        let batch = Batch(Schema(fields), [days] + columns, count: rows.count, provenance: .made)
        let values = names.enumerated().map { ChartSpec.Source(index: $0 + 1, name: $1, kind: .decimal) }
        let day = ChartSpec.Source(index: 0, name: "Day", kind: .day)
        var spec = ChartSpec(
            kind: .line,
            x: day,
            values: values,
            by: nil,
            asOf: rows.last?.day ?? CalendarDay(number: 0)
        )
        spec.isSplit = true
        var colours = ChartColours()
        let figure = ChartFigure(id: id, heading: heading, spec: spec, lang: "", signs: NumberSigns(language: "en"))
        return figure.markup(of: ChartPoints(batch, spec), &colours)
    }
}

import DaybookCore

extension HTMLPalette {
    /// The class of a series: `s1` to `s9`, and `s0` for what is drawn together as others.
    static func style(ofSeries index: Int, in table: MonthTable) -> String {
        table.hasOthers && index == table.series.count - 1 ? "s0" : "s\(index % seriesCount + 1)"
    }
}

/// The colours of the series of a page: one name has one colour in all of its drawings, the largest the first.
struct ChartColours {
    private var numbers: [String: Int] = [:]
    private var next = 0

    /// The style of each series of a drawing: a class, or a colour of the data.
    ///
    /// - Parameter column: of which the series are the values; two columns may have values of one name.
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
        // Where there are more names on the page than colours, a drawing still tells its own apart.
        let isClear = Set(own).count == own.count
        return series.enumerated().map { index, one in
            if let colour = one.colour { return SeriesStyle(name: "s0", colour: colour) }
            if one.isOther { return SeriesStyle(name: "s0", colour: nil) }
            return SeriesStyle(name: "s\((isClear ? own[index] : index % HTMLPalette.seriesCount) + 1)", colour: nil)
        }
    }

    private static func name(_ series: String, _ column: String?) -> String { "\(column ?? "")\u{0}\(series)" }
}

/// How the marks of a series are painted.
struct SeriesStyle: Hashable {
    /// A class of the style sheet, which gives the colour as `--k`.
    let name: String
    /// A colour of the data, that of `HexSwatch` alone.
    let colour: String?

    /// The attributes of what is painted so, with further classes.
    func attributes(_ classes: String = "") -> HTML {
        let names = classes.isEmpty ? name : "\(name) \(classes)"
        let own: HTML = colour.map { " style=\"--k:\($0)\"" } ?? ""
        return " class=\"\(names)\"\(own)"
    }
}

/// A measure as a page shows it: the value, how it changed, and the line of the last runs.
struct MeasureTile {
    let spec: MeasureSpec
    let figures: MeasureFigures
    let run: RunSummary
    let signs: NumberSigns
    private var words: PageWords { signs.words }

    /// - Parameter id: of the drawing, unique in the page.
    func markup(id: String) -> HTML {
        let text = spec.text(of: figures.value, run, signs)
        // A number and its unit stay on one line.
        let shown = number == nil ? text : text.replacing(" ", with: "\u{A0}")
        // A day other than that of the page, which its heading tells.
        let label = figures.isOfDay && figures.day != run.asOf ? "\(spec.title), \(figures.day)" : spec.title
        return PageParts.tile(label: label, value: shown, after: change(from: text), below: before + line(id))
    }

    var number: Double? { figures.number.flatMap { $0.isFinite && $0.magnitude <= ChartPoints.valueLimit ? $0 : nil } }

    /// `+3.2 %`, with both numbers as a tooltip. Empty without an earlier run.
    private func change(from text: String) -> HTML {
        guard let now = number, let before = figures.past?.before else { return "" }
        let was = spec.text(of: before.value, signs)
        let told =
            switch before.runs {
            case .one(let day): words("{0} after {1}, that of {2}", text, was, "\(day)")
            case .sameWeekday(let day): words("{0} after {1}, that of the same weekday, {2}", text, was, "\(day)")
            case .median(1, let day, _): words("{0} after {1}, the median of 1 run of {2}", text, was, "\(day)")
            case .median(let count, let first, let last):
                words(
                    "{0} after {1}, the median of {2} from {3} to {4}",
                    text,
                    was,
                    words.count(count, "run"),
                    "\(first)",
                    "\(last)"
                )
            }
        let style = spec.good.style(of: now - before.value)
        return " <span class=\"\(style)\" title=\"\(told)\">\(signs.change(from: before.value, to: now))</span>"
    }

    /// The reference of the comparison, without a pointer.
    private var before: HTML { reference.map { "<dd class=\"was\">\($0)</dd>" } ?? "" }

    /// `2026-11-20: €3,155`.
    var reference: String? {
        guard number != nil, let before = figures.past?.before else { return nil }
        let name =
            switch before.runs {
            case .one(let day), .sameWeekday(let day): "\(day)"
            case .median(let count, _, _): words("median of {0}", words.count(count, "run"))
            }
        return "\(name): \(spec.text(of: before.value, signs))"
    }

    /// The measure as the history and mails have it.
    var measure: SinkMeasure {
        let text = spec.text(of: figures.value, run, signs)
        var measure = SinkMeasure(title: spec.title, value: figures.number, text: text, made: figures.days)
        guard let now = number, let past = figures.past else { return measure }
        if let before = past.before, let reference {
            let difference = now - before.value
            measure.change = SinkMeasure.Change(
                text: signs.change(from: before.value, to: now),
                before: reference,
                isGood: spec.good == .none || difference == 0 ? nil : (difference > 0) == (spec.good == .up)
            )
        }
        measure.days = past.days.map { SinkMeasure.Day($0.day, $0.value) } + [SinkMeasure.Day(figures.day, now)]
        return measure
    }

    private func line(_ id: String) -> HTML {
        guard let now = number, let days = figures.past?.days, !days.isEmpty else { return "" }
        let points = days + [(figures.day, now)]
        let texts = points.map { spec.text(of: $0.value, signs) }
        let values = points.map(\.value)
        let (least, greatest) = (
            values.indices.min { values[$0] < values[$1] }!, values.indices.max { values[$0] < values[$1] }!
        )
        let told = words(
            "{0} from {1} to {2}: {3} at first, lowest {4} on {5}, highest {6} on {7}, last {8}",
            words.count(points.count, "run"),
            "\(points[0].day)",
            "\(figures.day)",
            texts[0],
            texts[least],
            "\(points[least].day)",
            texts[greatest],
            "\(points[greatest].day)",
            texts[texts.count - 1]
        )
        return "<dd class=\"trend\">\(Sparkline(points).markup(id: id, title: spec.title, description: told))</dd>"
    }
}

extension NumberSigns {
    /// The change from one figure to another, as a share of the earlier one.
    ///
    /// `+3.2 %`, `−12 %`, `±0 %`; of 0 there is no share, so `+5`.
    func change(from before: Double, to now: Double) -> String {
        let difference = now - before
        guard difference != 0 else { return "±0 %" }
        let sign = difference < 0 ? "−" : "+"
        guard before != 0 else { return sign + compact(difference.magnitude) }
        // Smaller ones first, since a share of the largest numbers may be beyond them all.
        let percent = (difference / before.magnitude).magnitude * 100
        guard percent.isFinite else { return "\(sign)∞ %" }
        let digits =
            percent < 0.05
            ? "<0.1" : percent < 1_000 ? String(Figure.percent(percent / 100).dropLast(2)) : Figure.compact(percent)
        return "\(sign)\(localised(digits)) %"
    }
}

extension MeasureSpec.Direction {
    /// The CSS class of a change: its sign carries the same meaning without colour.
    fileprivate func style(of difference: Double) -> String {
        guard self != .none, difference != 0 else { return "delta" }
        return (difference > 0) == (self == .up) ? "delta good" : "delta bad"
    }
}

/// The part of the style sheet for measures with a past.
enum MeasureStyle {
    static let screen = """
        .tiles .delta{font-size:.9375rem;letter-spacing:0;white-space:nowrap}
        .tiles .delta:not(.good,.bad){color:var(--soft)}
        .tiles .was{margin:.1rem 0 0;font-size:.8125rem;font-weight:400;letter-spacing:0;color:var(--soft)}
        .tiles .trend{margin:.5rem 0 0;line-height:0}
        \(Sparkline.style)
        """
}

/// A small line of values by day, without axes; the last one has a dot.
package struct Sparkline {
    private static let (width, height, edge) = (200.0, 34.0, 4.0)

    package static let style = """
        svg.spark{width:100%;min-width:0;max-width:none;height:auto}
        svg.spark .ln{fill:none;stroke:var(--s1);stroke-width:1.75;stroke-linejoin:round;stroke-linecap:round}
        svg.spark .dot{fill:var(--s1)}
        """

    private let points: [(day: CalendarDay, value: Double)]

    /// - Parameter points: at least one, the earliest first; no value is infinite.
    package init(_ points: [(day: CalendarDay, value: Double)]) { self.points = points }

    /// - Parameters:
    ///   - id: unique in the page.
    ///   - description: the values in words.
    package func markup(id: String, title: String, description: String) -> HTML {
        var drawing = Drawing(width: Sparkline.width, height: Sparkline.height)
        let places = self.places
        let broken = zip(places, gaps).flatMap { place, isAfterGap in isAfterGap ? [nil, place] : [place] }
        if let path = Drawing.path(through: broken) { drawing.add("<path class=\"ln\" d=\"\(path)\"/>\n") }
        if let last = places.last {
            let (x, y) = (Figure.length(last.x), Figure.length(last.y))
            drawing.add("<circle class=\"dot\" cx=\"\(x)\" cy=\"\(y)\" r=\"3\"/>\n")
        }
        return drawing.markup(id: id, title: title, description: description, style: "spark")
    }

    /// Whether days are missing before each point: more than usually lie between two.
    private var gaps: [Bool] {
        let steps = zip(points, points.dropFirst()).map { $1.day.number - $0.day.number }
        let usual = steps.isEmpty ? 1 : steps.sorted()[(steps.count - 1) / 2]
        return [false] + steps.map { $0 > usual }
    }

    private var places: [(x: Double, y: Double)] {
        guard let first = points.first?.day.number, let last = points.last?.day.number else { return [] }
        let values = points.map(\.value)
        let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
        // Halves, since the distance of the largest numbers may be beyond them all.
        let span = greatest / 2 - least / 2
        let plot = (x: Sparkline.width - 2 * Sparkline.edge, y: Sparkline.height - 2 * Sparkline.edge)
        return points.map { point in
            let x = last == first ? 1 : Double(point.day.number - first) / Double(last - first)
            let height = span > 0 ? (point.value / 2 - least / 2) / span : 0.5
            return (Sparkline.edge + x * plot.x, Sparkline.edge + (1 - height) * plot.y)
        }
    }
}

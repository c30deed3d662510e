import DaybookCore

extension Drawing {
    /// How high the months below a drawing stand.
    static func axisHeight(_ frame: ChartFrame) -> Double { frame.labels.years.isEmpty ? 26 : 44 }

    /// The months below a drawing.
    mutating func months(of frame: ChartFrame, below y: Double) {
        let labels = frame.labels
        for label in labels.months { text(label.text, x: label.x, y: y + 17, style: "mid") }
        let yearLine = y + (labels.months.isEmpty ? 17 : 35)
        for label in labels.years { text(label.text, x: label.x, y: yearLine, style: "mid year") }
        for x in labels.yearStarts where labels.years.count > 1 && frame.slot * 12 >= 24 {
            line(x1: x, y1: y + 4, x2: x, y2: yearLine + 2, style: "tick")
        }
    }
}

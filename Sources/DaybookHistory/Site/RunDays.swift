import DaybookEngine
import DaybookReports

/// The runs of a job by calendar day, the latest day first: the last run of a day counts, and a day without a run is a gap.
struct RunDays {
    /// How many days a strip shows.
    static let shown = 30

    /// The number of a run for each day; nil for a day without a run.
    let days: [(day: CalendarDay, number: Int?)]
    /// How many runs each of these days has.
    private let counts: [CalendarDay: Int]

    /// - Parameters:
    ///   - runs: the days of the runs of one job, the latest run first.
    ///   - last: the day at the end, for several strips of the same days; without it, the strip is of the days from
    ///     the first run to the last.
    init(_ runs: [CalendarDay?], upTo last: CalendarDay? = nil) {
        var numbers: [CalendarDay: Int] = [:]
        var counts: [CalendarDay: Int] = [:]
        for (number, day) in runs.enumerated() {
            guard let day else { continue }
            counts[day, default: 0] += 1
            if numbers[day] == nil { numbers[day] = number }
        }
        self.counts = counts
        guard let end = last ?? numbers.keys.max() else {
            days = []
            return
        }
        let first = last == nil ? numbers.keys.min() ?? end : CalendarDay(number: end.number - Int32(RunDays.shown))
        days = (0..<min(RunDays.shown, Int(end.number - first.number) + 1)).map { back in
            let day = CalendarDay(number: end.number - Int32(back))
            return (day, numbers[day])
        }
    }

    /// The strip of these days.
    ///
    /// - Parameters:
    ///   - nothing: what is said of a day in between.
    func strip(nothing: String = "no run", _ cell: (Int) -> RunStrip.Cell) -> [RunStrip.Cell] {
        days.map { day, number in
            guard let number else { return RunStrip.Cell(ending: .none, label: "\(day): \(nothing)") }
            var cell = cell(number)
            if let count = counts[day], count > 1 {
                cell.label += ", the last of \(DisplayText.count(count)) runs of that day"
            }
            return cell
        }
    }
}

extension RunRecord {
    /// The day of the run: its `as_of`, or where the job could not be read the day on which it began.
    var day: CalendarDay? { CalendarDay(iso: asOf ?? String(Instant.text(started).prefix(10))) }
}

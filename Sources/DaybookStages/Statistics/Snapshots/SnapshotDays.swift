import DaybookCore

/// The days on which there is a snapshot, numbered in order.
struct SnapshotDays {
    private let runs: [DayRun]
    /// How many days lie before each run.
    private let before: [Int]
    let count: Int

    init(_ days: DayRuns) {
        runs = days.runs
        var count = 0
        before = runs.map { run in
            defer { count += Int(run.length) }
            return count
        }
        self.count = count
    }

    /// The number of a day that has a snapshot, from 0.
    func number(of day: Int32) -> Int {
        var (low, high) = (0, runs.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if runs[middle].first <= day { low = middle } else { high = middle }
        }
        return before[low] + Int(day - runs[low].first)
    }

    /// The day with that number.
    func day(_ number: Int) -> CalendarDay {
        var (low, high) = (0, runs.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if before[middle] <= number { low = middle } else { high = middle }
        }
        return CalendarDay(number: runs[low].first + Int32(number - before[low]))
    }
}

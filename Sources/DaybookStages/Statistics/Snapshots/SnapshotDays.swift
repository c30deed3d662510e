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
        let low = max(1, runs.partitioningIndex { $0.first > day }) - 1
        return before[low] + Int(day - runs[low].first)
    }

    /// The day with that number.
    func day(_ number: Int) -> CalendarDay {
        let low = max(1, before.partitioningIndex { $0 > number }) - 1
        return CalendarDay(number: runs[low].first + Int32(number - before[low]))
    }
}

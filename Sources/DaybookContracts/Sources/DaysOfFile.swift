/// The days that the rows of a file hold in a column, as the history keeps them.
package struct DaysOfFile: Sendable, Equatable {
    package let column: String
    package let days: Set<CalendarDay>

    package init(column: String, days: Set<CalendarDay>) { (self.column, self.days) = (column, days) }

    /// `2026-10-01..2026-10-31,2026-11-02 ordered_on`.
    package init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        var days: Set<CalendarDay> = []
        for range in parts[0].split(separator: ",") {
            let ends = range.split(separator: ".", omittingEmptySubsequences: true).map { CalendarDay(iso: String($0)) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last
            else {
                return nil
            }
            days.formUnion((first.number...last.number).map(CalendarDay.init))
        }
        self.init(column: String(parts[1]), days: days)
    }

    package var text: String {
        var ranges: [ClosedRange<Int32>] = []
        for day in days.map(\.number).sorted() {
            if let last = ranges.last, last.upperBound + 1 == day {
                ranges[ranges.count - 1] = last.lowerBound...day
            } else {
                ranges.append(day...day)
            }
        }
        let texts = ranges.map { range in
            let ends = [CalendarDay(number: range.lowerBound), CalendarDay(number: range.upperBound)]
            return ends[0] == ends[1] ? "\(ends[0])" : "\(ends[0])..\(ends[1])"
        }
        return "\(texts.joined(separator: ",")) \(column)"
    }
}

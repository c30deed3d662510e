/// Days that a run makes anew: all of a range, or some of it.
public struct RedoneDays: Sendable {
    public let range: ClosedRange<CalendarDay>
    private let some: Set<CalendarDay>?

    public init(_ range: ClosedRange<CalendarDay>) { (self.range, some) = (range, nil) }

    /// Nil for no days.
    public init?(_ days: Set<CalendarDay>) {
        guard let first = days.min(), let last = days.max() else { return nil }
        (range, some) = (first...last, days)
    }

    func contains(_ day: CalendarDay) -> Bool { some?.contains(day) ?? range.contains(day) }
}

/// The starts of a batch: days as they stand, or moments with the days that calendars in a time zone show.
struct AnniversaryStarts {
    private static let secondsPerDay: Int64 = 86_400

    let days: Values<Int32>
    /// Nil where the starts are days.
    private let moments: Values<Int64>?
    private var clocks: ZoneCursor

    /// `zone` is there when the column holds moments.
    init(_ column: Column, in zone: ZoneRules?) {
        switch column {
        case .days(let days):
            self.days = days
            moments = nil
            clocks = ZoneCursor(.utc)
        case .instants(let instants):
            guard let zone else {
                preconditionFailure("the schema check asks for a time zone where starts are moments")
            }
            var cursor = ZoneCursor(zone)
            days = instants.mapValues { cursor.day(ofInstant: $0) }
            moments = instants
            clocks = cursor
        default: preconditionFailure("the schema check takes starts that are days or moments")
        }
    }

    /// The first of the dates from `first` on that is not reached by adding 24 hours a day to the moment of a row, because
    /// clocks were changed in between: its place, the day that is reached, and how many such dates there are. Nil where
    /// every date is reached.
    mutating func strayed(_ row: Int, from dates: [Int32], after first: Int) -> (at: Int, day: Int32, count: Int)? {
        guard let moments else { return nil }
        var found: (at: Int, day: Int32, count: Int)?
        for place in first..<dates.count {
            // Starts and dates lie in the years 1 to 9999, and so does the sum but for a few hours.
            let days = Int64(dates[place]) &- Int64(self.days.elements[row])
            let reached = clocks.day(
                ofInstant: moments.elements[row] &+ days &* AnniversaryStarts.secondsPerDay &* 1_000_000
            )
            guard reached != dates[place] else { continue }
            found = (found?.at ?? place, found?.day ?? reached, (found?.count ?? 0) + 1)
        }
        return found
    }
}

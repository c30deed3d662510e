import Foundation

extension Job {
    /// The day that a job calls `as_of`.
    public enum AsOf: Sendable, Hashable {
        /// The day on which the run starts, in the job's zone.
        case today
        /// The day before that, as a report wants that is made in the night.
        case yesterday
        case day(CalendarDay)

        /// What a job or the command line writes: `today`, `yesterday` or an ISO day; nil for anything else.
        public init?(_ text: String) {
            switch text {
            case "today": self = .today
            case "yesterday": self = .yesterday
            default:
                guard let day = CalendarDay(iso: text) else { return nil }
                self = .day(day)
            }
        }

        /// The day itself. Today is the day in the job's zone, or in UTC: never in the machine's zone, so that a job means the same
        /// everywhere.
        public func day(in timezone: String?, now: Date = Date()) -> CalendarDay {
            if case .day(let day) = self { return day }
            let zone = timezone.flatMap(TimeZone.init(identifier:)) ?? .gmt
            let seconds = now.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: now))
            let today = Int32((seconds / 86_400).rounded(.down))
            return CalendarDay(number: self == .yesterday ? today - 1 : today)
        }
    }
}

/// Converts failures and remarks of a date column to findings.
package struct DateFailures {
    private let column: ColumnName
    private let values: Column
    private let formats: String
    private let target: DateTarget
    private let zone: String
    private let rules: ZoneRules
    private var tokens: [DateOutcome: Finding.Token] = [:]
    private var remarks: [DateColumnReader.Remark: Finding.Token] = [:]

    package init(_ column: ColumnName, of values: Column, read reader: DateColumnReader) {
        self.column = column
        self.values = values
        formats = DateFailures.displayText(reader.formats)
        target = reader.target
        rules = reader.zone ?? .utc
        zone = reader.zone?.name ?? "UTC"
    }

    /// Rejects the row for that failure.
    package mutating func note(_ row: Int, _ failure: DateColumnReader.Failure, _ findings: inout Findings) {
        let token: Finding.Token
        if let known = tokens[failure.outcome] {
            token = known
        } else {
            let kind = DateFailures.kind(of: failure.outcome, formats: formats, zone: zone)
            token = findings.token(kind, in: column)
            tokens[failure.outcome] = token
        }
        guard failure.outcome == .ambiguous else { return findings.reject(row, token) }
        let readings = failure.readings.map { "\(displayText($0.value)) by \($0.format)" }.joined(separator: " and ")
        findings.reject(row, token, saying: "'\(values.displayText(row) ?? "")' is \(readings)")
    }

    /// Warns of a row that was still read.
    package mutating func note(_ row: Int, _ remark: DateColumnReader.Remark, _ findings: inout Findings) {
        if let known = remarks[remark] { return findings.warn(row, known) }
        let token = findings.token(DateFailures.kind(of: remark), in: column)
        remarks[remark] = token
        findings.warn(row, token)
    }

    /// The days of the years 1900 to 2100.
    private static let nearDays: ClosedRange<Int64> = -25_567...47_846

    /// Warns of dates of other years, or rejects them.
    package func noteFarYears(of dates: Column, rejecting: Bool, _ findings: inout Findings) {
        switch dates {
        case .days(let days):
            let range = Int32(DateFailures.nearDays.lowerBound)...Int32(DateFailures.nearDays.upperBound)
            noteFar(days, outside: range, rejecting, &findings)
        case .instants(let instants):
            var cursor = ZoneCursor(rules)
            func start(_ day: Int64) -> Int64 { (cursor.start(ofDay: Int32(day)) ?? day * 86_400) * 1_000_000 }
            let range = start(DateFailures.nearDays.lowerBound)...start(DateFailures.nearDays.upperBound + 1) - 1
            noteFar(instants, outside: range, rejecting, &findings)
        default: break
        }
    }

    private func noteFar<Date: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ dates: Values<Date>,
        outside range: ClosedRange<Date>,
        _ rejecting: Bool,
        _ findings: inout Findings
    ) {
        var (least, most) = (Date.max, Date.min)
        for date in dates.elements {
            least = min(least, date)
            most = max(most, date)
        }
        guard dates.count > 0, least < range.lowerBound || most > range.upperBound else { return }
        let kind =
            rejecting
            ? Finding.Kind("far-year", "{value} lies before the year 1900 or after 2100")
            : Finding.Kind(
                "far-year",
                "{value} lies before the year 1900 or after 2100, as years of another calendar do; 'far_years: keep' says that it is meant",
                severity: .warning,
                isToldOnce: true
            )
        let token = findings.token(kind, in: column)
        for row in dates.elements.indices
        where !range.contains(dates.elements[row]) && !dates.missing.isMissing(row) {
            if rejecting { findings.reject(row, token) } else { findings.warn(row, token) }
        }
    }

    private static func kind(of remark: DateColumnReader.Remark) -> Finding.Kind {
        switch remark {
        case .clamped:
            Finding.Kind(
                "impossible-date-clamped",
                "{value} names a day that its month does not have, and became the last day of the month",
                severity: .warning
            )
        case .finer:
            Finding.Kind(
                "finer-than-a-microsecond",
                "{value} names a time more finely than in microseconds, which is all that an instant keeps",
                severity: .warning
            )
        }
    }

    private func displayText(_ value: Int64) -> String {
        let column: Column =
            target == .day ? .days(Values([Int32(truncatingIfNeeded: value)])) : .instants(Values([value]))
        return column.displayText(0) ?? ""
    }

    /// The formats as the job names them, each once.
    package static func displayText(_ formats: [DateFormat]) -> String {
        var texts: [String] = []
        for format in formats where !texts.contains(format.text) { texts.append(format.text) }
        return texts.joined(separator: ", ")
    }

    /// The finding for a text that is no date, with the reason, if the formats differ from how they look.
    private static func unreadable(_ formats: String) -> Finding.Kind {
        var message = "{value} is not a date in the formats \(formats)"
        var formats = formats
        if let unseen = formats.withUTF8({ UnseenCharacter.named(in: $0, besidesNoBreakSpaces: true) }) {
            message += ": the formats hold \(unseen)"
        }
        return Finding.Kind("unreadable-date", message, mend: "add the format in which they are written to 'formats'")
    }

    /// The finding for an unreadable date.
    package static func kind(of outcome: DateOutcome, formats: String, zone: String) -> Finding.Kind {
        switch outcome {
        case .read: preconditionFailure("a date that was read is no failure")
        case .unreadable: unreadable(formats)
        case .shortYear:
            Finding.Kind(
                "short-year",
                "{value} has a year of fewer than four digits; 'pivot_year' says which century two digits belong to"
            )
        case .unlikelyYear:
            Finding.Kind(
                "unlikely-year",
                "{value} has a year that is not likely one of the calendar that the 'locale' counts by",
                mend: "write the 'locale' with '@calendar=gregorian' behind it where the years are Gregorian"
            )
        case .impossible: Finding.Kind("impossible-date", "{value} names a day or a time that does not exist")
        case .ambiguous:
            Finding.Kind(
                "ambiguous-date",
                "{value} is one date by one format and another by another",
                mend: "leave only the format in 'formats' in which they are written"
            )
        case .contradictingWeekday:
            Finding.Kind("contradicting-weekday", "{value} names another weekday than its date has")
        case .skippedLocalTime:
            Finding.Kind(
                "skipped-local-time",
                "clocks in \(zone) never showed {value}",
                mend: "write 'skipped: earlier' or 'skipped: later' where clocks are known that were not put forward"
            )
        case .doubledLocalTime:
            Finding.Kind(
                "doubled-local-time",
                "clocks in \(zone) showed {value} twice, so it names two instants",
                mend: "write 'doubled: earlier' or 'doubled: later' where it is known which of the two is meant"
            )
        case .outOfRange: Finding.Kind("date-out-of-range", "{value} lies outside the years 1 to 9999")
        case .zoneNeeded:
            Finding.Kind(
                "missing-timezone",
                "{value} is an instant, and the job has no 'timezone' to say on which day it is",
                mend: "add a line such as 'timezone: Asia/Seoul' at the top of the job"
            )
        }
    }
}

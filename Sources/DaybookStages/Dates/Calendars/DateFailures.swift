import DaybookCore

/// Words as findings what went wrong with a column of dates, and what is to be said of it.
struct DateFailures {
    private let column: ColumnName
    private let values: Column
    private let formats: String
    private let target: DateTarget
    private let zone: String
    private var tokens: [DateOutcome: Finding.Token] = [:]
    private var remarks: [DateColumnReader.Remark: Finding.Token] = [:]

    init(_ column: ColumnName, of values: Column, read reader: DateColumnReader) {
        self.column = column
        self.values = values
        formats = DateFailures.spoken(reader.formats)
        target = reader.target
        zone = reader.zone?.name ?? "UTC"
    }

    /// Rejects the row for that failure.
    mutating func note(_ row: Int, _ failure: DateColumnReader.Failure, _ findings: inout Findings) {
        let token: Finding.Token
        if let known = tokens[failure.outcome] {
            token = known
        } else {
            let kind = DateFailures.kind(of: failure.outcome, formats: formats, zone: zone)
            token = findings.token(kind, in: column)
            tokens[failure.outcome] = token
        }
        guard failure.outcome == .ambiguous else { return findings.reject(row, token) }
        let readings = failure.readings.map { "\(spoken($0.value)) by \($0.format)" }.joined(separator: " and ")
        findings.reject(row, token, saying: "'\(values.spoken(row) ?? "")' is \(readings)")
    }

    /// Warns of a row that was read all the same.
    mutating func note(_ row: Int, _ remark: DateColumnReader.Remark, _ findings: inout Findings) {
        if let known = remarks[remark] { return findings.warn(row, known) }
        let token = findings.token(DateFailures.kind(of: remark), in: column)
        remarks[remark] = token
        findings.warn(row, token)
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

    private func spoken(_ value: Int64) -> String {
        let column: Column =
            target == .day ? .days(Values([Int32(truncatingIfNeeded: value)])) : .instants(Values([value]))
        return column.spoken(0) ?? ""
    }

    static func spoken(_ formats: [DateFormat]) -> String { formats.map(\.text).joined(separator: ", ") }

    /// What is found where a date could not be read.
    static func kind(of outcome: DateOutcome, formats: String, zone: String) -> Finding.Kind {
        switch outcome {
        case .read: preconditionFailure("a date that was read is no failure")
        case .unreadable: Finding.Kind("unreadable-date", "{value} is not a date in the formats \(formats)")
        case .impossible: Finding.Kind("impossible-date", "{value} names a day or a time that does not exist")
        case .ambiguous: Finding.Kind("ambiguous-date", "{value} is one date by one format and another by another")
        case .contradictingWeekday:
            Finding.Kind("contradicting-weekday", "{value} names another weekday than its date has")
        case .skippedLocalTime: Finding.Kind("skipped-local-time", "clocks in \(zone) never showed {value}")
        case .doubledLocalTime:
            Finding.Kind("doubled-local-time", "clocks in \(zone) showed {value} twice, so it names two instants")
        case .outOfRange: Finding.Kind("date-out-of-range", "{value} lies outside the years 1 to 9999")
        case .zoneNeeded:
            Finding.Kind(
                "missing-timezone",
                "{value} is an instant, and the job has no 'timezone' to say on which day it is"
            )
        }
    }
}

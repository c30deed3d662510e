import Foundation

extension ZoneRules {
    /// The table of a zone of the IANA time zone database, such as `Asia/Seoul`, or `UTC`. Nil for any other name.
    ///
    /// Abbreviations such as `KST` and names made up of an offset are refused, because they mean several things or
    /// depend on who reads them. Foundation is asked for every change of the years 1800 to 2500, about a millisecond
    /// of work, and never again.
    public init?(named name: String) {
        guard name.contains("/") || name == "UTC" || name == "GMT", let zone = TimeZone(identifier: name) else {
            return nil
        }
        var changes: [Int64] = []
        var offsets = [Int32(zone.secondsFromGMT(for: ZoneRules.tableStart))]
        var date = ZoneRules.tableStart
        while let next = zone.nextDaylightSavingTimeTransition(after: date), next < ZoneRules.tableEnd {
            date = next
            let offset = Int32(zone.secondsFromGMT(for: next))
            // Some changes are of name only.
            guard offset != offsets[offsets.count - 1] else { continue }
            changes.append(Int64(next.timeIntervalSince1970))
            offsets.append(offset)
        }
        self.init(
            name: name,
            changes: changes,
            offsets: offsets,
            end: Int64(ZoneRules.tableEnd.timeIntervalSince1970)
        )
    }

    /// 1800-01-01T00:00:00Z, before any zone kept standard time.
    private static let tableStart = Date(timeIntervalSince1970: -5_364_662_400)
    /// 2500-01-01T00:00:00Z, more than 400 years after the last change that does not follow a yearly rule.
    private static let tableEnd = Date(timeIntervalSince1970: 16_725_225_600)

    /// What to write instead of a name that is no zone.
    public static func hint(for name: String) -> String {
        let nearest = NearestName.hint(for: name, among: TimeZone.knownTimeZoneIdentifiers)
        return nearest ?? "write an IANA name such as Asia/Seoul, Europe/Berlin or UTC"
    }
}

extension DaybookError {
    /// What a stage throws that needs the days of instants in a job that names no time zone.
    package static func missingTimezone(forInstantsIn column: ColumnName) -> DaybookError {
        DaybookError(
            "missing-timezone",
            "the job needs a 'timezone' because column '\(column)' holds instants",
            at: column.place,
            hint: "add a line such as 'timezone: Asia/Seoul' at the top of the job"
        )
    }
}

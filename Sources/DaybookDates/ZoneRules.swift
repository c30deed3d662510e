import Foundation

/// The changes of a time zone's offset from UTC, as a table that is searched without system calls.
///
/// Between two changes the offset is constant. Before the first change the first offset holds. After `end` the rules
/// of the last 400 years of the table repeat: the Gregorian calendar, weekdays included, has exactly that period.
public struct ZoneRules: Sendable, Hashable {
    /// The meaning of a local time.
    public enum Local: Sendable, Hashable {
        /// Seconds ahead of UTC.
        case offset(Int32)
        /// Clocks jumped over it at `jump`, in UTC seconds, and ran on with `offset`.
        case skipped(jump: Int64, offset: Int32)
        /// Clocks showed it twice, with the first offset and then with the second.
        case doubled(Int32, Int32)
    }

    public let name: String
    /// Seconds since 1970-01-01T00:00:00Z at which a new offset began, ascending.
    let changes: [Int64]
    /// The offset before each change, and after the last: one more than there are changes.
    let offsets: [Int32]
    /// The end of the table, in seconds since 1970-01-01T00:00:00Z.
    let end: Int64

    static let period: Int64 = 146_097 * 86_400

    /// `offsets` has one more element than `changes`; `end` is at least 400 years after the last irregular change.
    public init(name: String, changes: [Int64], offsets: [Int32], end: Int64) {
        precondition(offsets.count == changes.count + 1, "a zone has an offset before and after each change")
        self.name = name
        self.changes = changes
        self.offsets = offsets
        self.end = changes.isEmpty ? .max : end
    }

    /// A zone whose clocks never change.
    public init(name: String, fixedOffset: Int32) {
        self.init(name: name, changes: [], offsets: [fixedOffset], end: .max)
    }

    public static let utc = ZoneRules(name: "UTC", fixedOffset: 0)

    /// The stretch of UTC seconds around `seconds` with one offset, and that offset.
    func stretch(at seconds: Int64) -> (from: Int64, to: Int64, offset: Int32) {
        let shift = fold(seconds)
        let index = changes.partitioningIndex { $0 > seconds &- shift }
        let from = index == 0 ? (shift == 0 ? Int64.min : end &- ZoneRules.period) : changes[index - 1]
        let to = index == changes.count ? end : changes[index]
        return (saturating(from, plus: shift), saturating(to, plus: shift), offsets[index])
    }

    /// The meaning of the local time `seconds` (as if it were UTC), and the stretch of local time around it with the
    /// same unique offset; an empty stretch if there is none.
    func local(at seconds: Int64) -> (from: Int64, to: Int64, meaning: Local) {
        let shift = fold(seconds)
        let wall = seconds &- shift
        // Changes after which this local time is surely past: both clocks, the old and the new, are beyond it.
        let low = changes.indices.partitioningIndex { lastWall($0) > wall }
        if low < changes.count, wall >= firstWall(low) {
            let (before, after) = (offsets[low], offsets[low + 1])
            if after < before { return (0, 0, .doubled(before, after)) }
            return (0, 0, .skipped(jump: saturating(changes[low], plus: shift), offset: after))
        }
        let from = low == 0 ? (shift == 0 ? Int64.min : wall) : lastWall(low - 1)
        let to = low == changes.count ? max(wall, end &- 86_400) : firstWall(low)
        return (saturating(from, plus: shift), saturating(to, plus: shift), .offset(offsets[low]))
    }

    /// The local times at which a change starts and ends to matter.
    private func firstWall(_ index: Int) -> Int64 { changes[index] &+ Int64(min(offsets[index], offsets[index + 1])) }
    private func lastWall(_ index: Int) -> Int64 { changes[index] &+ Int64(max(offsets[index], offsets[index + 1])) }

    /// How many seconds to go back, in whole periods, to reach the table.
    private func fold(_ seconds: Int64) -> Int64 {
        guard seconds >= end else { return 0 }
        return ((seconds &- end) / ZoneRules.period &+ 1) &* ZoneRules.period
    }

    private func saturating(_ value: Int64, plus shift: Int64) -> Int64 {
        let (sum, overflows) = value.addingReportingOverflow(shift)
        return overflows ? .max : sum
    }
}

/// The treatment of a local time that clocks showed twice, or never.
public enum ClockChoice: String, CaseIterable, Sendable, Hashable, BitwiseCopyable {
    case reject
    /// The earlier of two instants. For a skipped time: the instant by a clock that was put forward too early.
    case earlier
    /// The later of two instants. For a skipped time: the instant by a clock that was not put forward yet.
    case later
}

/// Looks times up in a zone, and remembers the last answer: neighbouring rows mostly share it.
public struct ZoneCursor: Sendable {
    private let rules: ZoneRules
    /// The treatment of local times that clocks showed twice, and of local times that they skipped.
    public var doubled = ClockChoice.reject
    public var skipped = ClockChoice.reject
    private var utcFrom: Int64 = 0
    private var utcTo: Int64 = 0
    private var utcOffset: Int32 = 0
    private var wallFrom: Int64 = 0
    private var wallTo: Int64 = 0
    private var wallOffset: Int32 = 0

    public init(_ rules: ZoneRules) { self.rules = rules }

    /// Seconds ahead of UTC at an instant given in seconds.
    @inline(__always)
    public mutating func offset(atUTC seconds: Int64) -> Int32 {
        if seconds >= utcFrom, seconds < utcTo { return utcOffset }
        return searchUTC(seconds)
    }

    /// The meaning in the zone of a local time, given in seconds as if it were UTC.
    @inline(__always)
    public mutating func meaning(ofLocal seconds: Int64) -> ZoneRules.Local {
        if seconds >= wallFrom, seconds < wallTo { return .offset(wallOffset) }
        return searchLocal(seconds)
    }

    /// The offset in seconds for a local time that clocks showed twice; nil if such times are rejected.
    func offset(ofDoubled first: Int32, _ second: Int32) -> Int32? {
        switch doubled {
        case .reject: nil
        case .earlier: first
        case .later: second
        }
    }

    /// The offset for a local time that clocks skipped at `jump`, continuing with `after`.
    mutating func offset(ofSkipped jump: Int64, _ after: Int32) -> Int32? {
        switch skipped {
        case .reject: nil
        case .earlier: after
        case .later: offset(atUTC: jump - 1)
        }
    }

    /// The calendar day in the zone at an instant given in microseconds.
    @inline(__always)
    public mutating func day(ofInstant micros: Int64) -> Int32 {
        let (day, rest) = InstantParts.split(micros)
        let second = rest / 1_000_000
        let offset = offset(atUTC: Int64(day) &* 86_400 &+ second)
        let local = second &+ Int64(offset)
        if local < 0 { return day &- 1 }
        return local >= 86_400 ? day &+ 1 : day
    }

    /// The first instant of a day in the zone, in seconds: midnight, or where clocks skip it the moment they jump.
    ///
    /// Nil when the zone left that day out altogether, as Apia did with 2011-12-30.
    public mutating func start(ofDay day: Int32) -> Int64? {
        let wall = Int64(day) &* 86_400
        switch meaning(ofLocal: wall) {
        case .offset(let offset): return wall &- Int64(offset)
        case .doubled(let first, _): return wall &- Int64(first)
        case .skipped(let jump, let offset): return jump &+ Int64(offset) < wall &+ 86_400 ? jump : nil
        }
    }

    @inline(never)
    private mutating func searchUTC(_ seconds: Int64) -> Int32 {
        (utcFrom, utcTo, utcOffset) = rules.stretch(at: seconds)
        return utcOffset
    }

    @inline(never)
    private mutating func searchLocal(_ seconds: Int64) -> ZoneRules.Local {
        let (from, to, meaning) = rules.local(at: seconds)
        if case .offset(let offset) = meaning { (wallFrom, wallTo, wallOffset) = (from, to, offset) }
        return meaning
    }
}

extension ZoneRules {
    /// The table of a zone of the IANA time zone database, such as `Asia/Seoul`, or `UTC`. Nil for any other name.
    ///
    /// Abbreviations such as `KST` and names made up of an offset are refused, because they mean several things or
    /// depend on who reads them. Foundation is queried once for every change of the years 1800 to 2500, about a
    /// millisecond of work.
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
        self.init(name: name, changes: changes, offsets: offsets, end: Int64(ZoneRules.tableEnd.timeIntervalSince1970))
    }

    /// 1800-01-01T00:00:00Z, before any zone kept standard time.
    private static let tableStart = Date(timeIntervalSince1970: -5_364_662_400)
    /// 2500-01-01T00:00:00Z, more than 400 years after the last change that does not follow a yearly rule.
    private static let tableEnd = Date(timeIntervalSince1970: 16_725_225_600)

    /// What to write instead of an invalid zone name.
    public static func hint(for name: String) -> String {
        let nearest = NearestName.hint(for: name, among: TimeZone.knownTimeZoneIdentifiers)
        return nearest ?? "write an IANA name such as Asia/Seoul, Europe/Berlin or UTC"
    }
}

extension DaybookError {
    /// The error of a stage that needs the days of instants in a job without a time zone.
    package static func missingTimezone(forInstantsIn column: ColumnName) -> DaybookError {
        DaybookError(
            "missing-timezone",
            "the job needs a 'timezone' because column '\(column)' holds instants",
            at: column.place,
            hint: "add a line such as 'timezone: Asia/Seoul' at the top of the job"
        )
    }
}

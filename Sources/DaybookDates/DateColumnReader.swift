/// Reads a column of texts or numbers as days or instants, with several formats at once.
///
/// A text is tried with every format that could read it differently; if two formats yield different dates, the text is
/// ambiguous and neither is used. The formats that can contradict each other are computed once, from their shapes, so
/// that a row mostly meets one format: the one that read the row before it.
public struct DateColumnReader: Sendable {
    /// Why a row could not be read.
    public struct Failure: Sendable, Hashable {
        public var outcome: DateOutcome
        /// For an ambiguous text: the two formats, and their dates, in days or microseconds as the target requires.
        public var readings: [Reading] = []
    }

    /// The result of one format for a text.
    public struct Reading: Sendable, Hashable {
        public var format: String
        public var value: Int64
    }

    /// A remark about a date that was read all the same.
    public enum Remark: Sendable, Hashable {
        /// The month does not have the day, so its last day was used.
        case clamped
        /// The text has a finer time than an instant can store.
        case finer
    }

    public let formats: [DateFormat]
    public let target: DateTarget
    public let zone: ZoneRules?
    /// Whether a day that its month does not have is read as the last day of that month.
    public let clampsDays: Bool
    /// The treatment of local times that clocks showed twice, or never.
    public var doubled = ClockChoice.reject
    public var skipped = ClockChoice.reject
    /// For each format, the others that may read the same text differently.
    let rivals: [[Int]]
    /// For each byte after the four digits of a year, the format to try first, or `noHint`.
    private let hints: [UInt8]
    private static let noHint = UInt8.max
    /// Reads most days of most columns, in a loop of its own.
    private let plain: PlainDays?

    /// `names` are the names that the patterns were compiled with.
    public init(
        _ formats: [DateFormat],
        to target: DateTarget,
        zone: ZoneRules?,
        names: [LocaleNames] = [],
        clampsDays: Bool = false
    ) {
        precondition(!formats.isEmpty, "a column of dates is read by at least one format")
        self.formats = formats
        self.target = target
        self.zone = zone
        self.clampsDays = clampsDays
        let shapes = formats.count == 1 ? [] : formats.map { FormatShape($0.kind, names: names) }
        let rivals = formats.indices.map { one in
            shapes.indices.filter { $0 != one && shapes[one].mayContradict(shapes[$0]) }
        }
        self.rivals = rivals
        var hints = [UInt8](repeating: DateColumnReader.noHint, count: 256)
        for (place, format) in formats.enumerated().reversed() where place < Int(DateColumnReader.noHint) {
            if let separator = format.reader.separator { hints[Int(separator)] = UInt8(place) }
        }
        self.hints = hints
        let alone = formats.indices.filter { rivals[$0].isEmpty }.compactMap { formats[$0].reader.tenByteDay }
        plain = target == .day ? PlainDays(alone) : nil
    }

    /// Reads a column of any kind but flags. Numbers are read as the same numbers in text, JSON text without its
    /// quotes; days and instants are unchanged, or converted to each other in the zone.
    ///
    /// A row that fails goes to `failing` and holds 0, under no mask: the caller rejects it. A row that was read with a
    /// remark goes to `remarking`.
    public func read(
        _ column: Column,
        failing: (Int, Failure) -> Void,
        remarking: (Int, Remark) -> Void = { _, _ in }
    ) -> Column {
        switch (column, target) {
        case (.days, .day), (.instants, .instant): column
        case (.days(let days), .instant): .instants(starts(of: days, failing))
        case (.instants(let instants), .day): .days(days(of: instants, failing))
        case (_, .day): .days(dates(of: column, failing, remarking))
        case (_, .instant): .instants(dates(of: column, failing, remarking))
        }
    }

    private func dates<Date: FixedWidthInteger & BitwiseCopyable & Sendable>(
        of column: Column,
        _ failing: (Int, Failure) -> Void,
        _ remarking: (Int, Remark) -> Void
    ) -> Values<Date> {
        switch column {
        case .text(let text): dates(of: text, failing, remarking)
        case .json(let text): dates(of: text.withoutQuotes, failing, remarking)
        case .integers(let numbers): dates(of: numbers, failing, remarking) { NumberText.write($0, to: $1) }
        case .decimals(let numbers): dates(of: numbers, failing, remarking) { EpochText.write($0, to: $1) }
        case .flags, .days, .instants: preconditionFailure("a date is read from text or from a number")
        }
    }

    private func dates<Date: FixedWidthInteger & BitwiseCopyable & Sendable>(
        of text: TextColumn,
        _ failing: (Int, Failure) -> Void,
        _ remarking: (Int, Remark) -> Void
    ) -> Values<Date> {
        let base = text.bytes.base
        let dates = text.views.withUnsafeBufferPointer { views in
            [Date](unsafeUninitializedCapacity: views.count) { dates, filled in
                func cell(_ row: Int) -> Cell {
                    Cell(start: base + Int(views[row].offset), count: Int(views[row].length))
                }
                if let plain {
                    let rest = plain.read(views, base, text.missing, into: dates)
                    read(rest.lazy.map(Int.init), text.missing, failing, remarking, into: dates, cell)
                } else {
                    read(0..<views.count, text.missing, failing, remarking, into: dates, cell)
                }
                filled = views.count
            }
        }
        return Values(dates, missing: text.missing)
    }

    private func dates<Number: BitwiseCopyable & Sendable, Date: FixedWidthInteger & BitwiseCopyable & Sendable>(
        of numbers: Values<Number>,
        _ failing: (Int, Failure) -> Void,
        _ remarking: (Int, Remark) -> Void,
        _ write: (Number, UnsafeMutablePointer<UInt8>) -> Int
    ) -> Values<Date> {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: EpochText.maximumLength) { scratch in
            let base = scratch.baseAddress.unsafelyUnwrapped
            let dates = numbers.elements.withUnsafeBufferPointer { elements in
                [Date](unsafeUninitializedCapacity: elements.count) { dates, filled in
                    read(0..<elements.count, numbers.missing, failing, remarking, into: dates) { row in
                        Cell(start: base, count: write(elements[row], base))
                    }
                    filled = elements.count
                }
            }
            return Values(dates, missing: numbers.missing)
        }
    }

    private func days(of instants: Values<Int64>, _ failing: (Int, Failure) -> Void) -> Values<Int32> {
        var cursor = ZoneCursor(zone ?? .utc)
        var row = -1
        return instants.mapValues { instant in
            row += 1
            let day = cursor.day(ofInstant: instant)
            // In some zones the first and the last hours of the range of instants are in years outside it.
            if CalendarDay.range.contains(day) { return day }
            if !instants.missing.isMissing(row) { failing(row, Failure(outcome: .outOfRange)) }
            return 0
        }
    }

    private func starts(of days: Values<Int32>, _ failing: (Int, Failure) -> Void) -> Values<Int64> {
        var cursor = ZoneCursor(zone ?? .utc)
        var row = -1
        return days.mapValues { day in
            row += 1
            // Under a gap is any number; it is computed with but never seen, and must not raise an error.
            let start = cursor.start(ofDay: day)
            if let start, EpochUnit.range.contains(start &* 1_000_000) { return start &* 1_000_000 }
            let outcome: DateOutcome = start == nil ? .skippedLocalTime : .outOfRange
            if !days.missing.isMissing(row) { failing(row, Failure(outcome: outcome)) }
            return 0
        }
    }

    /// The loop over rows. Every row gets a date.
    @inline(__always)
    private func read<Rows: Sequence<Int>, Date: FixedWidthInteger & BitwiseCopyable>(
        _ rows: Rows,
        _ missing: Mask?,
        _ failing: (Int, Failure) -> Void,
        _ remarking: (Int, Remark) -> Void,
        into dates: UnsafeMutableBufferPointer<Date>,
        _ cell: (Int) -> Cell
    ) {
        var cursor = ZoneCursor(zone ?? .utc)
        (cursor.doubled, cursor.skipped) = (doubled, skipped)
        let hasZone = zone != nil
        let keepsTime = target == .instant
        let readers = formats.map(\.reader)
        let isAlone = rivals.map(\.isEmpty)
        withBuffers(readers, isAlone, hints) { readers, isAlone, hints in
            var latest = 0
            for row in rows {
                var value: Int64 = 0
                if missing.isMissing(row) {
                    dates.initializeElement(at: row, to: 0)
                    continue
                }
                let text = cell(row)
                var format = latest
                // In a mix of date spellings, the byte behind the year mostly distinguishes them.
                if text.count > 4, let base = text.baseAddress, hints[Int(base[4])] != DateColumnReader.noHint {
                    format = Int(hints[Int(base[4])])
                }
                var reading = DateReading()
                let first = readers.baseAddress.unsafelyUnwrapped + format
                let shape = first.read(text, into: &reading)
                var outcome = DateOutcome.unreadable
                if shape == .read, isAlone[format] {
                    outcome = reading.converted(to: target, &cursor, hasZone: hasZone, into: &value)
                }
                if outcome != .read {
                    let mayMatchFirst = shape != .unreadable
                    let found = search(text, readers, &cursor, first: &format, mayMatchFirst)
                    latest = format
                    value = found.value
                    if let failure = found.failure { failing(row, failure) }
                    if found.isClamped { remarking(row, .clamped) }
                    reading.isFiner = found.isFiner
                }
                if reading.isFiner, keepsTime { remarking(row, .finer) }
                dates.initializeElement(at: row, to: Date(truncatingIfNeeded: value))
            }
        }
        // The readers point into memory that the formats own.
        withExtendedLifetime(formats) {}
    }
}

/// Lends the elements of three arrays at once.
@inline(__always)
private func withBuffers<One, Two, Three, Result>(
    _ one: [One],
    _ two: [Two],
    _ three: [Three],
    _ body: (UnsafeBufferPointer<One>, UnsafeBufferPointer<Two>, UnsafeBufferPointer<Three>) -> Result
) -> Result {
    one.withUnsafeBufferPointer { one in
        two.withUnsafeBufferPointer { two in three.withUnsafeBufferPointer { three in body(one, two, three) } }
    }
}

extension DateColumnReader {
    typealias Readers = UnsafeBufferPointer<FormatReader>

    /// The result of trying several formats on a text.
    struct Found {
        var value: Int64 = 0
        var failure: Failure?
        var isClamped = false
        var isFiner = false
    }

    /// Reads a text with all relevant formats. `first` is tried first, unless it is known not to match, and becomes the
    /// format that read the text.
    ///
    /// The result does not depend on which is tried first: if one format reads the text, every format that could
    /// contradict it is tried too. If none does, the result is the first failure, in the order of the formats, that is
    /// more specific than "unreadable".
    ///
    /// A text with no-break spaces is read with plain ones. No format accepts no-break spaces, so only unreadable texts
    /// are checked for them.
    @inline(never)
    func search(
        _ text: Cell,
        _ readers: Readers,
        _ cursor: inout ZoneCursor,
        first: inout Int,
        _ mayMatchFirst: Bool
    ) -> Found {
        let found = searchAsWritten(text, readers, &cursor, first: &first, mayMatchFirst)
        guard found.failure?.outcome == .unreadable, NoBreakSpace.occurs(in: text) else { return found }
        return NoBreakSpace.folding(text) { searchAsWritten($0, readers, &cursor, first: &first, true) }
    }

    private func searchAsWritten(
        _ text: Cell,
        _ readers: Readers,
        _ cursor: inout ZoneCursor,
        first: inout Int,
        _ mayMatchFirst: Bool
    ) -> Found {
        var failure = DateOutcome.unreadable
        var failedFormat = Int.max
        for step in (mayMatchFirst ? 0 : 1)..<readers.count {
            // `first` and then the others in their order.
            let index = step == 0 ? first : (step <= first ? step - 1 : step)
            let (outcome, value, isFiner) = read(text, readers[index], &cursor)
            if outcome == .read {
                switch objection(to: index, value, text, readers, &cursor) {
                case nil:
                    first = index
                    return Found(value: value, isFiner: isFiner)
                case (_, .ambiguous)?: return weighed(text, readers, &cursor, clamping: false)
                case (let rival, let outcome)?:
                    if rival < failedFormat { (failure, failedFormat) = (outcome, rival) }
                }
            } else if outcome != .unreadable, index < failedFormat {
                (failure, failedFormat) = (outcome, index)
            }
        }
        if failure == .impossible, clampsDays {
            let found = weighed(text, readers, &cursor, clamping: true)
            // Where no format reads a clamped day, the day is not what is wrong.
            if found.failure?.outcome != .unreadable { return found }
        }
        return Found(failure: Failure(outcome: failure))
    }

    /// Reads a text with every format, or reads its day clamped to the last of the month. Two different dates are a
    /// failure that names the first two, in the order of the formats.
    private func weighed(_ text: Cell, _ readers: Readers, _ cursor: inout ZoneCursor, clamping: Bool) -> Found {
        var found = Found(failure: Failure(outcome: .unreadable))
        var readings: [Reading] = []
        for (format, reader) in zip(formats, readers) where readings.count < 2 {
            let (outcome, value, isFiner) = read(text, reader, &cursor, clamping: clamping)
            guard outcome == .read, value != readings.first?.value else { continue }
            readings.append(Reading(format: format.text, value: value))
            found = Found(value: value, isClamped: clamping, isFiner: isFiner)
        }
        return readings.count < 2 ? found : Found(failure: Failure(outcome: .ambiguous, readings: readings))
    }

    /// The result of one format for a text.
    private typealias Attempt = (outcome: DateOutcome, value: Int64, isFiner: Bool)

    private func read(_ text: Cell, _ reader: FormatReader, _ zone: inout ZoneCursor, clamping: Bool = false) -> Attempt
    {
        var (reading, value) = (DateReading(), Int64(0))
        let outcome = clamping ? reader.readClamping(text, into: &reading) : reader.read(text, into: &reading)
        guard outcome == .read else { return (outcome, value, false) }
        let hasZone = self.zone != nil
        return (reading.converted(to: target, &zone, hasZone: hasZone, into: &value), value, reading.isFiner)
    }

    /// The objection to the date that a format reads, and the rival that raises it; nil without one.
    ///
    /// The rival reads another date. If the format only counts time, so that any digits would do, a rival whose shape
    /// the text has and whose date does not exist also objects: 20260230 is 30 February, and not a day in August 1970.
    private func objection(
        to format: Int,
        _ value: Int64,
        _ text: Cell,
        _ readers: Readers,
        _ cursor: inout ZoneCursor
    ) -> (rival: Int, outcome: DateOutcome)? {
        let countsTime = readers[format].shape == .epoch
        var found: (rival: Int, outcome: DateOutcome)?
        for rival in rivals[format] {
            let (outcome, other, _) = read(text, readers[rival], &cursor)
            if outcome == .read {
                if other != value { return (rival, .ambiguous) }
            } else if countsTime, outcome != .unreadable, readers[rival].shape != .epoch, found == nil {
                found = (rival, outcome)
            }
        }
        return found
    }
}

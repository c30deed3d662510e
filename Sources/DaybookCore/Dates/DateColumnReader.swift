/// Reads a column of texts or numbers as days or instants, by several formats at once.
///
/// A text is read by every format that could read it as something else; if two of them give different dates, the text
/// is ambiguous and neither is taken. Which formats can contradict each other at all is worked out once, from their
/// shapes, so that a row mostly meets one format: the one that read the row before it.
public struct DateColumnReader: Sendable {
    /// Why a row could not be read.
    public struct Failure: Sendable, Hashable {
        public var outcome: DateOutcome
        /// For an ambiguous text: the two formats, and the dates they read, in days or microseconds as the target asks.
        public var readings: [Reading] = []
    }

    /// What one format made of a text.
    public struct Reading: Sendable, Hashable {
        public var format: String
        public var value: Int64
    }

    public let formats: [DateFormat]
    public let target: DateTarget
    public let zone: ZoneRules?
    /// For each format, the others that may read the same text as something else.
    let rivals: [[Int]]

    /// `names` are those that the patterns were compiled with.
    public init(_ formats: [DateFormat], to target: DateTarget, zone: ZoneRules?, names: [LocaleNames] = []) {
        precondition(!formats.isEmpty, "a column of dates is read by at least one format")
        self.formats = formats
        self.target = target
        self.zone = zone
        let shapes = formats.count == 1 ? [] : formats.map { FormatShape($0.kind, names: names) }
        rivals = formats.indices.map { one in
            shapes.indices.filter { $0 != one && shapes[one].mayContradict(shapes[$0]) }
        }
    }

    public func days(of text: TextColumn, failing: (Int, Failure) -> Void) -> Values<Int32> {
        let base = text.bytes.base
        return text.views.withUnsafeBufferPointer { views in
            read(views.count, text.missing, failing) { row in
                Cell(start: base + Int(views[row].offset), count: Int(views[row].length))
            }
        }
    }

    public func instants(of text: TextColumn, failing: (Int, Failure) -> Void) -> Values<Int64> {
        let base = text.bytes.base
        return text.views.withUnsafeBufferPointer { views in
            read(views.count, text.missing, failing) { row in
                Cell(start: base + Int(views[row].offset), count: Int(views[row].length))
            }
        }
    }

    /// Reads numbers as the same numbers are read in text.
    public func dates<Date: FixedWidthInteger & BitwiseCopyable & Sendable>(
        of numbers: Values<Int64>,
        failing: (Int, Failure) -> Void
    ) -> Values<Date> {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: EpochText.maximumLength) { scratch in
            let base = scratch.baseAddress.unsafelyUnwrapped
            return numbers.elements.withUnsafeBufferPointer { elements in
                read(elements.count, numbers.missing, failing) { row in
                    Cell(start: base, count: NumberText.write(elements[row], to: base))
                }
            }
        }
    }

    public func dates<Date: FixedWidthInteger & BitwiseCopyable & Sendable>(
        of numbers: Values<Double>,
        failing: (Int, Failure) -> Void
    ) -> Values<Date> {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: EpochText.maximumLength) { scratch in
            let base = scratch.baseAddress.unsafelyUnwrapped
            return numbers.elements.withUnsafeBufferPointer { elements in
                read(elements.count, numbers.missing, failing) { row in
                    Cell(start: base, count: EpochText.write(elements[row], to: base))
                }
            }
        }
    }

    /// The loop over rows. A row that fails holds 0, under no mask: the caller rejects it.
    @inline(__always)
    private func read<Date: FixedWidthInteger & BitwiseCopyable & Sendable>(
        _ count: Int,
        _ missing: Mask?,
        _ failing: (Int, Failure) -> Void,
        _ cell: (Int) -> Cell
    ) -> Values<Date> {
        var cursor = ZoneCursor(zone ?? .utc)
        let hasZone = zone != nil
        let readers = formats.map(\.reader)
        let isAlone = rivals.map(\.isEmpty)
        let dates = readers.withUnsafeBufferPointer { readers in
            isAlone.withUnsafeBufferPointer { isAlone in
                [Date](unsafeUninitializedCapacity: count) { dates, filled in
                    var latest = 0
                    for row in 0..<count {
                        var value: Int64 = 0
                        if missing.isMissing(row) {
                            dates.initializeElement(at: row, to: 0)
                            continue
                        }
                        let text = cell(row)
                        var reading = DateReading()
                        var outcome = readers[latest].read(text, into: &reading)
                        if outcome == .read, isAlone[latest] {
                            outcome = reading.converted(to: target, &cursor, hasZone: hasZone, into: &value)
                        } else {
                            outcome = .unreadable
                        }
                        if outcome != .read {
                            let search = search(text, readers, &cursor, first: &latest)
                            value = search.value
                            if let failure = search.failure { failing(row, failure) }
                        }
                        dates.initializeElement(at: row, to: Date(truncatingIfNeeded: value))
                    }
                    filled = count
                }
            }
        }
        // The readers point into memory that the formats own.
        return withExtendedLifetime(formats) { Values(dates, missing: missing) }
    }

    /// Reads a text by all formats that matter. `first` is tried first and becomes the format that read the text.
    ///
    /// The answer does not depend on which is tried first: where one format reads the text, every format that could
    /// contradict it is asked too, and where none does, the first failure in the order of the formats that says
    /// more than "unreadable" is given.
    @inline(never)
    private func search(
        _ text: Cell,
        _ readers: UnsafeBufferPointer<FormatReader>,
        _ cursor: inout ZoneCursor,
        first: inout Int
    ) -> (value: Int64, failure: Failure?) {
        var failure = DateOutcome.unreadable
        var failedFormat = Int.max
        for step in 0..<readers.count {
            // `first` and then the others in their order.
            let index = step == 0 ? first : (step <= first ? step - 1 : step)
            var value: Int64 = 0
            let outcome = read(text, readers[index], &cursor, into: &value)
            if outcome == .read {
                if isContradicted(index, value, text, readers, &cursor) {
                    return (0, ambiguity(of: text, readers, &cursor))
                }
                first = index
                return (value, nil)
            }
            if outcome != .unreadable, index < failedFormat { (failure, failedFormat) = (outcome, index) }
        }
        return (0, Failure(outcome: failure))
    }

    private func read(
        _ text: Cell,
        _ reader: FormatReader,
        _ cursor: inout ZoneCursor,
        into value: inout Int64
    ) -> DateOutcome {
        var reading = DateReading()
        let outcome = reader.read(text, into: &reading)
        guard outcome == .read else { return outcome }
        return reading.converted(to: target, &cursor, hasZone: zone != nil, into: &value)
    }

    /// Whether a rival of the format reads the text as another date.
    private func isContradicted(
        _ format: Int,
        _ value: Int64,
        _ text: Cell,
        _ readers: UnsafeBufferPointer<FormatReader>,
        _ cursor: inout ZoneCursor
    ) -> Bool {
        for rival in rivals[format] {
            var other: Int64 = 0
            if read(text, readers[rival], &cursor, into: &other) == .read, other != value { return true }
        }
        return false
    }

    /// The failure that names the first two dates, in the order of the formats.
    private func ambiguity(
        of text: Cell,
        _ readers: UnsafeBufferPointer<FormatReader>,
        _ cursor: inout ZoneCursor
    ) -> Failure {
        var readings: [Reading] = []
        for (format, reader) in zip(formats, readers) {
            var value: Int64 = 0
            guard read(text, reader, &cursor, into: &value) == .read, value != readings.first?.value else { continue }
            readings.append(Reading(format: format.text, value: value))
        }
        return Failure(outcome: .ambiguous, readings: Array(readings.prefix(2)))
    }
}

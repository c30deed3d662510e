extension DateColumnReader {
    /// What became of a text that several formats were tried on.
    struct Found {
        var value: Int64 = 0
        var failure: Failure?
        var isClamped = false
        var isFiner = false
    }

    /// Reads a text by all formats that matter. `first` is tried first, unless it is known not to match, and becomes
    /// the format that read the text.
    ///
    /// The answer does not depend on which is tried first: where one format reads the text, every format that could
    /// contradict it is asked too, and where none does, the first failure in the order of the formats that says
    /// more than "unreadable" is given.
    @inline(never)
    func search(
        _ text: Cell,
        _ readers: UnsafeBufferPointer<FormatReader>,
        _ cursor: inout ZoneCursor,
        first: inout Int,
        _ mayMatchFirst: Bool
    ) -> Found {
        var failure = DateOutcome.unreadable
        var failedFormat = Int.max
        for step in (mayMatchFirst ? 0 : 1)..<readers.count {
            // `first` and then the others in their order.
            let index = step == 0 ? first : (step <= first ? step - 1 : step)
            var value: Int64 = 0
            var reading = DateReading()
            let outcome = read(text, readers[index], &cursor, &reading, into: &value)
            if outcome == .read {
                if isContradicted(index, value, text, readers, &cursor) {
                    return Found(failure: ambiguity(of: text, readers, &cursor))
                }
                first = index
                return Found(value: value, isFiner: reading.isFiner)
            }
            if outcome != .unreadable, index < failedFormat { (failure, failedFormat) = (outcome, index) }
        }
        if failure == .impossible, clampsDays, let found = clamped(text, readers, &cursor) { return found }
        return Found(failure: Failure(outcome: failure))
    }

    /// Reads a text that no format can read as it stands with its day on the last of the month; nil when that is not
    /// what is wrong with it.
    private func clamped(
        _ text: Cell,
        _ readers: UnsafeBufferPointer<FormatReader>,
        _ cursor: inout ZoneCursor
    ) -> Found? {
        var found: Found?
        var readings: [Reading] = []
        for (format, reader) in zip(formats, readers) {
            var value: Int64 = 0
            var reading = DateReading()
            guard reader.readClamping(text, into: &reading) == .read,
                reading.converted(to: target, &cursor, hasZone: zone != nil, into: &value) == .read
            else { continue }
            found = found ?? Found(value: value, isClamped: true, isFiner: reading.isFiner)
            if !readings.contains(where: { $0.value == value }) {
                readings.append(Reading(format: format.text, value: value))
            }
        }
        guard readings.count > 1 else { return found }
        return Found(failure: Failure(outcome: .ambiguous, readings: Array(readings.prefix(2))))
    }

    private func read(
        _ text: Cell,
        _ reader: FormatReader,
        _ cursor: inout ZoneCursor,
        _ reading: inout DateReading,
        into value: inout Int64
    ) -> DateOutcome {
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
            var reading = DateReading()
            if read(text, readers[rival], &cursor, &reading, into: &other) == .read, other != value { return true }
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
            var reading = DateReading()
            guard read(text, reader, &cursor, &reading, into: &value) == .read, value != readings.first?.value else {
                continue
            }
            readings.append(Reading(format: format.text, value: value))
        }
        return Failure(outcome: .ambiguous, readings: Array(readings.prefix(2)))
    }
}

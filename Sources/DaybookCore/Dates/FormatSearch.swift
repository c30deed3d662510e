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
    ///
    /// A text with no-break spaces is read with plain ones. No format reads the others, so that is asked only of texts that
    /// could not be read.
    @inline(never)
    func search(
        _ text: Cell,
        _ readers: UnsafeBufferPointer<FormatReader>,
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
                switch objection(to: index, value, text, readers, &cursor) {
                case nil:
                    first = index
                    return Found(value: value, isFiner: reading.isFiner)
                case (_, .ambiguous)?: return Found(failure: ambiguity(of: text, readers, &cursor))
                case (let rival, let outcome)?:
                    if rival < failedFormat { (failure, failedFormat) = (outcome, rival) }
                }
            } else if outcome != .unreadable, index < failedFormat {
                (failure, failedFormat) = (outcome, index)
            }
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

    /// What speaks against the date that a format reads, and the rival that says so; nil when nothing does.
    ///
    /// That is a rival that reads another date; and where the format only counts time, so that any digits would do, a rival
    /// whose shape the text has and whose date does not exist: 20260230 is 30 February, and not a day in August 1970.
    private func objection(
        to format: Int,
        _ value: Int64,
        _ text: Cell,
        _ readers: UnsafeBufferPointer<FormatReader>,
        _ cursor: inout ZoneCursor
    ) -> (rival: Int, outcome: DateOutcome)? {
        let countsTime = readers[format].shape == .epoch
        var found: (rival: Int, outcome: DateOutcome)?
        for rival in rivals[format] {
            var other: Int64 = 0
            var reading = DateReading()
            let outcome = read(text, readers[rival], &cursor, &reading, into: &other)
            if outcome == .read {
                if other != value { return (rival, .ambiguous) }
            } else if countsTime, outcome != .unreadable, readers[rival].shape != .epoch, found == nil {
                found = (rival, outcome)
            }
        }
        return found
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

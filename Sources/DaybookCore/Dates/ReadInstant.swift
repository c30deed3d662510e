/// One instant that was read, for importers whose values carry their encoding with them.
public struct ReadInstant: Sendable, Hashable, BitwiseCopyable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let micros: Int64
    /// The value was finer than a microsecond, and the rest was cut off, towards the past.
    public let isCut: Bool

    /// Reads `-?digits` and perhaps `.digits`; nil for anything else and for what lies outside of years 1 to 9999.
    public init?(_ number: Cell, _ unit: EpochUnit) {
        var reading = DateReading()
        guard unit.read(number, into: &reading) == .read else { return nil }
        micros = reading.micros
        isCut = reading.isFiner
    }

    /// Reads `2026-11-21T05:00:00.123Z`; nil for anything else, also for a local time, which names no instant.
    public init?(iso text: Cell) {
        var fields = DateFields()
        var reading = DateReading()
        guard ISOReading.read(text, ISOReading.day, into: &fields),
            fields.resolve(.zeroTo23, into: &reading) == .read, reading.form == .instant
        else { return nil }
        micros = reading.micros
        isCut = reading.isFiner
    }
}

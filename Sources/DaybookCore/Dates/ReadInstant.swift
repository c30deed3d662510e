/// One instant that was read, for importers whose values carry their encoding with them.
public struct ReadInstant: Sendable, Hashable, BitwiseCopyable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let micros: Int64
    /// The value was finer than a microsecond, and `micros` is the nearest, halves away from zero.
    public let isRounded: Bool

    /// Reads `-?digits` and perhaps `.digits`; nil for anything else and for what lies outside of years 1 to 9999.
    public init?(_ number: Cell, _ unit: EpochUnit) {
        var reading = DateReading()
        guard unit.read(number, into: &reading) == .read else { return nil }
        micros = reading.micros
        isRounded = ReadInstant.isFiner(number, than: unit.decimals)
    }

    /// Reads `2026-11-21T05:00:00.123Z`; nil for anything else, also for a local time, which names no instant.
    public init?(iso text: Cell) {
        var fields = DateFields()
        var reading = DateReading()
        guard ISOReading.read(text, ISOReading.day, into: &fields),
            fields.resolve(.zeroTo23, into: &reading) == .read, reading.form == .instant
        else { return nil }
        isRounded = ReadInstant.isFiner(text, than: 6)
        // The reader of ISO 8601 cuts where this one rounds.
        micros = reading.micros + (isRounded && ReadInstant.roundsUp(text) ? 1 : 0)
        guard EpochUnit.range.contains(micros) else { return nil }
    }

    /// The place behind the decimal point.
    private static func fraction(_ text: Cell) -> Int? {
        text.firstIndex { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }.map { $0 + 1 }
    }

    private static func isFiner(_ text: Cell, than decimals: Int) -> Bool {
        guard let start = fraction(text) else { return false }
        var place = start
        while place < text.count, text[place] &- 48 <= 9 {
            if place >= start + decimals, text[place] != 48 { return true }
            place += 1
        }
        return false
    }

    private static func roundsUp(_ text: Cell) -> Bool {
        guard let start = fraction(text), start + 6 < text.count else { return false }
        return text[start + 6] &- 48 <= 9 && text[start + 6] >= 53
    }
}

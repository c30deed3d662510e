/// Reads the extended form of ISO 8601: `2026-11-21`, and with a time `2026-11-21T05:00`, `2026-11-21 05:00:00.123Z`,
/// `2026-11-21T14:00:00+09:00`.
///
/// Between date and time stands `T`, `t` or one space; seconds and their fraction (after `.` or `,`, cut to
/// microseconds) may be left out; the offset is `Z`, `z`, `+09`, `+0900` or `+09:00`. The basic form `20261121`, week
/// dates and ordinal dates are not read: a pattern says them without doubt.
enum ISOReading {
    static let day = TenByteDay(separators: UInt8(ascii: "-"), UInt8(ascii: "-"))

    static func read(_ cell: Cell, _ day: TenByteDay, into fields: inout DateFields) -> Bool {
        var date = CivilDate(year: 0, month: 0, day: 0)
        guard cell.count >= 10, day.read(cell.baseAddress.unsafelyUnwrapped, into: &date) else { return false }
        fields.set(date)
        return cell.count == 10 || readTime(cell, into: &fields)
    }

    @inline(never)
    private static func readTime(_ cell: Cell, into fields: inout DateFields) -> Bool {
        guard var text = TextScanner(cell) else { return false }
        text.position += 10
        guard text.skip(UInt8(ascii: "T")) || text.skip(UInt8(ascii: " ")) || text.skip(UInt8(ascii: "t")),
            let hour = text.twoDigits(), text.skip(UInt8(ascii: ":")), let minute = text.twoDigits()
        else { return false }
        fields.hour = hour
        fields.minute = minute
        if text.skip(UInt8(ascii: ":")) {
            guard let second = text.twoDigits() else { return false }
            fields.second = second
            if text.skip(UInt8(ascii: ".")) || text.skip(UInt8(ascii: ",")) {
                guard let nanos = readFraction(&text) else { return false }
                fields.nanos = nanos
            }
        }
        if text.isAtEnd { return true }
        guard let offset = text.offset(mayBeNamed: false) else { return false }
        fields.offset = offset
        return text.isAtEnd
    }

    private static func readFraction(_ text: inout TextScanner) -> Int32? {
        var value: Int32 = 0
        var count = 0
        var isFinerStill = false
        while text.digit(0) <= 9 {
            if count < 9 {
                value = value &* 10 &+ Int32(bitPattern: text.digit(0))
            } else if text.digit(0) > 0 {
                isFinerStill = true
            }
            count &+= 1
            text.position += 1
        }
        guard count > 0 else { return nil }
        let nanos = TextScanner.nanos(value, digits: min(count, 9))
        return isFinerStill && nanos % 1_000 == 0 ? nanos &+ 1 : nanos
    }
}

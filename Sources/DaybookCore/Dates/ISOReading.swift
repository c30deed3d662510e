/// Reads dates and times of ISO 8601 in the extended form, `2026-11-21`, `2026-11-21T05`, `2026-11-21 05:00:00.123Z`,
/// `2026-11-21T14:00:00+09:00`, and in the basic form, `20261121`, `20261121T05`, `20261121T050000Z`, as iCalendar has it.
///
/// Between date and time stands `T`, `t` or one space; what comes behind the hour may be left out, from the end; seconds may
/// have a fraction behind `.` or `,`, cut to microseconds; the offset is `Z`, `z`, `+09`, `+0900` or `+09:00`. A time is
/// written in the form of its date, as the standard asks. Week dates and ordinal dates are not read.
enum ISOReading {
    static let day = TenByteDay(separators: UInt8(ascii: "-"), UInt8(ascii: "-"))

    static func read(_ cell: Cell, _ day: TenByteDay, into fields: inout DateFields) -> Bool {
        var date = CivilDate(year: 0, month: 0, day: 0)
        guard cell.count >= 10, day.read(cell.baseAddress.unsafelyUnwrapped, into: &date) else { return false }
        fields.set(date)
        return cell.count == 10 || readTime(cell, into: &fields)
    }

    /// Reads the basic form.
    static func readBasic(_ cell: Cell, into fields: inout DateFields) -> Bool {
        guard cell.count >= 8, var text = TextScanner(cell), let year = text.digits(4, 4),
            let month = text.twoDigits(), let day = text.twoDigits()
        else { return false }
        fields.set(CivilDate(year: year, month: month, day: day))
        return text.isAtEnd || readTime(&text, isBasic: true, into: &fields)
    }

    @inline(never)
    private static func readTime(_ cell: Cell, into fields: inout DateFields) -> Bool {
        guard var text = TextScanner(cell) else { return false }
        text.position += 10
        return readTime(&text, isBasic: false, into: &fields)
    }

    @inline(__always)
    private static func readTime(_ text: inout TextScanner, isBasic: Bool, into fields: inout DateFields) -> Bool {
        guard text.skip(UInt8(ascii: "T")) || text.skip(UInt8(ascii: " ")) || text.skip(UInt8(ascii: "t")),
            let hour = text.twoDigits()
        else { return false }
        fields.hour = hour
        if startsPart(&text, isBasic) {
            guard let minute = text.twoDigits() else { return false }
            fields.minute = minute
            if startsPart(&text, isBasic) {
                guard let second = text.twoDigits() else { return false }
                fields.second = second
                if text.skip(UInt8(ascii: ".")) || text.skip(UInt8(ascii: ",")) {
                    var isFiner = false
                    guard let nanos = text.fraction(decimals: 9, &isFiner) else { return false }
                    fields.nanos = Int32(truncatingIfNeeded: nanos &+ (isFiner && nanos % 1_000 == 0 ? 1 : 0))
                }
            }
        }
        if text.isAtEnd { return true }
        guard let offset = text.offset(mayBeNamed: false) else { return false }
        fields.offset = offset
        return text.isAtEnd
    }

    /// Whether minutes or seconds come next: behind a colon in the extended form, at once in the basic one.
    @inline(__always)
    private static func startsPart(_ text: inout TextScanner, _ isBasic: Bool) -> Bool {
        isBasic ? text.digit(0) <= 9 : text.skip(UInt8(ascii: ":"))
    }
}

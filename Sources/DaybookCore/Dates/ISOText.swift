/// Writes days and instants in their ISO forms.
public enum ISOText {
    public static let maximumLength = 32

    public static func write(day: Int32, to start: UnsafeMutablePointer<UInt8>) -> Int {
        var text = CalendarDay(number: day).description
        return text.withUTF8 { bytes in
            start.update(from: bytes.baseAddress!, count: bytes.count)
            return bytes.count
        }
    }

    public static func write(instant: Int64, to start: UnsafeMutablePointer<UInt8>) -> Int {
        write(day: Int32(truncatingIfNeeded: instant / 86_400_000_000), to: start)
    }
}

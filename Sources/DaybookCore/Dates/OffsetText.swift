/// Writes offsets from UTC as patterns ask for them.
enum OffsetText {
    /// Writes an offset in whole minutes; seconds of local mean times are cut off.
    static func write(
        _ offset: Int32,
        _ style: PatternPiece.OffsetStyle,
        to start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var end = start
        let minutes = offset.magnitude / 60
        switch style {
        case .short, .basicOrZ, .extendedOrZ:
            if minutes == 0 {
                end[0] = UInt8(ascii: "Z")
                return end + 1
            }
        case .named:
            for (place, byte) in "GMT".utf8.enumerated() { end[place] = byte }
            end += 3
            if minutes == 0 { return end }
        case .basic, .extended: break
        }
        end[0] = offset < 0 && minutes > 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")
        Digits.writePair(minutes / 60 % 100, to: end + 1)
        end += 3
        if style == .short, minutes % 60 == 0 { return end }
        if style == .extendedOrZ || style == .extended || style == .named {
            end[0] = UInt8(ascii: ":")
            end += 1
        }
        Digits.writePair(minutes % 60, to: end)
        return end + 2
    }
}

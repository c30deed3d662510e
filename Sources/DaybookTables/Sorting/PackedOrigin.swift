/// Where one row came from, in as many bytes as it needs.
enum PackedOrigin {
    /// The source, behind it whether the record stands on one line; more than 0. Lines are mostly as far from records as those before.
    @inline(__always)
    private static func numbers(_ origin: RowOrigin) -> (UInt64, UInt64, UInt64, UInt64, UInt64) {
        let source = UInt64(UInt32(bitPattern: origin.source)) << 1 | (origin.isOneLine ? 1 : 0)
        let ahead = origin.line &- origin.record
        return (
            source + 1, UInt64(origin.length), UInt64(bitPattern: origin.offset), UInt64(bitPattern: origin.record),
            UInt64(bitPattern: ahead << 1 ^ ahead >> 63)
        )
    }

    @inline(__always)
    static func length(_ origin: RowOrigin) -> UInt32 {
        let (source, length, offset, record, ahead) = numbers(origin)
        let bytes =
            LEB128.length(of: source) + LEB128.length(of: length) + LEB128.length(of: offset)
            + LEB128.length(of: record) + LEB128.length(of: ahead)
        return UInt32(truncatingIfNeeded: bytes)
    }

    @inline(__always)
    static func put(_ origin: RowOrigin, _ end: inout UnsafeMutablePointer<UInt8>) {
        let (source, length, offset, record, ahead) = numbers(origin)
        LEB128.put(source, &end)
        LEB128.put(length, &end)
        LEB128.put(offset, &end)
        LEB128.put(record, &end)
        LEB128.put(ahead, &end)
    }

    @inline(__always)
    static func take(_ start: UnsafePointer<UInt8>) -> RowOrigin? {
        var next = start
        let source = LEB128.take(&next)
        guard source > 0 else { return nil }
        let length = Int(LEB128.take(&next))
        let offset = Int(Int64(bitPattern: LEB128.take(&next)))
        let record = Int64(bitPattern: LEB128.take(&next))
        let ahead = LEB128.take(&next)
        let line = record &+ (Int64(bitPattern: ahead >> 1) ^ -Int64(bitPattern: ahead & 1))
        var origin = RowOrigin(source: 0, offset: offset, length: length, line: Int(line), record: Int(record))
        origin.source = Int32(bitPattern: UInt32(truncatingIfNeeded: (source - 1) >> 1))
        origin.isOneLine = (source - 1) & 1 == 1
        return origin
    }
}

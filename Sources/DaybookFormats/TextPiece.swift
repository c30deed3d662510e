/// The rows of one batch as text: CSV, or JSON with what belongs between two rows but not around them.
public struct TextPiece: Sendable, BinaryForm {
    package var bytes: Bytes
    package var rows: Int

    package init(bytes: Bytes, rows: Int) { (self.bytes, self.rows) = (bytes, rows) }

    public init(reading reader: inout ByteReader) throws(DaybookError) {
        rows = Int(try reader.raw(UInt32.self))
        bytes = try Bytes(reading: &reader)
    }

    public func write(to out: Bytes) {
        out.append(raw: UInt32(rows))
        bytes.write(to: out)
    }
}

/// The header of a delimited file, to find it where it stands once more among the rows, as where exports were put one behind
/// the other.
package struct RepeatedHeader: Sendable {
    /// What an export may begin with, and so the header of one that was put behind another: the byte-order mark of UTF-8.
    private static let mark = ByteOrderMark.bytes

    /// How a record begins that may be the header: the bytes of `key` that `mask` has set, the first lowest.
    struct Beginning: Sendable {
        var key: UInt64 = 0
        var mask: UInt64 = 0
        let isQuoted: Bool

        init(_ bytes: some Collection<UInt8>, isQuoted: Bool = false) {
            self.isQuoted = isQuoted
            for (place, byte) in bytes.prefix(8).enumerated() {
                key |= UInt64(byte) << UInt64(8 * place)
                mask |= 0xFF << UInt64(8 * place)
            }
        }
    }

    /// The rows of the header that say something.
    private let rows: [[[UInt8]]]
    private let dialect: CSVDialect
    /// Whether it is dropped where it is found, or else rejected.
    let isSkipped: Bool
    /// How it begins: as it is, behind a byte-order mark, and in quotes.
    let beginnings: [Beginning]
    /// By byte, 1 where it may begin so, and 2 where a byte-order mark does: what is asked of every record.
    let firstBytes: [UInt8]
    /// The same where no record is held against a header.
    static let noFirstBytes: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 256)
        bytes[Int(mark[0])] = 2
        return bytes
    }()

    /// Nil where no record is held against the header.
    package init?(_ header: [[[UInt8]]], _ dialect: CSVDialect, _ fate: CSVReadSettings.Repeated) {
        // A row of nothing is no header, and one column of nothing is a file of blank lines.
        let rows = header.filter { $0.contains { !$0.isEmpty } }
        guard fate != .keep, !rows.isEmpty else { return nil }
        self.rows = rows
        self.dialect = dialect
        isSkipped = fate == .skip
        beginnings = rows.flatMap { RepeatedHeader.beginnings(of: $0, dialect) }
        var firstBytes = RepeatedHeader.noFirstBytes
        for beginning in beginnings { firstBytes[Int(beginning.key & 0xFF)] |= 1 }
        self.firstBytes = firstBytes
    }

    /// How a record begins that may be such a row.
    private static func beginnings(of cells: [[UInt8]], _ dialect: CSVDialect) -> [Beginning] {
        let first = cells[0]
        // Where blanks are no part of cells, they may stand before the first and behind it.
        let plain = first + (cells.count > 1 && (!dialect.trims || first.isEmpty) ? [dialect.delimiter] : [])
        let blanks = dialect.trims ? [Beginning([0x20]), Beginning([0x09])] : []
        return [
            Beginning(plain), Beginning(mark + plain),
            Beginning([dialect.quote] + first.prefix { $0 != dialect.quote }, isQuoted: true),
        ] + blanks
    }

    /// Whether the fields of a record are those of a row of the header.
    package func repeats(_ fields: [CSVRecordScanner.Field], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        rows.contains { equals($0, fields, bytes) }
    }

    private func equals(
        _ cells: [[UInt8]],
        _ fields: [CSVRecordScanner.Field],
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard fields.count == cells.count else { return false }
        for (place, (field, cell)) in zip(fields, cells).enumerated() {
            if field.isEncoded {
                guard CSVFormat.text(of: field, bytes, dialect).utf8.elementsEqual(cell) else { return false }
            } else {
                var text = bytes[field.start..<field.end]
                if place == 0, text.count == cell.count + 3, text.starts(with: RepeatedHeader.mark) {
                    text = text.dropFirst(3)
                }
                guard text.count == cell.count, text.elementsEqual(cell) else { return false }
            }
        }
        return true
    }
}

/// The header of a delimited file, to find it where it stands once more among the rows, as where exports were put one behind
/// the other.
package struct RepeatedHeader: Sendable {
    /// What an export may begin with, and so the header of one that was put behind another: the byte-order mark of UTF-8.
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

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

    private let cells: [[UInt8]]
    private let dialect: CSVDialect
    /// Whether it is dropped where it is found, or else rejected.
    let isSkipped: Bool
    /// How it begins: as it is, behind a byte-order mark, and in quotes.
    let beginnings: [Beginning]
    /// By byte, 1 where it may begin so: what is asked of every record.
    let firstBytes: [UInt8]

    /// Nil where no record is held against the header.
    package init?(_ cells: [[UInt8]], _ dialect: CSVDialect, _ fate: CSVReadSettings.Repeated) {
        // A row of nothing is no header, and one column of nothing is a file of blank lines.
        guard fate != .keep, let first = cells.first, cells.contains(where: { !$0.isEmpty }) else { return nil }
        self.cells = cells
        self.dialect = dialect
        isSkipped = fate == .skip
        // Where blanks are no part of cells, they may stand before the first and behind it.
        let plain = first + (cells.count > 1 && !dialect.trims ? [dialect.delimiter] : [])
        beginnings =
            [
                Beginning(plain), Beginning(RepeatedHeader.mark + plain),
                Beginning([dialect.quote] + first.prefix { $0 != dialect.quote }, isQuoted: true),
            ] + (dialect.trims ? [Beginning([0x20]), Beginning([0x09])] : [])
        var firstBytes = [UInt8](repeating: 0, count: 256)
        for beginning in beginnings { firstBytes[Int(beginning.key & 0xFF)] = 1 }
        self.firstBytes = firstBytes
    }

    /// Whether the fields of a record are those of the header.
    package func equals(_ fields: [CSVRecordScanner.Field], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
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

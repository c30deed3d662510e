import DaybookCore

/// The header of a delimited file, to find it where it stands once more among the rows, as where exports were put one behind
/// the other.
struct RepeatedHeader: Sendable {
    /// How a record begins that may be the header: the bytes of `key` that `mask` has set, the first lowest.
    struct Beginning: Sendable {
        var key: UInt64 = 0
        var mask: UInt64 = 0

        init(_ bytes: some Collection<UInt8>) {
            for (place, byte) in bytes.prefix(8).enumerated() {
                key |= UInt64(byte) << UInt64(8 * place)
                mask |= 0xFF << UInt64(8 * place)
            }
        }
    }

    private let cells: [[UInt8]]
    private let quote: UInt8
    /// Whether it is dropped where it is found, or else rejected.
    let isSkipped: Bool
    /// How it begins without quotes, and with them.
    let beginnings: [Beginning]
    /// By byte, 1 where it may begin so: what is asked of every record.
    let firstBytes: [UInt8]

    /// Nil where no record is held against the header.
    init?(_ cells: [[UInt8]], _ dialect: CSVDialect, _ fate: ImportCSV.Repeated) {
        // A row of nothing is no header, and one column of nothing is a file of blank lines.
        guard fate != .keep, let first = cells.first, cells.contains(where: { !$0.isEmpty }) else { return nil }
        self.cells = cells
        quote = dialect.quote
        isSkipped = fate == .skip
        beginnings = [
            Beginning(first + (cells.count > 1 ? [dialect.delimiter] : [])),
            Beginning([dialect.quote] + first.prefix { $0 != dialect.quote }),
        ]
        var firstBytes = [UInt8](repeating: 0, count: 256)
        for beginning in beginnings { firstBytes[Int(beginning.key & 0xFF)] = 1 }
        self.firstBytes = firstBytes
    }

    /// Whether the fields of a record are those of the header.
    func equals(_ fields: [CSVRecordScanner.Field], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard fields.count == cells.count else { return false }
        for (field, cell) in zip(fields, cells) {
            if field.hasDoubledQuotes {
                guard CSVFormat.text(of: field, bytes, quote: quote).utf8.elementsEqual(cell) else { return false }
            } else {
                guard field.end - field.start == cell.count, bytes[field.start..<field.end].elementsEqual(cell) else {
                    return false
                }
            }
        }
        return true
    }
}

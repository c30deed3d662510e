import CScan
import DaybookCore

/// Cuts delimited text between two records.
///
/// Without quotes the last line end is the place. With quotes that all stand where they may, the last line end outside
/// them is. Otherwise the records are read one by one.
struct CSVCutter: RecordCutter {
    let dialect: CSVDialect
    /// A quoted field longer than this is taken for one that was never closed.
    static let longestRecord = 256 << 20

    mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        let isLast = isLast || bytes.count >= CSVCutter.longestRecord
        let counts = scan_count(base, bytes.count, dialect.quote)
        let length: Int
        if counts.quotes == 0, dialect.comment == nil {
            length = isLast ? bytes.count : lastLineEnd(bytes)
        } else {
            length =
                dialect.comment == nil
                ? regularCut(base, bytes.count, isLast) ?? carefulCut(bytes, isLast) : carefulCut(bytes, isLast)
        }
        guard length < bytes.count || counts.carriage_returns > 0 else {
            return RecordCut(length: length, lines: counts.line_feeds)
        }
        let next: UInt8 = length < bytes.count ? bytes[length] : 0
        return RecordCut(length: length, lines: Int(scan_count_line_ends(base, length, next)))
    }

    /// Behind the last line end, or 0. A carriage return at the very end may still get its line feed.
    private func lastLineEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var position = bytes.count
        if position > 0, bytes[position - 1] == CSVDialect.carriageReturn { position -= 1 }
        while position > 0, !dialect.isLineEnd(bytes[position - 1]) { position -= 1 }
        return position
    }

    private func regularCut(_ base: UnsafePointer<UInt8>, _ count: Int, _ isLast: Bool) -> Int? {
        let cut = csv_cut_text(base, count, dialect.delimiter, dialect.quote)
        if cut.irregular { return nil }
        if isLast { return cut.ends_inside ? nil : count }
        return cut.length
    }

    private func carefulCut(_ bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool) -> Int {
        var scanner = CSVRecordScanner(dialect: dialect)
        var position = 0
        while position < bytes.count {
            let record = scanner.scan(bytes, from: position, isLast: isLast)
            if record.kind == .unfinished { break }
            position = record.end
        }
        return position
    }
}

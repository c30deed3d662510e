import CScan
import DaybookCore

/// Cuts delimited text between two records.
///
/// Without quotes the last line end is the place. With quotes that all stand where they may, the last line end outside
/// them is. Otherwise the records are read one by one.
struct CSVCutter: RecordCutter {
    let dialect: CSVDialect
    /// A record longer than this is taken for one whose quote was never closed, or is refused when it has none.
    var longestRecord = 128 << 20

    mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        let counts = scan_count(base, bytes.count, dialect.quote)
        let length: Int
        if counts.quotes == 0, dialect.comment == nil {
            length = isLast ? bytes.count : lastLineEnd(bytes)
        } else {
            length =
                dialect.comment == nil
                ? regularCut(base, bytes.count, isLast) ?? carefulCut(bytes, isLast) : carefulCut(bytes, isLast)
        }
        // Without quotes and carriage returns, every line feed is in front of the cut.
        if counts.quotes == 0, counts.carriage_returns == 0, length > 0 {
            return RecordCut(length: length, lines: counts.line_feeds)
        }
        return try lines(
            in: bytes,
            length == 0 && bytes.count >= longestRecord ? spoiltRecord(bytes) : length
        )
    }

    /// Where the first record ends when its quote is given up: with the line on which it opens.
    ///
    /// Only that record is ended; what follows is cut as ever.
    private func spoiltRecord(_ bytes: UnsafeBufferPointer<UInt8>) throws(DaybookError) -> Int {
        var scanner = CSVRecordScanner(dialect: dialect)
        let record = scanner.scan(bytes, from: 0, isLast: true)
        guard record.end < bytes.count else {
            throw DaybookError(
                "record-too-long",
                "a record is longer than \(longestRecord >> 20) MiB",
                hint: "is it a CSV file, and are its 'delimiter' and 'quote' right?",
                blame: .data
            )
        }
        return record.end
    }

    private func lines(in bytes: UnsafeBufferPointer<UInt8>, _ length: Int) -> RecordCut {
        guard let base = bytes.baseAddress else { return RecordCut(length: 0, lines: 0) }
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

import CScan
import DaybookCore

/// Cuts delimited text between two records.
///
/// The structural index tells where the last record ends, and goes with the morsel. Where quotes are out of place or lines
/// may be comments it has no say, and the records are read one by one.
struct CSVCutter: RecordCutter {
    let dialect: CSVDialect
    /// A record longer than this is taken for one whose quote was never closed, or is refused when it has none.
    var longestRecord = 128 << 20

    mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        var length = 0
        if let index = CSVIndex(base, bytes.count, dialect, isLast: isLast) {
            if index.length > 0 {
                return RecordCut(length: index.length, lines: index.lines(base, bytes.count), notes: index)
            }
        } else {
            length = carefulCut(bytes, isLast)
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

/// The records at the end of a file that are no rows, such as a sum or a remark.
///
/// The cutter holds as many records back until it has seen the end of the file, so what waits is as long as they are.
package struct CSVFooter: Sendable {
    /// More records wait for no end of a file.
    package static let most = 1000

    /// How many records it has; blank lines and comments are not counted.
    var records: Int
    var dialect: CSVDialect

    /// Tells the reader of the last morsel of a file where the footer begins.
    final class Notes: MorselNotes {
        /// In bytes of the morsel.
        let start: Int
        let records: Int

        init(start: Int, records: Int) { (self.start, self.records) = (start, records) }
    }

    /// Where the last records begin of a text that ends with its file, and how many they are.
    func found(in bytes: UnsafeBufferPointer<UInt8>) -> (start: Int, records: Int) {
        let starts = lastStarts(in: bytes, isLast: true)
        return (starts.first ?? bytes.count, starts.count)
    }

    /// How much of the first `length` bytes is certain to stand before the footer, where the file goes on behind `bytes`.
    func rows(before length: Int, of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let behind = UnsafeBufferPointer(rebasing: bytes[length...])
        let needed = records - count(in: behind)
        guard needed > 0 else { return length }
        let starts = lastStarts(in: UnsafeBufferPointer(rebasing: bytes[..<length]), isLast: true)
        return starts.count < needed ? 0 : starts[starts.count - needed]
    }

    /// How many whole records follow, as far as that matters.
    private func count(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var scanner = CSVRecordScanner(dialect: dialect, most: 1)
        var (count, position) = (0, 0)
        while position < bytes.count, count < records {
            let record = scanner.scan(bytes, from: position, isLast: false)
            if record.kind == .unfinished { break }
            if record.kind != .blank, record.kind != .comment { count += 1 }
            position = record.end
        }
        return count
    }

    /// Where the last records begin, as many as the footer has.
    private func lastStarts(in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> [Int] {
        if let base = bytes.baseAddress, bytes.count <= CSVCutter.longestIndex,
            let index = CSVIndex(base, bytes.count, dialect, isLast: isLast)
        {
            return index.lastStarts(records, in: bytes)
        }
        var scanner = CSVRecordScanner(dialect: dialect, most: 1)
        var starts: [Int] = []
        var position = 0
        while position < bytes.count {
            let record = scanner.scan(bytes, from: position, isLast: isLast)
            if record.kind == .unfinished { break }
            if record.kind != .blank, record.kind != .comment { starts.append(position) }
            if starts.count > 2 * records { starts.removeFirst(starts.count - records) }
            position = record.end
        }
        return starts.suffix(records)
    }
}

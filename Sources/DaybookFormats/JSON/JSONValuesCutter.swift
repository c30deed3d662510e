/// Cuts values that stand one behind another, as programs print them: behind the last one that is whole.
struct JSONValuesCutter: RecordCutter {
    let file: String
    let lineEnd: LineEnd
    /// The column in which the next record begins.
    private var column = 1

    init(file: String, lineEnd: LineEnd) { (self.file, self.lineEnd) = (file, lineEnd) }

    mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        var length = 0
        var records = 0
        while records < Morsel.mostRecords, let next = JSONValuesCutter.end(base, length, bytes.count) {
            length = next
            records += 1
        }
        if isLast, records < Morsel.mostRecords, length < bytes.count {
            // Blanks at the end are no record, and something else is one that is broken.
            if bytes[length...].contains(where: { !$0.isSpace }) { records += 1 }
            length = bytes.count
        }
        guard length > 0 else {
            guard bytes.count <= longestJSONRecord else { throw JSONArrayCutter.tooLong(file) }
            return RecordCut(length: 0, lines: 0)
        }
        let cut = UnsafeBufferPointer(start: base, count: length)
        var lines = LineCursor(cut, firstLine: 1, firstColumn: column, lineEnd: lineEnd)
        column = lines.place(of: length).column
        let next = length < bytes.count ? base[length] : 0
        return RecordCut(
            length: length,
            lines: lineEnd.count(in: cut, next: next),
            records: records,
            nextColumn: column
        )
    }

    /// The place behind the value that begins at `start` or behind blanks there; nil where it does not end before `end`.
    ///
    /// Only brackets and quotes are looked at, so that a broken record does not take those behind it with it.
    static func end(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var place = start
        while place < end, base[place].isSpace { place += 1 }
        var depth = 0
        var isText = false
        let first = place
        while place < end {
            let byte = base[place]
            if isText {
                if byte == UInt8(ascii: "\\") { place += 1 } else if byte == UInt8(ascii: "\"") { isText = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    // A word or a number ends where a bracket opens.
                    if depth == 0, place > first { return place }
                    depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if depth <= 0 { return place + 1 }
                default: if depth == 0, byte.isSpace { return place }
                }
            }
            place += 1
        }
        return nil
    }
}

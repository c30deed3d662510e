/// Cuts a text of which each line is a record, behind the last line end.
package struct LineCutter: RecordCutter {
    /// How far there is known to be no line end.
    private var scanned = 0
    private let file: String
    private let lineEnd: LineEnd

    /// What is longer is no line of a table.
    private static let longest = 32 << 20

    package init(file: String, lineEnd: LineEnd) { (self.file, self.lineEnd) = (file, lineEnd) }

    package mutating func cut(_ bytes: Cell, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        var length = bytes.count
        if !isLast {
            while length > scanned, !ends(bytes, length - 1) { length -= 1 }
            guard length > scanned else {
                scanned = bytes.count
                guard bytes.count <= LineCutter.longest else {
                    throw DaybookError(
                        "record-too-long",
                        "a line of \(file) is longer than \(LineCutter.longest >> 20) MiB",
                        hint: "is it a table of lines?",
                        blame: .data
                    )
                }
                return RecordCut(length: 0, lines: 0)
            }
        }
        scanned = 0
        let next = length < bytes.count ? bytes[length] : 0
        var lines = lineEnd.count(in: Cell(rebasing: bytes[..<length]), next: next)
        if lines > Morsel.mostRecords {
            var walk = TextLines(Cell(rebasing: bytes[..<length]), lineEnd: lineEnd)
            for _ in 0..<Morsel.mostRecords { _ = walk.next() }
            length = walk.position
            lines = Morsel.mostRecords
        }
        return RecordCut(length: length, lines: lines)
    }

    private func ends(_ bytes: Cell, _ place: Int) -> Bool {
        if bytes[place] == 0x0A { return true }
        // Behind the last byte there may be the LF of a CR LF.
        return lineEnd == .carriageReturn && bytes[place] == 0x0D && place + 1 < bytes.count && bytes[place + 1] != 0x0A
    }
}

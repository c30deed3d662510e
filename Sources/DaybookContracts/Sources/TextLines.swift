import CScan

/// The lines of a text, one after another.
public struct TextLines {
    private let text: Cell
    private let returnsEnd: Bool
    /// Where the next line begins.
    public private(set) var position: Int

    public init(_ text: Cell, from position: Int = 0, lineEnd: LineEnd) {
        self.text = text
        self.position = position
        returnsEnd = lineEnd == .carriageReturn
    }

    /// The next line without its line end, and the start of the line after; nil if there is none.
    public mutating func next() -> (content: Range<Int>, end: Int)? {
        let start = position
        guard start < text.count else { return nil }
        var stop = text.place(of: 0x0A, from: start) ?? text.count
        if returnsEnd, let found = Cell(rebasing: text[start..<stop]).place(of: 0x0D) { stop = start + found }
        position = min(stop + 1, text.count)
        if stop < text.count, text[stop] == 0x0D {
            if position < text.count, text[position] == 0x0A { position += 1 }
        } else if stop > start, text[stop - 1] == 0x0D {
            stop -= 1
        }
        return (start..<stop, position)
    }
}

/// Cuts a text of one record per line, behind the last line end.
public struct LineCutter: RecordCutter {
    /// The bytes known to have no line end.
    private var scanned = 0
    private let file: String
    private let lineEnd: LineEnd

    /// A longer line is no line of a table.
    private static let longest = 32 << 20

    public init(file: String, lineEnd: LineEnd) { (self.file, self.lineEnd) = (file, lineEnd) }

    public mutating func cut(_ bytes: Cell, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        var length = bytes.count
        if !isLast {
            while length > scanned, !ends(bytes, length - 1) { length -= 1 }
            guard length > scanned else {
                scanned = bytes.count
                guard bytes.count <= LineCutter.longest else {
                    let message = "a line of \(file) is longer than \(LineCutter.longest >> 20) MiB"
                    throw DaybookError.data("record-too-long", message, hint: "is it a table of lines?")
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
        // After the last byte there may be the LF of a CR LF.
        return lineEnd == .carriageReturn && bytes[place] == 0x0D && place + 1 < bytes.count && bytes[place + 1] != 0x0A
    }
}

/// Finds the bytes of a morsel that are not text, record by record.
public struct InvalidText {
    private let morsel: Morsel
    private let isText: Bool
    private var next = 0

    public init(_ morsel: Morsel) {
        self.init(
            morsel,
            isText: morsel.faults.isEmpty && scan_text_valid(morsel.bytes.base, morsel.length) == morsel.length
        )
    }

    /// - Parameter isText: whether every byte is known to be text.
    public init(_ morsel: Morsel, isText: Bool) { (self.morsel, self.isText) = (morsel, isText) }

    /// The first byte of a record that is not text, with its message. Called for each record in order.
    public mutating func first(in span: RecordSpan) -> (at: Int, kind: Finding.Kind, message: String?)? {
        if isText { return nil }
        var first: (at: Int, kind: Finding.Kind, message: String?)?
        while next < morsel.faults.count, morsel.faults[next].at < span.end {
            let fault = morsel.faults[next]
            let message = "byte \(fault.rawOffset) of the file does not belong to a character"
            first = first ?? (Int(fault.at), .notText, message)
            next += 1
        }
        let start = Int(span.start)
        let length = Int(span.end) - start
        let valid = Int(scan_text_valid(morsel.bytes.base + start, length))
        guard valid < length, start + valid < first?.at ?? .max else { return first }
        if morsel.bytes[start + valid] == 0 { return (start + valid, .nulCharacter, nil) }
        return (start + valid, .notText, "byte \(morsel.offset + start + valid) of the file is not UTF-8")
    }
}

extension Finding.Kind {
    public static let notText = Finding.Kind("invalid-encoding", "bytes that are not text in the encoding of the file")
    public static let nulCharacter = Finding.Kind(
        "nul-character",
        "a NUL character (U+0000) stands here, which no text holds"
    )
}

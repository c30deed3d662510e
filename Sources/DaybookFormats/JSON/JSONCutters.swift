/// Counts lines and columns as the input goes by, for errors about the input as a whole.
package struct JSONPlace: Sendable {
    package let file: String
    /// Where the input stands, when it is a part of the file.
    package let holder: TextHolder?
    /// What ends its lines.
    package let lineEnd: LineEnd
    /// From 1.
    private var line = 1
    /// Characters that stand before, on the same line.
    private var characters = 0
    private var byte = 0

    /// From 1.
    package var column: Int { characters + 1 }

    package init(_ head: SourceHead) {
        file = head.source.path
        holder = head.holder
        lineEnd = LineEnd(of: head.bytes.filled)
    }

    /// The place at which a part of the input begins.
    func at(_ part: TextPart) -> JSONPlace {
        var place = self
        (place.line, place.characters, place.byte) = (part.line, part.column - 1, part.offset)
        return place
    }

    package mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
        byte += bytes.count
        var cursor = LineCursor(bytes, firstLine: line, firstColumn: column, lineEnd: lineEnd)
        let place = cursor.place(of: bytes.count)
        (line, characters) = (place.line, place.column - 1)
    }

    /// The same for bytes that are cut off: lines are known, so only the last line is looked at.
    package mutating func advance(over bytes: UnsafeBufferPointer<UInt8>, lines: Int) {
        line += lines
        byte += bytes.count
        var start = 0
        if lines > 0 {
            start = bytes.count
            while start > 0, !isLineEnd(bytes[start - 1]) { start -= 1 }
            characters = 0
        }
        var count = 0
        for index in start..<bytes.count where bytes[index] & 0xC0 != 0x80 { count &+= 1 }
        characters += count
    }

    private func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || (byte == 0x0D && lineEnd == .carriageReturn) }

    package func error(_ kind: Finding.Kind, _ message: String? = nil) -> DaybookError {
        DaybookError(
            DaybookError.Code(rawValue: kind.code),
            spoken(message ?? kind.message),
            at: place,
            blame: .data
        )
    }

    private var place: SourcePlace? {
        guard let holder else { return SourcePlace(file: file, line: line, column: column) }
        guard let line = holder.line, let column = holder.column else { return nil }
        return SourcePlace(file: file, line: line, column: column)
    }

    /// The place for the middle of a sentence.
    var words: String { "line \(line), column \(column)" }

    /// In a part of a file, places count from its own beginning, so they are said in words.
    private func spoken(_ message: String) -> String {
        guard let holder else { return message }
        let at =
            holder.byte.map { "byte \($0 + byte) of \(file)" }
            ?? "line \(line), column \(column) of the JSON under \(holder.pointer) in \(file)"
        return "\(message), at \(at)"
    }

    /// An error about a byte that lies ahead.
    package func error(_ fault: JSONFault, at byte: Int, of bytes: UnsafeBufferPointer<UInt8>) -> DaybookError {
        var place = self
        place.advance(over: UnsafeBufferPointer(rebasing: bytes[..<byte]))
        return place.error(fault.kind)
    }
}

/// The most bytes that one record, or a document of one value, may have; places in a morsel are 32-bit numbers.
let longestJSONRecord = 1 << 30

/// Cuts JSON Lines behind the last line end. No string holds one, so nothing else needs to be looked at.
struct JSONLinesCutter: RecordCutter {
    /// How far there is known to be no line end.
    private var scanned = 0
    let file: String
    let lineEnd: LineEnd

    init(file: String, lineEnd: LineEnd) { (self.file, self.lineEnd) = (file, lineEnd) }

    mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return RecordCut(length: 0, lines: 0) }
        var length = bytes.count
        if !isLast {
            while length > scanned, base[length - 1] != 0x0A { length -= 1 }
            if length <= scanned {
                scanned = bytes.count
                guard bytes.count <= longestJSONRecord else { throw JSONArrayCutter.tooLong(file) }
                return RecordCut(length: 0, lines: 0)
            }
        }
        scanned = 0
        var lines = lineEnd.count(
            in: UnsafeBufferPointer(start: base, count: length),
            next: length < bytes.count ? base[length] : 0
        )
        if lines > Morsel.mostRecords, let end = JSONLinesCutter.end(ofLine: Morsel.mostRecords, base, length) {
            length = end
            lines = Morsel.mostRecords
        }
        return RecordCut(length: length, lines: lines)
    }

    /// Where a line ends, from 1; nil where line feeds are too few.
    private static func end(ofLine number: Int, _ base: UnsafePointer<UInt8>, _ length: Int) -> Int? {
        var position = 0
        for _ in 0..<number {
            guard let feed = JSONFormat.lineFeed(base, position, length) else { return nil }
            position = feed + 1
        }
        return position
    }
}

/// Takes a document that is one value whole.
struct JSONValueCutter: RecordCutter {
    let file: String
    let lineEnd: LineEnd

    mutating func cut(_ bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws(DaybookError) -> RecordCut {
        guard bytes.count <= longestJSONRecord else { throw JSONArrayCutter.tooLong(file) }
        guard isLast else { return RecordCut(length: 0, lines: 0) }
        return RecordCut(length: bytes.count, lines: lineEnd.count(in: bytes), records: 1)
    }
}

/// Where the cells of unusual dialects begin and end, and what text they stand for.
extension CSVDialect {
    /// Whether a delimiter begins at a byte.
    @inline(__always)
    package func isDelimiter(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
        bytes[place] == delimiter && (delimiterTail.count == 0 || delimiterTail.stands(in: bytes, place + 1))
    }

    /// The bytes of a delimiter.
    var delimiterLength: Int { 1 + Int(delimiterTail.count) }

    /// Whether a byte is a blank that is no part of a cell.
    @inline(__always)
    private func isBlank(_ byte: UInt8) -> Bool {
        (byte == 0x20 || byte == 0x09) && byte != delimiter && byte != quote
    }

    /// Behind the blanks at a place, where blanks are no part of cells.
    @inline(__always)
    func skippingBlanks(_ bytes: UnsafeBufferPointer<UInt8>, from place: Int) -> Int {
        guard trims else { return place }
        var place = place
        while place < bytes.count, isBlank(bytes[place]) { place += 1 }
        return place
    }

    /// Whether there is nothing but blanks before a line end.
    func isBlankLine(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Bool {
        let end = skippingBlanks(bytes, from: line.lowerBound)
        return end >= line.upperBound || CSVDialect.mayEndLine(bytes[end])
    }

    /// The end of a cell without the blanks before it, where blanks are no part of cells.
    @inline(__always)
    func trimmedEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ cell: Range<Int>) -> Int {
        guard trims else { return cell.upperBound }
        var end = cell.upperBound
        while end > cell.lowerBound, isBlank(bytes[end - 1]) { end -= 1 }
        return end
    }

    /// How many bytes an escape and what it escapes take; nil where none stands.
    ///
    /// A quote, a delimiter, a line end and the escape itself are escaped. Before anything else an escape is the character that it is.
    @inline(__always)
    func escapeLength(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int? {
        guard bytes[place] == escape, place + 1 < bytes.count else { return nil }
        let next = bytes[place + 1]
        if next == CSVDialect.carriageReturn {
            return place + 2 < bytes.count && bytes[place + 2] == CSVDialect.lineFeed ? 3 : 2
        }
        if next == quote || next == escape || next == CSVDialect.lineFeed { return 2 }
        // Of a delimiter of several characters, MySQL escapes the first, wherever it stands.
        if next == delimiter, next < 0x80 { return 2 }
        return isDelimiter(bytes, place + 1) ? 1 + delimiterLength : nil
    }

    /// Writes the text that the bytes of a cell stand for to `target`, which has room for as many, and says how long it is.
    func decode(_ cell: UnsafeBufferPointer<UInt8>, isQuoted: Bool, to target: UnsafeMutablePointer<UInt8>) -> Int {
        var (place, length) = (0, 0)
        while place < cell.count {
            var taken = 1
            if let escaped = escapeLength(cell, place) {
                place += 1
                taken = escaped - 1
            } else if isQuoted, cell[place] == quote, place + 1 < cell.count, cell[place + 1] == quote {
                place += 1
            }
            for _ in 0..<taken {
                target[length] = cell[place]
                length += 1
                place += 1
            }
        }
        return length
    }
}

/// The bytes of a delimiter behind its first: none in nearly all files.
package struct DelimiterTail: Sendable, Hashable, BitwiseCopyable {
    private var bytes: UInt64 = 0
    private(set) var count: UInt8 = 0

    package static let most = 7

    package init() {}

    /// At most seven bytes.
    package init(_ tail: some Collection<UInt8>) {
        for byte in tail.prefix(DelimiterTail.most) {
            bytes |= UInt64(byte) << UInt64(8 * count)
            count += 1
        }
    }

    subscript(index: Int) -> UInt8 { UInt8(truncatingIfNeeded: bytes >> UInt64(8 * index)) }

    func stands(in text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
        guard text.count - place >= Int(count) else { return false }
        for index in 0..<Int(count) where text[place + index] != self[index] { return false }
        return true
    }
}

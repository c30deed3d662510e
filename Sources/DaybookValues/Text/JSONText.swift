import CScan

/// Text as JSON strings (RFC 8259, section 7). The cells are UTF-8.
extension ByteCursor {
    @inline(__always)
    package mutating func put(word: StaticString) {
        put(Cell(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    /// Writes a JSON string with its quotes.
    @inline(__always)
    package mutating func put(jsonString cell: Cell) {
        // Every byte may need six, and vector stores overrun the written bytes.
        reserve(6 * cell.count + 64)
        put(UInt8(ascii: "\""))
        putEscaped(cell)
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func putEscaped(_ cell: Cell) {
        guard let start = cell.baseAddress else { return }
        var done = json_copy_plain(next, start, cell.count)
        next += done
        while done < cell.count {
            putEscape(of: start[done])
            done += 1
            let more = json_copy_plain(next, start + done, cell.count - done)
            next += more
            done += more
        }
    }

    @inline(never)
    private mutating func putEscape(of byte: UInt8) {
        put(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte)
        case 8: put(UInt8(ascii: "b"))
        case 9: put(UInt8(ascii: "t"))
        case 10: put(UInt8(ascii: "n"))
        case 12: put(UInt8(ascii: "f"))
        case 13: put(UInt8(ascii: "r"))
        default:
            put(word: "u00")
            put(byte < 16 ? 48 : 49)
            put(byte & 15 < 10 ? byte & 15 + 48 : byte & 15 + 87)
        }
    }
}

extension Bytes {
    /// Appends a JSON string with its quotes. The cell is in a `Bytes`, which has the slack that the kernels read over.
    public func append(jsonString cell: Cell) {
        var out = ByteCursor(self)
        out.put(jsonString: cell)
        out.finish()
    }

    /// Appends a JSON string with its quotes.
    ///
    /// The text is copied first: the kernels read past its end, for which only the memory of `Bytes` has slack. A short
    /// text is copied to the stack.
    public func append(jsonString text: String) {
        let copy = Bytes(text)
        append(jsonString: copy.filled)
        withExtendedLifetime(copy) {}
    }
}

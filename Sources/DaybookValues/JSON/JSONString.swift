import CScan

/// Reads the content between the quotes of a JSON string.
package enum JSONString {
    /// The UTF-16 unit of an escape `\u20AC`, or nil when there is none at `place`.
    package static func unit(_ base: UnsafePointer<UInt8>, at place: Int, _ end: Int) -> UInt32? {
        guard place + 6 <= end, base[place] == UInt8(ascii: "\\"), base[place + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var unit: UInt32 = 0
        for index in 2..<6 {
            let digit: UInt8
            switch base[place + index] {
            case let byte where (48...57).contains(byte): digit = byte - 48
            case let byte where (65...70).contains(byte): digit = byte - 55
            case let byte where (97...102).contains(byte): digit = byte - 87
            default: return nil
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// The character of the escape at `place`, and its length in bytes; nil if there is no escape, or half of one.
    package static func escape(_ base: UnsafePointer<UInt8>, at place: Int, _ end: Int) -> (
        scalar: Unicode.Scalar, length: Int
    )? {
        guard place + 2 <= end, base[place] == UInt8(ascii: "\\") else { return nil }
        switch base[place + 1] {
        case UInt8(ascii: "u"):
            guard let unit = unit(base, at: place, end) else { return nil }
            if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
            guard unit & 0xFC00 == 0xD800, let low = self.unit(base, at: place + 6, end), low & 0xFC00 == 0xDC00,
                let scalar = Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + (low & 0x3FF))
            else { return nil }
            return (scalar, 12)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return (Unicode.Scalar(plain(base[place + 1])), 2)
        default: return nil
        }
    }

    /// The place of an escaped NUL character in a checked string; nil if there is none.
    package static func nul(_ base: UnsafePointer<UInt8>, _ range: Range<Int>) -> Int? {
        var place = range.lowerBound
        while place < range.upperBound {
            if base[place] != UInt8(ascii: "\\") {
                place += 1
            } else if unit(base, at: place, range.upperBound) == 0 {
                return place
            } else {
                place += 2
            }
        }
        return nil
    }

    /// Appends the text of a checked string. `range` is its content between the quotes.
    package static func decode(_ base: UnsafePointer<UInt8>, _ range: Range<Int>, into bytes: Bytes) {
        let start = bytes.reserve(range.count)
        var target = start
        var place = range.lowerBound
        while place < range.upperBound {
            let byte = base[place]
            guard byte == UInt8(ascii: "\\") else {
                target.pointee = byte
                target += 1
                place += 1
                continue
            }
            if base[place + 1] == UInt8(ascii: "u"), var scalar = unit(base, at: place, range.upperBound) {
                place += 6
                if scalar & 0xFC00 == 0xD800, let low = unit(base, at: place, range.upperBound) {
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                    place += 6
                }
                target = write(scalar, to: target)
            } else {
                target.pointee = plain(base[place + 1])
                target += 1
                place += 2
            }
        }
        bytes.count += target - start
    }

    /// The text between the quotes as a string, for names.
    package static func name(_ base: UnsafePointer<UInt8>, _ range: Range<Int>, isEscaped: Bool) -> [UInt8] {
        guard isEscaped else { return Array(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)) }
        let bytes = Bytes(capacity: range.count)
        decode(base, range, into: bytes)
        return bytes.array
    }

    /// Whether a key has that name. A plain key is not copied.
    package static func isName(_ name: [UInt8], _ base: UnsafePointer<UInt8>, _ range: Range<Int>, isEscaped: Bool)
        -> Bool
    {
        guard !isEscaped else { return self.name(base, range, isEscaped: true) == name }
        return name.count == range.count
            && name.elementsEqual(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    private static func plain(_ escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 8
        case UInt8(ascii: "f"): 12
        case UInt8(ascii: "n"): 10
        case UInt8(ascii: "r"): 13
        case UInt8(ascii: "t"): 9
        default: escape
        }
    }

    /// Writes a scalar as UTF-8, which is never longer than its escape.
    private static func write(_ scalar: UInt32, to start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        func put(_ index: Int, _ value: UInt32) { start[index] = UInt8(truncatingIfNeeded: value) }
        switch scalar {
        case ..<0x80:
            put(0, scalar)
            return start + 1
        case ..<0x800:
            put(0, 0xC0 | scalar >> 6)
            put(1, 0x80 | scalar & 0x3F)
            return start + 2
        case ..<0x10000:
            put(0, 0xE0 | scalar >> 12)
            put(1, 0x80 | scalar >> 6 & 0x3F)
            put(2, 0x80 | scalar & 0x3F)
            return start + 3
        default:
            put(0, 0xF0 | scalar >> 18)
            put(1, 0x80 | scalar >> 12 & 0x3F)
            put(2, 0x80 | scalar >> 6 & 0x3F)
            put(3, 0x80 | scalar & 0x3F)
            return start + 4
        }
    }
}

/// A text with its JSON escapes decoded, and the place in the text of each part.
///
/// The text may be anything: what is no escape, or half of one, stays unchanged.
package struct JSONUnescaped {
    package private(set) var bytes: [UInt8] = []
    /// For each decoded byte, the start of its source in the text; finally the end of the text.
    private var starts: [Int] = []

    /// Nil for a text without an escape.
    package init?(_ text: Cell) {
        guard let base = text.baseAddress, memchr(base, Int32(UInt8(ascii: "\\")), text.count) != nil
        else { return nil }
        bytes.reserveCapacity(text.count)
        starts.reserveCapacity(text.count + 1)
        var hasEscape = false
        var place = 0
        while place < text.count {
            if let escape = JSONString.escape(base, at: place, text.count) {
                for byte in escape.scalar.utf8 { append(byte, from: place) }
                place += escape.length
                hasEscape = true
            } else {
                append(base[place], from: place)
                place += 1
            }
        }
        guard hasEscape else { return nil }
        starts.append(text.count)
    }

    private mutating func append(_ byte: UInt8, from place: Int) {
        bytes.append(byte)
        starts.append(place)
    }

    /// The range in the text of a part of `bytes` that consists of whole characters.
    package func stretch(of part: Range<Int>) -> Range<Int> { starts[part.lowerBound]..<starts[part.upperBound] }
}

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

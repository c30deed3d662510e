/// Reads OpenStep property lists, `{ key = value; }`, and strings files, which omit the braces.
///
/// All scalars are text or data; numbers are text too. GNUstep's typed values are refused.
struct OpenStepPropertyListReader {
    private let bytes: Bytes
    private let end: Int
    private var position = 0
    private var builder: PropertyListBuilder
    /// The open containers, for messages.
    private var open: [Int] = []
    /// The pending first half of a surrogate pair from a `\U` escape in a text, and whether half of one stands alone.
    private var (high, isBroken): (UInt32?, Bool) = (nil, false)

    static func read(_ source: Bytes, isWide: Bool) throws(PropertyListFault) -> PropertyList {
        var reader = OpenStepPropertyListReader(source)
        do throws(PropertyListFault) {
            try reader.readDocument()
        } catch {
            throw OpenStepPropertyListReader(source).beginsAsList ? error : noList
        }
        return reader.builder.list(.openStep, isWide: isWide)
    }

    private init(_ source: Bytes) {
        (bytes, end, builder) = (source, source.count, PropertyListBuilder(source))
        position = WideText.markLength(of: source.filled)
    }

    private static let noList = PropertyListFault.malformed(
        "this is text, and no property list or JSON dump of one",
        at: 0,
        hint: "import_csv reads tables, and import_json other JSON"
    )

    /// Whether the text begins with a container, with data, or with a key and its separator. Any text begins with a
    /// word or a quoted string, and errors about it as a list would not help.
    private var beginsAsList: Bool {
        var reader = self
        do throws(PropertyListFault) {
            try reader.skipSpace()
            if "{(<".utf8.contains(reader.byte) { return true }
            let isQuoted = !OpenStepPropertyListReader.isWord(reader.byte)
            guard (try? reader.string()) != nil else { return reader.byte == UInt8(ascii: "\"") }
            try reader.skipSpace()
            // A table may have semicolons between its columns.
            return reader.byte == UInt8(ascii: "=") || isQuoted && reader.byte == UInt8(ascii: ";")
        } catch { return true }
    }

    private var byte: UInt8 { position < end ? bytes[position] : 0 }

    private mutating func readDocument() throws(PropertyListFault) {
        try skipSpace()
        guard position < end else { throw .malformed("the file is empty", at: end) }
        if try isFileOfStrings() {
            try builder.open(isDictionary: true, at: position)
            while position < end { try readPart() }
            if builder.depth > 1, let last = open.last { throw .malformed("this is never closed", at: last) }
            if builder.wantsValue { throw .malformed("a key has no value", at: end) }
            builder.close()
            return
        }
        repeat { try readPart() } while !builder.isComplete
        guard position == end else { throw .malformed("something stands behind the list", at: position) }
    }

    /// Whether the text begins with a key.
    private mutating func isFileOfStrings() throws(PropertyListFault) -> Bool {
        let start = position
        let kept = builder.decoded.count
        guard OpenStepPropertyListReader.isWord(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
            return false
        }
        _ = try string()
        try skipSpace()
        defer {
            position = start
            builder.decoded.count = kept
        }
        return byte == UInt8(ascii: "=") || byte == UInt8(ascii: ";")
    }

    /// Reads a value with its separator, or the end of the open container; then white space.
    private mutating func readPart() throws(PropertyListFault) {
        let start = position
        if builder.isInDictionary, !builder.wantsValue {
            return byte == UInt8(ascii: "}") && !open.isEmpty ? try close() : try readKey()
        }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("):
            try builder.open(isDictionary: byte == UInt8(ascii: "{"), at: start)
            open.append(start)
            position += 1
            return try skipSpace()
        case UInt8(ascii: ")") where !builder.isInDictionary && !open.isEmpty: return try close()
        case UInt8(ascii: "<"): try readData()
        default:
            guard position < end else { throw endsEarly }
            let content = try string()
            try builder.add(content, at: start)
        }
        try finishValue()
    }

    private mutating func readKey() throws(PropertyListFault) {
        let start = position
        guard position < end else { throw endsEarly }
        let content = try string()
        guard case .text = content else { throw .malformed("a key has half a surrogate pair in it", at: start) }
        try builder.add(content, at: start)
        try skipSpace()
        if byte == UInt8(ascii: "=") {
            position += 1
            return try skipSpace()
        }
        // In strings files a key without a value is its own value.
        guard byte == UInt8(ascii: ";") else {
            throw position < end ? .malformed("expected '=' behind the key", at: position) : endsEarly
        }
        try builder.repeatLast()
        try finishValue()
    }

    private mutating func close() throws(PropertyListFault) {
        position += 1
        builder.close()
        open.removeLast()
        try finishValue()
    }

    /// Advances over the separator behind a value.
    private mutating func finishValue() throws(PropertyListFault) {
        try skipSpace()
        guard builder.depth > 0 else { return }
        if builder.isInDictionary {
            guard byte == UInt8(ascii: ";") else {
                if let last = open.last, isShortenedData(at: last) { throw .shortened(at: last) }
                throw position < end ? .malformed("expected ';' behind the value", at: position) : endsEarly
            }
            position += 1
        } else if byte == UInt8(ascii: ",") {
            position += 1
        } else if byte != UInt8(ascii: ")") {
            throw position < end ? .malformed("expected ',' or ')'", at: position) : endsEarly
        }
        try skipSpace()
    }

    /// Whether the value is data as `defaults read` and `plutil -p` print it: `{length = 1204, bytes = 0x62706c69 ...
    /// 000001ad }`.
    private func isShortenedData(at place: Int) -> Bool {
        byte == UInt8(ascii: ",") && bytes.cell(place..<end).starts(with: "{length =".utf8)
    }

    private var endsEarly: PropertyListFault {
        guard let last = open.last else { return .malformed("the file ends before its list does", at: end) }
        return .malformed("this is never closed", at: last)
    }

    private mutating func skipSpace() throws(PropertyListFault) {
        while position < end {
            let start = position
            switch bytes[position] {
            case 0x09...0x0D, 0x20: position += 1
            // The line and paragraph separators, U+2028 and U+2029.
            case 0xE2 where position + 2 < end && bytes[position + 1] == 0x80 && bytes[position + 2] & 0xFE == 0xA8:
                position += 3
            case UInt8(ascii: "/") where position + 1 < end && bytes[position + 1] == UInt8(ascii: "/"):
                while position < end, bytes[position] != 0x0A, bytes[position] != 0x0D { position += 1 }
            case UInt8(ascii: "/") where position + 1 < end && bytes[position + 1] == UInt8(ascii: "*"):
                position += 2
                while position + 1 < end, bytes[position] != UInt8(ascii: "*") || bytes[position + 1] != 0x2F {
                    position += 1
                }
                guard position + 1 < end else { throw .malformed("a comment is never closed", at: start) }
                position += 2
            default: return
            }
        }
    }

    /// Reads hexadecimal digits in angle brackets.
    private mutating func readData() throws(PropertyListFault) {
        let start = position
        let piece = builder.decodedStart
        position += 1
        if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "[") {
            throw .unsupported("GNUstep's typed values are not read", at: start, hint: "save the list as XML")
        }
        var high: UInt8?
        while position < end, bytes[position] != UInt8(ascii: ">") {
            let byte = bytes[position]
            if let digit = Character(UnicodeScalar(byte)).hexDigitValue {
                if let first = high.take() {
                    builder.decoded.append(first << 4 | UInt8(digit))
                } else {
                    high = UInt8(digit)
                }
            } else if !byte.isSpace {
                throw .malformed("the data is not hexadecimal", at: position)
            }
            position += 1
        }
        guard position < end else { throw .malformed("the data is never closed", at: start) }
        guard high == nil else { throw .malformed("the data ends in half a byte", at: position) }
        position += 1
        let length = builder.decodedStart - piece
        try builder.add(.data(PropertyList.Piece(start: piece, length: length)), at: start)
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "_$/:.-".utf8.contains(byte)
        }
    }

    /// Reads a word, or a quoted text.
    private mutating func string() throws(PropertyListFault) -> PropertyList.Content {
        let start = position
        guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else {
            while OpenStepPropertyListReader.isWord(byte) { position += 1 }
            guard position > start else { throw .malformed("expected a value", at: start) }
            return .text(PropertyList.Piece(start: start, length: position - start))
        }
        return try quotedText(from: start)
    }

    // MARK: Quoted texts

    /// Advances over a quoted text with its escapes: `\n`, `\"`, `\101` in octal digits, `\U00e9`. Text without escapes
    /// stays in the file; other text is decoded.
    private mutating func quotedText(from start: Int) throws(PropertyListFault) -> PropertyList.Content {
        let quote = bytes[start]
        position += 1
        while position < end, bytes[position] != quote, bytes[position] != UInt8(ascii: "\\") { position += 1 }
        let first = start + 1
        if position < end, bytes[position] == quote {
            position += 1
            return .text(PropertyList.Piece(start: first, length: position - 1 - first))
        }
        let (piece, from) = (builder.decodedStart, builder.decoded.count)
        (high, isBroken) = (nil, false)
        var out = ByteCursor(builder.decoded)
        out.reserve(position - first)
        for place in first..<position { out.put(bytes[place]) }
        while position < end, bytes[position] != quote {
            out.reserve(8)
            guard bytes[position] == UInt8(ascii: "\\") else {
                if high.take() != nil { isBroken = true }
                out.put(bytes[position])
                position += 1
                continue
            }
            try escape(&out, inTextFrom: start)
        }
        if high != nil { isBroken = true }
        out.finish()
        guard position < end else { throw .malformed("a text opens here and is never closed", at: start) }
        position += 1
        if isBroken {
            builder.decoded.count = from
            return .brokenText
        }
        return .text(PropertyList.Piece(start: piece, length: builder.decodedStart - piece))
    }

    private mutating func escape(_ out: inout ByteCursor, inTextFrom start: Int) throws(PropertyListFault) {
        let place = position
        position += 1
        guard position < end else { throw .malformed("a text opens here and is never closed", at: start) }
        let byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "U") { return try put(unit(at: place), &out) }
        if high.take() != nil { isBroken = true }
        if (48...55).contains(byte) { return out.put(try octal(byte, at: place)) }
        // The control characters from 7 on, by their letters.
        let control = Array("abtnvfr".utf8).firstIndex(of: byte)
        out.put(control.map { UInt8(7 + $0) } ?? byte)
    }

    private mutating func octal(_ first: UInt8, at place: Int) throws(PropertyListFault) -> UInt8 {
        var value = UInt32(first - 48)
        var digits = 1
        while digits < 3, position < end, (48...55).contains(bytes[position]) {
            value = value << 3 | UInt32(bytes[position] - 48)
            digits += 1
            position += 1
        }
        guard value < 0x80 else {
            throw .unsupported("an octal escape above \\177 is a character of NeXTSTEP's own encoding", at: place)
        }
        return UInt8(value)
    }

    /// Reads four hexadecimal digits.
    private mutating func unit(at place: Int) throws(PropertyListFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard position < end, let digit = Character(UnicodeScalar(bytes[position])).hexDigitValue else {
                throw .malformed("\\U wants four hexadecimal digits", at: place)
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private mutating func put(_ unit: UInt32, _ out: inout ByteCursor) throws(PropertyListFault) {
        if let first = high.take() {
            if unit & 0xFC00 == 0xDC00 { return out.put(scalar: 0x10000 + (first & 0x3FF) << 10 + (unit & 0x3FF)) }
            isBroken = true
        }
        switch unit & 0xFC00 {
        case 0xD800: high = unit
        case 0xDC00: isBroken = true
        default: out.put(scalar: unit)
        }
    }
}

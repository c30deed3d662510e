/// Reads property lists in XML: the elements of Apple's DTD, and the subset of XML that such files use. So are the
/// `SharedPreferences` of Android.
///
/// The subset is a declaration, comments, a DOCTYPE without declarations of its own, CDATA, the five predefined
/// entities and numeric ones. Anything else is refused: an entity declared in a file may unfold without end or name
/// another file.
struct XMLPropertyListReader {
    let bytes: Bytes
    let end: Int
    var position = 0
    var builder: PropertyListBuilder
    /// The open containers, outermost first; true for dictionaries.
    private var open: [(isDictionary: Bool, byte: Int)] = []

    static func read(_ source: Bytes, isWide: Bool) throws(PropertyListFault) -> PropertyList {
        var reader = XMLPropertyListReader(source)
        let format = try reader.readDocument()
        return reader.builder.list(format, isWide: isWide)
    }

    private init(_ source: Bytes) {
        (bytes, end, builder) = (source, source.count, PropertyListBuilder(source))
        position = WideText.markLength(of: source.filled)
    }

    private mutating func readDocument() throws(PropertyListFault) -> PropertyList.Format {
        try skipProlog()
        let start = position
        if skip("<map") {
            try readPreferences(from: start)
            return .preferences
        }
        guard let tag = try openingTag(), tag.name == .plist, !tag.isEmpty else {
            throw .malformed("expected <plist>", at: start)
        }
        repeat { try readPart() } while !builder.isComplete
        try skipMarkup()
        guard skip("</plist") else { throw endsEarlyOr("expected </plist>", at: position) }
        try finishTag()
        try skipMarkup()
        guard position == end else { throw .malformed("something stands behind </plist>", at: position) }
        return .xml
    }

    // MARK: Around the values

    private mutating func skipProlog() throws(PropertyListFault) {
        if skip("<?xml") { try readDeclaration() }
        try skipMarkup()
        let start = position
        guard skip("<!DOCTYPE") else { return }
        var quote: UInt8 = 0
        while position < end {
            let byte = bytes[position]
            position += 1
            switch byte {
            case quote where quote != 0: quote = 0
            case _ where quote != 0: continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: ">"): return try skipMarkup()
            case UInt8(ascii: "["): throw .unsupported("the DOCTYPE declares something of its own", at: position - 1)
            case UInt8(ascii: "<"): throw .malformed("the DOCTYPE is not closed", at: start)
            default: continue
            }
        }
        throw .malformed("the file ends inside the DOCTYPE", at: start)
    }

    /// Reads the rest of `<?xml version="1.0" encoding="UTF-8"?>`.
    private mutating func readDeclaration() throws(PropertyListFault) {
        let start = position
        guard skip(to: "?>") else { throw .malformed("the XML declaration is not closed", at: start) }
        let text = String(decoding: bytes.cell(start..<position - 2), as: UTF8.self)
        guard let match = text.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/) else { return }
        // A UTF-16 file has been transcoded by its byte-order mark, whatever encoding it declares.
        let known = ["utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf16", "utf-16le", "utf-16be"]
        guard known.contains(match.output.1.lowercased()) else {
            let message =
                "the file says that it is in \(match.output.1), and property lists are read in UTF-8 or UTF-16"
            throw .unsupported(message, at: start)
        }
    }

    /// Advances over white space, comments and processing instructions.
    mutating func skipMarkup() throws(PropertyListFault) {
        while true {
            skipSpace()
            let start = position
            if skip("<!--") {
                guard skip(to: "-->") else { throw .malformed("a comment is never closed", at: start) }
            } else if skip("<?") {
                guard skip(to: "?>") else { throw .malformed("an instruction is never closed", at: start) }
            } else {
                return
            }
        }
    }

    // MARK: Values

    /// Reads one element, or the end of the open one.
    private mutating func readPart() throws(PropertyListFault) {
        try skipMarkup()
        let start = position
        if let isDictionary = open.last?.isDictionary, skip("</") {
            guard try name(at: start) == (isDictionary ? .dict : .array) else {
                throw .malformed("expected \(isDictionary ? "</dict>" : "</array>")", at: start)
            }
            if builder.wantsValue { throw .malformed("a key has no value", at: start) }
            try finishTag()
            builder.close()
            open.removeLast()
            return
        }
        guard let tag = try openingTag() else { throw expectedValue(at: start) }
        if tag.name == .key {
            guard builder.isInDictionary else { throw .malformed("a key stands outside of a dictionary", at: start) }
            if builder.wantsValue { throw .malformed("a key has no value", at: start) }
        } else if builder.isInDictionary, !builder.wantsValue {
            throw .malformed("a value has no key", at: start)
        }
        try readElement(tag, at: start)
    }

    private mutating func readElement(_ tag: Tag, at start: Int) throws(PropertyListFault) {
        switch tag.name {
        case .plist: throw .malformed("a <plist> stands inside another", at: start)
        case .array, .dict:
            try builder.open(isDictionary: tag.name == .dict, at: start)
            if tag.isEmpty { builder.close() } else { open.append((tag.name == .dict, start)) }
        case .true, .false:
            try builder.add(.flag(tag.name == .true), at: start)
            guard !tag.isEmpty else { return }
            try skipMarkup()
            try closeElement(tag.name, from: start)
        case .key, .string: try builder.add(.text(try text(of: tag, from: start)), at: start)
        case .data: try builder.add(.data(try base64(of: tag, from: start)), at: start)
        case .integer, .real, .date:
            let range = try plainText(of: tag, from: start)
            let cell = bytes.cell(range)
            guard let content = PropertyListScalars.content(of: tag.name, cell) else {
                let shown = String(decoding: cell.prefix(40), as: UTF8.self)
                throw .malformed("'\(shown)' is not \(tag.name.displayText)", at: range.lowerBound)
            }
            try builder.add(content, at: start)
        }
    }

    /// The text of an element without markup and entities, trimmed of white space.
    private mutating func plainText(of tag: Tag, from start: Int) throws(PropertyListFault) -> Range<Int> {
        guard !tag.isEmpty else { return position..<position }
        var first = position
        while position < end, bytes[position] != UInt8(ascii: "<") { position += 1 }
        var last = position
        while first < last, bytes[first].isSpace { first += 1 }
        while last > first, bytes[last - 1].isSpace { last -= 1 }
        try closeElement(tag.name, from: start)
        return first..<last
    }

    private mutating func base64(of tag: Tag, from start: Int) throws(PropertyListFault) -> PropertyList.Piece {
        let range = try plainText(of: tag, from: start)
        let piece = builder.decodedStart
        if let wrong = Base64.decode(bytes.cell(range), into: builder.decoded) {
            throw .malformed("the data is not base64", at: range.lowerBound + wrong)
        }
        return PropertyList.Piece(start: piece, length: builder.decodedStart - piece)
    }

    // MARK: Tags

    struct Tag {
        var name: XMLPropertyListElement
        /// Whether the tag is self-closing, as `<true/>`.
        var isEmpty: Bool
    }

    /// Advances over `<name>` or `<name/>`; nil if there is no tag.
    private mutating func openingTag() throws(PropertyListFault) -> Tag? {
        let start = position
        guard position + 1 < end, bytes[position] == UInt8(ascii: "<"), bytes[position + 1] != UInt8(ascii: "/") else {
            return nil
        }
        position += 1
        let name = try name(at: start)
        var hasVersion = false
        while true {
            skipSpace()
            if skip("/>") { return Tag(name: name, isEmpty: true) }
            if skip(">") { return Tag(name: name, isEmpty: false) }
            guard name == .plist, !hasVersion, skip("version") else {
                throw endsEarlyOr("expected '>'; elements of a property list have no attributes", at: position)
            }
            hasVersion = true
            try skipAttributeValue()
        }
    }

    private mutating func skipAttributeValue() throws(PropertyListFault) {
        while position < end, bytes[position].isSpace || bytes[position] == UInt8(ascii: "=") { position += 1 }
        let start = position
        guard position < end, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
            throw endsEarlyOr("expected the version in quotes", at: start)
        }
        position += 1
        while position < end, bytes[position] != bytes[start], bytes[position] != UInt8(ascii: "<") { position += 1 }
        guard position < end, bytes[position] == bytes[start] else {
            throw .malformed("the version is not closed", at: start)
        }
        position += 1
    }

    /// Advances over the name of an element.
    private mutating func name(at tag: Int) throws(PropertyListFault) -> XMLPropertyListElement {
        let cell = word()
        if let element = XMLPropertyListElement(cell) { return element }
        if position == end { throw .malformed("the file ends inside a tag", at: tag) }
        let name = String(decoding: cell.prefix(40), as: UTF8.self)
        throw .malformed("property lists have no element '\(name)'", at: tag)
    }

    mutating func finishTag() throws(PropertyListFault) {
        skipSpace()
        guard skip(">") else { throw endsEarlyOr("expected '>'", at: position) }
    }

    /// Advances over the closing tag of the element that began at `start`.
    mutating func closeElement(_ name: XMLPropertyListElement, from start: Int) throws(PropertyListFault) {
        let place = position
        guard position < end else { throw .malformed("<\(name.rawValue)> is never closed", at: start) }
        guard skip("</"), try self.name(at: place) == name else {
            throw .malformed("expected </\(name.rawValue)>", at: place)
        }
        try finishTag()
    }

    private func expectedValue(at place: Int) -> PropertyListFault {
        guard place == end, let last = open.last else { return endsEarlyOr("expected a value in a tag", at: place) }
        return .malformed("this \(last.isDictionary ? "<dict>" : "<array>") is never closed", at: last.byte)
    }

    func endsEarlyOr(_ message: String, at place: Int) -> PropertyListFault {
        .malformed(place >= end ? "the file ends before its list does" : message, at: place)
    }

    // MARK: Bytes

    mutating func skipSpace() {
        while position < end, bytes[position].isSpace { position += 1 }
    }

    /// Advances over letters.
    mutating func word() -> Cell {
        let start = position
        while position < end, bytes[position] | 0x20 >= 97, bytes[position] | 0x20 <= 122 { position += 1 }
        return bytes.cell(start..<position)
    }

    mutating func skip(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard length <= end - position else { return false }
        for index in 0..<length where bytes[position + index] != text.utf8Start[index] { return false }
        position += length
        return true
    }

    /// Advances behind the next `text`.
    mutating func skip(to text: StaticString) -> Bool {
        while position < end {
            if skip(text) { return true }
            position += 1
        }
        return false
    }
}

import DaybookJSON

/// `SharedPreferences` of Android apps: a `<map>` with an element for each key.
///
/// The types become those of a property list; a set is an array. Lists, doubles and large numbers that Flutter writes as
/// texts are what they stand for.
extension XMLPropertyListReader {
    private enum Element: String { case string, int, long, float, boolean, set, null }

    private struct Attributes {
        var name: PropertyList.Piece?
        var value: PropertyList.Piece?
        /// Whether the tag is self-closing.
        var isEmpty = false
    }

    /// Reads a file behind `<map`.
    mutating func readPreferences(from start: Int) throws(PropertyListFault) {
        try builder.open(isDictionary: true, at: start)
        if try !attributes(from: start).isEmpty {
            while try !ends("</map") { try readPreference() }
        }
        builder.close()
        try skipMarkup()
        guard position == end else { throw .malformed("something stands behind </map>", at: position) }
    }

    private mutating func readPreference() throws(PropertyListFault) {
        let start = position
        guard skip("<") else { throw endsEarlyOr("expected a value in a tag", at: start) }
        let word = String(decoding: word().prefix(40), as: UTF8.self)
        guard let element = Element(rawValue: word) else {
            throw endsEarlyOr("SharedPreferences have no element '\(word)'", at: start)
        }
        let attributes = try attributes(from: start)
        guard let name = attributes.name else { throw .malformed("a value has no name", at: start) }
        try builder.add(.text(name), at: start)
        switch element {
        case .string: try addText(attributes.isEmpty, from: start)
        case .set:
            try builder.open(isDictionary: false, at: start)
            if !attributes.isEmpty {
                while try !ends("</set") {
                    let start = position
                    guard skip("<string") else { throw endsEarlyOr("expected <string>", at: start) }
                    let isEmpty = try self.attributes(from: start).isEmpty
                    try builder.add(.text(try text(of: Tag(name: .string, isEmpty: isEmpty), from: start)), at: start)
                }
            }
            builder.close()
        case .int, .long, .float, .boolean, .null:
            try builder.add(try content(of: element, attributes.value, from: start), at: start)
            guard !attributes.isEmpty else { return }
            try skipMarkup()
            guard skip("</"), skip(word) else { throw endsEarlyOr("expected </\(word)>", at: position) }
            try finishTag()
        }
    }

    private func content(
        of element: Element,
        _ value: PropertyList.Piece?,
        from start: Int
    ) throws(PropertyListFault) -> PropertyList.Content {
        if element == .null { return .null }
        let text = value.map { builder.decoded.copy(of: $0, behind: builder.source.count) } ?? Bytes()
        defer { withExtendedLifetime(text) {} }
        let read: PropertyList.Content? =
            switch element {
            case .boolean: ["true": .flag(true), "false": .flag(false)][text.text(0..<text.count)]
            case .float: PropertyListScalars.real(text.filled).map { .real($0) }
            default: PropertyListScalars.integer(text.filled)
            }
        guard let read else {
            let shown = String(decoding: text.filled.prefix(40), as: UTF8.self)
            throw .malformed("'\(shown)' is no value of <\(element.rawValue)>", at: start)
        }
        return read
    }

    /// Adds the text of an element, or the value that Flutter wrote as text.
    private mutating func addText(_ isEmpty: Bool, from start: Int) throws(PropertyListFault) {
        let piece = try text(of: Tag(name: .string, isEmpty: isEmpty), from: start)
        let isDecoded = piece.start >= builder.source.count
        let text = isDecoded ? builder.decoded : bytes
        switch FlutterValue(text.copy(of: piece, behind: isDecoded ? builder.source.count : 0)) {
        case nil: try builder.add(.text(piece), at: start)
        case .number(let number): try builder.add(number, at: start)
        case .list(let texts, let elements):
            let pieces = texts.map { text in
                let piece = PropertyList.Piece(start: builder.decodedStart, length: text.utf8.count)
                builder.decoded.append(text)
                return piece
            }
            try builder.open(isDictionary: false, at: start)
            for element in elements {
                try builder.add(element.map { .text(pieces[$0]) } ?? .null, at: start)
            }
            builder.close()
        }
    }

    // MARK: Tags

    /// Advances over the rest of a closing tag; false where another element begins.
    private mutating func ends(_ tag: StaticString) throws(PropertyListFault) -> Bool {
        try skipMarkup()
        guard skip(tag) else { return false }
        try finishTag()
        return true
    }

    /// Reads the rest of an opening tag.
    private mutating func attributes(from start: Int) throws(PropertyListFault) -> Attributes {
        var found = Attributes()
        while true {
            skipSpace()
            if skip("/>") {
                found.isEmpty = true
                return found
            }
            if skip(">") { return found }
            let place = position
            let isName = skip("name=")
            guard isName || skip("value=") else {
                throw endsEarlyOr("expected a name, a value or '>' in a tag of SharedPreferences", at: place)
            }
            let text = try attributeText(from: place)
            if isName { found.name = text } else { found.value = text }
        }
    }

    private mutating func attributeText(from start: Int) throws(PropertyListFault) -> PropertyList.Piece {
        guard position < end, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") else {
            throw endsEarlyOr("expected a text in quotes", at: position)
        }
        let quote = bytes[position]
        position += 1
        let piece = builder.decodedStart
        while position < end, bytes[position] != quote, bytes[position] != UInt8(ascii: "<") {
            let place = position
            if skip("&") {
                try decodeEntity(at: place)
            } else {
                builder.decoded.append(bytes[position])
                position += 1
            }
        }
        guard position < end, bytes[position] == quote else { throw .malformed("a quote is not closed", at: start) }
        position += 1
        return PropertyList.Piece(start: piece, length: builder.decodedStart - piece)
    }

    private mutating func skip(_ word: String) -> Bool {
        guard bytes.cell(position..<end).starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }
}

extension Bytes {
    /// A copy of a piece of those bytes that are decoded from others.
    fileprivate func copy(of piece: PropertyList.Piece, behind count: Int) -> Bytes {
        copy(piece.start - count..<piece.start - count + piece.length)
    }
}

/// A value that Flutter's `shared_preferences` writes as text on Android, which has no doubles and no lists: a prefix,
/// and behind it a number, JSON behind `!`, or base64 of a serialised `ArrayList`.
enum FlutterValue {
    case number(PropertyList.Content)
    /// Texts, and for each element which of them it is, or nil for null.
    case list([String], [Int?])

    private static let list = Array("VGhpcyBpcyB0aGUgcHJlZml4IGZvciBhIGxpc3Qu".utf8)
    private static let double = Array("VGhpcyBpcyB0aGUgcHJlZml4IGZvciBEb3VibGUu".utf8)
    private static let integer = Array("VGhpcyBpcyB0aGUgcHJlZml4IGZvciBCaWdJbnRlZ2Vy".utf8)

    /// The value that a text stands for; nil for a text that is only itself.
    init?(_ text: Bytes) {
        defer { withExtendedLifetime(text) {} }
        let bytes = text.filled
        func rest(_ prefix: [UInt8]) -> Bytes? {
            bytes.starts(with: prefix) ? text.copy(prefix.count..<text.count) : nil
        }
        if let digits = rest(FlutterValue.double), let number = Double(digits.text(0..<digits.count)) {
            self = .number(.real(number))
        } else if let digits = rest(FlutterValue.integer), let number = Int128(digits.text(0..<digits.count), radix: 36)
        {
            self = .number(.integer(number))
        } else if let json = rest(FlutterValue.list + [UInt8(ascii: "!")]), let texts = FlutterValue.texts(ofJSON: json)
        {
            self = .list(texts, texts.indices.map { $0 })
        } else if let data = rest(FlutterValue.list), let list = FlutterValue.javaList(data) {
            self = list
        } else {
            return nil
        }
    }

    private static func texts(ofJSON json: Bytes) -> [String]? {
        defer { withExtendedLifetime(json) {} }
        var cursor = JSONCursor(json.base, to: json.count)
        cursor.skipSpace()
        guard cursor.byte == UInt8(ascii: "[") else { return nil }
        var texts: [String] = []
        let isRead = cursor.elements { cursor in
            cursor.skipSpace()
            guard cursor.byte == UInt8(ascii: "\""), let text = cursor.text() else { return false }
            texts.append(String(decoding: text, as: UTF8.self))
            return true
        }
        return isRead && cursor.finish() ? texts : nil
    }

    private static func javaList(_ base64: Bytes) -> FlutterValue? {
        defer { withExtendedLifetime(base64) {} }
        let data = Bytes()
        guard Base64.decode(base64.filled, into: data) == nil else { return nil }
        var reader = JavaListReader(data.array)
        return reader.read().map { .list($0.texts, $0.elements) }
    }
}

/// Reads an `ArrayList` of texts in Java's serialisation: the class, the size, the elements.
private struct JavaListReader {
    private var rest: ArraySlice<UInt8>
    private var texts: [String] = []
    private var elements: [Int?] = []

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Handles count from here: the class is the first object, the list the second, then come the texts.
    private static let firstText = 0x7E0002

    mutating func read() -> (texts: [String], elements: [Int?])? {
        // A stream with an object of a class, whose only field is the number `size` of 32 bits.
        guard skip([0xAC, 0xED, 0, 5, 0x73, 0x72, 0, 19] + Array("java.util.ArrayList".utf8)), number(8) != nil,
            skip([3, 0, 1, UInt8(ascii: "I"), 0, 4] + Array("size".utf8) + [0x78, 0x70]), let size = number(4),
            skip([0x77, 4]), number(4) != nil
        else { return nil }
        while !skip([0x78]) { guard element() else { return nil } }
        return rest.isEmpty && elements.count == size ? (texts, elements) : nil
    }

    private mutating func element() -> Bool {
        switch rest.popFirst() {
        case 0x70: elements.append(nil)
        case 0x71:
            let index = number(4).map { $0 - JavaListReader.firstText }
            guard let index, texts.indices.contains(index) else { return false }
            elements.append(index)
        case let kind where kind == 0x74 || kind == 0x7C:
            guard let text = text(kind == 0x74 ? 2 : 8) else { return false }
            texts.append(text)
            elements.append(texts.count - 1)
        default: return false
        }
        return true
    }

    private mutating func skip(_ bytes: [UInt8]) -> Bool {
        guard rest.starts(with: bytes) else { return false }
        rest.removeFirst(bytes.count)
        return true
    }

    private mutating func number(_ size: Int) -> Int? {
        guard rest.count >= size else { return nil }
        defer { rest.removeFirst(size) }
        return rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
    }

    /// Text in Java's form of UTF-8, in which each unit of UTF-16 stands for itself.
    private mutating func text(_ size: Int) -> String? {
        guard let length = number(size), length >= 0, length <= rest.count else { return nil }
        var bytes = rest.prefix(length)
        rest.removeFirst(length)
        var units: [UInt16] = []
        while let first = bytes.popFirst() {
            let more = first < 0x80 ? 0 : first & 0xE0 == 0xC0 ? 1 : first & 0xF0 == 0xE0 ? 2 : -1
            guard more >= 0, bytes.count >= more else { return nil }
            var unit = UInt16(more == 0 ? first : more == 1 ? first & 0x1F : first & 0x0F)
            for _ in 0..<more {
                guard let next = bytes.popFirst(), next & 0xC0 == 0x80 else { return nil }
                unit = unit << 6 | UInt16(next & 0x3F)
            }
            units.append(unit)
        }
        return String(validating: units, as: UTF16.self)
    }
}

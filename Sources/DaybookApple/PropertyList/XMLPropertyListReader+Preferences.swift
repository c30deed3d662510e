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
        let nameStart = position
        while position < end, bytes[position] | 0x20 >= 97, bytes[position] | 0x20 <= 122 { position += 1 }
        let word = String(decoding: bytes.cell(nameStart..<position).prefix(40), as: UTF8.self)
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
        let text =
            isDecoded
            ? builder.decoded.copy(of: piece, behind: builder.source.count)
            : bytes.copy(piece.start..<piece.start + piece.length)
        switch FlutterValue(text) {
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
            while position < end, bytes[position].isSpace { position += 1 }
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

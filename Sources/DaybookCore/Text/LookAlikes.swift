/// Texts by how they look, to find one that differs from another only in what nobody sees.
package struct LookAlikes: Sendable {
    private var texts: [String: String] = [:]

    /// Of more texts than these none is looked at.
    package static let most = 10_000

    /// - Parameter texts: of two that look the same, the first is found.
    package init(_ texts: [String]) {
        guard texts.count <= LookAlikes.most else { return }
        for text in texts {
            let look = LookAlikes.look(of: text)
            if self.texts[look] == nil { self.texts[look] = text }
        }
    }

    /// The text that looks like this one and is another.
    package func twin(of text: String) -> String? {
        guard let twin = texts[LookAlikes.look(of: text)], !twin.utf8.elementsEqual(text.utf8) else { return nil }
        return twin
    }

    /// Which of some different texts look like another, what makes them odd, and the other.
    package static func pairs(among texts: [String]) -> [(place: Int, oddity: String, twin: String)] {
        let odd = texts.enumerated().compactMap { place, text in oddity(in: text).map { (place: place, oddity: $0) } }
        guard !odd.isEmpty else { return [] }
        let places = Set(odd.map(\.place))
        let plain = texts.indices.filter { !places.contains($0) }
        let alike = LookAlikes((plain + odd.map(\.place)).map { texts[$0] })
        return odd.compactMap { one in alike.twin(of: texts[one.place]).map { (one.place, one.oddity, $0) } }
    }

    /// What makes a text another than it looks like, in words.
    package static func oddity(in cell: Cell) -> String? {
        // As most keys are.
        guard !isVisibleASCII(cell) else { return nil }
        if let unseen = UnseenCharacter.named(in: cell) { return unseen }
        func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 9 || byte == 10 || byte == 13 }
        if isBlank(cell.first) || isBlank(cell.last) { return "a blank at an end" }
        for place in cell.indices.dropFirst() where isBlank(cell[place]) && isBlank(cell[place - 1]) {
            return "two blanks in a row"
        }
        return nil
    }

    /// Whether all bytes are ASCII with a shape of its own, eight of them at a time.
    private static func isVisibleASCII(_ cell: Cell) -> Bool {
        let bytes = UnsafeRawBufferPointer(cell)
        guard bytes.count >= 8 else { return bytes.allSatisfy { 0x21...0x7E ~= $0 } }
        func isVisible(_ place: Int) -> Bool {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // The upper bit of a byte is set by one above 0x7F, one below 0x21, or 0x7F.
            let wrong = word | (word &- 0x2121_2121_2121_2121) | (word &+ 0x0101_0101_0101_0101)
            return wrong & 0x8080_8080_8080_8080 == 0
        }
        var place = 0
        while place &+ 8 <= bytes.count {
            guard isVisible(place) else { return false }
            place &+= 8
        }
        return isVisible(bytes.count &- 8)
    }

    package static func oddity(in text: String) -> String? {
        var text = text
        return text.withUTF8 { oddity(in: $0) }
    }

    /// The text without what nobody sees, without blanks around it and with one in a row. Letters that are composed or decomposed are the same to `String`,
    /// which compares by canonical equivalence.
    private static func look(of text: String) -> String {
        // To look at each character costs much more.
        guard oddity(in: text) != nil else { return text }
        var look = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let category = scalar.properties.generalCategory
            if category == .spaceSeparator || category == .control {
                if look.last != " " { look.append(" ") }
            } else if !scalar.properties.isDefaultIgnorableCodePoint {
                look.append(scalar)
            }
        }
        return String(String(look).drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}

import CScan

/// A file with keys and values: a property list in one of three encodings, or a JSON dump of one.
package enum PropertyListFile: Sendable {
    case list(PropertyList)
    case json(DumpedJSON)

    /// The format, detected by the content alone.
    private enum Kind { case binary, xml, openStep, json }

    /// Reads a whole file. Its faults refer to bytes of `text(of:)`.
    package static func read(_ file: Bytes, _ source: SourceName) throws(DaybookError) -> PropertyListFile {
        defer { withExtendedLifetime(file) {} }
        if BinaryPropertyListReader.isBinary(file.filled) {
            do throws(PropertyListFault) {
                return .list(try BinaryPropertyListReader.read(file))
            } catch {
                throw error.error(in: source.path, of: file, isText: false)
            }
        }
        if let decoded = Base64Document.decoded(file) {
            do throws(PropertyListFault) { return .json(try DumpedJSON.read(decoded, .base64)) } catch {
                throw error.error(in: "the base64 text of \(source.path)", of: decoded, isText: false)
            }
        }
        if let foreign = ForeignContent(file.filled.prefix(ForeignContent.length)) {
            let message = "'\(source.path)' is \(foreign.kind), not a property list"
            throw DaybookError.data("not-a-property-list", message, hint: foreign.hint)
        }
        let wide: Bytes?
        do throws(PropertyListFault) {
            wide = try WideText.utf8(of: file.filled)
        } catch {
            throw error.error(in: source.path, of: file, isText: false)
        }
        let text = wide ?? file
        do throws(PropertyListFault) {
            let valid = scan_utf8_valid(text.base, text.count)
            guard valid == text.count else { throw .malformed("this is neither a property list nor text", at: valid) }
            switch try kind(of: text.filled) {
            case .xml: return .list(try XMLPropertyListReader.read(text, isWide: wide != nil))
            case .openStep: return .list(try OpenStepPropertyListReader.read(text, isWide: wide != nil))
            case .json, .binary: return .json(try DumpedJSON.read(text, wide == nil ? .utf8 : .utf16))
            }
        } catch {
            throw error.error(in: source.path, of: text, isText: true, isWide: wide != nil)
        }
    }

    private static func kind(of text: Cell) throws(PropertyListFault) -> Kind {
        var place = WideText.markLength(of: text)
        func skipSpace() {
            while place < text.count, text[place].isSpace { place += 1 }
        }
        skipSpace()
        guard place < text.count else { throw .malformed("the file is empty", at: text.count) }
        switch text[place] {
        case UInt8(ascii: "<"):
            // `<` opens data in an OpenStep list, whose first byte is then a digit or a space.
            guard place + 1 < text.count else { return .xml }
            let next = text[place + 1]
            let isData = Character(UnicodeScalar(next)).isHexDigit || next.isSpace || next == 0x2A
            return isData && !isElement(text, at: place + 1) ? .openStep : .xml
        case UInt8(ascii: "["): return .json
        case UInt8(ascii: "{"):
            place += 1
            skipSpace()
            guard place < text.count else { return .json }
            if text[place] == UInt8(ascii: "}") { return .json }
            guard text[place] == UInt8(ascii: "\"") else { return .openStep }
            place += 1
            while place < text.count, text[place] != UInt8(ascii: "\"") {
                place += text[place] == UInt8(ascii: "\\") ? 2 : 1
            }
            place += 1
            skipSpace()
            guard place < text.count else { return .json }
            return text[place] == UInt8(ascii: "=") || text[place] == UInt8(ascii: ";") ? .openStep : .json
        default: return .openStep
        }
    }

    /// `<a` to `<f` may be data or the beginning of `<array>`, `<data>`, `<dict>`, `<date>` or `<false>`.
    private static func isElement(_ text: Cell, at place: Int) -> Bool {
        var end = place
        while end < text.count, text[end] | 0x20 >= 97, text[end] | 0x20 <= 122 { end += 1 }
        return XMLPropertyListElement(Cell(rebasing: text[place..<end])) != nil
    }
}

/// Files that are one text in base64, as backups of some apps are.
enum Base64Document {
    /// The JSON object that a file holds in base64; nil for any other file.
    static func decoded(_ file: Bytes) -> Bytes? {
        defer { withExtendedLifetime(file) {} }
        // What begins with a brace begins so.
        guard file.count >= 4, file.filled[0] == UInt8(ascii: "e"), holds(file.filled[1]) else { return nil }
        let text = Bytes(file.filled.filter { !$0.isSpace })
        let decoded = Bytes(capacity: text.count / 4 * 3)
        return Base64.decode(text.filled, into: decoded) == nil ? decoded : nil
    }

    /// Whether a file may be one, by its beginning.
    static func isLikely(_ head: Cell) -> Bool {
        head.count >= 4 && head[0] == UInt8(ascii: "e") && holds(head[1])
            && Base64.decode(Cell(rebasing: head.prefix(min(head.count, 64) & ~3)), into: Bytes(capacity: 64)) == nil
    }

    private static func holds(_ second: UInt8) -> Bool { "wxyz0123456789+/".utf8.contains(second) }
}

/// Transcodes UTF-16 files to UTF-8 and maps positions back to their bytes.
enum WideText {
    /// The length of the UTF-8 byte-order mark; mostly 0.
    static func markLength(of text: Cell) -> Int { text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The byte order of a UTF-16 file, from its byte-order mark.
    private static func isBigEndian(_ bytes: Cell) -> Bool? {
        guard bytes.count >= 2 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0xFE, 0xFF): return true
        case (0xFF, 0xFE): return false
        default: return nil
        }
    }

    /// The text in UTF-8 without its byte-order mark, or nil unless the mark is UTF-16.
    static func utf8(of bytes: Cell) throws(PropertyListFault) -> Bytes? {
        guard let isBigEndian = isBigEndian(bytes) else { return nil }
        guard bytes.count % 2 == 0 else {
            throw .malformed("the file is UTF-16 and ends in half a unit", at: bytes.count - 1)
        }
        let text = Bytes(capacity: bytes.count)
        if let wrong = append(Cell(rebasing: bytes[2...]), isBigEndian: isBigEndian, to: text) {
            throw .malformed("half a surrogate pair", at: wrong + 2)
        }
        return text
    }

    /// Appends UTF-16 as UTF-8. Stops at half a surrogate pair and returns its byte.
    static func append(_ units: Cell, isBigEndian: Bool, to text: Bytes) -> Int? {
        var out = ByteCursor(text)
        defer { out.finish() }
        var place = 0
        func unit(_ place: Int) -> UInt32 {
            isBigEndian
                ? UInt32(units[place]) << 8 | UInt32(units[place + 1])
                : UInt32(units[place + 1]) << 8 | UInt32(units[place])
        }
        while place + 1 < units.count {
            var scalar = unit(place)
            out.reserve(4)
            if scalar & 0xF800 == 0xD800 {
                guard scalar < 0xDC00, place + 3 < units.count, unit(place + 2) & 0xFC00 == 0xDC00 else { return place }
                scalar = 0x10000 + (scalar & 0x3FF) << 10 + (unit(place + 2) & 0x3FF)
                place += 2
            }
            place += 2
            out.put(scalar: scalar)
        }
        return nil
    }

    /// The byte in a UTF-16 file, mark included, for a byte of its UTF-8.
    static func byte(of place: Int, in text: Cell) -> Int {
        var units = 1
        for byte in text[..<place] where byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
        return units * 2
    }
}

extension ByteCursor {
    /// Writes a scalar as UTF-8 into reserved space.
    package mutating func put(scalar: UInt32) {
        switch scalar {
        case ..<0x80: put(UInt8(truncatingIfNeeded: scalar))
        case ..<0x800:
            put(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        case ..<0x10000:
            put(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        default:
            put(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            put(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        }
    }
}

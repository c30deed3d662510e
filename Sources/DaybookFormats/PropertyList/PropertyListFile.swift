import CScan

/// A file with keys and values: a property list in one of three spellings, or a JSON dump of one.
package enum PropertyListFile: Sendable {
    case list(PropertyList)
    case json(DumpedJSON)

    /// What the file is, told by its content alone.
    private enum Kind { case binary, xml, openStep, json }

    /// Reads a whole file. Its faults name bytes of what `text(of:)` gives.
    package static func read(_ file: Bytes, _ source: SourceName) throws(DaybookError) -> PropertyListFile {
        defer { withExtendedLifetime(file) {} }
        if BinaryPropertyListReader.isBinary(file.filled) {
            do throws(PropertyListFault) {
                return .list(try BinaryPropertyListReader.read(file))
            } catch {
                throw error.error(in: source.path, of: file, isText: false)
            }
        }
        if let foreign = ForeignContent(file.filled.prefix(ForeignContent.length)) {
            throw DaybookError(
                "not-a-property-list",
                "'\(source.path)' is \(foreign.kind), not a property list",
                hint: foreign.hint,
                blame: .data
            )
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
            guard valid == text.count else {
                throw .malformed("this is neither a property list nor text", at: valid)
            }
            switch try kind(of: text.filled) {
            case .xml: return .list(try XMLPropertyListReader.read(text, isWide: wide != nil))
            case .openStep: return .list(try OpenStepPropertyListReader.read(text, isWide: wide != nil))
            case .json, .binary: return .json(try DumpedJSON.read(text, isWide: wide != nil))
            }
        } catch {
            throw error.error(in: source.path, of: text, isText: true, isWide: wide != nil)
        }
    }

    /// Whether a text is a list with braces or parentheses as `defaults read` prints it, in which data may be left out.
    static func isPrinted(_ text: Bytes) -> Bool {
        guard let first = text.filled.first(where: { !$0.isSpace }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "(")
        else { return false }
        do throws(PropertyListFault) {
            _ = try OpenStepPropertyListReader.read(text, isWide: false)
            return true
        } catch { return error.hint == PropertyListFault.printed }
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
            // `<` opens data in OpenStep's spelling, whose first byte is then a digit or a space.
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

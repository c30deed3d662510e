import CScan
import DaybookJSON

/// The decoded value of a key.
package struct StoredValue {
    package enum Form {
        /// JSON text in `text`; `byte` is its offset in the file, if the file contains exactly these bytes.
        case json(text: Bytes, byte: Int?)
        /// A value of a property list.
        case list(PropertyList, Int)
    }

    package var form: Form
    /// The display text: `data holding JSON, an array`.
    package var words: String
}

/// Detects the form of a value: apps keep JSON in data, in text and in base64, and property lists and archives in data.
package struct StoredValueReader {
    /// The most layers of data within data; apps stop at two.
    private static let mostLayers = 4

    /// `[]` and `{}` as base64.
    private static let emptyContainers = ["W10=", "e30="].map { Array($0.utf8) }

    /// The byte of the current value, for faults in bytes that had to be decoded.
    let valueByte: Int
    /// How many layers of data are around the value.
    var layers = 0

    package static func read(_ list: PropertyList, _ value: Int) throws(PropertyListFault) -> StoredValue {
        try StoredValueReader(valueByte: list.values[value].byte).read(list, value, in: "")
    }

    /// Reads data without a list around it.
    package static func read(data bytes: Bytes) throws(PropertyListFault) -> StoredValue {
        try StoredValueReader(valueByte: 0).read(bytes, byte: nil, in: "data")
    }

    private func read(_ list: PropertyList, _ value: Int, in words: String) throws(PropertyListFault) -> StoredValue {
        switch list[value] {
        case .data(let piece):
            let byte = layers == 0 ? list.byteInFile(piece) : nil
            return try read(list.copy(piece), byte: byte, in: words.holding("data"))
        case .text(let piece):
            let byte = layers == 0 ? list.byteInFile(piece) : nil
            if let stored = try read(text: list.copy(piece), byte: byte, in: words) { return stored }
            return StoredValue(form: .list(list, value), words: words.holding("text"))
        case .dictionary where KeyedArchive.isArchive(list, value):
            let plain = try KeyedArchive.unarchive(list, value)
            let what = "\(words.holding(plain.archiveWords)), \(plain[plain.root].displayText)"
            return StoredValue(form: .list(plain, plain.root), words: what)
        default:
            let kind = list[value].displayText
            return StoredValue(form: .list(list, value), words: words.isEmpty ? kind : "\(words), \(kind)")
        }
    }

    /// Reads an encoded text; nil for plain text.
    func read(text bytes: Bytes, byte: Int?, in words: String) throws(PropertyListFault) -> StoredValue? {
        defer { withExtendedLifetime(bytes) {} }
        if let kind = StoredValueReader.container(bytes.filled) {
            let what = "\(words.holding("text holding JSON")), \(kind)"
            return StoredValue(form: .json(text: bytes, byte: byte), words: what)
        }
        // Shorter texts are words, such as 'exit', which would decode to the beginning of JSON; `[]` and `{}` are
        // exceptions.
        guard bytes.count >= 8 || StoredValueReader.emptyContainers.contains(where: bytes.filled.elementsEqual)
        else { return nil }
        let decoded = Bytes()
        guard Base64.decode(bytes.filled, into: decoded) == nil, StoredValueReader.isRecognised(decoded) else {
            return nil
        }
        return try read(decoded, byte: nil, in: words.holding("base64 text"))
    }

    /// Reads data: JSON, or a property list.
    private func read(_ bytes: Bytes, byte: Int?, in words: String) throws(PropertyListFault) -> StoredValue {
        defer { withExtendedLifetime(bytes) {} }
        if let kind = StoredValueReader.container(bytes.filled) ?? StoredValueReader.scalar(bytes.filled) {
            let mark = WideText.markLength(of: bytes.filled)
            let text = mark == 0 ? bytes : bytes.copy(mark..<bytes.count)
            let start = byte.map { $0 + mark }
            return StoredValue(form: .json(text: text, byte: start), words: "\(words) holding JSON, \(kind)")
        }
        guard StoredValueReader.isList(bytes.filled) else {
            let shown = bytes.filled.prefix(8).map { $0.padded(to: 2, radix: 16) }
            throw .unsupported(
                bytes.count == 0
                    ? "the data is empty"
                    : "the data is neither JSON nor a property list; it begins with \(shown.joined(separator: " "))",
                at: valueByte
            )
        }
        guard layers < StoredValueReader.mostLayers else {
            throw .tooLarge("data holds a property list that holds one again, and so on", at: valueByte)
        }
        do throws(PropertyListFault) {
            let inner = try StoredValueReader.list(bytes)
            return try StoredValueReader(valueByte: inner.values[inner.root].byte, layers: layers + 1)
                .read(inner, inner.root, in: "\(words) holding \(inner.format.article)")
        } catch {
            // The fault's place is an offset in the data.
            throw byte.map { error.moved(by: $0) } ?? error.inside(valueByte)
        }
    }

    /// The property list in data for which `isList` is true.
    package static func list(_ bytes: Bytes) throws(PropertyListFault) -> PropertyList {
        if BinaryPropertyListReader.isBinary(bytes.filled) { return try BinaryPropertyListReader.read(bytes) }
        let valid = scan_utf8_valid(bytes.base, bytes.count)
        guard valid == bytes.count else { throw .malformed("this is not UTF-8", at: valid) }
        return try XMLPropertyListReader.read(bytes, isWide: false)
    }

    private static func isRecognised(_ bytes: Bytes) -> Bool {
        defer { withExtendedLifetime(bytes) {} }
        return isList(bytes.filled) || container(bytes.filled) != nil
    }

    static func isList(_ bytes: Cell) -> Bool {
        if BinaryPropertyListReader.isBinary(bytes) { return true }
        return ["<?xml", "<!DOCTYPE", "<plist"].contains { bytes.starts(with: $0.utf8) }
    }

    /// `an array` or `an object`, judged by the first character; the JSON reader reports later faults with their place.
    package static func container(_ bytes: Cell) -> String? {
        var place = WideText.markLength(of: bytes)
        while place < bytes.count, bytes[place].isSpace { place += 1 }
        guard place < bytes.count else { return nil }
        switch bytes[place] {
        case UInt8(ascii: "["): return "an array"
        case UInt8(ascii: "{"): return "an object"
        default: return nil
        }
    }

    /// The name of a JSON text that is one number, text, flag or null.
    package static func scalar(_ bytes: Cell) -> String? {
        guard let base = bytes.baseAddress, scan_utf8_valid(base, bytes.count) == bytes.count else { return nil }
        var cursor = JSONCursor(base, to: bytes.count)
        cursor.skipSpace()
        let first = cursor.byte
        return cursor.skipValue() && cursor.finish() ? JSONValueName.of(first) : nil
    }

    /// Whether the bytes are JSON of an array or an object.
    static func isContainer(_ bytes: Bytes) -> Bool {
        defer { withExtendedLifetime(bytes) {} }
        return container(bytes.filled) != nil && isJSON(bytes.filled)
    }

    /// Whether the bytes are one JSON text, of any kind.
    static func isJSON(_ bytes: Cell) -> Bool { scalar(bytes) != nil }
}

extension PropertyList {
    package func copy(_ piece: Piece) -> Bytes {
        let bytes = Bytes(capacity: piece.length)
        withBytes(piece) { bytes.append($0) }
        return bytes
    }
}

extension PropertyList.Format {
    package var article: String {
        switch self {
        case .binary: "a \(displayText)"
        case .xml, .openStep: "an \(displayText)"
        case .preferences: displayText
        }
    }
}

extension String {
    /// The name of the outer value, then of the inner one.
    fileprivate func holding(_ what: String) -> String { isEmpty ? what : "\(self) holding \(what)" }
}

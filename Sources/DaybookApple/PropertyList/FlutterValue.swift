import DaybookJSON

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
        guard cursor.byte == UInt8(ascii: "["), cursor.open() else { return nil }
        var texts: [String] = []
        if cursor.closesAtOnce(UInt8(ascii: "]")) { return cursor.finish() ? texts : nil }
        while true {
            cursor.skipSpace()
            let start = cursor.position
            guard cursor.byte == UInt8(ascii: "\""), cursor.skipValue(),
                let text = JSONPlace.decodedText(json, start..<cursor.position),
                let more = cursor.next(inObject: false)
            else { return nil }
            texts.append(text.text(0..<text.count))
            if !more { return cursor.finish() ? texts : nil }
        }
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
            guard let handle = number(4), texts.indices.contains(handle - JavaListReader.firstText) else {
                return false
            }
            elements.append(handle - JavaListReader.firstText)
        case 0x74:
            guard let text = text(2) else { return false }
            texts.append(text)
            elements.append(texts.count - 1)
        case 0x7C:
            guard let text = text(8) else { return false }
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

/// A property list as it was read, every value with its place in the file.
///
/// Values stand in one flat list and are named by their number in it, so that depth costs no recursion and a value that a
/// binary list refers to twice is held once. `root` is checked: whatever hangs below it has no cycle, is at most
/// `deepest` levels deep and unfolds to a bounded number of values.
package struct PropertyList: Sendable {
    /// How a file spells its values.
    package enum Format: Sendable, Hashable { case binary, xml, openStep }

    /// Bytes of the file, or, from `source.count` on, bytes that were decoded from it.
    package struct Piece: Sendable, BitwiseCopyable {
        package var start: Int
        package var length: Int
    }

    /// Where the numbers of the values below a value stand in `children`.
    package struct Below: Sendable, BitwiseCopyable {
        package var first: Int
        /// Elements of an array, or pairs of a dictionary.
        package var count: Int
    }

    package enum Content: Sendable, BitwiseCopyable {
        case null
        case flag(Bool)
        case integer(Int128)
        case real(Double)
        /// Seconds since 2001-01-01T00:00:00Z.
        case date(Double)
        case data(Piece)
        case text(Piece)
        /// Text with half a surrogate pair in it, which no UTF-8 can hold; an error only where somebody wants it.
        case brokenText
        /// Also the sets of binary lists, in the order in which they were written.
        case array(Below)
        /// Key, value, key, value, as they were written.
        case dictionary(Below)
        /// A reference within a keyed archive.
        case uid(UInt64)
        /// A value that nothing refers to.
        case unread
    }

    package struct Value: Sendable, BitwiseCopyable {
        package var content: Content
        /// Where it begins, in bytes of `source`.
        package var byte: Int
    }

    /// How deep arrays and dictionaries may be nested, as in Foundation and in JSON here.
    package static let deepest = JSONCursor.deepest
    /// More values than a list has that a person or an app has written, and few enough to hold.
    static let mostValues = 1 << 23

    package let format: Format
    /// The bytes that were read. UTF-8 where the file is text.
    package let source: Bytes
    /// The file is UTF-16, and `source` was made from it.
    package let isWide: Bool
    let decoded: Bytes
    package var values: [Value]
    var children: [UInt32]
    package var root: Int
    /// The arrays that are sets in the file. They are read like arrays, and whoever writes a list again has to know.
    var sets: Set<Int> = []

    package subscript(_ value: Int) -> Content { values[value].content }

    /// The values right below a value; those of a dictionary are key, value, key, value.
    package func below(_ value: Int) -> ArraySlice<UInt32> {
        switch values[value].content {
        case .array(let below): children[below.first..<below.first + below.count]
        case .dictionary(let below): children[below.first..<below.first + 2 * below.count]
        default: []
        }
    }

    package func withBytes<Result, Failure: Error>(
        _ piece: Piece,
        _ body: (Cell) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime((source, decoded)) {} }
        let isDecoded = piece.start >= source.count
        let start = isDecoded ? piece.start - source.count : piece.start
        let bytes = isDecoded ? decoded.filled : source.filled
        return try body(Cell(rebasing: bytes[start..<start + piece.length]))
    }

    /// The text of a value, for names and messages; nil for any other value.
    package func text(_ value: Int) -> String? {
        guard case .text(let piece) = values[value].content else { return nil }
        return withBytes(piece) { String(decoding: $0, as: UTF8.self) }
    }

    func isText(_ value: Int, _ text: StaticString) -> Bool {
        guard case .text(let piece) = values[value].content else { return false }
        return withBytes(piece) { CellReading.equals($0, text) }
    }

    /// The value under a key of a dictionary; of two equal keys the first.
    package func value(_ key: StaticString, in dictionary: Int) -> Int? {
        let pairs = below(dictionary)
        guard case .dictionary = values[dictionary].content else { return nil }
        for place in stride(from: pairs.startIndex, to: pairs.endIndex, by: 2) where isText(Int(pairs[place]), key) {
            return Int(pairs[place + 1])
        }
        return nil
    }

    /// Where a piece stands in the file, when its bytes are those of the file.
    func byteInFile(_ piece: Piece) -> Int? {
        piece.start < source.count && !isWide ? piece.start : nil
    }
}

extension PropertyList.Format {
    package var spoken: String {
        switch self {
        case .binary: "binary property list"
        case .xml: "XML property list"
        case .openStep: "OpenStep property list"
        }
    }
}

extension PropertyList.Content {
    /// How messages call it.
    package var spoken: String {
        switch self {
        case .null: "null"
        case .flag: "true or false"
        case .integer: "a whole number"
        case .real: "a number"
        case .date: "a date"
        case .data: "data"
        case .text, .brokenText: "text"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .uid: "a reference"
        case .unread: "nothing"
        }
    }
}

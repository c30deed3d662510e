/// A parsed property list, every value with its place in the file.
///
/// Values are stored in one flat list and referred to by index, so that depth needs no recursion and a value with two
/// references in a binary list is stored once. `root` is checked: the values below it have no cycle, are at most
/// `deepest` levels deep and unfold to a bounded number of values.
package struct PropertyList: Sendable {
    /// The encoding of the file.
    package enum Format: Sendable, Hashable {
        case binary, xml, openStep
        /// `SharedPreferences` of Android, which are no property list, and as simple.
        case preferences
    }

    /// A range of the file, or, from `source.count` on, of bytes decoded from it.
    package struct Piece: Sendable, BitwiseCopyable {
        package var start: Int
        package var length: Int
    }

    /// The range of a value's children in `children`.
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
        /// The digits of a decimal number in a keyed archive.
        case decimal(Piece)
        /// Seconds since 2001-01-01T00:00:00Z.
        case date(Double)
        case data(Piece)
        case text(Piece)
        /// Text with half a surrogate pair, which UTF-8 cannot encode; an error only if the value is used.
        case brokenText
        /// Also the sets of binary lists, in file order.
        case array(Below)
        /// Key, value, key, value, in file order.
        case dictionary(Below)
        /// A reference within a keyed archive.
        case uid(UInt64)
        /// A value without a reference to it.
        case unread
    }

    package struct Value: Sendable, BitwiseCopyable {
        package var content: Content
        /// The value's start, in bytes of `source`.
        package var byte: Int
    }

    /// The deepest nesting of arrays and dictionaries, as in Foundation and in JSON here.
    package static let deepest = JSONCursor.deepest
    /// More values than people or apps write, and few enough for memory.
    static let mostValues = 1 << 23

    package let format: Format
    /// The bytes of the file. UTF-8 for text files.
    package let source: Bytes
    /// Whether the file is UTF-16, and `source` was transcoded from it.
    package let isWide: Bool
    let decoded: Bytes
    package var values: [Value] = []
    var children: [UInt32] = []
    package var root = 0
    /// The arrays that are sets in the file. They are read like arrays, but a writer must distinguish them.
    var sets: Set<Int> = []
    /// Whether it was decoded from a keyed archive.
    var isArchived = false
    /// The first few classes of the objects of a keyed archive that have become records.
    var classes: [String] = []

    package subscript(_ value: Int) -> Content { values[value].content }

    /// The direct children of a value; a dictionary's are key, value, key, value.
    package func below(_ value: Int) -> ArraySlice<UInt32> {
        switch values[value].content {
        case .array(let below): children[below.first..<below.first + below.count]
        case .dictionary(let below): children[below.first..<below.first + 2 * below.count]
        default: []
        }
    }

    package func withBytes<Result>(_ piece: Piece, _ body: (Cell) -> Result) -> Result {
        defer { withExtendedLifetime((source, decoded)) {} }
        let isDecoded = piece.start >= source.count
        let start = isDecoded ? piece.start - source.count : piece.start
        let bytes = isDecoded ? decoded.filled : source.filled
        return body(Cell(rebasing: bytes[start..<start + piece.length]))
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

    /// The keys of a dictionary with their values, as written; empty for any other value.
    func pairs(_ dictionary: Int) -> some Sequence<(key: Int, value: Int)> {
        let isDictionary = if case .dictionary = values[dictionary].content { true } else { false }
        let pairs = isDictionary ? below(dictionary) : []
        return stride(from: pairs.startIndex, to: pairs.endIndex, by: 2).lazy.map {
            (key: Int(pairs[$0]), value: Int(pairs[$0 + 1]))
        }
    }

    /// The value under a key of a dictionary; of two equal keys the first.
    package func value(_ key: StaticString, in dictionary: Int) -> Int? {
        pairs(dictionary).first { isText($0.key, key) }?.value
    }

    /// Where a piece stands in the file, when its bytes are those of the file.
    func byteInFile(_ piece: Piece) -> Int? { piece.start < source.count && !isWide ? piece.start : nil }
}

extension PropertyList.Format {
    package var displayText: String {
        switch self {
        case .binary: "binary property list"
        case .xml: "XML property list"
        case .openStep: "OpenStep property list"
        case .preferences: "SharedPreferences of an Android app"
        }
    }
}

extension PropertyList.Content {
    /// The name of the format in messages.
    package var displayText: String {
        switch self {
        case .null: "null"
        case .flag: "true or false"
        case .integer: "a whole number"
        case .real, .decimal: "a number"
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

/// Why a property list cannot be read, and the faulty byte of `PropertyList.source`.
package struct PropertyListFault: Error, Equatable {
    package var code: String
    package var message: String
    package var byte: Int
    package var hint: String?

    static func malformed(_ message: String, at byte: Int, hint: String? = nil) -> PropertyListFault {
        PropertyListFault(code: "not-a-property-list", message: message, byte: byte, hint: hint)
    }

    /// A fault for valid contents that Daybook does not support.
    static func unsupported(_ message: String, at byte: Int, hint: String? = nil) -> PropertyListFault {
        PropertyListFault(code: "unsupported-property-list", message: message, byte: byte, hint: hint)
    }

    /// A fault for a printout for people, which abbreviates data.
    static func shortened(at byte: Int) -> PropertyListFault {
        let message = "data is printed here in short, as 'defaults read' does, and its bytes are left out"
        return .unsupported(message, at: byte, hint: PrintedPropertyList.instead)
    }

    package static func tooLarge(_ message: String, at byte: Int) -> PropertyListFault {
        PropertyListFault(code: "property-list-too-large", message: message, byte: byte)
    }

    static func tooDeep(at byte: Int) -> PropertyListFault {
        let message = "arrays and dictionaries are nested deeper than \(PropertyList.deepest) levels"
        return PropertyListFault(code: "nested-too-deeply", message: message, byte: byte)
    }

    static func cycle(at byte: Int) -> PropertyListFault {
        PropertyListFault(code: "cyclic-property-list", message: "a value holds itself", byte: byte)
    }

    /// The same fault, for bytes embedded unchanged in others from `start` on.
    package func moved(by start: Int) -> PropertyListFault {
        var fault = self
        fault.byte += start
        return fault
    }

    /// The same fault, for bytes decoded from the value at `byte`.
    package func inside(_ byte: Int) -> PropertyListFault {
        var fault = self
        fault.message += ", at byte \(self.byte) of what it holds"
        fault.byte = byte
        return fault
    }

    /// The error that stops the run. `source` is the input, and `isText` whether it has lines.
    package func error(in file: String, of source: Bytes, isText: Bool, isWide: Bool = false) -> DaybookError {
        defer { withExtendedLifetime(source) {} }
        let at = min(byte, source.count)
        let byteInFile = isWide ? WideText.byte(of: at, in: source.filled) : at
        var place: SourcePlace?
        if isText {
            let (line, column) = PropertyListFault.place(of: at, in: source)
            place = SourcePlace(file: file, line: line, column: column)
        }
        let message = "\(message), at byte \(byteInFile) of \(file)"
        return DaybookError.data(DaybookError.Code(rawValue: code), message, at: place, hint: hint)
    }

    package func error(in file: String, of list: PropertyList) -> DaybookError {
        error(in: file, of: list.source, isText: list.format != .binary, isWide: list.isWide)
    }

    /// Line and column of a byte. A byte-order mark does not count as a character.
    package static func place(of byte: Int, in source: Bytes) -> (line: Int, column: Int) {
        defer { withExtendedLifetime(source) {} }
        let start = WideText.markLength(of: source.filled)
        let text = source.cell(start...)
        var cursor = LineCursor(text, firstLine: 1, lineEnd: LineEnd(of: text))
        return cursor.place(of: max(0, byte - start))
    }
}

/// Builds a list from text, which is read from front to back, so that every value occurs once.
struct PropertyListBuilder {
    private struct Frame {
        var value: Int
        var isDictionary: Bool
        /// The index of its first child in `pending`.
        var first: Int
    }

    let source: Bytes
    let decoded = Bytes()
    private var values: [PropertyList.Value] = []
    private var children: [UInt32] = []
    private var frames: [Frame] = []
    /// Values whose container is still open.
    private var pending: [UInt32] = []

    init(_ source: Bytes) { self.source = source }

    /// The number of open arrays and dictionaries.
    var depth: Int { frames.count }
    /// Whether the root is complete.
    var isComplete: Bool { frames.isEmpty && !values.isEmpty }
    var isInDictionary: Bool { frames.last?.isDictionary ?? false }
    /// Whether the last key still needs its value.
    var wantsValue: Bool {
        guard let frame = frames.last, frame.isDictionary else { return false }
        return (pending.count - frame.first) % 2 == 1
    }

    mutating func add(_ content: PropertyList.Content, at byte: Int) throws(PropertyListFault) {
        guard values.count < PropertyList.mostValues else {
            throw .tooLarge("the list has more than \(PropertyList.mostValues) values", at: byte)
        }
        if !frames.isEmpty { pending.append(UInt32(values.count)) }
        values.append(PropertyList.Value(content: content, byte: byte))
    }

    mutating func open(isDictionary: Bool, at byte: Int) throws(PropertyListFault) {
        guard frames.count < PropertyList.deepest else { throw .tooDeep(at: byte) }
        try add(.null, at: byte)
        frames.append(Frame(value: values.count - 1, isDictionary: isDictionary, first: pending.count))
    }

    /// Repeats the last value, as both key and value.
    mutating func repeatLast() throws(PropertyListFault) {
        let last = values[values.count - 1]
        try add(last.content, at: last.byte)
    }

    mutating func close() {
        guard let frame = frames.popLast() else { preconditionFailure("more is closed than was opened") }
        let count = pending.count - frame.first
        let below = PropertyList.Below(first: children.count, count: frame.isDictionary ? count / 2 : count)
        children += pending[frame.first...]
        pending.removeLast(count)
        values[frame.value].content = frame.isDictionary ? .dictionary(below) : .array(below)
    }

    /// The start of a piece whose bytes are decoded from now on.
    var decodedStart: Int { source.count + decoded.count }

    func list(_ format: PropertyList.Format, isWide: Bool) -> PropertyList {
        var list = PropertyList(format: format, source: source, isWide: isWide, decoded: decoded)
        (list.values, list.children) = (values, children)
        return list
    }
}

/// Checks the values below the root of a list with shared values.
///
/// One walk without recursion enters every value once, so its time is in proportion to the references, however often
/// they would unfold.
struct PropertyListGraph {
    private enum Mark { static let open: UInt8 = 1, done: UInt8 = 2 }

    private struct Frame {
        var value: Int
        var next: Int
        var end: Int
        /// A key comes next.
        var isAtKey = true
        var isDictionary: Bool
        var height = 0
        var unfolded: UInt64 = 1

        mutating func add(_ height: UInt16, _ unfolded: UInt32) {
            self.height = max(self.height, Int(height))
            // Both fit 32 bits and there are fewer than 2^32 references, so this cannot overflow.
            self.unfolded += UInt64(unfolded)
        }
    }

    /// The most values after unfolding, or `unfoldedPerByte` for each byte of the file if that is more.
    static let unfoldedAtLeast = 1 << 20
    static let unfoldedPerByte = 4

    private let values: [PropertyList.Value]
    private let children: [UInt32]
    private var marks: [UInt8]
    private var heights: [UInt16]
    private var unfolded: [UInt32]
    private var frames: [Frame] = []

    /// Throws if the list has a cycle below the root, is too deep, or has a key that is not text, or if a list of
    /// `size` bytes would unfold to too many values.
    static func check(_ list: PropertyList, size: Int) throws(PropertyListFault) {
        var graph = PropertyListGraph(list)
        let limit = UInt64(max(unfoldedAtLeast, size * unfoldedPerByte))
        let count = try graph.walk(list.root)
        if count > limit {
            let message = "the list refers to the same values so often that it unfolds to more than \(limit) values"
            throw .tooLarge(message, at: list.values[list.root].byte)
        }
    }

    private init(_ list: PropertyList) {
        values = list.values
        children = list.children
        marks = Array(repeating: 0, count: values.count)
        heights = Array(repeating: 0, count: values.count)
        unfolded = Array(repeating: 1, count: values.count)
    }

    private mutating func walk(_ root: Int) throws(PropertyListFault) -> UInt64 {
        try enter(root, from: root)
        while var frame = frames.popLast() {
            guard frame.next < frame.end else {
                leave(frame)
                continue
            }
            let child = Int(children[frame.next])
            frame.next += 1
            if frame.isDictionary {
                if frame.isAtKey, !isKey(child) {
                    let message = "a key of a dictionary is \(values[child].content.displayText), not text"
                    throw .malformed(message, at: values[child].byte)
                }
                frame.isAtKey.toggle()
            }
            // A child's count is added once it is known: now, or when its frame is popped.
            if marks[child] == Mark.done { frame.add(heights[child], unfolded[child]) }
            let depth = frames.count + 1
            guard depth + Int(heights[child]) <= PropertyList.deepest else { throw .tooDeep(at: values[child].byte) }
            frames.append(frame)
            if marks[child] != Mark.done { try enter(child, from: frame.value) }
        }
        return UInt64(unfolded[root])
    }

    private func isKey(_ value: Int) -> Bool { if case .text = values[value].content { true } else { false } }

    private mutating func enter(_ value: Int, from parent: Int) throws(PropertyListFault) {
        guard marks[value] == 0 else { throw .cycle(at: values[parent].byte) }
        let (below, isDictionary): (PropertyList.Below, Bool)
        switch values[value].content {
        case .array(let array): (below, isDictionary) = (array, false)
        case .dictionary(let dictionary): (below, isDictionary) = (dictionary, true)
        default:
            marks[value] = Mark.done
            if !frames.isEmpty { frames[frames.count - 1].add(0, 1) }
            return
        }
        guard frames.count < PropertyList.deepest else { throw .tooDeep(at: values[value].byte) }
        marks[value] = Mark.open
        let end = below.first + (isDictionary ? 2 : 1) * below.count
        frames.append(Frame(value: value, next: below.first, end: end, isDictionary: isDictionary))
    }

    private mutating func leave(_ frame: Frame) {
        marks[frame.value] = Mark.done
        heights[frame.value] = UInt16(frame.height + 1)
        unfolded[frame.value] = UInt32(clamping: frame.unfolded)
        if !frames.isEmpty { frames[frames.count - 1].add(heights[frame.value], unfolded[frame.value]) }
    }
}

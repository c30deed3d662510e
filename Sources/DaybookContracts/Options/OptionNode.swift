/// One value of a job file as written, with its place: text, a list, a map, or nothing.
///
/// Every scalar is text. Whether `no`, `012` or `2026-11-21` is a flag, a number or a day is decided by
/// the option that reads it, so nothing is coerced on the way.
public struct OptionNode: Sendable {
    public enum Content: Sendable {
        /// A scalar; `quoted` if it was in quotes or in a block, and so is certainly text.
        case text(String, quoted: Bool)
        case list([OptionNode])
        case map([Entry])
        /// A key with nothing after it, or a plain `null` or `~`.
        case nothing
    }

    public struct Entry: Sendable {
        public var key: String
        public var keyPlace: SourcePlace
        public var value: OptionNode

        public init(key: String, keyPlace: SourcePlace, value: OptionNode) {
            self.key = key
            self.keyPlace = keyPlace
            self.value = value
        }
    }

    public var content: Content
    public var place: SourcePlace
    /// The places of the characters of a scalar; nil if it is on one line and written as it reads.
    public var spots: TextSpots?

    public init(_ content: Content, at place: SourcePlace, spots: TextSpots? = nil) {
        self.content = content
        self.place = place
        self.spots = spots
    }

    /// The text of a scalar, or nil.
    public var text: String? {
        if case .text(let text, _) = content { text } else { nil }
    }

    /// The text of a scalar without quotes, or nil. `true` is a flag, `"true"` is text.
    public var plainText: String? {
        if case .text(let text, quoted: false) = content { text } else { nil }
    }

    public var list: [OptionNode]? {
        if case .list(let items) = content { items } else { nil }
    }

    public var map: [Entry]? {
        if case .map(let entries) = content { entries } else { nil }
    }

    /// The node as JSON: a plain scalar is a number or a word of JSON where it can be, else a string.
    package var json: String {
        switch content {
        case .nothing: return "null"
        case .list(let items): return "[" + items.map(\.json).joined(separator: ",") + "]"
        case .map(let entries):
            return "{" + entries.map { "\(OptionNode.string($0.key)):\($0.value.json)" }.joined(separator: ",") + "}"
        case .text(let text, let quoted):
            let bytes = Bytes(text)
            var cursor = JSONCursor(bytes.base, to: bytes.count)
            let isPlain = !quoted && !text.hasPrefix("\"") && !text.isEmpty && cursor.scalar() && cursor.finish()
            return isPlain ? text : OptionNode.string(text)
        }
    }

    private static func string(_ text: String) -> String {
        let bytes = Bytes()
        bytes.append(jsonString: text)
        return String(decoding: bytes.filled, as: UTF8.self)
    }

    /// How an error message describes the node: `a list`, `'dtae'`.
    public var displayText: String {
        switch content {
        case .text(let text, _): "'\(text)'"
        case .list: "a list"
        case .map: "a map"
        case .nothing: "nothing"
        }
    }

    /// An error at this place: "expected a whole number, found 'many'".
    public func expected(_ what: String, hint: String? = nil) -> DaybookError {
        DaybookError("wrong-type", "expected \(what), found \(displayText)", at: place, hint: hint)
    }

    /// The place of a part of a scalar's text, in Unicode scalars of the text; the whole scalar when a value that was
    /// filled in, or an unusual escape, hides where it is.
    public func place(ofText range: Range<Int>) -> SourcePlace {
        if let spots { return spots.place(of: range, in: place.file) ?? place }
        guard let text else { return place }
        let quotes = plainText == nil ? 1 : 0
        guard place.length == max(1, text.unicodeScalars.count + 2 * quotes) else { return place }
        return SourcePlace(
            file: place.file,
            line: place.line,
            column: place.column + quotes + range.lowerBound,
            length: range.count
        )
    }
}

extension OptionNode.Entry {
    /// The error for a key that a map of options does not have. `usual` is the hint where no name is near.
    package func unknown(to owner: String, among names: [String], _ usual: String? = nil) -> DaybookError {
        DaybookError(
            "unknown-option",
            "\(owner) has no option '\(key)'",
            at: keyPlace,
            hint: NearestName.hint(for: key, among: names) ?? usual
        )
    }
}

/// The places in the file of the characters of a scalar that is not written as it reads: over several lines, with
/// escapes, or with a param filled in.
public struct TextSpots: Sendable, Hashable {
    /// A stretch of adjacent characters on one line.
    public struct Run: Sendable, Hashable {
        /// The first character, counted in the Unicode scalars of the text.
        public var scalar: Int
        public var line: Int
        public var column: Int

        public init(scalar: Int, line: Int, column: Int) {
            self.scalar = scalar
            self.line = line
            self.column = column
        }
    }

    /// In order, the first at 0; empty if the places of the characters are unknown.
    public private(set) var runs: [Run]

    public init(_ runs: [Run]) { self.runs = runs }

    public static let unknown = TextSpots([])

    private func index(of scalar: Int) -> Int? {
        let next = runs.partitioningIndex { $0.scalar > scalar }
        return next > 0 ? next - 1 : nil
    }

    /// The place of a part of the text, marked to the end of its first line; nil if unknown.
    func place(of range: Range<Int>, in file: String) -> SourcePlace? {
        guard let first = index(of: range.lowerBound) else { return nil }
        let column = runs[first].column + range.lowerBound - runs[first].scalar
        var end = column + 1
        var last = first
        while last < runs.count, runs[last].line == runs[first].line, runs[last].scalar < max(range.upperBound, 1) {
            let stop = last + 1 < runs.count ? min(range.upperBound, runs[last + 1].scalar) : range.upperBound
            end = max(end, runs[last].column + stop - runs[last].scalar)
            last += 1
        }
        return SourcePlace(file: file, line: runs[first].line, column: column, length: end - column)
    }
}

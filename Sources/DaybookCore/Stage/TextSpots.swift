/// Where the characters of a scalar stand in its file, for one that is not written as it reads: over several lines, with
/// escapes, or with a param filled in.
public struct TextSpots: Sendable, Hashable {
    /// A stretch of characters that stand beside each other on one line.
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

    /// In order, the first at 0; empty when nobody can say where a character stands.
    public private(set) var runs: [Run]

    public init(_ runs: [Run]) { self.runs = runs }

    public static let unknown = TextSpots([])

    private func index(of scalar: Int) -> Int? {
        let next = runs.partitioningIndex { $0.scalar > scalar }
        return next > 0 ? next - 1 : nil
    }

    /// The place of a part of the text, marked to the end of its first line; nil when it is not known.
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

extension OptionNode {
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

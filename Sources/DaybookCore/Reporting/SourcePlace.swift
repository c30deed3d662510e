/// A place in a text that a person wrote: a file, a line and a column, both counted from 1.
///
/// Columns count characters (Unicode scalars), as editors do, not bytes.
public struct SourcePlace: Sendable, Hashable, Codable {
    public var file: String
    public var line: Int
    public var column: Int
    /// How many characters the marked text has; at least 1.
    public var length: Int

    public init(file: String, line: Int, column: Int, length: Int = 1) {
        self.file = file
        self.line = line
        self.column = column
        self.length = max(1, length)
    }
}

extension SourcePlace: CustomStringConvertible {
    public var description: String { "\(file):\(line):\(column)" }
}

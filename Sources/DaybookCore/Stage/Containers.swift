/// Where a text stands that was taken out of a file, such as the JSON under a key of a property list.
public struct TextHolder: Sendable, Hashable {
    /// The way to it in the file, as a JSON pointer: `/DdayManager`.
    public var pointer: String
    /// Where its very bytes stand in the file, from 0; nil when they had to be decoded or made.
    public var byte: Int?
    /// The line and column of the value that holds it, from 1, where the file is text.
    public var line: Int?
    public var column: Int?
    /// Set where the text is a record that was corrected in a copy.
    public var copy: CorrectedCopy?

    public init(pointer: String, byte: Int? = nil, line: Int? = nil, column: Int? = nil) {
        self.pointer = pointer
        self.byte = byte
        self.line = line
        self.column = column
    }
}

/// One text of a container, read like a file of its own.
public struct ContainedText: Sendable {
    /// UTF-8.
    public var bytes: Bytes
    public var holder: TextHolder
    public var facts: ContainerFacts
    /// What is odd about the text as a whole, such as that it stands in for one that is not there.
    public var warnings: [Finding.Kind]

    public init(
        _ bytes: Bytes,
        in holder: TextHolder,
        facts: ContainerFacts = ContainerFacts(),
        warnings: [Finding.Kind] = []
    ) {
        self.bytes = bytes
        self.holder = holder
        self.facts = facts
        self.warnings = warnings
    }
}

/// What a container knows of a text that it holds, and the text cannot say.
public struct ContainerFacts: Sendable {
    /// Columns whose values are instants, where the text can only spell them.
    public var instants: [String] = []
    /// The ways from a record to its dates, also to those inside arrays.
    package var dates: [InnerDates.Way] = []
    /// How many other keys stand beside that of the text.
    package var otherKeys = 0

    public init() {}
}

/// What a container holds of what a stage asked for.
public struct ContainerContents: Sendable {
    public var texts: [ContainedText]
    /// What the file and its parts were found to be, in words for the manifest: `binary property list`.
    public var recognised: [String]

    public init(_ texts: [ContainedText], recognised: [String]) {
        self.texts = texts
        self.recognised = recognised
    }
}

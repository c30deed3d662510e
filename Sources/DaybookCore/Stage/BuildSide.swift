/// All rows of a side, with the columns that are needed: in memory, or on disk where they take more than their stage wants to hold.
public struct BuildSide: Sendable {
    public let schema: Schema
    /// In order; none of its batches is empty.
    public let rows: BatchBuffer
    /// The file of a source, as messages name it, by the place of the source among the inputs; nil where it is no file.
    public let fileName: @Sendable (_ source: Int) -> String?

    public init(
        _ schema: Schema,
        _ rows: BatchBuffer,
        fileName: @escaping @Sendable (_ source: Int) -> String? = { _ in nil }
    ) {
        (self.schema, self.rows, self.fileName) = (schema, rows, fileName)
    }
}

/// A stage that the options of another name, `vocabulary` or `vocabulary.rejects`, and where they do.
public struct BuildSideReference: Sendable, Hashable {
    public var stage: String
    public var readsRejects: Bool
    public var place: SourcePlace?

    public init(_ stage: String, readsRejects: Bool = false, at place: SourcePlace?) {
        self.stage = stage
        self.readsRejects = readsRejects
        self.place = place
    }
}

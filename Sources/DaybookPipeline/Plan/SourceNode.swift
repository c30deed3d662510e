import DaybookCore

/// A stage that reads files, whose type is no longer named: a source of bytes, or one of stores.
public protocol ReadingNode: Sendable {
    var paths: [PathText] { get }
    var declaredSchema: Schema { get }
}

/// A source stage whose type is no longer named.
public protocol SourceNode: ReadingNode {
    var encoding: TextEncoding { get }
    /// Looks at the heads of all files, asking for one after the other.
    func open(_ count: Int, head: (Int) throws(DaybookError) -> SourceHead) throws(DaybookError) -> OpenedSource
}

/// What the beginnings of all files of a source have told.
public struct OpenedSource: Sendable {
    public var schema: Schema
    public var formats: [any SourceFormat]
    /// Makes the reader of the file with that index for the columns that are wanted.
    public var reader: @Sendable (_ file: Int, _ schema: Schema) -> any RecordReader
}

struct SourceBox<Wrapped: SourceStage>: SourceNode {
    let stage: Wrapped

    init(_ stage: Wrapped) { self.stage = stage }

    var paths: [PathText] { stage.paths }
    var encoding: TextEncoding { stage.encoding }
    var declaredSchema: Schema { stage.declaredSchema }

    func open(_ count: Int, head: (Int) throws(DaybookError) -> SourceHead) throws(DaybookError) -> OpenedSource {
        var formats: [Wrapped.Format] = []
        for file in 0..<count { formats.append(try stage.format(of: try head(file))) }
        let schema = try stage.schema(of: formats)
        return OpenedSource(schema: schema, formats: formats) { [stage, formats] file, schema in
            stage.reader(of: formats[file], schema: schema)
        }
    }
}

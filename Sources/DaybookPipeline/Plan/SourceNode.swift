import DaybookCore

/// A source stage whose type is no longer named.
public protocol SourceNode: Sendable {
    var paths: [PathText] { get }
    var encoding: TextEncoding { get }
    var declaredSchema: Schema { get }
    var readsContainers: Bool { get }
    var containerLimit: Int { get }
    func contents(of file: Bytes, _ source: SourceName) throws(DaybookError) -> ContainerContents
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
    var readsContainers: Bool { Wrapped.readsContainers }
    var containerLimit: Int { Wrapped.containerLimit }

    func contents(of file: Bytes, _ source: SourceName) throws(DaybookError) -> ContainerContents {
        try stage.contents(of: file, source)
    }

    func open(_ count: Int, head: (Int) throws(DaybookError) -> SourceHead) throws(DaybookError) -> OpenedSource {
        var formats: [Wrapped.Format] = []
        for file in 0..<count { formats.append(try stage.format(of: try head(file))) }
        let schema = try stage.schema(of: formats)
        return OpenedSource(schema: schema, formats: formats) { [stage, formats] file, schema in
            stage.reader(of: formats[file], schema: schema)
        }
    }
}

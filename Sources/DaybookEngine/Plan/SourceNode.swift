import DaybookCore

/// A stage that reads files, whose type is no longer named: a source of bytes, or one of stores.
public protocol ReadingNode: Sendable {
    var paths: [PathText] { get }
    var declaredSchema: Schema { get }
}

/// A source stage whose type is no longer named.
public protocol SourceNode: ReadingNode {
    var encoding: TextEncoding { get }
    /// The options that the stage has.
    var optionSpecs: [OptionSpec] { get }
    var readsContainers: Bool { get }
    /// The kind of every column that no option names; nil where the data decides.
    var otherKind: ColumnKind? { get }
    var containerLimit: Int { get }
    func contents(of file: Bytes, _ source: SourceName) throws(DaybookError) -> ContainerContents
    /// Looks at the heads of all files, asking for one after the other.
    func open(_ count: Int, head: (Int) throws(DaybookError) -> SourceHead) throws(DaybookError) -> OpenedSource
}

/// What the beginnings of all files of a source have told.
public struct OpenedSource: Sendable {
    public var schema: Schema
    /// The columns that the options name and no file has.
    public var missing: [DaybookError]
    public var formats: [any SourceFormat]
    /// Makes the reader of the file with that index for the columns that are wanted.
    public var reader: @Sendable (_ file: Int, _ schema: Schema) -> any RecordReader

    package init(
        schema: Schema,
        missing: [DaybookError],
        formats: [any SourceFormat],
        reader: @escaping @Sendable (_ file: Int, _ schema: Schema) -> any RecordReader
    ) {
        self.schema = schema
        self.missing = missing
        self.formats = formats
        self.reader = reader
    }
}

struct SourceBox<Wrapped: SourceStage>: SourceNode {
    let stage: Wrapped

    init(_ stage: Wrapped) { self.stage = stage }

    var paths: [PathText] { stage.paths }
    var encoding: TextEncoding { stage.encoding }
    var declaredSchema: Schema { stage.declaredSchemaWithFile }
    var optionSpecs: [OptionSpec] { OptionReader.specs(of: Wrapped.self) }
    var readsContainers: Bool { Wrapped.readsContainers }
    var otherKind: ColumnKind? { Wrapped.otherKind }
    var containerLimit: Int { Wrapped.containerLimit }

    func contents(of file: Bytes, _ source: SourceName) throws(DaybookError) -> ContainerContents {
        try stage.contents(of: file, source)
    }

    func open(_ count: Int, head: (Int) throws(DaybookError) -> SourceHead) throws(DaybookError) -> OpenedSource {
        var formats: [Wrapped.Format] = []
        var sources: [SourceName] = []
        for file in 0..<count {
            let head = try head(file)
            sources.append(head.source)
            do throws(DaybookError) { formats.append(try stage.format(of: head)) } catch {
                throw error.about(head.source.path)
            }
        }
        let schema: Schema
        do throws(DaybookError) { schema = try stage.schemaWithFile(of: formats) } catch {
            // Of several files the stage alone knows which it is about.
            throw sources.count == 1 ? error.about(sources[0].path) : error
        }
        let missing = stage.missing(from: formats)
        return OpenedSource(schema: schema, missing: missing, formats: formats) {
            [stage, formats, sources] file, schema in
            stage.readerWithFile(of: formats[file], from: sources[file], schema: schema)
        }
    }
}

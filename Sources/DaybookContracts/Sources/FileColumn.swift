/// The name of the file as a column, which is the same for every source and so no source's own work.
///
/// The name stands without its directory: what people write into names is mostly a date or a device, and where the file
/// lay says little about its rows.
extension Source {
    /// Refuses a column of the file that the options declare as one of the data.
    public func checkFileColumn() throws(DaybookError) { _ = try adding(to: declaredSchema) }

    /// The columns that the options alone make certain, with that of the file.
    public var declaredSchemaWithFile: Schema {
        fileColumn.map { declaredSchema.addingOrReplacing($0, .text) } ?? declaredSchema
    }

    /// The columns with that of the file, which must be a new one: no stage before an import could leave the other out.
    fileprivate func adding(to schema: Schema) throws(DaybookError) -> Schema {
        guard let fileColumn else { return schema }
        do throws(DaybookError) { return try schema.adding(fileColumn, .text) } catch {
            var error = error
            error.hint = "choose another name for 'file_column'"
            throw error
        }
    }

    /// Where the column of the file stands among those of `schema`, and the others; nil where it is not among them.
    fileprivate func split(_ schema: Schema, _ source: SourceName) -> (naming: FileNaming, others: Schema)? {
        guard let fileColumn, let index = schema.index(of: fileColumn) else { return nil }
        var fields = schema.fields
        fields.remove(at: index)
        return (FileNaming(source, index: index, schema: schema), Schema(fields))
    }
}

extension TextSource {
    /// The columns of all files together, with that of the file.
    public func schemaWithFile(of formats: [Format]) throws(DaybookError) -> Schema {
        try adding(to: try schema(of: formats))
    }

    /// The reader of a file for `schema`, in which the column of the file may stand.
    public func readerWithFile(of format: Format, from source: SourceName, schema: Schema) -> any RecordReader {
        guard let (naming, others) = split(schema, source) else { return reader(of: format, schema: schema) }
        return FileNamingReader(reader: reader(of: format, schema: others), naming: naming)
    }
}

extension StoreSource {
    /// The columns of all stores together, with that of the file.
    public func schemaWithFile(of stores: [Store]) throws(DaybookError) -> Schema {
        try adding(to: try schema(of: stores))
    }

    /// The rows of a store for `schema`, in which the column of the file may stand.
    public func rowsWithFile(of store: Store, schema: Schema) throws(DaybookError) -> any StoreRows {
        guard let (naming, others) = split(schema, store.source) else { return try rows(of: store, schema: schema) }
        return FileNamingRows(try rows(of: store, schema: others), naming)
    }
}

/// Adds the name of the file to every row of a batch.
private struct FileNaming {
    let name: Bytes
    let index: Int
    let schema: Schema

    init(_ source: SourceName, index: Int, schema: Schema) {
        name = Bytes(source.path.split(separator: "/").last.map(String.init) ?? source.path)
        self.index = index
        self.schema = schema
    }

    func adding(to batch: Batch) -> Batch {
        let views = [TextView](repeating: TextView(offset: 0, length: name.count), count: batch.count)
        var columns = batch.columns
        columns.insert(.text(TextColumn(name, views: views)), at: index)
        return batch.replacing(schema, columns)
    }
}

/// Reads as another reader does, and adds the name of the file to every row.
private struct FileNamingReader: RecordReader {
    let reader: any RecordReader
    let naming: FileNaming

    var schema: Schema { naming.schema }

    var recordsBeginLines: Bool { reader.recordsBeginLines }

    func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        naming.adding(to: reader.read(morsel, reporting: &findings))
    }

    func finder(of field: String) -> FieldFinder? { reader.finder(of: field) }

    func pointers(to field: String?) -> RecordPointers? { reader.pointers(to: field) }
}

/// Gives rows as another does, and adds the name of the file to each.
private final class FileNamingRows: StoreRows {
    private let rows: any StoreRows
    private let naming: FileNaming

    init(_ rows: any StoreRows, _ naming: FileNaming) {
        self.rows = rows
        self.naming = naming
    }

    var schema: Schema { naming.schema }
    var share: Double { rows.share }

    func next(_ size: Int, reporting findings: inout Findings) throws(DaybookError) -> Batch? {
        try rows.next(size, reporting: &findings).map(naming.adding)
    }

    func pointer(to field: String?, row: Int64) -> String { rows.pointer(to: field, row: row) }

    func record(again row: Int64) -> StoredRecord? { rows.record(again: row) }
}

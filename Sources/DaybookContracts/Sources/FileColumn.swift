/// The file name as a column, which is the same for every source and so not the work of each.
///
/// The name has no directory: people mostly write a date or a device into names, and the directory says little about
/// the rows.
extension Source {
    /// Refuses a file column that the options also declare as a data column.
    public func checkFileColumn() throws(DaybookError) { _ = try adding(to: declaredSchema) }

    /// The columns that the options guarantee, with the file column.
    public var declaredSchemaWithFile: Schema {
        fileColumn.map { declaredSchema.addingOrReplacing($0, .text) } ?? declaredSchema
    }

    /// The columns with the file column, which must be new: no stage before an import could remove the other.
    fileprivate func adding(to schema: Schema) throws(DaybookError) -> Schema {
        guard let fileColumn else { return schema }
        do throws(DaybookError) { return try schema.adding(fileColumn, .text) } catch {
            var error = error
            error.hint = "choose another name for 'file_column'"
            throw error
        }
    }

    /// The position of the file column in `schema`, and the other columns; nil if `schema` does not have it.
    fileprivate func split(_ schema: Schema, _ source: SourceName) -> (naming: FileNaming, others: Schema)? {
        guard let fileColumn, let index = schema.index(of: fileColumn) else { return nil }
        var fields = schema.fields
        fields.remove(at: index)
        return (FileNaming(source, index: index, schema: schema), Schema(fields))
    }
}

extension Schema {
    /// The columns of a source: a field that names no column of the input has the same name there.
    package var withSources: Schema {
        Schema(
            fields.map { field in
                var field = field
                field.source = field.source ?? field.name
                return field
            },
            isOpen: isOpen
        )
    }
}

extension TextSource {
    /// The columns of all files together, with the file column.
    public func schemaWithFile(of formats: [Format]) throws(DaybookError) -> Schema {
        try adding(to: try schema(of: formats).withSources)
    }

    /// The reader of a file for `schema`, which may contain the file column.
    public func readerWithFile(of format: Format, from source: SourceName, schema: Schema) -> any RecordReader {
        guard let (naming, others) = split(schema, source) else { return reader(of: format, schema: schema) }
        return FileNamingReader(reader: reader(of: format, schema: others), naming: naming)
    }
}

extension StoreSource {
    /// The columns of all stores together, with the file column.
    public func schemaWithFile(of stores: [Store]) throws(DaybookError) -> Schema {
        try adding(to: try schema(of: stores).withSources)
    }

    /// The rows of a store for `schema`, which may contain the file column.
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

/// Passes on the rows of another store, and adds the file name to each.
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

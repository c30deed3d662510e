/// The name of the file as a column, which is the same for every source and so no source's own work.
///
/// The name stands without its directory: what people write into names is mostly a date or a device, and where the file
/// lay says little about its rows.
extension SourceStage {
    /// The columns that the options alone make certain, with that of the file.
    public var declaredSchemaWithFile: Schema {
        fileColumn.map { declaredSchema.setting($0, .text) } ?? declaredSchema
    }

    /// The columns of all files together, with that of the file, which must be a new one.
    public func schemaWithFile(of formats: [Format]) throws(DaybookError) -> Schema {
        let schema = try schema(of: formats)
        guard let fileColumn else { return schema }
        return try schema.adding(fileColumn, .text)
    }

    /// The reader of a file for `schema`, in which the column of the file may stand.
    public func readerWithFile(of format: Format, from source: SourceName, schema: Schema) -> any RecordReader {
        guard let fileColumn, let index = schema.index(of: fileColumn) else {
            return reader(of: format, schema: schema)
        }
        var fields = schema.fields
        fields.remove(at: index)
        let name = source.path.split(separator: "/").last.map(String.init) ?? source.path
        return FileNamingReader(
            reader: reader(of: format, schema: Schema(fields)),
            name: Bytes(name),
            index: index,
            schema: schema
        )
    }
}

/// Reads as another reader does, and adds the name of the file to every row.
private struct FileNamingReader: RecordReader {
    let reader: any RecordReader
    let name: Bytes
    let index: Int
    let schema: Schema

    var recordsBeginLines: Bool { reader.recordsBeginLines }

    func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let batch = reader.read(morsel, reporting: &findings)
        let views = [TextView](repeating: TextView(offset: 0, length: name.count), count: batch.count)
        var columns = batch.columns
        columns.insert(.text(TextColumn(name, views: views)), at: index)
        return batch.replacing(schema, columns)
    }

    func range(of field: String, in record: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        reader.range(of: field, in: record)
    }

    func pointer(to field: String?, record: Int) -> String? { reader.pointer(to: field, record: record) }
}

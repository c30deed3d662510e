/// Columns that are the same in all rows of a file, which no reader has to know of: the name of the file, its day, and
/// what the job gives.
///
/// The name has no directory: people mostly write a date or a device into names, and the directory says little about
/// the rows.
extension Source {
    /// The columns, each with its kind and the option that names another.
    private var fileColumns: [(name: ColumnName, kind: ColumnKind, option: String)] {
        [
            fileColumn.map { ($0, ColumnKind.text, "'file_column'") },
            intake.dayOfName.map { ($0.column, ColumnKind.day, "the column of 'day', as in { …, column: file_day }") },
            intake.given.map { ($0.name, ColumnKind.text, "the value under 'for_each'") },
        ].compactMap { $0 }
    }

    /// Refuses a column of files that the options also declare as a data column.
    public func checkFileColumns() throws(DaybookError) {
        _ = try adding(to: declaredSchema)
        try declaredSchema.requiringDays(of: intake.day)
    }

    /// The columns that the options guarantee, with those of files.
    public var declaredSchemaWithFile: Schema {
        marking(fileColumns.reduce(declaredSchema) { $0.addingOrReplacing($1.name, $1.kind) })
    }

    /// The columns with those of files, which must be new: no stage before an import could remove the others.
    fileprivate func adding(to schema: Schema) throws(DaybookError) -> Schema {
        var result = schema
        for column in fileColumns {
            do throws(DaybookError) { result = try result.adding(column.name, column.kind) } catch {
                var error = error
                error.hint = "choose another name for \(column.option)"
                throw error
            }
        }
        return marking(result)
    }

    private func marking(_ schema: Schema) -> Schema { intake.given.map { schema.givingByJob($0.name) } ?? schema }

    /// The columns of the file in `schema`, and the other columns; nil if `schema` has none of the file.
    fileprivate func split(_ schema: Schema, _ source: SourceName) -> (filling: FileFilling, others: Schema)? {
        let places = fileColumns.compactMap { schema.index(of: $0.name) }
        guard !places.isEmpty else { return nil }
        let texts = [
            fileColumn.map { ($0, source.path.split(separator: "/").last.map(String.init) ?? source.path) },
            intake.given.map { ($0.name, $0.value) },
        ].compactMap(\.self)
        let filling = FileFilling(
            texts: texts.compactMap { name, text in schema.index(of: name).map { ($0, Bytes(text)) } },
            day: intake.dayOfName.flatMap { day in
                schema.index(of: day.column).map { ($0, day.day(ofPath: source.path)?.number) }
            },
            schema: schema
        )
        return (filling, Schema(schema.fields.indices.filter { !places.contains($0) }.map { schema.fields[$0] }))
    }
}

extension Schema {
    /// The columns of a source: a field that names no column of the input has the same name there.
    package var withSources: Schema {
        with(
            fields.map { field in
                var field = field
                field.source = field.source ?? field.name
                return field
            }
        )
    }
}

extension TextSource {
    /// The columns of all files together, with those of the file.
    public func schemaWithFile(of formats: [Format]) throws(DaybookError) -> Schema {
        try adding(to: try schema(of: formats).withSources)
    }

    /// The reader of a file for `schema`, which may contain columns of the file.
    public func readerWithFile(of format: Format, from source: SourceName, schema: Schema) -> any RecordReader {
        guard let (filling, others) = split(schema, source) else { return reader(of: format, schema: schema) }
        let reader = reader(of: format, schema: others)
        return ChangingReader(reader: reader, schema: schema, change: filling.filling)
    }
}

extension StoreSource {
    /// The columns of all stores together, with those of the file.
    public func schemaWithFile(of stores: [Store]) throws(DaybookError) -> Schema {
        try adding(to: try schema(of: stores).withSources)
    }

    /// The rows of a store for `schema`, which may contain columns of the file.
    public func rowsWithFile(of store: Store, schema: Schema) throws(DaybookError) -> any StoreRows {
        guard let (filling, others) = split(schema, store.source) else { return try rows(of: store, schema: schema) }
        return FileFillingRows(try rows(of: store, schema: others), filling)
    }
}

/// Fills the columns of a file in every row of a batch.
private struct FileFilling {
    let texts: [(index: Int, text: Bytes)]
    let day: (index: Int, value: Int32?)?
    let schema: Schema

    func filling(_ batch: Batch) -> Batch {
        var new = texts.map { index, text in
            let views = [TextView](repeating: TextView(offset: 0, length: text.count), count: batch.count)
            return (index: index, column: Column.text(TextColumn(text, views: views)))
        }
        if let day {
            // A name without a day is refused before; only texts that a test supplies may have none.
            let days =
                day.value.map { Values([Int32](repeating: $0, count: batch.count)) }
                ?? Values([Int32?](repeating: nil, count: batch.count), filler: 0)
            new.append((day.index, .days(days)))
        }
        var columns = batch.columns
        for (index, column) in new.sorted(by: { $0.index < $1.index }) { columns.insert(column, at: index) }
        return batch.replacing(schema, columns)
    }
}

/// Passes on the rows of another store, and fills the columns of the file.
private final class FileFillingRows: StoreRows {
    private let rows: any StoreRows
    private let filling: FileFilling

    init(_ rows: any StoreRows, _ filling: FileFilling) {
        self.rows = rows
        self.filling = filling
    }

    var schema: Schema { filling.schema }
    var share: Double { rows.share }

    func next(_ size: Int, reporting findings: inout Findings) throws(DaybookError) -> Batch? {
        try rows.next(size, reporting: &findings).map(filling.filling)
    }

    func pointer(to field: String?, row: Int64) -> String { rows.pointer(to: field, row: row) }

    func record(again row: Int64) -> StoredRecord? { rows.record(again: row) }
}

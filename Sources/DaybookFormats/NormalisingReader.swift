/// Reads records whose texts the job wants in one form of Unicode.
package struct NormalisingReader: RecordReader {
    let reader: any RecordReader
    let form: NormalForm

    /// - Parameter form: nil for texts as they stand.
    package static func reading(_ reader: any RecordReader, in form: NormalForm?) -> any RecordReader {
        form.map { NormalisingReader(reader: reader, form: $0) } ?? reader
    }

    package var schema: Schema { reader.schema }
    package var recordsBeginLines: Bool { reader.recordsBeginLines }

    package func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let batch = reader.read(morsel, reporting: &findings)
        let columns = batch.columns.map { column in
            if case .text(let texts) = column { Column.text(texts.formed(form)) } else { column }
        }
        return Batch(batch.schema, columns, count: batch.count, provenance: batch.provenance)
    }

    package func finder(of field: String) -> FieldFinder? { reader.finder(of: field) }
    package func pointers(to field: String?) -> RecordPointers? { reader.pointers(to: field) }
}

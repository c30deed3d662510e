/// Rejects the rows whose records the app's decoder would refuse.
struct ModelReader: RecordReader {
    private let reader: JSONReader
    private let model: CodableModel
    private let keys: RecordKeys?
    /// The way to each column of the schema from a record.
    private let paths: [[String]]

    init(reader: JSONReader, model: CodableModel, _ format: JSONFormat, _ plan: JSONPlan) {
        (self.reader, self.model) = (reader, model)
        keys = format.keyColumn.map { column in
            let name = ColumnName(String(decoding: column, as: UTF8.self))
            return RecordKeys(column: name, inPairs: format.layout.container == .pairs)
        }
        paths = reader.schema.fields.map { field in
            guard !plan.isBare, let index = plan.indexes[field.source ?? field.name] else { return [] }
            return plan.leaves[index].path.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    var schema: Schema { reader.schema }
    var recordsBeginLines: Bool { reader.recordsBeginLines }
    func finder(of field: String) -> FieldFinder? { reader.finder(of: field) }
    func pointers(to field: String?) -> RecordPointers? { reader.pointers(to: field) }

    func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let batch = reader.read(morsel, reporting: &findings)
        guard case .morsel(_, let spans, _) = batch.provenance else { return batch }
        for (row, span) in spans.enumerated() {
            let record = morsel.bytes.cell(Int(span.start)..<Int(span.end))
            if let fault = model.fault(in: record, keys) { reject(row, fault, &findings) }
        }
        return batch
    }

    @inline(never)
    private func reject(_ row: Int, _ fault: ModelWalk.Fault, _ findings: inout Findings) {
        let field =
            fault.isKey
            ? keys.flatMap { keys in schema.fields.firstIndex { $0.name == keys.column.text } }
            : fault.field(among: paths)
        let token = findings.token(.notDecodable, in: field.map { ColumnName(schema.fields[$0].name) })
        let inside = field.map { Array(fault.steps.dropFirst(paths[$0].count)) } ?? []
        findings.reject(row, token, saying: fault.displayText, inside: inside)
    }
}

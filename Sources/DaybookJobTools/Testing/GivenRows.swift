import DaybookEngine

/// Rows that a test gives in the place of a stage.
struct GivenRows: GivenSource {
    let name: String
    let batch: Batch

    var declaredSchema: Schema { batch.schema }

    func open(_ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) -> any OpenedInputs {
        GivenRowsInput(batch, SourceName(index: registry.add(SourceRegistry.Entry(path: name)), path: name))
    }
}

/// The given rows as a store, whose rows are told by pointers: `/0/date` is the date of the first.
private final class GivenRowsInput: OpenedInputs, StoreRows, @unchecked Sendable {
    let schema: Schema
    private let source: SourceName
    private let whole: Batch
    /// The rows in the columns that somebody reads.
    private var batch: Batch
    private var given = 0

    init(_ batch: Batch, _ source: SourceName) {
        schema = batch.schema
        whole = batch
        self.batch = batch
        self.source = source
    }

    func feed(_ schema: Schema, morselSize: Int, _ registry: SourceRegistry) -> any SourceItemFeed {
        batch = whole.replacing(
            schema,
            schema.names.map { name in
                guard let index = whole.schema.index(of: name) else {
                    preconditionFailure("given rows are asked for column '\(name)', which they never promised")
                }
                return whole.columns[index]
            }
        )
        registry.setRows(self, of: source.index)
        return StoreFeed([(self as any StoreRows, 0)], batchSize: morselSize)
    }

    // MARK: - As a store

    var share: Double { 1 }

    func next(_ size: Int, reporting findings: inout Findings) -> Batch? {
        guard given < batch.count else { return nil }
        let rows = given..<min(batch.count, given + 4_096)
        given = rows.upperBound
        findings.saw(records: rows.count)
        var part = rows.count == batch.count ? batch : batch.keeping(rows.map { Int32(truncatingIfNeeded: $0) })
        part.provenance = .store(source, rows: rows.map { StoreRow(Int64($0), at: $0 - rows.lowerBound) })
        return part
    }

    func pointer(to field: String?, row: Int64) -> String { field.map { "/\(row)/\($0)" } ?? "/\(row)" }

    func record(again row: Int64) -> StoredRecord? {
        guard row >= 0, row < whole.count else { return nil }
        let json = Bytes()
        var values: [(field: String, text: Bytes?)] = []
        for (index, field) in whole.schema.fields.enumerated() {
            let text = whole.columns[index].spoken(Int(row))
            json.append(index == 0 ? "{" : ",")
            json.append(jsonString: field.name)
            json.append(":")
            if let text { json.append(jsonString: text) } else { json.append("null") }
            values.append((field.name, text.map { Bytes($0) }))
        }
        json.append(whole.schema.fields.isEmpty ? "{}" : "}")
        return StoredRecord(json: json, values: values)
    }
}

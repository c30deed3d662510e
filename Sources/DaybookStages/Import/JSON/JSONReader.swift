import CScan
import DaybookCore

/// Turns morsels of JSON into batches.
final class JSONReader: RecordReader {
    let format: JSONFormat
    let plan: JSONPlan
    let schema: Schema
    var recordsBeginLines: Bool { if case .lines = format.layout { true } else { false } }
    /// The column of the plan for each field of `schema`.
    let wanted: [Int]

    init(_ format: JSONFormat, _ plan: JSONPlan, schema: Schema) {
        self.format = format
        self.plan = plan
        self.schema = schema
        wanted = schema.fields.map { field in
            guard let index = plan.indexes[field.source ?? field.name] else {
                preconditionFailure("a reader of JSON is asked for column '\(field.name)', which it never promised")
            }
            return index
        }
    }

    func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let isText = morsel.faults.isEmpty && scan_utf8_valid(morsel.bytes.base, morsel.length) == morsel.length
        var reading = JSONMorselReading(self, morsel, isText: isText)
        defer { reading.deallocate() }
        return reading.batch(&findings)
    }

    func range(of field: String, in record: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard let index = plan.indexes[field], let base = record.baseAddress else { return nil }
        var cursor = JSONCursor(base, to: record.count)
        cursor.skipSpace()
        let isBare = cursor.byte != UInt8(ascii: "{")
        if isBare, plan.leaves[index].path != [JSONShape.bareKey] { return nil }
        return cursor.range(of: isBare ? [] : plan.leaves[index].path[...])
    }

    func pointer(to field: String?, record: Int) -> String? {
        var pointer = ""
        if case .array = format.layout { pointer = "\(format.prefix)/\(record)" }
        guard let field, let index = plan.indexes[field] else {
            if case .lines = format.layout { return nil }
            return pointer
        }
        if plan.isBare { return pointer }
        for key in plan.leaves[index].path {
            pointer += "/" + JSONPointer.escaped(String(decoding: key, as: UTF8.self))
        }
        return pointer
    }
}

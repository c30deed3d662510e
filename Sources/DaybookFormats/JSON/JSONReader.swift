import CScan

/// Turns morsels of JSON into batches.
package final class JSONReader: RecordReader {
    package let format: JSONFormat
    package let plan: JSONPlan
    package let schema: Schema
    package var recordsBeginLines: Bool { if case .lines = format.layout { true } else { false } }
    /// The column of the plan for each field of `schema`.
    package let wanted: [Int]

    package init(_ format: JSONFormat, _ plan: JSONPlan, schema: Schema) {
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

    package func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        let isText = morsel.faults.isEmpty && scan_utf8_valid(morsel.bytes.base, morsel.length) == morsel.length
        var reading = JSONMorselReading(
            plan,
            schema,
            wanted: wanted,
            format.layout,
            morsel,
            isText: isText,
            takesNotANumber: format.takesNotANumber
        )
        defer { reading.deallocate() }
        return reading.batch(&findings)
    }

    package func finder(of field: String) -> FieldFinder? {
        plan.indexes[field].map { JSONFieldFinder(plan.leaves[$0].path) }
    }

    package func pointers(to field: String?) -> RecordPointers? {
        var path = ""
        if let field, let index = plan.indexes[field] {
            if !plan.isBare {
                for key in plan.leaves[index].path {
                    path += "/" + JSONPointer.escaped(String(decoding: key, as: UTF8.self))
                }
            }
        } else if case .lines = format.layout {
            return nil
        }
        guard case .array = format.layout else { return RecordPointers(path) }
        return RecordPointers("\(format.prefix)/", thenNumberAnd: path)
    }
}

private final class JSONFieldFinder: FieldFinder, @unchecked Sendable {
    private let path: [[UInt8]]
    /// Whether records that are no objects stand for the field.
    private let isBareKey: Bool

    init(_ path: [[UInt8]]) {
        self.path = path
        isBareKey = path == [JSONShape.bareKey]
    }

    override func range(in record: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard let base = record.baseAddress else { return nil }
        var cursor = JSONCursor(base, to: record.count)
        cursor.skipSpace()
        let isBare = cursor.byte != UInt8(ascii: "{")
        if isBare, !isBareKey { return nil }
        return cursor.range(of: isBare ? [] : path[...])
    }

    override func appendText(of field: UnsafeBufferPointer<UInt8>, to bytes: Bytes) {
        guard let base = field.baseAddress, field.count >= 2, field.first == UInt8(ascii: "\"") else {
            return bytes.append(field)
        }
        JSONString.decode(base, 1..<field.count - 1, into: bytes)
    }
}

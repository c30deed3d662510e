import CScan

/// Turns morsels of JSON into batches.
package final class JSONReader: RecordReader {
    private let format: JSONFormat
    private let plan: JSONPlan
    package let schema: Schema
    package var recordsBeginLines: Bool { if case .lines = format.layout { true } else { false } }
    /// The column of the plan for each field of `schema`.
    private let wanted: [Int]

    init(_ format: JSONFormat, _ plan: JSONPlan, schema: Schema) {
        (self.format, self.plan, self.schema) = (format, plan, schema)
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
            keyColumn: format.keyColumn,
            takesNotANumber: format.takesNotANumber
        )
        defer { reading.deallocate() }
        return reading.batch(&findings)
    }

    package func finder(of field: String) -> FieldFinder? {
        plan.indexes[field].map { JSONFieldFinder(plan.leaves[$0].path, keyColumn: format.keyColumn) }
    }

    package func pointers(to field: String?) -> RecordPointers? {
        var path = ""
        if let field, let index = plan.indexes[field] {
            let isKey = plan.leaves[index].path == [format.keyColumn]
            for key in plan.isBare || isKey ? [] : plan.leaves[index].path {
                path += "/" + JSONPointer.escaped(String(decoding: key, as: UTF8.self))
            }
        } else if case .lines = format.layout {
            return nil
        }
        switch format.layout.container {
        case nil: return RecordPointers(path)
        case .members: return RecordPointers("\(format.prefix)/", thenKeyAnd: path)
        // The number of a pair's record.
        case .pairs: return RecordPointers("\(format.prefix)/", thenNumberAnd: path, every: 2, from: 1)
        case .elements: return RecordPointers("\(format.prefix)/", thenNumberAnd: path)
        }
    }
}

final class JSONFieldFinder: FieldFinder, @unchecked Sendable {
    private let path: [[UInt8]]
    /// Whether records other than objects are values of the field.
    private let isBareKey: Bool
    /// The column of the keys before records; nil where they have none.
    private let keyColumn: [UInt8]?

    init(_ path: [[UInt8]], keyColumn: [UInt8]? = nil) {
        (self.path, self.keyColumn) = (path, keyColumn)
        isBareKey = path == [JSONShape.bareKey]
    }

    override func range(in record: Cell) -> Range<Int>? {
        guard let base = record.baseAddress else { return nil }
        var cursor = JSONCursor(base, to: record.count)
        cursor.skipSpace()
        if let keyColumn {
            let start = cursor.position
            guard cursor.skipValue() else { return nil }
            if path == [keyColumn] { return start..<cursor.position }
            guard cursor.stepBehindKey() else { return nil }
        }
        let isBare = cursor.byte != UInt8(ascii: "{")
        if isBare, !isBareKey { return nil }
        return cursor.range(of: isBare ? [] : path[...])
    }

    override func appendText(of field: Cell, to bytes: Bytes) {
        guard let base = field.baseAddress, field.count >= 2, field.first == UInt8(ascii: "\"") else {
            return bytes.append(field)
        }
        JSONString.decode(base, 1..<field.count - 1, into: bytes)
    }
}

/// The columns of a batch while they are put together.
struct JSONColumns {
    enum Storage {
        case views([TextView])
        case integers([Int64])
        case decimals([Double])
        case flags([Bool])
        case days([Int32])
    }

    var spans: [RecordSpan] = []
    var records: [UInt32] = []
    var values: [Storage]
    /// The rows without a value, as bits; empty when there are none.
    var missing: [[UInt64]]

    init(_ schema: Schema) {
        values = schema.fields.map { field in
            switch field.kind {
            case .text, .json: .views([])
            case .integer, .instant: .integers([])
            case .decimal: .decimals([])
            case .flag: .flags([])
            case .day: .days([])
            }
        }
        missing = Array(repeating: [], count: schema.fields.count)
    }

    /// The bits of all rows, or nothing when none is set.
    static func mask(_ words: some Collection<UInt64>) -> [UInt64] { words.contains { $0 != 0 } ? Array(words) : [] }

    /// Appends the next part of the same morsel.
    mutating func append(_ other: JSONColumns) {
        guard !spans.isEmpty else {
            self = other
            return
        }
        let rows = spans.count
        spans += other.spans
        records += other.records
        for index in values.indices {
            values[index] = JSONColumns.joined(values[index], other.values[index])
            guard !missing[index].isEmpty || !other.missing[index].isEmpty else { continue }
            missing[index] += Array(repeating: 0, count: (spans.count + 63) / 64 - missing[index].count)
            for (place, word) in other.missing[index].enumerated() where word != 0 {
                for bit in 0..<64 where word >> UInt64(bit) & 1 == 1 {
                    let row = rows + place * 64 + bit
                    missing[index][row >> 6] |= 1 << UInt64(row & 63)
                }
            }
        }
    }

    private static func joined(_ first: Storage, _ second: Storage) -> Storage {
        switch (first, second) {
        case (.views(let first), .views(let second)): .views(first + second)
        case (.integers(let first), .integers(let second)): .integers(first + second)
        case (.decimals(let first), .decimals(let second)): .decimals(first + second)
        case (.flags(let first), .flags(let second)): .flags(first + second)
        case (.days(let first), .days(let second)): .days(first + second)
        default: preconditionFailure("two parts of one column have different kinds")
        }
    }

    func batch(_ schema: Schema, _ morsel: Morsel) -> Batch {
        let count = spans.count
        let columns = schema.fields.indices.map { index in
            let words = missing[index]
            let rest = [UInt64](repeating: 0, count: (count + 63) / 64 - words.count)
            let mask = words.isEmpty ? nil : Mask(words: words + rest, count: count)
            switch values[index] {
            case .views(let views):
                let column = TextColumn(morsel.bytes, views: views, missing: mask)
                return schema.fields[index].kind == .json ? Column.json(column) : .text(column)
            case .integers(let values):
                let values = Values(values, missing: mask)
                return schema.fields[index].kind == .instant ? .instants(values) : .integers(values)
            case .decimals(let values): return .decimals(Values(values, missing: mask))
            case .flags(let values): return .flags(Values(values, missing: mask))
            case .days(let values): return .days(Values(values, missing: mask))
            }
        }
        return Batch(schema, columns, count: count, provenance: .morsel(morsel, spans: spans, records: records))
    }
}

/// Findings about JSON records that do not fit their columns.
extension Finding.Kind {
    static let unexpectedKey = Finding.Kind("unexpected-key", "a key that the columns do not have")
    static let unexpectedValue = Finding.Kind("unexpected-kind", "a value that is not of the column's kind")
    package static let instantOutOfRange = Finding.Kind(
        "not-an-instant",
        "{value} is no instant of the years 1 to 9999"
    )
    static let finerInstant = Finding.Kind(
        "finer-than-a-microsecond",
        "{value} names a time more finely than in microseconds, which is all that an instant keeps",
        severity: .warning
    )
    static func emptyObject(_ name: String) -> Finding.Kind {
        let message =
            "'\(name)' is an empty object, which the columns of its keys cannot tell from one that is not there; "
            + "keep it whole with 'columns: { \(name): json }'"
        return Finding.Kind("empty-object", message, severity: .warning)
    }
    /// A value of a kind that the columns, inferred from the beginning of the text, cannot store.
    static let unlearnt = Finding.Kind("unlearnt-kind", "a value of another kind than those before")
    static func mixedKinds(_ field: Field, _ kind: String, before: String) -> Finding.Kind {
        let all =
            field.kind == .text
            ? "all of them are text, as they stand" : "all of them are JSON, and texts stand in quotes"
        let message =
            "'\(field.name)' is \(kind) here and \(before) before: \(all); "
            + "'columns: { \(field.name): \(field.kind == .text ? "json" : "text") }' "
            + (field.kind == .text ? "keeps each as JSON" : "rejects what is no text")
        return Finding.Kind("mixed-kinds", message, severity: .warning)
    }
    static let mixedRecords = Finding.Kind(
        "mixed-records",
        "only some records are objects; what others hold stands in the column 'value', and declaring it says that they may",
        severity: .warning
    )
    static func keyTaken(_ name: String) -> Finding.Kind {
        let message = "the record has a key '\(name)' of its own, and 'each_key' calls the keys of records so"
        return Finding.Kind("key-taken", message, mend: "give 'each_key' another name")
    }
    static let duplicateKey = Finding.Kind(
        "duplicate-key",
        "a key stands twice in one object; the last one counts",
        severity: .warning
    )

    package static let secondValue = Finding.Kind("second-value", "{value} is a second value for the day")
}

/// Finds the keys of records in JSON Lines: the texts of some values, as they are written.
struct JSONLineKeys: Sendable {
    private let finders: [JSONFieldFinder]

    init(_ columns: [ColumnName]) { finders = columns.map { JSONFieldFinder([Array($0.text.utf8)]) } }

    /// Adds each whole line to `runs`, with its key and its range.
    ///
    /// - Returns: the end of the last whole line; nil if a line has no value of a column.
    func scan(_ bytes: Cell, isLast: Bool, _ runs: inout KeyRuns) -> Int? {
        let built = Bytes()
        var start = 0
        while start < bytes.count {
            guard let end = bytes.place(of: 0x0a, from: start).map({ $0 + 1 }) ?? (isLast ? bytes.count : nil) else {
                break
            }
            let line = Cell(rebasing: bytes[start..<end])
            guard let first = finders[0].range(in: line) else { return nil }
            if finders.count == 1 {
                guard runs.add(Cell(rebasing: line[first]), start..<end) else { return start }
            } else {
                built.removeAll()
                for (place, finder) in finders.enumerated() {
                    guard let range = finder.range(in: line) else { return nil }
                    if place > 0 { built.append(0) }
                    built.append(Cell(rebasing: line[range]))
                }
                guard runs.add(built.filled, start..<end) else { return start }
            }
            start = end
        }
        return start
    }
}

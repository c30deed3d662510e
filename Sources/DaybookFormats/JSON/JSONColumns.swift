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

    /// Adds what the next part of the same morsel has.
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
            var mask: Mask?
            for (place, word) in missing[index].enumerated() {
                var word = word
                while word != 0 {
                    mask.insert(place << 6 + word.trailingZeroBitCount, of: count)
                    word &= word - 1
                }
            }
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

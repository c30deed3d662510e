/// A column to sort by, and its direction.
///
/// Written as a column name, or as a map: `{ column: count, order: descending, missing: first }`.
package struct SortKey: Sendable {
    package enum Order: String, CaseIterable, BitwiseCopyable, Sendable {
        case ascending, descending
    }
    package enum Missing: String, CaseIterable, BitwiseCopyable, Sendable { case first, last }

    package var column: ColumnName
    package var order = Order.ascending
    package var missing = Missing.last

    package init(column: ColumnName, order: Order = .ascending, missing: Missing = .last) {
        (self.missing, self.column, self.order) = (missing, column, order)
    }
}

extension SortKey: OptionValue {
    package static let kind = OptionKind.either([
        .column,
        .object([
            OptionSpec(key: "column", kind: .column, help: "Column to sort by.", isRequired: true),
            OptionSpec(key: "order", kind: Order.kind, help: "Which way to sort.", fallback: "ascending"),
            OptionSpec(
                key: "missing",
                kind: Missing.kind,
                help: "Where rows without a value go, in either order.",
                fallback: "last"
            ),
        ]),
    ])
    package static var placeholder: SortKey { SortKey(column: .placeholder) }

    package init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            self.init(column: try ColumnName(reading: node))
            return
        }
        var named: ColumnName?
        var order = Order.ascending
        var missing = Missing.last
        for entry in map {
            switch entry.key {
            case "column": named = try entry.read()
            case "order": order = try entry.read()
            case "missing": missing = try entry.read()
            default: throw entry.unknown(to: "a sort key", among: ["column", "order", "missing"])
            }
        }
        guard let named else { throw DaybookError("missing-option", "the option 'column' is missing", at: node.place) }
        self.init(column: named, order: order, missing: missing)
    }

    package var written: String {
        if order == .ascending, missing == .last { return column.written }
        return "{ column: \(column.written), order: \(order.written), missing: \(missing.written) }"
    }
}

extension SortKey.Order: OptionChoice {
    package static let otherWords = ["asc": "ascending", "desc": "descending"]
}

extension SortKey.Missing: OptionChoice {}

extension OptionNode.Entry {
    fileprivate func read<Value: OptionValue>() throws(DaybookError) -> Value {
        do throws(DaybookError) { return try Value(reading: value) } catch { throw error.located(at: value.place) }
    }
}

/// The sort columns, and the columns read in that order, if the rows themselves stay in input order.
package struct EntryColumns: Sendable {
    /// The group key columns, and the columns that order the rows of each group.
    package var by: [ColumnName]
    package var order: [SortKey]
    /// The columns read.
    package var read: [ColumnName]

    package init(by: [ColumnName], order: [SortKey] = [], read: [ColumnName]) {
        (self.by, self.order, self.read) = (by, order, read)
    }

    /// The keys of the entries, whose columns have names of their own, for a column may be a key and be read.
    package var keys: [SortKey] {
        (by.map { SortKey(column: $0) } + order).enumerated().map { place, key in
            SortKey(column: ColumnName("key \(place)"), order: key.order, missing: key.missing)
        }
    }

    /// The entries of some rows: the columns of the key, followed by the columns read.
    package func entries(of batch: Batch) -> Batch {
        let columns = (by + order.map(\.column) + read).map { batch[$0] }
        let names = keys.map(\.column.text) + read.indices.map { "read \($0)" }
        let schema = Schema(zip(names, columns).map { Field($0, $1.kind) })
        return Batch(schema, columns, count: batch.count, provenance: .made)
    }
}

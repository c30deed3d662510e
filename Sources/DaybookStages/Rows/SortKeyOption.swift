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
            default:
                throw DaybookError(
                    "unknown-option",
                    "a sort key has no option '\(entry.key)'",
                    at: entry.keyPlace,
                    hint: NearestName.hint(for: entry.key, among: ["column", "order", "missing"])
                )
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

import DaybookCore

/// A column to sort by, and which way.
///
/// Written as a column name, or as a map: `{ column: count, order: descending, missing: first }`.
struct SortKey: OptionValue {
    enum Order: String, OptionChoice {
        case ascending, descending

        static let otherWords = ["asc": "ascending", "desc": "descending"]
    }
    enum Missing: String, OptionChoice { case first, last }

    var column: ColumnName
    var order = Order.ascending
    var missing = Missing.last

    static let kind = OptionKind.either([
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
    static var placeholder: SortKey { SortKey(column: .placeholder) }

    init(column: ColumnName, order: Order = .ascending) {
        self.column = column
        self.order = order
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            column = try ColumnName(reading: node)
            return
        }
        var named: ColumnName?
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
        column = named
    }

    var written: String {
        if order == .ascending, missing == .last { return column.written }
        return "{ column: \(column.written), order: \(order.written), missing: \(missing.written) }"
    }
}

extension OptionNode.Entry {
    fileprivate func read<Value: OptionValue>() throws(DaybookError) -> Value {
        do throws(DaybookError) { return try Value(reading: value) } catch { throw error.located(at: value.place) }
    }
}

/// Which columns of a dump are dates, and how they are written: a word for all of them, or a word for each.
enum DumpedDates: OptionValue {
    case word(CodableDates)
    case columns(OptionMap<CodableDates>)

    static var kind: OptionKind { .either([CodableDates.kind, .map(of: CodableDates.kind)]) }
    static var placeholder: DumpedDates { .word(.placeholder) }

    init(reading node: OptionNode) throws(DaybookError) {
        if node.map != nil {
            self = .columns(try OptionMap(reading: node))
        } else {
            self = .word(try CodableDates(reading: node))
        }
    }

    var written: String {
        switch self {
        case .word(let encoding): encoding.written
        case .columns(let map): map.written
        }
    }

    /// In which ways dates are written.
    var encodings: [CodableDates] {
        switch self {
        case .word(let encoding): [encoding]
        case .columns(let map): CodableDates.allCases.filter { one in map.entries.contains { $0.value == one } }
        }
    }

    typealias Column = (key: String, value: CodableDates)

    /// The columns that the job itself names, by name in a map or as `instant` or `day` among `columns`.
    func named(among columns: OptionMap<ColumnKind>) -> [Column] {
        switch self {
        case .columns(let map): map.entries.map { ($0.key, $0.value) }
        case .word(let encoding):
            // A day that is written as text is read as one.
            columns.entries.filter { $0.value == .instant || ($0.value == .day && encoding != .iso) }
                .map { ($0.key, encoding) }
        }
    }

    /// The columns that become instants, given what the data has.
    func columns(_ shape: JSONShape, _ declared: OptionMap<ColumnKind>, _ place: SourcePlace?) throws(DaybookError)
        -> [Column]
    {
        let named = named(among: declared)
        guard case .word(let encoding) = self, named.isEmpty else { return named }
        let leaves = try JSONPlan(shape, declared: declared.entries.map { ($0.key, $0.value) }).leaves
        let dates = leaves.filter { leaf in
            let fits = encoding == .iso ? leaf.seen == .text : leaf.seen.isNumber
            return fits && !leaf.isDeclared && DateKey.saysDate(leaf.path[leaf.path.count - 1])
        }
        if dates.isEmpty, !leaves.isEmpty, !leaves.contains(where: { $0.field.kind == .instant || $0.isDeclared }) {
            throw DaybookError(
                "no-dates",
                "no column of \(encoding == .iso ? "text" : "numbers") is named like a date",
                at: place,
                hint: "name the columns, as in dates: { saved: \(encoding.rawValue) }; there are "
                    + leaves.prefix(10).map(\.field.name).joined(separator: ", ")
            )
        }
        return dates.map { ($0.field.name, encoding) }
    }
}

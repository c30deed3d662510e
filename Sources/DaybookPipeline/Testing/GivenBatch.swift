import DaybookCore

/// Makes a batch of the rows that a test gives to a stage.
struct GivenBatch {
    /// What is known of the stage's columns before anything runs; open where the data would decide.
    let known: Schema
    /// The kind of columns that nothing else tells; nil where each is read by the form of its values.
    let otherKind: ColumnKind?

    /// The batch, or what is wrong with the rows. `stage` is what messages call the stage.
    func batch(of written: WrittenRows, for stage: String) throws(DaybookErrors) -> Batch {
        var problems: [DaybookError] = []
        var fields: [Field] = []
        var columns: [Column] = []
        for column in written.columns where known.index(of: column.name) == nil && !known.isOpen {
            problems.append(unknown(column, stage))
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        // A test may leave columns out that the stage is known to give; they hold nothing. Where the data would decide
        // the order, that of the test stands.
        let order = known.isOpen ? written.columns.map(\.name) : []
        let rest = known.names.filter { !order.contains($0) }
        for name in order + rest {
            let field = known[ColumnName(name)] ?? Field(name, .text)
            let index = written.columns.firstIndex { $0.name == field.name }
            let cells = index.map { index in written.rows.map { $0.cells[index] } }
            let kind = kind(of: field, index.map { written.columns[$0] }, cells ?? [], &problems)
            fields.append(Field(field.name, kind, source: field.name, keys: field.keys))
            columns.append(GivenBatch.column(kind, cells, rows: written.rows.count, &problems))
            if problems.count >= 100 { break }
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        return Batch(Schema(fields), columns, count: written.rows.count, origins: .made)
    }

    private func unknown(_ column: WrittenRows.Column, _ stage: String) -> DaybookError {
        DaybookError(
            "unknown-column",
            "'\(stage)' gives no column named \(column.name.quotedForMessage)",
            at: column.place,
            hint: NearestName.hint(for: column.name.shortened(to: 64), among: known.names.prefix(200))
                ?? "its columns are \(known.names.joined(separator: ", ").shortened(to: 200))"
        )
    }

    private func kind(
        of field: Field,
        _ column: WrittenRows.Column?,
        _ cells: [WrittenRows.Cell],
        _ problems: inout [DaybookError]
    ) -> ColumnKind {
        let isKnown = known.index(of: field.name) != nil
        if let kind = column?.kind {
            if isKnown, kind != field.kind {
                problems.append(
                    DaybookError(
                        "wrong-kind",
                        "column '\(field.name)' holds \(field.kind.rawValue), not \(kind.rawValue)",
                        at: column?.place
                    )
                )
            }
            return kind
        }
        return isKnown ? field.kind : otherKind ?? GivenBatch.kind(byFormOf: cells)
    }

    /// The kind that JSON would have: numbers and flags where all values are, without quotes; else text.
    private static func kind(byFormOf cells: [WrittenRows.Cell]) -> ColumnKind {
        let values = cells.filter { $0.text != nil }
        guard !values.isEmpty, values.allSatisfy({ !$0.isQuoted }) else { return .text }
        for kind in [ColumnKind.integer, .decimal, .flag]
        where values.allSatisfy({ CellValue($0.text ?? "", as: kind) != nil }) {
            return kind
        }
        return .text
    }

    private static func column(
        _ kind: ColumnKind,
        _ cells: [WrittenRows.Cell]?,
        rows: Int,
        _ problems: inout [DaybookError]
    ) -> Column {
        let cells = cells ?? Array(repeating: WrittenRows.Cell(text: nil), count: rows)
        var missing: Mask?
        var values: [CellValue] = []
        for (row, cell) in cells.enumerated() {
            guard let text = cell.text else {
                missing.insert(row, of: rows)
                values.append(CellValue(fillerOf: kind))
                continue
            }
            if let value = CellValue(text, as: kind) {
                values.append(value)
            } else {
                values.append(CellValue(fillerOf: kind))
                problems.append(
                    DaybookError("wrong-type", "\(text.quotedForMessage) is not \(kind.spoken)", at: cell.place)
                )
            }
        }
        return CellValue.column(kind, values, missing: missing)
    }
}

/// One value of a test.
enum CellValue: Sendable {
    case text(String)
    case integer(Int64)
    case decimal(Double)
    case flag(Bool)
    case day(Int32)
    case instant(Int64)

    /// The value that `text` stands for; nil when it is not of that kind.
    init?(_ text: String, as kind: ColumnKind) {
        var text = text
        let value = text.withUTF8 { cell -> CellValue? in
            switch kind {
            case .text, .json: nil
            case .integer: CellReading.integer(cell).map { .integer($0) }
            case .decimal: CellReading.decimal(cell).map { .decimal($0) }
            case .flag: CellReading.flag(cell).map { .flag($0) }
            case .day: CellReading.day(cell).map { .day($0) }
            case .instant: ReadInstant(iso: cell).map { .instant($0.micros) }
            }
        }
        if kind == .text || kind == .json {
            self = .text(text)
        } else if let value {
            self = value
        } else {
            return nil
        }
    }

    /// What stands under a gap.
    init(fillerOf kind: ColumnKind) {
        switch kind {
        case .text, .json: self = .text("")
        case .integer: self = .integer(0)
        case .decimal: self = .decimal(0)
        case .flag: self = .flag(false)
        case .day: self = .day(0)
        case .instant: self = .instant(0)
        }
    }

    /// A column of values that are all of `kind`.
    static func column(_ kind: ColumnKind, _ values: [CellValue], missing: Mask?) -> Column {
        switch kind {
        case .text, .json:
            var builder = TextColumnBuilder(rows: values.count)
            for (row, value) in values.enumerated() {
                if missing.isMissing(row) { builder.appendMissing() } else { builder.append(value.text) }
            }
            return kind == .text ? .text(builder.build()) : .json(builder.build())
        case .integer:
            return .integers(
                Values(values.map { if case .integer(let value) = $0 { value } else { 0 } }, missing: missing)
            )
        case .decimal:
            return .decimals(
                Values(values.map { if case .decimal(let value) = $0 { value } else { 0 } }, missing: missing)
            )
        case .flag:
            return .flags(
                Values(values.map { if case .flag(let value) = $0 { value } else { false } }, missing: missing)
            )
        case .day:
            return .days(Values(values.map { if case .day(let value) = $0 { value } else { 0 } }, missing: missing))
        case .instant:
            return .instants(
                Values(values.map { if case .instant(let value) = $0 { value } else { 0 } }, missing: missing)
            )
        }
    }

    private var text: String { if case .text(let text) = self { text } else { "" } }

    /// The one way in which Daybook writes the value that `text` stands for: `0.50` is `0.5`. Text that is not of the
    /// kind stays as it is.
    static func canonical(_ text: String, as kind: ColumnKind) -> String {
        guard kind != .text, kind != .json, let value = CellValue(text, as: kind) else { return text }
        return column(kind, [value], missing: nil).spoken(0) ?? text
    }
}

extension ColumnKind {
    /// With its article, as messages say what a value should be.
    var spoken: String {
        switch self {
        case .text: "text"
        case .integer: "a whole number"
        case .decimal: "a number"
        case .flag: "true or false"
        case .day: "a date such as 2026-11-21"
        case .instant: "an instant such as 2026-11-21T05:00:00Z"
        case .json: "JSON"
        }
    }
}

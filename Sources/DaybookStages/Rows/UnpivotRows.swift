/// Turns columns into rows: each row becomes one row for each of some columns, with the column's name and value.
///
/// All these columns have one kind, since they become one column. New rows keep the order of the old rows and, within
/// one row, the order of the columns in the job.
public struct UnpivotRows: TransformStage {
    public static var keepsRows: Bool { false }

    enum Missing: String, OptionChoice {
        case keep
        case leaveOut = "leave_out"
    }

    let columns: [ColumnName]
    let keep: [ColumnName]?
    let name: ColumnName
    let value: ColumnName
    let missing: Missing

    public init(reading options: inout OptionReader) {
        columns = options.read("columns", help: "Columns that become rows, in their order.")
        keep = options.optional(
            "keep",
            help: "Other columns that each new row has too; all of them unless it is written."
        )
        name = options.read("name", default: ColumnName("name"), help: "New column for the names of the columns.")
        value = options.read("value", default: ColumnName("value"), help: "New column for their values.")
        missing = options.read(
            "missing",
            default: .keep,
            help: "Whether a missing value makes a row too (keep), or is left out (leave_out)."
        )
        if columns.isEmpty, options.isWritten("columns"), options.problems.isEmpty {
            options.refuse("columns", "'columns' names no column")
        }
        options.refuseRepeats(of: columns, in: "columns")
        for (index, column) in (keep ?? []).enumerated() {
            if keep?[..<index].contains(column) ?? false { options.refuse("keep", "'keep' names '\(column)' twice") }
            if columns.contains(column) {
                options.refuse("keep", "'\(column)' stands in 'keep' and in 'columns'", hint: "keep one of them")
            }
        }
        if name == value { options.refuse("value", "'name' and 'value' name the same column '\(name)'") }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        var isKnown = true
        for column in keep ?? [] { if try input.requiring(column) == nil { isKnown = false } }
        var first: (column: ColumnName, kind: ColumnKind)?
        for column in columns {
            guard let kind = try input.requiring(column)?.kind else {
                isKnown = false
                continue
            }
            guard let (earlier, wanted) = first else {
                first = (column, kind)
                continue
            }
            if kind != wanted {
                throw DaybookError(
                    "wrong-kind",
                    "column '\(column)' holds \(kind.rawValue) and '\(earlier)' \(wanted.rawValue), and one column has one kind",
                    at: column.place,
                    hint: "make them of one kind with cast_columns first"
                )
            }
        }
        let kept = kept(of: input)
        let isOpen = input.isOpen && (keep == nil || !isKnown)
        let named = try Schema(kept.map { input.fields[$0] }, isOpen: isOpen).adding(name, .text)
        guard let kind = first?.kind else { return named }
        return try named.adding(value, kind)
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        guard let keep else { return wanted.making([name, value], from: columns) }
        return ColumnSet(keep.filter { wanted.contains($0.text) } + columns)
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let count = columns.count
        var parents: [Int32] = []
        var places: [Int32] = []
        parents.reserveCapacity(batch.count * count)
        places.reserveCapacity(batch.count * count)
        let indexes = columns.compactMap { batch.schema.index(of: $0) }
        let leavesOut = missing == .leaveOut
        batch.withCellPointers { cells in
            for row in 0..<batch.count {
                let before = parents.count
                for place in 0..<count where !leavesOut || !cells[indexes[place]].isMissing(row) {
                    parents.append(Int32(truncatingIfNeeded: row))
                    places.append(Int32(truncatingIfNeeded: place))
                }
                if parents.count > before {
                    findings.unfold(into: parents.count - before)
                } else {
                    findings.drop(row, as: "without a value")
                }
            }
        }
        let kept = kept(of: batch.schema)
        let rows = batch.replacing(Schema(kept.map { batch.schema.fields[$0] }), kept.map { batch.columns[$0] })
            .keeping(parents)
        let names = TextColumn(columns.map(\.text), at: places)
        return rows.setting(name, to: .text(names)).setting(value, to: values(of: batch, parents, places))
    }

    private func values(of batch: Batch, _ parents: [Int32], _ places: [Int32]) -> Column {
        let values = columns.map { batch[$0] }
        if let shared = Self.sharedText(values, parents, places) { return shared }
        let picks = zip(places, parents).map { RowPick(batch: Int($0), row: Int($1)) }
        let pieces = values.map { column in
            Batch(Schema([Field("", column.kind)]), [column], count: batch.count, provenance: .made)
        }
        return Batch.take(picks, from: pieces).columns[0]
    }

    /// Text in one buffer, as an importer leaves it, is referenced instead of copied.
    private static func sharedText(_ values: [Column], _ parents: [Int32], _ places: [Int32]) -> Column? {
        let columns = values.compactMap { if case .text(let column) = $0 { column } else { nil } }
        guard let bytes = columns.first?.bytes, columns.count == values.count,
            columns.allSatisfy({ $0.bytes === bytes })
        else { return nil }
        var gaps: Mask?
        var views: [TextView] = []
        views.reserveCapacity(parents.count)
        for row in 0..<parents.count {
            let column = Int(places[row])
            let parent = Int(parents[row])
            views.append(columns[column].views[parent])
            if columns[column].missing.isMissing(parent) { gaps.insert(row, of: parents.count) }
        }
        return .text(TextColumn(bytes, views: views, missing: gaps))
    }

    /// The indices of the columns that new rows keep, without the two new ones.
    private func kept(of schema: Schema) -> [Int] {
        if let keep { return keep.compactMap { schema.index(of: $0) } }
        let gone = Set(columns.map(\.text))
        return schema.fields.indices.filter { !gone.contains(schema.fields[$0].name) }
    }

    public static let description = StageDescription(
        name: "unpivot_rows",
        summary: "Make rows of columns, one for each value, with the name of its column.",
        details: """
            Each row becomes as many as 'columns' names, in that order, with the columns that are kept, the column 'name' with the \
            name of the column and the column 'value' with what stood there. Columns of different kinds have to be made one first, \
            with cast_columns. With 'missing: leave_out' a missing value makes no row, and a row with nothing else is dropped and \
            counted as 'without a value'. A finding about 'value' stands at the row of the source, and names no cell of it.
            """,
        examples: [
            StageExample(
                "a column for each emotion becomes a row for each, and a missing value stays missing",
                options: """
                    columns: [행복해, 우울해]
                    name: emotion
                    value: count
                    """,
                input: "month:text,행복해:integer,우울해:integer\n2026-01,3,\n2026-02,0,4",
                output: """
                    month:text,emotion:text,count:integer
                    2026-01,행복해,3
                    2026-01,우울해,
                    2026-02,행복해,0
                    2026-02,우울해,4
                    """
            ),
            StageExample(
                "missing values can be left out, and only some of the other columns kept",
                options: "columns: [home, work]\nkeep: who\nname: place\nvalue: phone\nmissing: leave_out",
                input: """
                    id:integer,who:text,home:text,work:text
                    1,민아,02-123,
                    2,준호,,
                    3,,031-4,02-9
                    """,
                output: """
                    who:text,place:text,phone:text
                    민아,home,02-123
                    ,home,031-4
                    ,work,02-9
                    """,
                findings: ["2 - dropped as without a value"]
            ),
            StageExample(
                "columns of different kinds do not become one",
                options: "columns: [a, b]",
                input: "a:integer,b:text",
                refused: "column 'b' holds text and 'a' integer, and one column has one kind"
            ),
        ]
    )
}

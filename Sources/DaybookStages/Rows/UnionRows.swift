/// Appends the rows of several stages, with columns matched by name.
///
/// The columns are the first stage's in order, then further columns of the others. Every stage has to have all columns,
/// unless `missing: fill` allows missing columns.
public struct UnionRows: Stage, Transform, Joining {
    enum Missing: String, OptionChoice { case refuse, fill }

    public static let inputs = JoinedInputs.several

    let missing: Missing
    let origin: ColumnName?

    public init(reading options: inout OptionReader) {
        missing = options.read(
            "missing",
            default: .refuse,
            help: "When a stage lacks a column that another has: refuse to run, or fill it with missing values."
        )
        origin = options.optional("origin", help: "New column for the id of the stage that a row came from.")
    }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        let names = inputs.from.map { "'\($0.id)'" }
        var (fields, first): ([Field], [String: Int]) = ([], [:])
        for (input, schema) in inputs.from.map(\.schema).enumerated() {
            for field in schema.fields {
                guard let place = fields.firstIndex(where: { $0.name == field.name }), let earlier = first[field.name]
                else {
                    fields.append(field)
                    first[field.name] = input
                    continue
                }
                let known = fields[place]
                if known.bare != field.bare { fields[place].bare = nil }
                if !field.dates.isEmpty { fields[place].dates.add(field.dates) }
                guard known.kind == field.kind else {
                    throw DaybookError(
                        "wrong-kind",
                        "column '\(field.name)' holds \(known.kind.rawValue) in \(names[earlier]) and \(field.kind.rawValue) in "
                            + names[input],
                        hint: "make them of one kind with cast_columns first"
                    )
                }
            }
        }
        if missing == .refuse { try refuseGaps(in: inputs, fields, first) }
        let isOpen = inputs.from.contains(where: \.schema.isOpen)
        var schema = Schema(fields, isOpen: isOpen)
        schema.areRecords = inputs.from.allSatisfy(\.schema.areRecords)
        if let origin { schema = try schema.adding(origin, .text) }
        // All columns: the stages have to agree on them, even if no later stage reads them.
        let needed: ColumnSet = isOpen ? .all : .some(Set(fields.map(\.name)))
        let operation = RowUnion(fields: fields, origin: origin, names: inputs.from.map(\.id))
        return Binding(schema, .transform(operation)) { _ in needed }
    }

    /// Refuses a stage that lacks another stage's column.
    private func refuseGaps(in inputs: StageInputs, _ fields: [Field], _ first: [String: Int]) throws(DaybookError) {
        let names = inputs.from.map { "'\($0.id)'" }
        for (input, schema) in inputs.from.map(\.schema).enumerated() where !schema.isOpen {
            for field in fields where schema.index(of: field.name) == nil {
                throw DaybookError(
                    "unknown-column",
                    "\(names[first[field.name] ?? 0]) has a column '\(field.name)', and \(names[input]) has none",
                    hint:
                        "write 'missing: fill' to keep it, rename one with rename_columns, or leave it out with select_columns",
                    column: field.name
                )
            }
        }
    }

    public static let description = StageDescription(
        name: "union_rows",
        summary: "Put the rows of several stages one behind another.",
        details: """
            'from' names two or more stages, whose rows come out in that order. Columns are put together by name, in the order of the \
            first stage. A column has to hold one kind everywhere. With 'missing: fill' a stage may lack columns that another has; its \
            rows then have no value there.
            """,
        examples: [
            StageExample(
                "columns are put together by name, and a column tells where a row came from",
                options: "origin: came_from",
                input: "date:day,emotion:text\n2026-03-01,행복해",
                beside: "emotion:text,date:day\n우울해,2026-03-02\n,",
                output: """
                    date:day,emotion:text,came_from:text
                    2026-03-01,행복해,first
                    2026-03-02,우울해,second
                    ,,second
                    """
            ),
            StageExample(
                "a column that a stage lacks can be filled with missing values",
                options: "missing: fill",
                input: "id:integer,note:text\n1,a",
                beside: "id:integer,count:integer\n2,3",
                output: "id:integer,note:text,count:integer\n1,a,\n2,,3"
            ),
            StageExample(
                "a column that a stage lacks is refused when nothing is said of it",
                input: "id:integer,note:text",
                beside: "id:integer",
                refused: "'first' has a column 'note', and 'second' has none"
            ),
            StageExample(
                "one column has one kind",
                input: "id:integer",
                beside: "id:text",
                refused: "column 'id' holds integer in 'first' and text in 'second'"
            ),
        ]
    )
}

/// Adds missing columns to the rows of each stage.
private struct RowUnion: TransformOperator {
    let fields: [Field]
    let origin: ColumnName?
    /// The ids of the stages.
    let names: [String]

    func process(_ batch: Batch, of input: Int, reporting findings: inout Findings) -> Batch {
        let nowhere = [Int32](repeating: 0, count: batch.count)
        var made: [Field] = []
        var columns: [Column] = []
        for field in fields {
            let known = batch.schema.index(of: field.name)
            // Findings point to the rows' own source, not to the first stage's.
            let source = known.flatMap { batch.schema.fields[$0].source }
            made.append(Field(field.name, field.kind, source: source, keys: field.keys))
            made[made.count - 1].takeOrigin(of: field)
            columns.append(known.map { batch.columns[$0] } ?? Column.missing(field.kind).keeping(nowhere))
        }
        let result = batch.replacing(Schema(made), columns)
        guard let origin else { return result }
        return result.setting(origin, to: .text(TextColumn([names[input]], at: nowhere)))
    }
}

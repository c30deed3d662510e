/// Keeps some columns, in the order of the job, or leaves some out.
///
/// The importer does not read columns that are left out, so a job that needs three columns of thirty becomes faster.
/// `except` keeps the order of the remaining columns.
public struct SelectColumns: TransformStage, ColumnDescribing {
    let columns: [ColumnName]?
    let except: [ColumnName]?
    public let columnDescriptions: [String: String]

    public init(reading options: inout OptionReader) {
        columns = options.optional("columns", help: "Columns to keep, in the order in which they are to stand.")
        except = options.optional("except", help: "Columns to leave out; all others stay.")
        columnDescriptions = options.readDescriptions()
        switch (columns, except) {
        case (nil, nil):
            options.refuse("columns", "neither 'columns' nor 'except' is there", hint: "name the columns to keep")
        case (.some, .some):
            options.refuse("except", "'columns' and 'except' cannot stand together", hint: "keep one of them")
        default: break
        }
        for (key, names) in [("columns", columns), ("except", except)] {
            guard let names else { continue }
            if names.isEmpty { options.refuse(key, "'\(key)' names no column") }
            options.refuseRepeats(of: names, in: key)
        }
    }

    public static let description = StageDescription(
        name: "select_columns",
        summary: "Keep some columns in the order in which they are named, or leave some out.",
        details: """
            Columns come out in the order in which 'columns' names them; with 'except' those that stay keep their order. What is \
            left out is not even read from the input, which makes a job faster; only what has a kind in the import is still held \
            against it.
            """,
        examples: [
            StageExample(
                "the columns come out in the order in which they are named",
                options: "columns: [emotion, date]\ndescribe: { emotion: How the day felt }",
                input: "date:day,emotion:text,count:integer\n2026-03-01,행복해,3\n,우울해,",
                output: "emotion:text,date:day\n행복해,2026-03-01\n우울해,"
            ),
            StageExample(
                "all but some stay where they are",
                options: "except: note",
                input: "id:integer,note:text,colour:text\n1,private,#EC007F",
                output: "id:integer,colour:text\n1,#EC007F"
            ),
            StageExample(
                "a column that is not there is refused",
                options: "columns: [date, emotoin]",
                input: "date:day,emotion:text",
                refused: "no column named 'emotoin'"
            ),
            StageExample(
                "a column cannot come out twice",
                options: "columns: [date, date]",
                input: "date:day",
                refused: "'columns' names 'date' twice"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        for name in columns ?? except ?? [] { _ = try input.requiring(name) }
        if let columns { return input.having(columns) }
        return input.with(kept(of: input).map { input.fields[$0] })
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        guard let columns else { return wanted }
        let kept = columns.filter { wanted.contains($0.text) }
        return ColumnSet(kept)
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let kept = kept(of: batch.schema)
        let fields = kept.map { batch.schema.fields[$0] }
        return batch.replacing(Schema(fields), kept.map { batch.columns[$0] })
    }

    /// The indices of the kept fields. A named column may already be gone if no later stage needs it.
    private func kept(of schema: Schema) -> [Int] {
        if let columns { return columns.compactMap { schema.index(of: $0) } }
        let gone = Set((except ?? []).map(\.text))
        return schema.fields.indices.filter { !gone.contains(schema.fields[$0].name) }
    }
}

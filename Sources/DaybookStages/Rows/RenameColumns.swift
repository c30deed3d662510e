/// Renames columns; values and order stay.
///
/// All names change at once, so two columns can swap names. Findings of later stages still point to the source's field,
/// under its name there.
public struct RenameColumns: TransformStage {
    let names: OptionMap<ColumnName>

    public init(reading options: inout OptionReader) {
        names = options.readBare("names", help: "Each old name and the new one.")
        if names.entries.isEmpty { options.refuse("names", "'names' names no column") }
    }

    public static let description = StageDescription(
        name: "rename_columns",
        summary: "Give columns other names.",
        details: """
            Values and the order of columns stay as they are. All names change at once, so two columns can swap theirs. The names \
            stand under 'names' or without that word.
            """,
        examples: [
            StageExample(
                "values and order stay, and two names can be swapped",
                options: "names: { date: day, start: end, end: start }",
                input: "start:integer,date:day,end:integer\n1,2026-03-01,2",
                output: "end:integer,day:day,start:integer\n1,2026-03-01,2"
            ),
            StageExample(
                "the names may stand there without 'names'",
                options: "date: day",
                input: "date:day\n2026-03-01",
                output: "day:day\n2026-03-01"
            ),
            StageExample(
                "no two columns can have one name",
                options: "names:\n  tag: emotion",
                input: "tag:text,emotion:text",
                refused: "two columns would be named 'emotion'"
            ),
            StageExample(
                "a column that is not there is refused",
                options: "names: { dtae: day }",
                input: "date:day",
                refused: "no column named 'dtae'"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        for entry in names.entries { _ = try input.requiring(ColumnName(entry.key, at: entry.place)) }
        let renamed = renamed(input)
        for (index, name) in renamed.names.enumerated() where renamed.names[..<index].contains(name) {
            throw DaybookError(
                "name-taken",
                "two columns would be named '\(name)'",
                at: names.entries.first { $0.value.text == name }?.value.place,
                hint: "rename the other one too, or leave it out with select_columns"
            )
        }
        return renamed
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        guard case .some(let wanted) = wanted else { return .all }
        // A renamed column's old name is free, unless another column takes it.
        let kept = wanted.subtracting(names.entries.map(\.key))
        let old = names.entries.filter { wanted.contains($0.value.text) }.map(\.key)
        return .some(kept.subtracting(names.entries.map(\.value.text)).union(old))
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        batch.replacing(renamed(batch.schema), batch.columns)
    }

    private func renamed(_ schema: Schema) -> Schema {
        let fields = schema.fields.map { field in
            var field = field
            guard let entry = names.entries.first(where: { $0.key == field.name }) else { return field }
            field.name = entry.value.text
            (field.keys, field.bare, field.isRenamed) = (nil, nil, true)
            return field
        }
        return schema.with(fields)
    }
}

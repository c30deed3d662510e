import DaybookCore

/// Makes rows of rejects, for a stage that reads `x.rejects`.
public struct RejectColumns {
    /// The columns where rules reject rows.
    public static let schemaWithRule = Schema([
        Field("code", .text), Field("message", .text), Field("rule", .text), Field("stage", .text),
        Field("job_line", .integer),
        Field("source", .text), Field("line", .integer), Field("column", .integer), Field("byte", .integer),
        Field("pointer", .text), Field("field", .text), Field("value", .text), Field("original", .text),
    ])
    /// The columns where there are no rules.
    public static let schema = Schema(schemaWithRule.fields.filter { $0.name != "rule" })

    private let stage: String
    private let jobLine: Int?
    private var texts: [[String?]] = Array(repeating: [], count: 9)
    private var numbers: [[Int?]] = Array(repeating: [], count: 4)

    init(stage: String, jobLine: Int?) {
        self.stage = stage
        self.jobLine = jobLine
    }

    mutating func append(_ facts: FindingFacts, _ phrase: FindingPhrase, rule: String?) {
        let row: [String?] = [
            phrase.code, phrase.message(facts), rule, stage, facts.source?.text, facts.pointer?.text, phrase.field,
            facts.value?.text, facts.original?.text,
        ]
        for (index, value) in row.enumerated() { texts[index].append(value) }
        for (index, value) in [jobLine, facts.line, facts.column, facts.byte].enumerated() {
            numbers[index].append(value)
        }
    }

    /// The rows with the columns of `wanted`.
    func batch(_ wanted: Schema) -> Batch {
        let count = texts[0].count
        var text = texts[...]
        var number = numbers[...]
        var columns: [Column] = []
        for field in RejectColumns.schemaWithRule.fields {
            columns.append(
                field.kind == .text
                    ? RejectColumns.column(text.removeFirst()) : RejectColumns.column(number.removeFirst())
            )
        }
        let kept = RejectColumns.schemaWithRule.fields.indices.filter {
            wanted.index(of: RejectColumns.schemaWithRule.fields[$0].name) != nil
        }
        return Batch(
            Schema(kept.map { RejectColumns.schemaWithRule.fields[$0] }),
            kept.map { columns[$0] },
            count: count,
            origins: .made
        )
    }

    private static func column(_ values: [String?]) -> Column {
        var builder = TextColumnBuilder(rows: values.count)
        for value in values {
            if let value { builder.append(value) } else { builder.appendMissing() }
        }
        return .text(builder.build())
    }

    private static func column(_ values: [Int?]) -> Column {
        var missing: Mask?
        for (row, value) in values.enumerated() where value == nil { missing.insert(row, of: values.count) }
        return .integers(Values(values.map { Int64($0 ?? 0) }, missing: missing))
    }
}

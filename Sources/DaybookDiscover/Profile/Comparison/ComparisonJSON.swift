import DaybookReports

/// Two profiles beside each other for programs: one document, with sorted keys.
enum ComparisonJSON {
    static func text(of comparison: ProfileComparison) -> String {
        JSONDocument.text(
            of: [
                "profile_comparison": 1, "tables": .list(comparison.tables.map(table)),
                "tables_came": .list(comparison.came.map { .text($0.title) }),
                "tables_went": .list(comparison.went.map { .text($0.title) }),
            ] as JSONValue
        )
    }

    private static func table(_ table: ProfileComparison.Table) -> JSONValue {
        [
            "file": .text(table.new.file), "part": JSONValue(table.new.part), "old_file": .text(table.old.file),
            "old_part": JSONValue(table.old.part),
            "rows": ["old": .number(table.old.rows), "new": .number(table.new.rows)],
            "columns_came": .list(table.came.map { .text($0.name) }),
            "columns_went": .list(table.went.map { .text($0.name) }),
            "columns_unchanged": .list(table.unchanged.map(JSONValue.text)),
            "columns_with_other_values": .list(table.alike.map(JSONValue.text)),
            "columns_changed": .list(table.changed.map(column)),
        ]
    }

    private static func column(_ column: ColumnComparison) -> JSONValue {
        var facts: [String: JSONValue] = [:]
        for fact in column.facts {
            facts[fact.key] = [
                "old": fact.oldValue, "new": fact.newValue, "changed": .flag(fact.oldValue != fact.newValue),
            ]
        }
        return [
            "name": .text(column.name), "facts": .map(facts), "values_came": values(column.came),
            "values_went": values(column.went),
        ]
    }

    private static func values(_ values: [KeptProfile.Column.Top]) -> JSONValue {
        .list(values.map { ["value": .text($0.value), "count": .number($0.count)] })
    }
}

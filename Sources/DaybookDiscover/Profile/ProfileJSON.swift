import DaybookReports

/// Profiles for programs: one document, with sorted keys.
///
/// What is estimated says so: `exact` is false, and what bounds it stands beside it.
enum ProfileJSON {
    static func text(of tables: [ProfiledTable]) -> String {
        let document: JSONValue = ["profile": 1, "tables": .list(tables.map(table))]
        return JSONDocument.text(of: document)
    }

    private static func table(_ table: ProfiledTable) -> JSONValue {
        [
            "file": .text(table.file), "part": JSONValue(table.part), "form": .text(table.form),
            "bytes": table.bytes.map(JSONValue.number) ?? .null, "rows": .number(table.rows),
            "rejected": .number(table.rejected), "rejections": .list(table.rejections.map(JSONValue.text)),
            "columns": .list(table.columns.map(column)), "columns_not_looked_at": .number(table.restOfColumns),
        ]
    }

    private static func column(_ column: ColumnFacts) -> JSONValue {
        var kinds: [String: JSONValue] = [:]
        for kind in column.kinds { kinds[kind.kind.key] = .number(kind.count) }
        var distinct: [String: JSONValue] = [
            "count": .number(column.distinct.count), "exact": .flag(column.distinct.isExact),
        ]
        if !column.distinct.isExact { distinct["standard_error"] = .decimal(DistinctCount.error) }
        return [
            "name": .text(column.name), "column_kind": .text(column.declared.rawValue), "holds": .text(column.holds),
            "count": .number(column.present), "missing": .number(column.missing), "kinds": .map(kinds),
            "distinct": .map(distinct), "values_digest": .text(String(column.digest, radix: 16)),
            "unique": .flag(column.isUnique), "rising": .flag(column.isRising),
            "top": .list(
                column.top.map { ["value": .text($0.text), "cut": .flag($0.isCut), "count": .number($0.count)] }
            ),
            "top_exact": .flag(column.undercount == 0), "top_undercount": .number(column.undercount),
            "length": column.lengths.map(length) ?? .null,
            "numbers": column.numbers.map(numbers) ?? .null,
            "days": column.days.map {
                ["first": .text($0.first.description), "last": .text($0.last.description)]
            } ?? .null,
            "date_formats": .list(
                column.formats.map {
                    ["format": .text($0.text), "count": .number($0.count), "sample": sample($0.sample)]
                }
            ),
            "gap_words": .list(column.gaps.map { ["word": .text($0.word), "count": .number($0.count)] }),
            "histogram": .list(
                column.histogram?.bars.map {
                    ["label": .text($0.label), "from": .text($0.from), "count": .number($0.count)]
                } ?? []
            ),
            "histogram_exact": .flag(column.histogram?.isExact ?? true),
            "notes": .list(column.notes.map(JSONValue.text)),
        ]
    }

    private static func length(_ lengths: TextLengths) -> JSONValue {
        [
            "least": .number(lengths.least), "most": .number(lengths.most),
            "mean": .decimal(Double(lengths.total) / Double(lengths.count)),
        ]
    }

    private static func numbers(_ numbers: NumberFacts) -> JSONValue {
        [
            "count": .number(numbers.count),
            "least": numbers.leastWhole.map { .number(Int($0)) } ?? .decimal(numbers.least),
            "most": numbers.mostWhole.map { .number(Int($0)) } ?? .decimal(numbers.most),
            "mean": .decimal(numbers.mean),
            "median": [
                "value": .decimal(numbers.median), "exact": .flag(numbers.medianIsExact),
                "least": .decimal(numbers.medianBounds.lowerBound), "most": .decimal(numbers.medianBounds.upperBound),
            ],
            "quantiles": .list(
                numbers.quantiles.map { quantile in
                    [
                        "share": .decimal(quantile.share), "least": .decimal(quantile.bounds.lowerBound),
                        "most": .decimal(quantile.bounds.upperBound),
                    ]
                }
            ),
            "with_fraction": .number(numbers.fractions), "not_finite": .number(numbers.unbounded),
        ]
    }

    private static func sample(_ sample: InferenceSample) -> JSONValue {
        ["value": .text(sample.text), "line": sample.line.map(JSONValue.number) ?? .null]
    }
}

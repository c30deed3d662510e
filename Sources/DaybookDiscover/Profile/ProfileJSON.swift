import DaybookReports

/// Profiles for programs: one document, with sorted keys.
///
/// Estimates have `exact` false, with their bounds beside it.
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
        let kinds = Dictionary(uniqueKeysWithValues: column.kinds.map { ($0.kind.key, JSONValue.number($0.count)) })
        let error = column.distinct.isExact ? JSONValue.null : .decimal(DistinctCount.error)
        let distinct = JSONValue(withoutNulls: [
            "count": .number(column.distinct.count), "exact": .flag(column.distinct.isExact), "standard_error": error,
        ])
        return [
            "name": .text(column.name), "column_kind": .text(column.declared.rawValue), "holds": .text(column.holds),
            "count": .number(column.present), "missing": .number(column.missing), "kinds": .map(kinds),
            "distinct": distinct, "values_digest": .text(String(column.digest, radix: 16)),
            "unique": .flag(column.isUnique), "rising": .flag(column.isRising),
            "top": .list(
                column.top.map { ["value": .text($0.text), "cut": .flag($0.isCut), "count": .number($0.count)] }
            ),
            "top_exact": .flag(column.undercount == 0), "top_undercount": .number(column.undercount),
            "length": column.lengths.map(length) ?? .null, "numbers": column.numbers.map(numbers) ?? .null,
            "days": column.days.map { ["first": .text("\($0.first)"), "last": .text("\($0.last)")] } ?? .null,
            "date_formats": .list(column.formats.map(format)),
            "gap_words": .list(column.gaps.map { ["word": .text($0.word), "count": .number($0.count)] }),
            "histogram": .list(column.histogram?.bars.map(bar) ?? []),
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

    private static func format(_ format: DateVerdict.Format) -> JSONValue {
        let sample: JSONValue = ["value": .text(format.sample.text), "line": JSONValue(format.sample.line)]
        return ["format": .text(format.text), "count": .number(format.count), "sample": sample]
    }

    private static func bar(_ bar: Histogram.Bar) -> JSONValue {
        ["label": .text(bar.label), "from": .text(bar.from), "count": .number(bar.count)]
    }
}

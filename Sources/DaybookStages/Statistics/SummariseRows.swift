import DaybookTables

/// Turns each group of rows into one row, with counts, sums and other aggregates.
///
/// Sums are exact, so that neither the order of the rows nor the number of threads changes them. A mean is the rounded
/// sum divided by the count; the median of an even number of values is the mean of the two in the middle. Missing
/// values in one of the columns `by` form a group like any other. Every aggregate but `count` skips missing values, and
/// is missing in a group without values. Decimals that are not finite cannot be computed with, and their rows are
/// rejected.
///
/// A group takes about twenty bytes, its key and its values. A median keeps every distinct number of its group, in 16
/// bytes, and `distinct` every distinct value with about 30 bytes beside it. Beyond a limit groups go to disk,
/// partitioned by key, and are merged partition by partition at the end.
public struct SummariseRows: FoldStage, Grouping {
    package enum Order: String, OptionChoice {
        case firstSeen = "first_seen"
        case sorted
    }

    package let by: [ColumnName]
    package let values: OptionMap<AggregateCall>
    let order: Order
    /// Memory limit for groups, in bytes. Open to tests, which cannot fill a mebibyte for every property.
    package var memoryLimit: Int

    var calls: [AggregateCall] { values.entries.map(\.value) }

    public init(reading options: inout OptionReader) {
        by = options.read(
            "by",
            default: [],
            help: "Columns that tell groups apart; without any, all rows are one group."
        )
        values = options.read(
            "values",
            help: """
                Each new column with what it holds: count for rows, or count, sum, mean, min, max, median, distinct, first or \
                last of a column, such as max(date).
                """
        )
        order = options.read(
            "order",
            default: .firstSeen,
            help: "The order of the groups: that in which they are met, or sorted by the columns of 'by'."
        )
        memoryLimit = options.readMemoryLimit(help: "Groups to hold before they go to disk.")
        options.refuseRepeats(of: by, in: "by")
        if values.entries.isEmpty, options.isWritten("values") {
            options.refuse("values", "'values' names no value", hint: "write what to count, such as { rows: count }")
        }
        if by.isEmpty { options.refuse("order", without: "by", hint: "leave it out") }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        var result = input.having(by)
        try input.requireKeys(by)
        for entry in values.entries {
            let kind = try entry.value.kind(in: input)
            guard !by.contains(where: { $0.text == entry.key }) else {
                let message = "there is a column named '\(entry.key)' already"
                let hint = "'by' names it; choose another name for the value"
                throw DaybookError("column-exists", message, at: entry.place, hint: hint)
            }
            if let kind { result.fields.append(Field(entry.key, kind)) } else { result.isOpen = true }
        }
        return result
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { ColumnSet(by + calls.compactMap(\.column)) }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> GroupSummary {
        let reckoned = calls.filter(\.reckons).compactMap(\.column)
        var groups = GroupSummary(batch.leavingOut(batch.rejectingNotFinite(reckoned, &findings)), self)
        for (value, call) in calls.enumerated() where call.function == .min || call.function == .max {
            guard let column = call.column, case .text(let texts) = batch[column] else { continue }
            groups.extremes.append(TextExtremes(of: texts, value: value, isGreatest: call.function == .max))
        }
        return groups
    }

    public var keys: (any PartialKeys.Type)? { by.isEmpty ? nil : GroupPartition.self }

    public func merge(_ later: GroupSummary, into earlier: inout GroupSummary, scratch: any Scratch)
        throws(DaybookError)
    { try earlier.merge(later, limit: scratch.share(of: memoryLimit), scratch) }

    public func finish(_ partial: consuming GroupSummary?, _ output: FoldOutput) throws(DaybookError) {
        if var groups = partial.take(), groups.foldedRows > 0 {
            let outputs = calls.enumerated().map {
                let result: GroupResult = $1.function == .mean ? .mean : $1.function == .median ? .median : .value
                return GroupOutput(values: $0, result: result)
            }
            let limit = output.scratch.share(of: memoryLimit)
            let remarks = groups.extremes.compactMap { one -> (value: Int, message: String)? in
                guard calls.indices.contains(one.value), let column = calls[one.value].column else { return nil }
                return one.message(in: column).map { (one.value, $0) }
            }
            let isSorted = order == .sorted
            return try groups.emit(outputs, by: by.count, isSorted: isSorted, remarks: remarks, limit: limit, output)
        }
        guard by.isEmpty else { return }
        // Without rows the count is still 0.
        let columns = zip(calls, output.schema.fields).map { call, field in
            switch call.function {
            case .count, .distinct: Column.integers(Values([0]))
            default: Column.missing(field.kind)
            }
        }
        try output.emit(Batch(output.schema, columns, count: 1, provenance: .made))
    }

    public func separates(_ column: ColumnName) -> Bool { by.contains(column) }

    public static let description = StageDescription(
        name: "summarise_rows",
        summary: "Make one row of each group of rows, with counts, sums and other values.",
        details: """
            The columns are those of 'by' and then those of 'values'. count counts rows and count(column) values; sum and mean are \
            of whole numbers or decimals, added without loss and rounded once, so the same at any number of threads; decimals are \
            binary (0.1 is nearly one tenth), so round(s, 2) behind it gives amounts to the cent; min, max and median too; distinct counts \
            different values; first and last take those of the first and the last row that has one. Missing values are left out; \
            a group without any has none itself. Rows without a value in a column of 'by' are a group of their own. A sum that is \
            too large for its kind, and a median of whole numbers that no decimal holds, are rejected. Without 'by' there is always one row. Groups beyond the memory go to disk; the \
            values that median and distinct need of a single group stay in memory.
            """,
        examples: [
            StageExample(
                "one row for each emotion, in the order in which they are met; missing values are left out",
                options: """
                    by: emotion
                    values:
                      entries: count
                      counted: count(count)
                      total: sum(count)
                      average: mean(count)
                      newest: max(date)
                    """,
                input: """
                    date:day,emotion:text,count:integer
                    2026-03-01,행복해,3
                    2026-03-02,우울해,
                    2026-03-05,행복해,4
                    2026-03-04,행복해,
                    2026-03-04,,1
                    2026-03-03,우울해,
                    """,
                output: """
                    emotion:text,entries:integer,counted:integer,total:integer,average:decimal,newest:day
                    행복해,3,2,7,3.5,2026-03-05
                    우울해,2,0,,,2026-03-03
                    ,1,1,1,1,2026-03-04
                    """
            ),
            StageExample(
                "groups can be sorted; text has a least and a greatest by its bytes, and a first and a last by its rows",
                options: """
                    by: [year, done]
                    values: { least: min(note), most: max(note), opening: first(note), closing: last(note), notes: distinct(note) }
                    order: sorted
                    memory_mebibytes: 64
                    """,
                input: """
                    year:integer,done:flag,note:text
                    2026,true,b
                    2025,false,
                    2026,true,
                    2026,true,c
                    2026,true,a
                    2026,true,b
                    2026,false,z
                    """,
                output: """
                    year:integer,done:flag,least:text,most:text,opening:text,closing:text,notes:integer
                    2025,false,,,,,0
                    2026,false,z,z,z,z,1
                    2026,true,a,c,b,b,3
                    """
            ),
            StageExample(
                "without 'by' all rows are one group, and sums are exact however far apart the numbers lie",
                options: "values: { total: sum(price), middle: median(price), days: distinct(day) }",
                input: """
                    price:decimal,day:day
                    0.1,2026-03-01
                    0.2,2026-03-01
                    0.3,2026-03-02
                    1e300,
                    -1e300,
                    ,2026-03-02
                    """,
                output: "total:decimal,middle:decimal,days:integer\n0.6,0.2,2"
            ),
            StageExample(
                "no rows are still one row without 'by', with a count of 0",
                options: "values: { rows: count, newest: max(day) }",
                input: "day:day",
                output: "rows:integer,newest:day\n0,"
            ),
            StageExample(
                "what is not a number cannot be reckoned with, and a sum beyond 64 bits is not cut off",
                options: "by: who\nvalues: { taps: sum(taps), share: mean(share) }",
                input: """
                    who:text,taps:integer,share:decimal
                    민아,9223372036854775807,0.5
                    준호,1,nan
                    준호,2,0.25
                    민아,1,0.5
                    """,
                output: "who:text,taps:integer,share:decimal\n준호,2,0.25",
                findings: ["2 share not-a-number", "1 taps sum-too-large"]
            ),
            StageExample(
                "the greatest text is not the greatest number, and a warning tells so",
                options: "values: { top: max(count) }",
                input: "count:text\n9\n100",
                output: "top:text\n9",
                findings: ["1 top compared-as-text"]
            ),
            StageExample(
                "a median of whole numbers that no decimal holds is not rounded in silence",
                options: "values: { middle: median(id) }",
                input: "id:integer\n9007199254740993\n5\n9007199254740995",
                output: "middle:decimal",
                findings: ["1 middle median-too-long"]
            ),
            StageExample(
                "text is no number, even where it looks like one",
                options: "values: { total: sum(count) }",
                input: "count:text\n12",
                refused: "column 'count' holds text, not integer or decimal"
            ),
            StageExample(
                "a function that is not there is refused",
                options: "values: { average: avg(count) }",
                input: "count:integer",
                refused: "'values': there is no function 'avg'"
            ),
        ]
    )
}

extension SummariseRows {
    package func values(of schema: Schema) -> [(values: any GroupValues, column: ColumnName?)] {
        calls.map { call in (call.function.nothing(of: call.column.flatMap { schema[$0]?.kind }), call.column) }
    }
}

extension AggregateCall.Function {
    /// The state of an empty group, for a column of that kind; nil stands for rows.
    func nothing(of kind: ColumnKind?) -> any GroupValues {
        switch self {
        case .count: Tallies()
        case .sum, .mean: kind == .integer ? WholeSums() : DecimalSums()
        case .median: ValueRuns(isWhole: kind == .integer)
        case .distinct: DistinctValues()
        case .min: kind == .text ? PickedText(.least) : PickedValues(.least)
        case .max: kind == .text ? PickedText(.greatest) : PickedValues(.greatest)
        case .first: kind == .text || kind == .json ? PickedText(.first) : PickedValues(.first)
        case .last: kind == .text || kind == .json ? PickedText(.last) : PickedValues(.last)
        }
    }
}

import DaybookTables

/// Adds columns computed from the rows around each row: rows before it, behind it or so far.
///
/// Rows keep their order. The columns of the windows are sorted by group and order on the side, and the results return
/// to their rows. Missing values in a column of `by` form a group. Rows sort as in `sort_rows`; rows equal in all of
/// `order` stay in input order. A frame ends at the current row, even if later rows are equal in `order`, so that every
/// row is distinct.
///
/// All functions but `lag` and `lead` skip missing values. Totals are exact, so a moving sum equals a fresh sum in each
/// row; a sum too large for its kind rejects its row. Decimals that are not finite cannot be computed with, and their
/// rows are rejected before any window is made.
public struct WindowRows: FoldStage {
    let by: [ColumnName]
    let order: [SortKey]
    let columns: OptionMap<WindowCall>
    /// Memory limit for rows, in bytes. Open to tests, which cannot fill a mebibyte for every property.
    package var memoryLimit: Int
    /// Approximate bytes of rows to compute at a time; open to tests for the same reason.
    package var sliceBytes = 1 << 20

    public static let keepsRows = true

    private var calls: [WindowCall] { columns.entries.map(\.value) }
    private var made: [ColumnName] { columns.entries.map { ColumnName($0.key, at: $0.place) } }
    private var hasDays: Bool { calls.contains { $0.frame.isInDays } }

    /// The columns that windows read, each once.
    private var read: [ColumnName] {
        var names: [ColumnName] = []
        for name in calls.compactMap(\.column) + (hasDays ? order.prefix(1).map(\.column) : [])
        where !names.contains(name) { names.append(name) }
        return names
    }

    private var asked: EntryColumns { EntryColumns(by: by, order: order, read: read) }
    private var sort: SortRows { SortRows(by: asked.keys, memoryLimit: memoryLimit) }

    public init(reading options: inout OptionReader) {
        by = options.read(
            "by",
            default: [],
            help: "Columns that tell groups apart; without any, all rows are one group."
        )
        order = options.read(
            "order",
            default: [],
            help: """
                Columns that order the rows of a group, the first one first: names, or maps with order and missing. Without any, rows \
                are in the order of the input.
                """
        )
        columns = options.read(
            "columns",
            help: """
                Each new column with what it holds: row_number, rank or dense_rank; lag(column), lead(column) or lag(column, 7); \
                fill_forward(column); count, or count, sum, mean, min or max of a column up to the row, such as sum(count), or of its \
                last rows or days, such as mean(count, 7 rows) or sum(count, 30 days).
                """
        )
        memoryLimit = options.readMemoryLimit(help: "Rows to hold before they go to disk.")
        options.refuseRepeats(of: by, in: "by")
        options.refuseRepeats(of: order.map(\.column), in: "order")
        if columns.entries.isEmpty, options.isWritten("columns") {
            let hint = "write what to compute, such as { so_far: sum(count) }"
            options.refuse("columns", "'columns' names no column", hint: hint)
        }
        if order.isEmpty { refuseWithoutOrder(&options) }
    }

    private func refuseWithoutOrder(_ options: inout OptionReader) {
        for call in calls {
            if call.function == .rank || call.function == .denseRank {
                let message = "'\(call.function.rawValue)' needs 'order', for rows are alike without it"
                let hint = "add 'order', or write row_number for the order of the input"
                options.refuse(DaybookError("missing-option", message, at: call.place, hint: hint))
            } else if call.frame.isInDays {
                let message = "a frame of days needs 'order', whose first column says when a row was"
                let hint = "add 'order' with a column of days or instants"
                options.refuse(DaybookError("missing-option", message, at: call.place, hint: hint))
            }
        }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requireKeys(by)
        try input.requireOrder(order.map(\.column))
        if hasDays, let first = order.first {
            let hint = "a frame of days needs to know when a row was; put normalise_dates before this stage"
            try input.requiring(first.column, .day, .instant, hint: hint)
        }
        var result = input
        for (column, call) in zip(made, calls) {
            if let kind = try call.kind(in: input) {
                result = try result.adding(column, kind)
            } else {
                // The column will exist, but only the data decides its kind.
                _ = try result.adding(column, .text)
                result.isOpen = true
            }
        }
        return result
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.making(made, from: by + order.map(\.column) + read)
    }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> WindowedRows {
        let reckoned = calls.filter(\.function.reckons).compactMap(\.column)
        return WindowedRows(batch.leavingOut(batch.rejectingNotFinite(reckoned, &findings)), asked)
    }

    public func merge(_ later: WindowedRows, into rows: inout WindowedRows, scratch: any Scratch) throws(DaybookError) {
        try rows.appendRows(later, limit: scratch.share(of: memoryLimit), scratch)
        try sort.merge(later.entries, into: &rows.entries, scratch: scratch)
    }

    public func finish(_ partial: consuming WindowedRows?, _ output: FoldOutput) throws(DaybookError) {
        guard var rows = partial.take() else { return }
        let schema = rows.schema
        let times = hasDays ? order.first?.column : nil
        let kind = times.flatMap { schema[$0]?.kind }
        try rows.emit(
            calls.map { $0.column(among: read, in: schema, times: kind) },
            named: made,
            about: calls.map(\.column),
            of: asked,
            times: times.flatMap { read.firstIndex(of: $0) },
            sliceBytes: sliceBytes,
            limit: output.scratch.share(of: memoryLimit),
            output
        )
    }

    public func separates(_ column: ColumnName) -> Bool { by.contains(column) }

    public static let description = StageDescription(
        name: "window_rows",
        summary: "Give each row values of the rows before, behind or around it in its group.",
        details: """
            Every row stays, in the order of the input, with the new columns behind its own. 'by' makes groups, and 'order' orders \
            the rows of each as sort_rows does; rows that are alike in it stay in the order of the input. row_number, rank and \
            dense_rank tell the place of a row; lag and lead give the value of the row before or behind, or so many rows away; \
            fill_forward gives the last value that is not missing. count, sum, mean, min and max are those of all rows of the group \
            up to this one, with '7 rows' of this row and the 6 before it, with '7 days' of those up to it whose day is its own or one of the 6 before \
            (after, where 'order' descends), as the first column of 'order' tells; where that holds instants, of those of the last 7 times 24 hours. Missing values are left \
            out; where there is none the result is missing, and a count 0. Sums are exact, in moving frames as well, and a mean is the exact sum divided by the count and rounded once; \
            a row whose sum is too large for its kind is rejected. Rows beyond the memory go to disk; what a frame holds of a single group stays in memory.
            """,
        examples: examples
    )
}

extension WindowRows {
    static let examples: [StageExample] = [
        StageExample(
            "what came before in each region, by day, while the rows stay where they are",
            options: """
                by: region
                order: date
                columns:
                  day: row_number
                  previous: lag(revenue)
                  so_far: sum(revenue)
                  best: max(revenue)
                """,
            input: """
                region:text,date:day,revenue:integer
                Seoul,2026-03-02,20
                Busan,2026-03-01,5
                Seoul,2026-03-01,10
                Seoul,2026-03-03,
                Busan,2026-03-02,7
                Seoul,2026-03-04,15
                """,
            output: """
                region:text,date:day,revenue:integer,day:integer,previous:integer,so_far:integer,best:integer
                Seoul,2026-03-02,20,2,10,30,20
                Busan,2026-03-01,5,1,,5,5
                Seoul,2026-03-01,10,1,,10,10
                Seoul,2026-03-03,,3,20,30,20
                Busan,2026-03-02,7,2,5,12,7
                Seoul,2026-03-04,15,4,,45,20
                """
        ),
        StageExample(
            "ranks have gaps behind rows that are alike, dense ranks have none",
            options: """
                order: [{ column: points, order: descending }]
                columns: { place: rank, step: dense_rank, line: row_number }
                memory_mebibytes: 64
                """,
            input: """
                name:text,points:integer
                민아,7
                준호,9
                서연,7
                지우,
                하은,3
                """,
            output: """
                name:text,points:integer,place:integer,step:integer,line:integer
                민아,7,2,2,2
                준호,9,1,1,1
                서연,7,2,2,3
                지우,,5,4,5
                하은,3,4,3,4
                """
        ),
        StageExample(
            "a moving frame of rows and one of days, in which days without a row leave a gap",
            options: """
                order: date
                columns:
                  three_rows: mean(felt, 3 rows)
                  three_days: mean(felt, 3 days)
                  low: min(felt, 2 rows)
                  rows: count(3 days)
                  values: count(felt, 3 days)
                """,
            input: """
                date:day,felt:decimal
                2026-03-01,0.1
                2026-03-02,0.2
                2026-03-03,0.6
                2026-03-05,
                2026-03-06,0.4
                ,1
                """,
            output: """
                date:day,felt:decimal,three_rows:decimal,three_days:decimal,low:decimal,rows:integer,values:integer
                2026-03-01,0.1,0.1,0.1,0.1,1,1
                2026-03-02,0.2,0.15000000000000002,0.15000000000000002,0.1,2,2
                2026-03-03,0.6,0.3,0.3,0.2,3,3
                2026-03-05,,0.4,0.6,0.6,2,1
                2026-03-06,0.4,0.5,0.4,0.4,2,1
                ,1,0.7,,0.4,,
                """
        ),
        StageExample(
            "without an order the rows of a group are in that of the input; a missing value takes the last one before it",
            options: """
                by: [app]
                columns: { version: fill_forward(seen), next: lead(seen), second: "lag(seen, 2)", first: min(seen) }
                """,
            input: """
                app:text,seen:text
                Diary,1.0
                Todo,
                Diary,
                Todo,2.0
                Diary,1.1
                """,
            output: """
                app:text,seen:text,version:text,next:text,second:text,first:text
                Diary,1.0,1.0,,,1.0
                Todo,,,2.0,,
                Diary,,1.0,1.1,,1.0
                Todo,2.0,2.0,,,2.0
                Diary,1.1,1.1,,1.0,1.0
                """
        ),
        StageExample(
            "what is not a number stands in no window, and a sum beyond 64 bits is not cut off",
            options: "columns: { taps_so_far: sum(taps), share_so_far: sum(share) }",
            input: """
                taps:integer,share:decimal
                9223372036854775807,0.5
                1,0.25
                1,nan
                -2,1
                """,
            output: """
                taps:integer,share:decimal,taps_so_far:integer,share_so_far:decimal
                9223372036854775807,0.5,9223372036854775807,0.5
                -2,1,9223372036854775806,1.75
                """,
            findings: ["3 share not-a-number", "2 taps sum-too-large"]
        ),
        StageExample(
            "days need a column that says when a row was",
            options: "order: week\ncolumns: { total: 'sum(count, 7 days)' }",
            input: "week:integer,count:integer",
            refused: "column 'week' holds integer, not day or instant"
        ),
        StageExample(
            "a function that is not there is refused",
            options: "columns: { before: shift(count) }",
            input: "count:integer",
            refused: "'columns': there is no function 'shift'"
        ),
    ]
}

import DaybookTables

/// Turns snapshots of counters on known days into each counter's gains between snapshots.
///
/// A gain covers a range of days, both ends included: from the day after the earlier snapshot to the day of the later
/// one, for snapshots at the end of a day. It belongs to a month only if all these days do; else its month is missing,
/// since the days of the taps are unknown. `split_months` divides such a gain by days and marks the parts.
public struct DifferenceSnapshots: FoldStage {
    enum Taken: String, OptionChoice {
        case endOfDay = "end_of_day"
        case startOfDay = "start_of_day"
    }
    enum Resets: String, OptionChoice { case reject, restart }

    let date: ColumnName
    let by: [ColumnName]
    let count: ColumnName
    let taken: Taken
    let resets: Resets
    let splitMonths: Bool
    private let sort: SortRows

    static let gain = ColumnName("gain")

    var keys: [SortKey] { by.map { SortKey(column: $0) } }

    public init(reading options: inout OptionReader) {
        date = options.read("date", default: ColumnName("date"), help: "Column of the days of the snapshots.")
        by = options.read("by", help: "Column, or columns, that name the counter.")
        count = options.read("count", default: ColumnName("count"), help: "Column of what the counter stood at.")
        taken = options.read(
            "taken",
            default: .endOfDay,
            help: "Whether a snapshot has its own day in it (end_of_day) or not (start_of_day)."
        )
        resets = options.read(
            "resets",
            default: .reject,
            help: "Whether to reject a count below the one before, or to take it as counted from 0 again."
        )
        splitMonths = options.read(
            "split_months",
            default: false,
            help: "Whether to divide a gain over several months by their days, as an estimate."
        )
        sort = SortRows(by: [SortKey(column: date)], memoryLimit: 256 << 20)
        if by.isEmpty { options.refuse("by", "'by' names no column") }
        let names = by + [date, count]
        for (index, column) in names.enumerated() where names[..<index].contains(column) {
            options.refuse("by", "the column '\(column)' is named twice")
        }
    }

    public static let description = StageDescription(
        name: "difference_snapshots",
        summary: "Turn snapshots of counters into what each gained between them.",
        details: """
            Each counter and pair of neighbouring snapshots makes one row, in the order of days: the columns 'by', from and to (the \
            days the gain speaks for, both included), month (such as 2026-11, or missing when the days lie in several) and gain. \
            With 'split_months' a gain over several months is divided by days into whole numbers that add up to it, marked true in \
            the column estimated. A counter that went down and a second value for a day are rejected at the later row; snapshots \
            that lack a counter are warned of. The first snapshot of a counter is where it starts, and makes no row.
            """,
        examples: [
            StageExample(
                "gains between snapshots of the Emotion Diary; one belongs to a month when all of its days do",
                options: "by: emotionState\ncount: emotionCount",
                input: """
                    date:day,emotionState:text,emotionCount:integer
                    2026-09-30,행복해,10
                    2026-09-30,우울해,4
                    2026-11-15,행복해,21
                    2026-11-15,우울해,4
                    2026-10-31,행복해,17
                    """,
                output: """
                    emotionState:text,from:day,to:day,month:text,gain:integer
                    행복해,2026-10-01,2026-10-31,2026-10,7
                    행복해,2026-11-01,2026-11-15,2026-11,4
                    우울해,2026-10-01,2026-11-15,,0
                    """,
                findings: ["4 emotionState counter-missing"]
            ),
            StageExample(
                "snapshots from the morning of the 1st, and a gain over two months divided by days",
                options: "date: day\nby: [name]\ntaken: start_of_day\nsplit_months: true",
                input: """
                    day:day,name:text,count:integer
                    2026-01-01,taps,0
                    2026-02-01,taps,9
                    2026-04-01,taps,20
                    """,
                output: """
                    name:text,from:day,to:day,month:text,gain:integer,estimated:flag
                    taps,2026-01-01,2026-01-31,2026-01,9,false
                    taps,2026-02-01,2026-02-28,2026-02,5,true
                    taps,2026-03-01,2026-03-31,2026-03,6,true
                    """
            ),
            StageExample(
                "a counter that went down, a second value for a day, a value twice and a lone snapshot",
                options: "by: name",
                input: """
                    date:day,name:text,count:integer
                    2026-01-31,a,5
                    2026-02-28,a,3
                    2026-02-28,a,4
                    2026-03-31,a,8
                    2026-03-31,a,8
                    2026-03-31,b,1
                    2026-04-30,a,-1
                    """,
                output: """
                    name:text,from:day,to:day,month:text,gain:integer
                    a,2026-03-01,2026-03-31,2026-03,5
                    """,
                findings: [
                    "2 gain counter-went-down", "3 gain second-value", "5 - dropped as repeated values",
                    "6 name lone-snapshot", "6 - dropped as lone snapshots", "7 count negative-count",
                ]
            ),
            StageExample(
                "an app that was installed anew counts from 0 again",
                options: "by: name\nresets: restart",
                input: "date:day,name:text,count:integer\n2026-01-31,a,5\n2026-02-28,a,3",
                output: """
                    name:text,from:day,to:day,month:text,gain:integer
                    a,2026-02-01,2026-02-28,2026-02,3
                    """,
                findings: ["2 gain counter-restarted"]
            ),
            StageExample(
                "text is no count",
                options: "by: name",
                input: "date:day,name:text,count:text",
                refused: "column 'count' holds text, not integer"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(date, .day, hint: "put normalise_dates before this stage")
        try input.requiring(count, .integer, hint: "declare it as integer where it is imported")
        for column in by { try input.requiring(column, .text, .integer, .flag) }
        var result = input.having(by)
        var made: [(String, ColumnKind)] = [("from", .day), ("to", .day), ("month", .text), ("gain", .integer)]
        if splitMonths { made.append(("estimated", .flag)) }
        for (name, kind) in made {
            // A finding about a gain points to the count that it was computed from.
            let source = name == Self.gain.text ? input[count]?.source : nil
            result = try result.adding(name, kind, source: source, besides: by)
        }
        return result
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { ColumnSet([date, count] + by) }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> CounterSnapshots {
        var leftOut = findings.rejectGaps(in: [date, count] + by, of: batch)
        let counts = batch.integers(in: count).elements
        let negative = findings.token(.negativeCount, in: count)
        for row in 0..<batch.count where counts[row] < 0 && !leftOut[row] {
            findings.reject(row, negative)
            leftOut.insert(row)
        }
        // Only the columns that are needed wait for the end.
        let rows = batch.leavingOut(leftOut).having(by + [date, count])
        let sorted = try sort.partial(of: rows, reporting: &findings)
        return CounterSnapshots(rows, days: date, keys: keys, sorted: sorted)
    }

    public func merge(
        _ later: CounterSnapshots,
        into earlier: inout CounterSnapshots,
        scratch: any Scratch
    ) throws(DaybookError) {
        earlier.mergeCounters(later)
        try sort.merge(later.rows, into: &earlier.rows, scratch: scratch)
    }

    public func finish(_ partial: CounterSnapshots?, _ output: FoldOutput) throws(DaybookError) {
        guard let partial, partial.foldedRows > 0 else { return }
        var differencing = SnapshotDifferencing(self, partial, output.schema)
        let rows = output.redirected { (late) throws(DaybookError) in try differencing.add(try late.rows(), output.emit)
        }
        try sort.finish(partial.rows, rows)
    }
}

extension Finding.Kind {
    static let counterWentDown = Finding.Kind("counter-went-down", "{value} is less than the count before")
    static let counterRestarted = Finding.Kind(
        "counter-restarted",
        "{value} is less than the count before and is taken as counted from 0",
        severity: .warning
    )
    static let counterMissing = Finding.Kind(
        "counter-missing",
        "a snapshot does not have this counter",
        severity: .warning
    )
    static let loneSnapshot = Finding.Kind("lone-snapshot", "only one snapshot has this counter", severity: .warning)
    static let negativeCount = Finding.Kind("negative-count", "{value} is below 0, where no counter can stand")
    static let tooManyMonths = Finding.Kind("too-many-months", "the snapshot before is too long ago to split the gain")
}

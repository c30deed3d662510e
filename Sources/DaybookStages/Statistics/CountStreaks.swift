import DaybookTables

/// Counts runs of consecutive days: the current one, the longest one, and the gaps between.
///
/// Several entries on a day make it one day. The current run ends on `as_of` or on the day before, since `as_of` itself
/// is not over. Days after `as_of` are dropped by name, so that a run for a past day gives the result of that day. A
/// row without a day, or with a missing value in `by`, is rejected.
public struct CountStreaks: FoldStage, Grouping {
    let days: ColumnName
    package let by: [ColumnName]
    let asOf: CalendarDay
    /// Memory limit for groups, in bytes; groups beyond it go to disk. Open to tests.
    package var memoryLimit = 256 << 20

    public init(reading options: inout OptionReader) {
        days = options.read("days", default: ColumnName("date"), help: "Column of days.")
        by = options.read("by", default: [], help: "Columns that tell groups apart, each with streaks of its own.")
        let asOf: CalendarDay? = options.optional(
            "as_of",
            help: "The day until which to count; else the day of the run."
        )
        self.asOf = asOf ?? options.context.asOf
        for (index, column) in by.enumerated() where column == days || by[..<index].contains(column) {
            options.refuse("by", column == days ? "'by' names the days themselves" : "'by' names '\(column)' twice")
        }
    }

    public func separates(_ column: ColumnName) -> Bool { by.contains(column) }

    public static let description = StageDescription(
        name: "count_streaks",
        summary: "Count the current and the longest run of days without a gap.",
        details: """
            Each group makes one row, in the order in which the groups are met: its columns 'by', current (days of the run that \
            ends on 'as_of' or the day before, else 0), longest with longest_from and longest_to (of equal runs the first), days \
            (with at least one entry), entries, and gaps (how often a run broke off and another began). Days after 'as_of' are \
            dropped and counted as 'after as_of'. Groups beyond the memory go to disk.
            """,
        examples: [
            StageExample(
                "two entries on a day make it one day, and today may still be missing",
                options: "as_of: 2026-11-21",
                input: """
                    date:day
                    2026-11-20
                    2026-11-19
                    2026-11-20
                    2026-11-10
                    2026-11-11
                    2026-11-12
                    2026-11-22
                    """,
                output: """
                    current:integer,longest:integer,longest_from:day,longest_to:day,days:integer,entries:integer,gaps:integer
                    2,3,2026-11-10,2026-11-12,5,6,1
                    """,
                findings: ["7 - dropped as after as_of"]
            ),
            StageExample(
                "each group has its own streaks; rows with gaps are rejected",
                options: "days: day\nby: habit",
                input: """
                    day:day,habit:text
                    2026-11-21,물 마시기
                    2026-03-01,산책
                    2026-02-28,산책
                    ,산책
                    2026-11-21,
                    """,
                output: """
                    habit:text,current:integer,longest:integer,longest_from:day,longest_to:day,days:integer,entries:integer,gaps:integer
                    물 마시기,1,1,2026-11-21,2026-11-21,1,1,0
                    산책,0,2,2026-02-28,2026-03-01,2,2,0
                    """,
                findings: ["4 day missing-value", "5 habit missing-value"]
            ),
            StageExample(
                "text is not a day",
                input: "date:text\n2026-11-21",
                refused: "column 'date' holds text, not day"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(days, .day, hint: "put normalise_dates before this stage")
        for column in by { try input.requiring(column, .text, .integer, .flag, .day) }
        var result = input.having(by)
        for index in result.fields.indices { result.fields[index].source = nil }
        for (name, kind) in Self.counts { result = try result.adding(name, kind, besides: by) }
        return result
    }

    private static let counts: [(String, ColumnKind)] = [
        ("current", .integer), ("longest", .integer), ("longest_from", .day), ("longest_to", .day), ("days", .integer),
        ("entries", .integer), ("gaps", .integer),
    ]

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { ColumnSet([days] + by) }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> GroupSummary {
        var leftOut = findings.rejectGaps(in: [days] + by, of: batch)
        let days = batch.days(in: days)
        for row in 0..<batch.count where days.elements[row] > asOf.number && !leftOut[row] {
            findings.drop(row, as: "after as_of")
            leftOut.insert(row)
        }
        return GroupSummary(batch.leavingOut(leftOut), self)
    }

    package func values(of schema: Schema) -> [(values: any GroupValues, column: ColumnName?)] {
        [(DaySets(), self.days)]
    }

    public var keys: (any PartialKeys.Type)? { by.isEmpty ? nil : GroupPartition.self }

    public func merge(_ later: GroupSummary, into earlier: inout GroupSummary, scratch: any Scratch)
        throws(DaybookError)
    { try earlier.merge(later, limit: scratch.share(of: memoryLimit), scratch) }

    public func finish(_ partial: consuming GroupSummary?, _ output: FoldOutput) throws(DaybookError) {
        guard var groups = partial.take(), groups.foldedRows > 0 else { return }
        let outputs = StreakFigure.allCases.map { GroupOutput(values: 0, result: .streak($0, asOf: asOf)) }
        try groups.emit(outputs, by: by.count, limit: output.scratch.share(of: memoryLimit), output)
    }
}

/// Counts emotions by calendar month.
///
/// The long shape has one row for each month and emotion. `share` is the part of the month's total, rounded to four
/// places, and missing when that total is 0. `rank` 1 is the largest count; equal counts share a rank, and the next is
/// skipped. `change` is the count less that of the calendar month before, which is 0 when it has no entries, and missing
/// in the first month of all. The wide shape has one row for each month and one column for each emotion.
public struct SummariseMonthlyEmotions: FoldStage {
    enum Shape: String, OptionChoice { case long, wide }

    let date: ColumnName
    let emotion: ColumnName
    let count: ColumnName?
    let emotions: EmotionNames
    let shape: Shape
    let fill: Bool

    public init(reading options: inout OptionReader) {
        date = options.read("date", default: ColumnName("date"), help: "Column of days.")
        emotion = options.read("emotion", default: ColumnName("emotion"), help: "Column of emotions.")
        count = options.optional("count", help: "Column of how often; without it every row counts once.")
        emotions = options.read(
            "emotions",
            default: .emotionDiary,
            help: "The emotions in their order: a list, or a map from each to other words for it."
        )
        shape = options.read(
            "shape",
            default: .long,
            help: "One row for each month and emotion, or one for each month."
        )
        fill = options.read(
            "fill",
            default: false,
            help: "Whether months and emotions without entries stand there as 0."
        )
        if shape == .wide, emotions.names.contains("month") {
            options.refuse(
                "emotions",
                "an emotion cannot be called 'month' in the wide shape, whose first column is 'month'"
            )
        }
    }

    public static let description = StageDescription(
        name: "summarise_monthly_emotions",
        summary: "Count emotions by calendar month, with share, rank and change.",
        details: """
            The long shape has one row for each month and emotion, with the columns month (such as 2026-11), emotion, count, share, \
            rank and change. The share is a part of 1 of the month's total, rounded to 4 places. Rank 1 is the largest count; equal \
            counts share a rank, and the next is skipped. The change is the count less that of the calendar month before, where a \
            month without entries counts as 0; in the first month it is missing. The wide shape has one row for each month and one \
            column for each emotion.
            """,
        examples: [
            StageExample(
                "counts are summed by month and emotion; an unknown emotion is rejected",
                options: """
                    date: day
                    emotion: mood
                    count: taps
                    """,
                input: """
                    day:day,mood:text,taps:integer
                    2026-01-05,행복해,3
                    2026-01-31,행복해,1
                    2026-01-31,우울해,4
                    2026-02-01,행복해,1
                    2026-02-02,기뻐,9
                    """,
                output: """
                    month:text,emotion:text,count:integer,share:decimal,rank:integer,change:integer
                    2026-01,행복해,4,0.5,1,
                    2026-01,우울해,4,0.5,1,
                    2026-02,행복해,1,1,1,-3
                    """,
                findings: ["5 mood unknown-emotion"]
            ),
            StageExample(
                "the wide shape has a column for each emotion, and fill puts 0 where nothing was entered",
                options: """
                    emotions: { happy: [glad, joyful], sad: blue }
                    shape: wide
                    fill: true
                    """,
                input: """
                    date:day,emotion:text
                    2026-01-05,happy
                    2026-03-06,glad
                    2026-03-07,blue
                    """,
                output: """
                    month:text,happy:integer,sad:integer
                    2026-01,1,0
                    2026-02,0,0
                    2026-03,1,1
                    """
            ),
            StageExample(
                "counts may be decimals or text; what is no number, and rows with gaps, are rejected",
                options: """
                    count: count
                    emotions: [행복해, 우울해]
                    """,
                input: """
                    date:day,emotion:text,count:text
                    2026-01-05,행복해,0.5
                    2026-01-05,행복해,1
                    2026-01-06,우울해,many
                    ,우울해,1
                    2026-01-07,,1
                    2026-01-07,우울해,
                    """,
                output: """
                    month:text,emotion:text,count:decimal,share:decimal,rank:integer,change:decimal
                    2026-01,행복해,1.5,1,1,
                    """,
                findings: [
                    "3 count not-a-number", "4 date missing-value", "5 emotion missing-value", "6 count missing-value",
                ]
            ),
            StageExample(
                "text is not a date",
                input: "date:text,emotion:text\n2026-01-05,행복해",
                refused: "column 'date' holds text, not day"
            ),
        ]
    )

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requiring(date, .day, hint: "put normalise_dates before this stage")
        try input.requiring(emotion, .text)
        if let count { try input.requiring(count, .integer, .decimal, .text) }
        let kind = isDecimal(input) ? ColumnKind.decimal : .integer
        if shape == .wide {
            return Schema([Field("month", .text)] + emotions.names.map { Field($0, kind) })
        }
        return Schema([
            Field("month", .text), Field("emotion", .text), Field("count", kind), Field("share", .decimal),
            Field("rank", .integer), Field("change", kind),
        ])
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { ColumnSet(date, emotion, count) }

    /// Text may hold decimals, so its sums are decimals too; whole ones are written without a point.
    private func isDecimal(_ input: Schema) -> Bool {
        guard let count else { return false }
        return input[count]?.kind != .integer
    }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> MonthlyCounts {
        var counts = MonthlyCounts(width: emotions.names.count, isDecimal: isDecimal(batch.schema))
        EmotionCounting(stage: self, batch: batch).count(into: &counts, &findings)
        return counts
    }

    public func merge(_ later: MonthlyCounts, into earlier: inout MonthlyCounts, scratch: any Scratch)
        throws(DaybookError)
    {
        try earlier.merge(later)
    }

    public func finish(_ partial: MonthlyCounts?, _ output: FoldOutput) throws(DaybookError) {
        guard let partial, partial.foldedRows > 0 else { return }
        try partial.checkSums()
        let months = MonthlyTable(partial, names: emotions.names, fill: fill).batch(
            output.schema,
            isWide: shape == .wide
        )
        try output.emit(months)
    }
}

extension Finding.Kind {
    static let unknownEmotion = Finding.Kind(
        "unknown-emotion",
        "{value} is not one of the emotions",
        mend: "name them with 'emotions'"
    )
    static let countTooLarge = Finding.Kind("count-too-large", "{value} is too large for a count")
}

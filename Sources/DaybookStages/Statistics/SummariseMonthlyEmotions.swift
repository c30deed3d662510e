/// Counts emotions by calendar month.
///
/// The long shape has one row for each month and emotion. `share` is the part of the month's total, rounded to four
/// places, and missing if that total is 0. `rank` 1 is the largest count; equal counts share a rank, and the next rank
/// is skipped. `change` is the count less the previous calendar month's, which is 0 without entries; it is missing in
/// the first month of all. The wide shape has one row for each month and one column for each emotion.
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
            let message = "an emotion cannot be called 'month' in the wide shape, whose first column is 'month'"
            options.refuse("emotions", message)
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
                "counts are summed by month and emotion; an unknown emotion and a count below 0 are rejected",
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
                    2026-02-02,행복해,-1
                    """,
                output: """
                    month:text,emotion:text,count:integer,share:decimal,rank:integer,change:integer
                    2026-01,행복해,4,0.5,1,
                    2026-01,우울해,4,0.5,1,
                    2026-02,행복해,1,1,1,-3
                    """,
                findings: ["5 mood unknown-emotion", "6 taps negative-count"]
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
                "counts may be decimals or text; what is no number or below 0, and rows with gaps, are rejected",
                options: "count: count\nemotions: [행복해, 우울해]",
                input: """
                    date:day,emotion:text,count:text
                    2026-01-05,행복해,0.5
                    2026-01-05,행복해,1
                    2026-01-06,우울해,many
                    ,우울해,1
                    2026-01-07,,1
                    2026-01-07,우울해,
                    2026-01-07,우울해,-2
                    2026-01-07,우울해,-0.5
                    """,
                output: """
                    month:text,emotion:text,count:decimal,share:decimal,rank:integer,change:decimal
                    2026-01,행복해,1.5,1,1,
                    """,
                findings: [
                    "3 count not-a-number", "4 date missing-value", "5 emotion missing-value", "6 count missing-value",
                    "7 count negative-count", "8 count negative-count",
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

    /// Text may hold decimals, so its sums are decimals too; whole sums are written without a point.
    private func isDecimal(_ input: Schema) -> Bool {
        guard let count else { return false }
        return input[count]?.kind != .integer
    }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> MonthlyCounts {
        var counts = MonthlyCounts(width: emotions.names.count, isDecimal: isDecimal(batch.schema))
        count(batch, into: &counts, &findings)
        return counts
    }

    public func merge(_ later: MonthlyCounts, into earlier: inout MonthlyCounts, scratch: any Scratch)
        throws(DaybookError)
    { try earlier.merge(later) }

    public func finish(_ partial: MonthlyCounts?, _ output: FoldOutput) throws(DaybookError) {
        guard let partial, partial.foldedRows > 0 else { return }
        try partial.checkSums()
        try output.emit(MonthlyTable(partial, self).batch(output.schema))
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

/// The emotions of a job, with their synonyms.
struct EmotionNames: OptionValue {
    let names: [String]
    /// Every word, and the emotion that it names.
    let lookup: TextLookup

    /// The nine emotions of the Emotion Diary, in its order: happy, loving, liking, flustered, upset, gloomy, bored,
    /// tedious, troubled.
    static let emotionDiary = EmotionNames(
        ["행복해", "사랑해", "좋아해", "당황해", "속상해", "우울해", "심심해", "따분해", "심란해"],
        aliases: [:]
    )

    init(_ names: [String], aliases: [String: [String]]) {
        self.names = names
        let words = names.enumerated().flatMap { place, name in ([name] + (aliases[name] ?? [])).map { ($0, place) } }
        lookup = TextLookup(words.map(\.0), values: words.map(\.1))
    }

    static var kind: OptionKind { .either([.list(of: .text), .map(of: .list(of: .text))]) }
    static var placeholder: EmotionNames { emotionDiary }
    var written: String { names.written }

    init(reading node: OptionNode) throws(DaybookError) {
        var aliases: [String: [String]] = [:]
        var names: [String] = []
        if let map = node.map {
            for entry in map {
                names.append(entry.key)
                if case .nothing = entry.value.content { continue }
                aliases[entry.key] = try [String](reading: entry.value)
            }
        } else {
            names = try [String](reading: node)
        }
        guard !names.isEmpty else { throw node.expected("at least one emotion") }
        var words: Set<String> = []
        for word in names + names.flatMap({ aliases[$0] ?? [] }) where !words.insert(word).inserted {
            throw DaybookError("bad-option", "'\(word)' stands for two emotions, or twice for one", at: node.place)
        }
        self.init(names, aliases: aliases)
    }
}

/// The finished counts as rows: months in order, and in each month the emotions in order.
struct MonthlyTable {
    private let stage: SummariseMonthlyEmotions
    private let counts: MonthlyCounts
    /// Every month that has a row, and the index of its counts, or nil for a month without entries.
    private let months: [(month: Int32, place: Int?)]

    private var names: [String] { stage.emotions.names }

    init(_ counts: MonthlyCounts, _ stage: SummariseMonthlyEmotions) {
        (self.counts, self.stage) = (counts, stage)
        let places = Dictionary(uniqueKeysWithValues: counts.months.enumerated().map { ($0.element, $0.offset) })
        let met = counts.months.sorted()
        let shown = stage.fill ? Array(met[0]...met[met.count - 1]) : met
        months = shown.map { month in (month, places[month].map { $0 * counts.width }) }
    }

    func batch(_ schema: Schema) -> Batch { stage.shape == .wide ? wide(schema) : long(schema) }

    private func wide(_ schema: Schema) -> Batch {
        var columns = [text(months.map { CalendarDay.monthText($0.month) })]
        for emotion in names.indices {
            columns.append(
                numbers(
                    months.map { month in
                        let place = month.place.map { $0 + emotion }
                        let isEntered = place.map { counts.rows[$0] > 0 } ?? false
                        return isEntered || stage.fill ? value(place) : nil
                    }
                )
            )
        }
        return Batch(schema, columns, count: months.count, provenance: .made)
    }

    private func long(_ schema: Schema) -> Batch {
        var month: [String] = []
        var emotion: [String] = []
        var count: [Double?] = []
        var whole: [Int64?] = []
        var share: [Double?] = []
        var rank: [Int64?] = []
        var change: [Double?] = []
        var wholeChange: [Int64?] = []
        var before: (month: Int32, place: Int?)?
        for (index, one) in months.enumerated() {
            let places = names.indices.map { emotion in one.place.map { $0 + emotion } }
            let shown = names.indices.filter { emotion in
                stage.fill || places[emotion].map { counts.rows[$0] > 0 } ?? false
            }
            let values = places.map(value)
            let wholes = places.map { place in place.map { counts.whole[$0] } ?? 0 }
            let total =
                counts.isDecimal ? values.reduce(into: ExactSum()) { $0.add($1) }.value : Double(wholes.reduce(0, +))
            for place in shown {
                month.append(CalendarDay.monthText(one.month))
                emotion.append(names[place])
                count.append(values[place])
                whole.append(wholes[place])
                share.append(total == 0 ? nil : (values[place] / total * 10_000).rounded() / 10_000 + 0)
                rank.append(Int64(1 + shown.count { values[$0] > values[place] }))
                let isNext = before.map { $0.month + 1 == one.month } ?? false
                let past = isNext ? before?.place.map { $0 + place } : nil
                change.append(index == 0 ? nil : values[place] - value(past))
                wholeChange.append(index == 0 ? nil : wholes[place] - (past.map { counts.whole[$0] } ?? 0))
            }
            before = one
        }
        return Batch(
            schema,
            [
                text(month), text(emotion), counts.isDecimal ? numbers(count) : integers(whole), decimals(share),
                integers(rank), counts.isDecimal ? numbers(change) : integers(wholeChange),
            ],
            count: month.count,
            provenance: .made
        )
    }

    private func value(_ place: Int?) -> Double { place.map(counts.sum(at:)) ?? 0 }

    private func numbers(_ values: [Double?]) -> Column {
        counts.isDecimal ? decimals(values) : integers(values.map { $0.map { Int64($0) } })
    }

    private func text(_ values: [String]) -> Column { .text(TextColumn(values, at: values.indices)) }
    private func decimals(_ values: [Double?]) -> Column { .decimals(Values(values, filler: 0)) }
    private func integers(_ values: [Int64?]) -> Column { .integers(Values(values, filler: 0)) }
}

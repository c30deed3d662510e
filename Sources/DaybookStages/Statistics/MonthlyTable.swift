/// The finished counts as rows: months in order, and in each month the emotions in theirs.
struct MonthlyTable {
    private let names: [String]
    private let counts: MonthlyCounts
    private let fill: Bool
    /// Every month that has a row, and the place of its counts, or nil when nothing was entered.
    private let months: [(month: Int32, place: Int?)]

    init(_ counts: MonthlyCounts, names: [String], fill: Bool) {
        self.names = names
        self.counts = counts
        self.fill = fill
        let places = Dictionary(uniqueKeysWithValues: counts.months.enumerated().map { ($0.element, $0.offset) })
        let met = counts.months.sorted()
        let shown = fill ? Array(met[0]...met[met.count - 1]) : met
        months = shown.map { month in (month, places[month].map { $0 * counts.width }) }
    }

    func batch(_ schema: Schema, isWide: Bool) -> Batch { isWide ? wide(schema) : long(schema) }

    private func wide(_ schema: Schema) -> Batch {
        var columns = [text(months.map { CalendarDay.monthText($0.month) })]
        for emotion in names.indices {
            columns.append(
                numbers(
                    months.map { month in
                        let place = month.place.map { $0 + emotion }
                        let isEntered = place.map { counts.rows[$0] > 0 } ?? false
                        return isEntered || fill ? value(place) : nil
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
            let shown = names.indices.filter { emotion in fill || places[emotion].map { counts.rows[$0] > 0 } ?? false }
            let values = places.map(value)
            let wholes = places.map { place in place.map { counts.whole[$0] } ?? 0 }
            let total =
                counts.isDecimal ? values.reduce(into: ExactSum()) { $0.add($1) }.value : Double(wholes.reduce(0, +))
            for place in shown {
                month.append(CalendarDay.monthText(one.month))
                emotion.append(names[place])
                count.append(values[place])
                whole.append(wholes[place])
                share.append(total == 0 ? nil : (values[place] / total * 10_000).rounded() / 10_000)
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

    private func value(_ place: Int?) -> Double {
        place.map(counts.sum(at:)) ?? 0
    }

    private func numbers(_ values: [Double?]) -> Column {
        counts.isDecimal ? decimals(values) : integers(values.map { $0.map { Int64($0) } })
    }

    private func text(_ values: [String]) -> Column { .text(TextColumn(values, at: values.indices)) }
    private func decimals(_ values: [Double?]) -> Column { .decimals(Values(values, filler: 0)) }
    private func integers(_ values: [Int64?]) -> Column { .integers(Values(values, filler: 0)) }
}

/// The rows of a batch that belong to one day.
package struct RowsOfDay {
    /// Nil for rows without a day.
    package let day: CalendarDay?
    package let batch: Batch
    /// Their numbers in the whole batch; nil for all of them.
    package let rows: [Int32]?
}

extension Batch {
    /// The rows of each day that a column of days holds, those without a day first.
    package func byDay(_ column: Int) -> [RowsOfDay] {
        guard case .days(let values) = columns[column], count > 0 else { return [] }
        let numbers = values.elements.span
        let first = numbers[0]
        // As in most batches, whose rows come from one file.
        if values.missing == nil, !numbers.indices.contains(where: { numbers[$0] != first }) {
            return [RowsOfDay(day: CalendarDay(number: first), batch: self, rows: nil)]
        }
        var kept: [(day: Int32?, rows: [Int32])] = []
        var places: [Int32?: Int] = [:]
        var last = -1
        for row in numbers.indices {
            let day = values.missing.isMissing(row) ? nil : numbers[row]
            // A row mostly belongs to the day of the one before.
            if last < 0 || kept[last].day != day {
                last = places[day] ?? kept.count
                if last == kept.count {
                    kept.append((day, []))
                    places[day] = last
                }
            }
            kept[last].rows.append(Int32(truncatingIfNeeded: row))
        }
        return kept.sorted { ($0.day ?? .min) < ($1.day ?? .min) }
            .map { day, rows in
                let batch = rows.count == count ? self : keeping(rows)
                return RowsOfDay(day: day.map(CalendarDay.init), batch: batch, rows: rows.count == count ? nil : rows)
            }
    }
}

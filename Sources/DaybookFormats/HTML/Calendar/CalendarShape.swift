/// How a table holds a month's days, if it does: the layout `days` of `build_month_calendar`.
package struct CalendarShape: Sendable, Hashable {
    package let date: Int
    package let week: Int
    package let entries: Int
    package let today: Int
    package let labels: Int?
    /// The days to which turning the page leads.
    package let previous: Int?
    package let next: Int?
    /// Entries on days of other months.
    package let earlier: Int?
    package let later: Int?

    package init?(_ schema: Schema) {
        func index(_ name: String, _ kind: ColumnKind) -> Int? {
            schema.index(of: name).flatMap { schema.fields[$0].kind == kind ? $0 : nil }
        }
        guard index("month", .text) != nil, let week = index("week", .integer), let date = index("date", .day),
            let entries = index("entries", .integer), let today = index("today", .flag)
        else { return nil }
        (self.date, self.week, self.entries, self.today) = (date, week, entries, today)
        labels = index("labels", .text)
        previous = index("previous_month", .day)
        next = index("next_month", .day)
        earlier = index("earlier_entries", .integer)
        later = index("later_entries", .integer)
    }

    /// The days of a batch. Rows without a date are the empty cells of the grid, which is laid out anew.
    package func days(of batch: Batch) -> CalendarDays {
        guard case .days(let dates) = batch.columns[date], case .integers(let weeks) = batch.columns[week],
            case .integers(let counts) = batch.columns[entries], case .flags(let marks) = batch.columns[today]
        else { preconditionFailure("the columns of a batch differ from those of its schema") }
        var days = CalendarDays()
        for row in 0..<batch.count {
            guard let date = dates[row] else { continue }
            guard CalendarDay.range.contains(date) else {
                days.leaveOut()
                continue
            }
            days.add(
                CalendarDays.Day(
                    entries: counts[row] ?? 0,
                    isToday: marks[row] ?? false,
                    labels: label(batch, row)
                ),
                on: date,
                week: weeks[row]
            ) {
                CalendarDays.Month(
                    previous: day(batch, previous, row),
                    next: day(batch, next, row),
                    earlier: number(batch, earlier, row),
                    later: number(batch, later, row)
                )
            }
        }
        return days
    }

    private func label(_ batch: Batch, _ row: Int) -> String? {
        guard let labels, case .text(let texts) = batch.columns[labels], !texts.missing.isMissing(row) else {
            return nil
        }
        return texts.withCell(row, CalendarShape.shortened)
    }

    /// As much of a label as a cell has room for; the rows behind the drawing have it in full.
    private static func shortened(_ cell: Cell) -> String {
        let isCut = cell.count > CalendarDays.labelBytes
        // The last character may have lost a part of itself, so it is left out.
        let text = String(decoding: cell.prefix(CalendarDays.labelBytes), as: UTF8.self).dropLast(isCut ? 1 : 0)
        let shown = text.prefix(CalendarDays.labelLength)
        return shown.endIndex == text.endIndex && !isCut ? String(shown) : shown + "…"
    }

    private func day(_ batch: Batch, _ column: Int?, _ row: Int) -> Int32? {
        guard let column, case .days(let values) = batch.columns[column] else { return nil }
        return values[row]
    }

    private func number(_ batch: Batch, _ column: Int?, _ row: Int) -> Int64 {
        guard let column, case .integers(let values) = batch.columns[column] else { return 0 }
        return values[row] ?? 0
    }
}

import DaybookPages

/// Entry counts by day: the partial of `build_month_calendar`.
///
/// With one month, entries before and after it are only counted. With all months, every month has its days.
public struct DayCounts: FoldPartial {
    /// The most months, which bounds the memory: a hundred years. More end the run.
    static let monthLimit = 1_200
    /// Days reserved for each month.
    static let width = 31

    public private(set) var foldedRows = 0
    /// Entries before and after the shown month.
    private(set) var earlier = 0
    private(set) var later = 0
    /// Months since January of year 0, in order of first appearance.
    private(set) var months: [Int32] = []
    /// Entry counts by day, `width` for each month.
    private(set) var entries: [Int] = []
    /// The first labels of each day, indexed like `entries`; empty without labels.
    private(set) var labels: [[String]] = []
    /// The most labels of a day; 0 without labels.
    let labelLimit: Int
    private var slots: [Int32: Int32] = [:]

    /// The empty partial, of one month or of all.
    init(of month: CalendarMonth?, labelLimit: Int) {
        self.labelLimit = labelLimit
        if let month { _ = place(of: month.number) }
    }

    /// The index of the month's first day.
    mutating func place(of month: Int32) -> Int {
        if let slot = slots[month] { return Int(slot) * DayCounts.width }
        let slot = months.count
        slots[month] = Int32(slot)
        months.append(month)
        entries.append(contentsOf: repeatElement(0, count: DayCounts.width))
        if labelLimit > 0 { labels.append(contentsOf: repeatElement([], count: DayCounts.width)) }
        return slot * DayCounts.width
    }

    /// Throws if there are more than `monthLimit` months.
    func checkMonths() throws(DaybookError) {
        guard months.count > DayCounts.monthLimit else { return }
        let message = "the entries lie in more than \(DayCounts.monthLimit) months"
        let hint = "ask for one of them, such as 'month: 2026-11'"
        throw DaybookError("too-many-months", message, hint: hint, blame: .data)
    }

    /// Codes of rows without a day in `entries`.
    enum Elsewhere {
        static let earlier: Int32 = -1
        static let later: Int32 = -2
        static let missing: Int32 = -3
        static let outOfRange: Int32 = -4
    }

    /// Counts the rows by their indices.
    mutating func fold(_ places: [Int32]) {
        var (folded, before, after) = (0, 0, 0)
        var counts = entries.mutableSpan
        for place in places {
            if place >= 0 {
                counts[Int(place)] &+= 1
                folded += 1
            } else if place == Elsewhere.earlier {
                before += 1
            } else if place == Elsewhere.later {
                after += 1
            }
        }
        earlier += before
        later += after
        foldedRows += folded + before + after
    }

    func labelFits(at place: Int) -> Bool { labels[place].count < labelLimit }
    mutating func add(label: String, at place: Int) { labels[place].append(label) }

    mutating func merge(_ other: DayCounts) throws(DaybookError) {
        for (slot, month) in other.months.enumerated() {
            let mine = place(of: month)
            let theirs = slot * DayCounts.width
            for day in 0..<DayCounts.width {
                entries[mine + day] += other.entries[theirs + day]
                guard labelLimit > 0, !other.labels[theirs + day].isEmpty else { continue }
                let space = labelLimit - labels[mine + day].count
                labels[mine + day] += other.labels[theirs + day].prefix(space)
            }
        }
        earlier += other.earlier
        later += other.later
        foldedRows += other.foldedRows
        try checkMonths()
    }
}

/// Counts the rows of one batch by day.
extension BuildMonthCalendar {
    /// The most bytes of a label, which bounds the memory of a day; longer labels are cut.
    private static let labelBytes = 240

    func count(_ batch: Batch, into counts: inout DayCounts, _ findings: inout Findings) {
        let days = batch.days(in: days)
        let places = shownMonth.map { self.places(days, in: $0) } ?? self.places(days, &counts)
        counts.fold(places)
        reject(places, &findings)
        if let labels { gather(batch.text(in: labels), places, &counts) }
    }

    private func reject(_ places: [Int32], _ findings: inout Findings) {
        let missing = findings.token(.missingValue, in: days)
        let outOfRange = findings.token(.dayOutOfRange, in: days)
        for row in places.indices {
            if places[row] == DayCounts.Elsewhere.missing { findings.reject(row, missing) }
            if places[row] == DayCounts.Elsewhere.outOfRange { findings.reject(row, outOfRange) }
        }
    }

    /// The index of every row's day, for one month.
    private func places(_ days: Values<Int32>, in month: CalendarMonth) -> [Int32] {
        let first = month.firstDay
        let last = first + Int32(month.length) - 1
        var places = days.mapValues { day in
            if !CalendarDay.range.contains(day) { return DayCounts.Elsewhere.outOfRange }
            if day < first { return DayCounts.Elsewhere.earlier }
            return day > last ? DayCounts.Elsewhere.later : day - first
        }
        if let missing = places.missing {
            for row in 0..<places.count where missing[row] { places.elements[row] = DayCounts.Elsewhere.missing }
        }
        return places.elements
    }

    /// The index of every row's day, for all months. A batch has few different days, so a cache holds recent indices.
    private func places(_ days: Values<Int32>, _ counts: inout DayCounts) -> [Int32] {
        var known = [Int32](repeating: .min, count: 4_096)
        // The result for the filler of `known`, should it ever be a real day.
        var knownPlaces = [Int32](repeating: DayCounts.Elsewhere.outOfRange, count: 4_096)
        var places = [Int32](repeating: DayCounts.Elsewhere.missing, count: days.count)
        for row in 0..<days.count where !days.missing.isMissing(row) {
            let day = days.elements[row]
            let slot = Int(day & 4_095)
            if known[slot] != day {
                known[slot] = day
                knownPlaces[slot] = DayCounts.Elsewhere.outOfRange
                if CalendarDay.range.contains(day) {
                    let place = counts.place(of: CalendarDay.month(of: day))
                    knownPlaces[slot] = Int32(place + Int(CivilDate(day: day).day) - 1)
                }
            }
            places[row] = knownPlaces[slot]
        }
        return places
    }

    /// Collects the first labels of each day; only these become text.
    private func gather(_ texts: TextColumn, _ places: [Int32], _ counts: inout DayCounts) {
        for row in places.indices where places[row] >= 0 && counts.labelFits(at: Int(places[row])) {
            guard !texts.missing.isMissing(row) else { continue }
            counts.add(label: texts.withCell(row, Self.label), at: Int(places[row]))
        }
    }

    private static func label(_ cell: Cell) -> String {
        guard cell.count > labelBytes else { return String(decoding: cell, as: UTF8.self) }
        // The cut may have split the last character, so it is dropped.
        return String(decoding: cell.prefix(labelBytes), as: UTF8.self).dropLast() + "…"
    }
}

/// The finished calendar as rows: months in order, each in whole weeks.
struct MonthCalendarTable {
    private struct Month {
        var month: CalendarMonth
        /// The index of its days among the counts.
        var place: Int
        /// Entries before and after the month.
        var earlier: Int
        var later: Int
    }

    /// One cell of the grid; `day` is 0 in an empty cell.
    private struct Cell {
        var month: Int
        var week: Int
        var weekday: Int
        var day: Int
    }

    private let stage: BuildMonthCalendar
    private let counts: DayCounts
    private let months: [Month]
    private let cells: [Cell]

    init(_ counts: DayCounts, _ stage: BuildMonthCalendar) {
        self.stage = stage
        self.counts = counts
        months = MonthCalendarTable.months(of: counts)
        cells = months.enumerated().flatMap { index, shown in
            let lead = shown.month.emptyCells(before: stage.firstWeekday)
            let weeks = (lead + shown.month.length + 6) / 7
            return (0..<weeks * 7).map { cell in
                let day = cell - lead + 1
                return Cell(
                    month: index,
                    week: cell / 7 + 1,
                    weekday: cell % 7,
                    day: (1...shown.month.length).contains(day) ? day : 0
                )
            }
        }
    }

    /// The months in order, each with the entries before and after it.
    private static func months(of counts: DayCounts) -> [Month] {
        func entries(at place: Int) -> Int { counts.entries[place..<place + DayCounts.width].reduce(0, +) }
        var before = counts.earlier
        var months: [Month] = []
        for (slot, number) in counts.months.enumerated().sorted(by: { $0.element < $1.element }) {
            let place = slot * DayCounts.width
            let own = entries(at: place)
            months.append(
                Month(
                    month: CalendarMonth(number: number),
                    place: place,
                    earlier: before,
                    later: counts.foldedRows - before - own
                )
            )
            before += own
        }
        return months
    }

    func batch(_ schema: Schema) -> Batch {
        switch stage.layout {
        case .days: Batch(schema, dayColumns, count: cells.count, provenance: .made)
        case .weeks: Batch(schema, weekColumns, count: cells.count / 7, provenance: .made)
        }
    }

    // MARK: Findings

    /// Warns, in the first row of a month, where 'previous_month' or 'next_month' fell on a shorter month's last day.
    func warnOfClamping(_ findings: inout Findings) {
        let wanted = stage.selected.components.day
        // With many months, only the selected day's month is reported.
        for (index, shown) in months.enumerated()
        where stage.month != .all || shown.month == CalendarMonth(of: stage.selected) {
            let first = cells.firstIndex { $0.month == index }!
            for (column, target) in [
                (BuildMonthCalendar.previous, shown.month.previous), (BuildMonthCalendar.next, shown.month.next),
            ] where target.length < wanted {
                let message =
                    "\(target.text) has no day \(wanted), so its last day \(target.day(wanted)) stands in '\(column)'"
                let row = stage.layout == .days ? first : first / 7
                findings.warn(row, findings.token(.dayClamped, in: column), saying: message)
            }
        }
    }

    // MARK: Columns

    private var dayColumns: [Column] {
        let names = stage.firstWeekday.names
        var columns: [Column] = [
            monthNames(cells), .integers(Values(cells.map { Int64($0.week) })),
            texts(cells) { names[$0.weekday] },
            .days(values(cells) { months[$0.month].month.firstDay + Int32($0.day) - 1 }),
            .integers(values(cells) { Int64($0.day) }), .integers(values(cells) { Int64(entries(of: $0)) }),
            .flags(Values(cells.map(isToday))),
        ]
        if stage.labels != nil { columns.append(texts(cells, labels)) }
        return columns + figures(cells)
    }

    private var weekColumns: [Column] {
        let firsts = stride(from: 0, to: cells.count, by: 7).map { cells[$0] }
        var columns: [Column] = [monthNames(firsts), .integers(Values(firsts.map { Int64($0.week) }))]
        for weekday in 0..<7 {
            let own = stride(from: weekday, to: cells.count, by: 7).map { cells[$0] }
            switch stage.cells {
            case .text: columns.append(texts(own) { $0.day > 0 ? text(of: $0) : nil })
            case .day: columns.append(.integers(values(own) { Int64($0.day) }))
            case .entries: columns.append(.integers(values(own) { Int64(entries(of: $0)) }))
            }
        }
        let sums = stride(from: 0, to: cells.count, by: 7).map { start in
            cells[start..<start + 7].reduce(Int64(0)) { $0 + Int64(entries(of: $1)) }
        }
        return columns + [.integers(Values(sums))] + figures(firsts)
    }

    /// Values that are equal in all rows of a month.
    private func figures(_ cells: [Cell]) -> [Column] {
        let wanted = stage.selected.components.day
        return [
            .days(Values(cells.map { months[$0.month].month.previous.day(wanted).number })),
            .days(Values(cells.map { months[$0.month].month.next.day(wanted).number })),
            .integers(Values(cells.map { Int64(months[$0.month].earlier) })),
            .integers(Values(cells.map { Int64(months[$0.month].later) })),
        ]
    }

    private func monthNames(_ cells: [Cell]) -> Column {
        let names = months.map(\.month.text)
        return texts(cells) { names[$0.month] }
    }

    private func texts(_ cells: [Cell], _ text: (Cell) -> String?) -> Column {
        var builder = TextColumnBuilder(rows: cells.count, capacity: cells.count * 8)
        for cell in cells {
            if let text = text(cell) { builder.append(text) } else { builder.appendMissing() }
        }
        return .text(builder.build())
    }

    /// A value for each cell with a day; missing for empty cells.
    private func values<Element: FixedWidthInteger & BitwiseCopyable>(
        _ cells: [Cell],
        _ value: (Cell) -> Element
    ) -> Values<Element> { Values(cells.map { $0.day == 0 ? nil : value($0) }, filler: 0) }

    // MARK: Cells

    private func entries(of cell: Cell) -> Int {
        cell.day == 0 ? 0 : counts.entries[months[cell.month].place + cell.day - 1]
    }

    private func isToday(_ cell: Cell) -> Bool {
        cell.day > 0 && months[cell.month].month.firstDay + Int32(cell.day) - 1 == stage.asOf.number
    }

    /// `21`, `21 (3)`, `21 (3) today`.
    private func text(of cell: Cell) -> String {
        let entries = entries(of: cell)
        return "\(cell.day)" + (entries > 0 ? " (\(entries))" : "") + (isToday(cell) ? " \(stage.today)" : "")
    }

    /// The first labels of a day, and the number of further ones.
    private func labels(of cell: Cell) -> String? {
        guard cell.day > 0 else { return nil }
        let place = months[cell.month].place + cell.day - 1
        let shown = counts.labels[place]
        guard !shown.isEmpty else { return nil }
        let rest = counts.entries[place] - shown.count
        return (shown + (rest > 0 ? ["+\(rest)"] : [])).joined(separator: ", ")
    }
}

/// The months to show: the selected day's, a named month, or every month with entries.
enum MonthChoice: OptionValue, Hashable {
    case selected, all
    case month(CalendarMonth)

    static var kind: OptionKind { .either([.choice(["selected", "all"]), .text]) }
    static var placeholder: MonthChoice { .selected }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else { throw node.expected("selected, all, or a month such as 2026-11") }
        if text == "selected" {
            self = .selected
        } else if text == "all" {
            self = .all
        } else if let month = CalendarMonth(text) {
            self = .month(month)
        } else {
            let message = "selected, all, or a month such as 2026-11"
            throw node.expected(message, hint: NearestName.hint(for: text, among: ["selected", "all"]))
        }
    }

    var written: String {
        switch self {
        case .selected: "selected"
        case .all: "all"
        case .month(let month): month.text
        }
    }
}

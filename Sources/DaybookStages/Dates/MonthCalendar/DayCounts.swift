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
struct DayCounting {
    /// The most bytes of a label, which bounds the memory of a day; longer labels are cut.
    static let labelBytes = 240

    let stage: BuildMonthCalendar
    let batch: Batch

    func count(into counts: inout DayCounts, _ findings: inout Findings) {
        let days = batch.days(in: stage.days)
        let places: [Int32]
        if let month = stage.shownMonth {
            places = self.places(days, in: month)
        } else {
            places = self.places(days, &counts)
        }
        counts.fold(places)
        reject(places, &findings)
        if let labels = stage.labels { gather(batch.text(in: labels), places, &counts) }
    }

    private func reject(_ places: [Int32], _ findings: inout Findings) {
        let missing = findings.token(.missingValue, in: stage.days)
        let outOfRange = findings.token(.dayOutOfRange, in: stage.days)
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
        DayCounting.mark(&places)
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

    private static func mark(_ places: inout Values<Int32>) {
        guard let missing = places.missing else { return }
        for row in 0..<places.count where missing[row] { places.elements[row] = DayCounts.Elsewhere.missing }
    }

    /// Collects the first labels of each day; only these become text.
    private func gather(_ texts: TextColumn, _ places: [Int32], _ counts: inout DayCounts) {
        for row in places.indices where places[row] >= 0 && counts.labelFits(at: Int(places[row])) {
            guard !texts.missing.isMissing(row) else { continue }
            counts.add(label: texts.withCell(row, DayCounting.label), at: Int(places[row]))
        }
    }

    private static func label(_ cell: Cell) -> String {
        guard cell.count > labelBytes else { return String(decoding: cell, as: UTF8.self) }
        // The cut may have split the last character, so it is dropped.
        return String(decoding: cell.prefix(labelBytes), as: UTF8.self).dropLast() + "…"
    }
}

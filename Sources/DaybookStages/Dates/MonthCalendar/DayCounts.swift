import DaybookCore

/// Entries counted by day: what `build_month_calendar` knows of some rows.
///
/// Where one month is asked for, days before and after it are only counted; where all are, each month has its days.
public struct DayCounts: FoldPartial {
    /// Months beyond which a run ends: a hundred years of them, and a bound for what is held in memory.
    static let monthLimit = 1_200
    /// Every month has room for so many days.
    static let width = 31

    public private(set) var foldedRows = 0
    /// Entries on days before and after the month that is asked for.
    private(set) var earlier = 0
    private(set) var later = 0
    /// Months since January of the year 0, in the order in which they were met.
    private(set) var months: [Int32] = []
    /// Entries by day, `width` a month.
    private(set) var entries: [Int] = []
    /// The first labels of each day, as `entries`; empty where no labels are asked for.
    private(set) var labels: [[String]] = []
    /// How many labels a day may have; 0 where none are asked for.
    let labelLimit: Int
    private var slots: [Int32: Int32] = [:]

    /// Nothing yet, of one month or of all.
    init(of month: CalendarMonth?, labelLimit: Int) {
        self.labelLimit = labelLimit
        if let month { _ = place(of: month.number) }
    }

    /// The place of the month's first day.
    mutating func place(of month: Int32) -> Int {
        if let slot = slots[month] { return Int(slot) * DayCounts.width }
        let slot = months.count
        slots[month] = Int32(slot)
        months.append(month)
        entries.append(contentsOf: repeatElement(0, count: DayCounts.width))
        if labelLimit > 0 { labels.append(contentsOf: repeatElement([], count: DayCounts.width)) }
        return slot * DayCounts.width
    }

    /// Refuses more months than a calendar is for.
    func checkMonths() throws(DaybookError) {
        guard months.count > DayCounts.monthLimit else { return }
        throw DaybookError(
            "too-many-months",
            "the entries lie in more than \(DayCounts.monthLimit) months",
            hint: "ask for one of them, such as 'month: 2026-11'",
            blame: .data
        )
    }

    /// What stands for a row that has no day of its own in `entries`.
    enum Elsewhere {
        static let earlier: Int32 = -1
        static let later: Int32 = -2
        static let missing: Int32 = -3
        static let outOfRange: Int32 = -4
    }

    /// Counts the rows by their places.
    mutating func fold(_ places: [Int32]) {
        var (folded, before, after) = (0, 0, 0)
        entries.withUnsafeMutableBufferPointer { entries in
            for place in places {
                if place >= 0 {
                    entries[Int(place)] &+= 1
                    folded += 1
                } else if place == Elsewhere.earlier {
                    before += 1
                } else if place == Elsewhere.later {
                    after += 1
                }
            }
        }
        earlier += before
        later += after
        foldedRows += folded + before + after
    }

    func hasRoomForLabel(at place: Int) -> Bool { labels[place].count < labelLimit }

    mutating func add(label: String, at place: Int) { labels[place].append(label) }

    mutating func merge(_ other: DayCounts) throws(DaybookError) {
        for (slot, month) in other.months.enumerated() {
            let mine = place(of: month)
            let theirs = slot * DayCounts.width
            for day in 0..<DayCounts.width {
                entries[mine + day] += other.entries[theirs + day]
                guard labelLimit > 0, !other.labels[theirs + day].isEmpty else { continue }
                let room = labelLimit - labels[mine + day].count
                labels[mine + day] += other.labels[theirs + day].prefix(room)
            }
        }
        earlier += other.earlier
        later += other.later
        foldedRows += other.foldedRows
        try checkMonths()
    }
}

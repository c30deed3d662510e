/// Counts by month and emotion: what `summarise_monthly_emotions` knows of some rows.
///
/// Whole counts are summed exactly in 64 bits and decimals exactly by `ExactSum`, so the order of merging cannot show.
public struct MonthlyCounts: FoldPartial {
    public private(set) var foldedRows = 0
    /// How many emotions there are; a month has one place for each.
    let width: Int
    /// Months in the order in which they were met, counted from January of the year 0.
    private(set) var months: [Int32] = []
    /// How many rows went into each place.
    private(set) var rows: [Int] = []
    private(set) var whole: [Int64] = []
    /// What the counts that are no whole numbers add up to. Empty unless there may be such.
    private(set) var decimal: [ExactSum] = []
    let isDecimal: Bool
    private var slots: [Int32: Int32] = [:]

    init(width: Int, isDecimal: Bool) {
        self.width = width
        self.isDecimal = isDecimal
    }

    /// The place of a month's first emotion.
    mutating func place(of month: Int32) -> Int {
        if let slot = slots[month] { return Int(slot) * width }
        let slot = months.count
        slots[month] = Int32(slot)
        months.append(month)
        rows.append(contentsOf: repeatElement(0, count: width))
        whole.append(contentsOf: repeatElement(0, count: width))
        if isDecimal { decimal.append(contentsOf: repeatElement(ExactSum(), count: width)) }
        return slot * width
    }

    /// The largest whole count of a row, either way. A batch of them cannot pass 64 bits.
    static let largestCount: Int64 = 1 << 40

    /// Adds the whole count of every row that has a place and for which `count` gives one.
    @inline(__always)
    mutating func fold(_ places: [Int32], _ count: (_ row: Int, _ whole: inout Int64) -> Bool) {
        var folded = 0
        var one: Int64 = 0
        let places = places.span
        // Out of the struct, for two of its arrays are written to at once.
        var (counts, sums): ([Int], [Int64]) = ([], [])
        swap(&counts, &rows)
        swap(&sums, &whole)
        var countSpan = counts.mutableSpan
        var sumSpan = sums.mutableSpan
        for row in places.indices {
            let place = Int(places[unchecked: row])
            guard place >= 0, count(row, &one) else { continue }
            countSpan[place] &+= 1
            sumSpan[place] &+= one
            folded += 1
        }
        swap(&counts, &rows)
        swap(&sums, &whole)
        foldedRows += folded
    }

    mutating func add(_ count: Double, at place: Int) {
        rows[place] += 1
        decimal[place].add(count)
        foldedRows += 1
    }

    /// The whole and the other counts of a place together.
    func sum(at place: Int) -> Double {
        guard isDecimal else { return Double(whole[place]) }
        var sum = decimal[place]
        // A whole sum may have more digits than a double, so it is added in two halves that have not.
        sum.add(Double(whole[place] >> 32) * 4_294_967_296)
        sum.add(Double(whole[place] & 0xFFFF_FFFF))
        return sum.value
    }

    /// Refuses sums that no double can hold.
    func checkSums() throws(DaybookError) {
        guard decimal.allSatisfy(\.value.isFinite) else { throw MonthlyCounts.tooLarge }
    }

    private static let tooLarge = DaybookError(
        "count-too-large",
        "the counts of a month add up to more than a number can hold",
        blame: .data
    )

    mutating func merge(_ later: MonthlyCounts) throws(DaybookError) {
        for (slot, month) in later.months.enumerated() {
            let mine = place(of: month)
            let other = slot * width
            for emotion in 0..<width {
                rows[mine + emotion] += later.rows[other + emotion]
                let (sum, overflowed) = whole[mine + emotion].addingReportingOverflow(later.whole[other + emotion])
                guard !overflowed else { throw MonthlyCounts.tooLarge }
                whole[mine + emotion] = sum
                if isDecimal { decimal[mine + emotion].add(later.decimal[other + emotion]) }
            }
        }
        foldedRows += later.foldedRows
    }
}

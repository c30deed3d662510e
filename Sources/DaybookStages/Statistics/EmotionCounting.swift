/// Counts the rows of one batch into months and emotions.
extension SummariseMonthlyEmotions {
    func count(_ batch: Batch, into counts: inout MonthlyCounts, _ findings: inout Findings) {
        let places = places(batch.days(in: date), batch.text(in: emotion), &counts)
        rejectPlaceless(places, of: batch, &findings)
        // The kind of the counts is tested once, so that each loop below is specialised.
        switch count.map(batch.column) {
        case nil: countRows(places, into: &counts)
        case .integers(let values)?: add(values, places, &counts, &findings)
        case .decimals(let values)?: add(values, places, &counts, &findings)
        case .text(let values)?: add(values, places, &counts, &findings)
        default: preconditionFailure("the schema check lets only numbers and text be counts")
        }
    }

    private func rejectPlaceless(_ places: [Int32], of batch: Batch, _ findings: inout Findings) {
        let (missingDays, missingEmotions) = (batch[date].missing, batch[emotion].missing)
        let noDate = findings.token(.missingValue, in: date)
        let noEmotion = findings.token(.missingValue, in: emotion)
        let unknown = findings.token(.unknownEmotion, in: emotion)
        for row in places.indices where places[row] < 0 {
            if missingDays.isMissing(row) {
                findings.reject(row, noDate)
            } else {
                findings.reject(row, missingEmotions.isMissing(row) ? noEmotion : unknown)
            }
        }
    }

    private func countRows(_ places: [Int32], into counts: inout MonthlyCounts) {
        counts.fold(places) { row, whole in
            whole = 1
            return true
        }
    }

    private func add(
        _ values: Values<Int64>,
        _ places: [Int32],
        _ counts: inout MonthlyCounts,
        _ findings: inout Findings
    ) {
        let missing = findings.token(.missingValue, in: count)
        let tooLarge = findings.token(.countTooLarge, in: count)
        let negative = findings.token(.negativeCount, in: count)
        let gaps = values.missing
        let values = values.elements.span
        counts.fold(places) { row, whole in
            if gaps.isMissing(row) {
                findings.reject(row, missing)
                return false
            }
            whole = values[row]
            if MonthlyCounts.isCount(whole) { return true }
            findings.reject(row, whole < 0 ? negative : tooLarge)
            return false
        }
    }

    private func add(
        _ values: Values<Double>,
        _ places: [Int32],
        _ counts: inout MonthlyCounts,
        _ findings: inout Findings
    ) {
        let missing = findings.token(.missingValue, in: count)
        let notANumber = findings.token(.notADecimal, in: count)
        let negative = findings.token(.negativeCount, in: count)
        for row in places.indices where places[row] >= 0 {
            if values.missing.isMissing(row) {
                findings.reject(row, missing)
            } else if !values.elements[row].isFinite {
                findings.reject(row, notANumber)
            } else if values.elements[row] < 0 {
                findings.reject(row, negative)
            } else {
                counts.add(values.elements[row], at: Int(places[row]))
            }
        }
    }

    /// Most counts in text are whole numbers and are summed as such; only the others need an exact sum of decimals.
    private func add(_ text: TextColumn, _ places: [Int32], _ counts: inout MonthlyCounts, _ findings: inout Findings) {
        let missing = findings.token(.missingValue, in: count)
        let notANumber = findings.token(.notADecimal, in: count)
        let negative = findings.token(.negativeCount, in: count)
        let gaps = text.missing
        var others: [Int] = []
        let base = text.bytes.base
        let views = text.views.span
        counts.fold(places) { row, whole in
            if gaps.isMissing(row) {
                findings.reject(row, missing)
                return false
            }
            let cell = Cell(start: base + Int(views[unchecked: row].offset), count: Int(views[unchecked: row].length))
            if let value = CellReading.integer(buffered: cell), MonthlyCounts.isCount(value) {
                whole = value
                return true
            }
            others.append(row)
            return false
        }
        for row in others {
            guard let value = text.withCell(row, CellReading.decimal) else {
                findings.reject(row, notANumber)
                continue
            }
            if value < 0 { findings.reject(row, negative) } else { counts.add(value, at: Int(places[row])) }
        }
    }

    /// The index of every row among months and emotions, or -1 for a row that has none.
    private func places(_ days: Values<Int32>, _ text: TextColumn, _ counts: inout MonthlyCounts) -> [Int32] {
        let lookup = emotions.lookup
        let missing = days.missing
        let days = days.elements.span
        var months = MonthPlaces()
        return text.mapValues(filler: Int32(-1)) { row, cell in
            let emotion = missing.isMissing(row) ? -1 : lookup.find(cell)
            guard emotion >= 0 else { return -1 }
            return Int32(truncatingIfNeeded: months.place(of: days[unchecked: row], &counts) &+ emotion)
        }.elements
    }

    /// Caches the indices of recent months, since a batch has few of them.
    private struct MonthPlaces {
        private var known = [(month: Int32, place: Int32)](repeating: (.min, 0), count: 256)

        @inline(__always)
        mutating func place(of day: Int32, _ counts: inout MonthlyCounts) -> Int {
            let month = CalendarDay.month(of: day)
            let slot = Int(month & 255)
            if known[slot].month != month {
                known[slot] = (month, Int32(truncatingIfNeeded: counts.place(of: month)))
            }
            return Int(known[slot].place)
        }
    }
}

/// Counts by month and emotion: the partial of `summarise_monthly_emotions`.
///
/// Whole counts are summed exactly in 64 bits and decimals exactly by `ExactSum`, so the order of merging does not
/// show.
public struct MonthlyCounts: FoldPartial {
    public private(set) var foldedRows = 0
    /// The number of emotions; a month has one slot for each.
    let width: Int
    /// Months since January of year 0, in order of first appearance.
    private(set) var months: [Int32] = []
    /// The number of rows in each slot.
    private(set) var rows: [Int] = []
    private(set) var whole: [Int64] = []
    /// The sums of decimal counts. Empty unless there may be some.
    private(set) var decimal: [ExactSum] = []
    let isDecimal: Bool
    private var slots: [Int32: Int32] = [:]

    init(width: Int, isDecimal: Bool) { (self.width, self.isDecimal) = (width, isDecimal) }

    /// The index of a month's first emotion.
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

    /// The largest whole count of a row. A batch of such counts cannot overflow 64 bits.
    private static let largestCount: UInt64 = 1 << 40

    /// Whether a whole number is a count: not negative, and not too large. Negative numbers are the largest bit patterns.
    @inline(__always)
    static func isCount(_ whole: Int64) -> Bool { UInt64(bitPattern: whole) <= largestCount }

    /// Adds the whole count of every row that has an index and for which `count` gives a number.
    @inline(__always)
    mutating func fold(_ places: [Int32], _ count: (_ row: Int, _ whole: inout Int64) -> Bool) {
        var folded = 0
        var one: Int64 = 0
        let places = places.span
        // Moved out of the struct, since two of its arrays are written at once.
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

    /// The whole and decimal counts of a slot together.
    func sum(at place: Int) -> Double {
        guard isDecimal else { return Double(whole[place]) }
        var sum = decimal[place]
        // A whole sum may have more digits than a double, so it is added in two halves that fit.
        sum.add(Double(whole[place] >> 32) * 4_294_967_296)
        sum.add(Double(whole[place] & 0xFFFF_FFFF))
        return sum.value
    }

    /// Throws if a sum exceeds the range of a double.
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

/// Counts, sums and means of frames. Totals are exact, so a value that leaves its frame is removed without a trace.
struct WindowTotals<Total: WindowTotal>: WindowFunction {
    private let column: Int?
    private let times: Int?
    private let frame: WindowColumn.Frame
    /// `count`, `sum` or `mean`.
    private let result: WindowColumn.Function
    private var total = Total()
    /// Of a frame of rows, the values that will leave it.
    private var lookback = Lookback(1)
    /// For a frame in time, the totals of each moment in it, from `head` on.
    private var moments: [(time: Int64, total: Total)] = []
    private var head = 0

    init(of column: Int?, _ frame: WindowColumn.Frame, times: Int?, _ result: WindowColumn.Function) {
        (self.column, self.frame, self.times, self.result) = (column, frame, times, result)
        if case .rows(let rows) = frame { lookback = Lookback(rows) }
    }

    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput) {
        let values = slice.values(column)
        let result = result
        switch frame {
        case .all:
            var total = total
            for row in rows {
                if slice.beginsGroup(row) { total = Total() }
                if let word = values[row] { total.add(word) }
                Self.tell(result, of: total, row, &output)
            }
            self.total = total
        case .rows:
            var total = total
            lookback.forEach(rows, of: slice, values) { row, earlier in
                if slice.beginsGroup(row) { total = Total() }
                if let earlier { total.remove(earlier) }
                if let word = values[row] { total.add(word) }
                Self.tell(result, of: total, row, &output)
            }
            self.total = total
        case .within(let width):
            guard let times else { preconditionFailure("a frame in time has a column of times") }
            let places = slice.columns[times]
            for row in rows {
                if slice.beginsGroup(row) {
                    (total, head) = (Total(), 0)
                    moments.removeAll(keepingCapacity: true)
                }
                // A row without a place in time has no window, and is in none.
                guard let now = places[row] else { continue }
                drop(leftBehind: now, width)
                if let word = values[row] { add(word, at: now) }
                Self.tell(result, of: total, row, &output)
            }
        }
    }

    @inline(__always)
    private mutating func add(_ word: Int64, at now: Int64) {
        total.add(word)
        if moments.count > head, moments[moments.count - 1].time == now {
            moments[moments.count - 1].total.add(word)
        } else {
            var single = Total()
            single.add(word)
            moments.append((now, single))
        }
    }

    @inline(__always)
    private mutating func drop(leftBehind now: Int64, _ width: UInt64) {
        while head < moments.count, moments[head].time.distance(from: now) >= width {
            total.remove(moments[head].total)
            head += 1
        }
        if head > 32, head * 2 > moments.count {
            moments.removeFirst(head)
            head = 0
        }
    }

    @inline(__always)
    private static func tell(_ result: WindowColumn.Function, of total: Total, _ row: Int, _ output: inout WindowOutput)
    {
        switch result {
        case .count: output.set(row, total.count)
        case .mean: if total.count > 0 { output.set(row, total.mean.sortable) }
        default:
            guard total.count > 0 else { return }
            if let sum = total.sum { output.set(row, sum) } else { output.reject(row, total.complaint) }
        }
    }
}

/// A total of values, from which values can be removed again.
protocol WindowTotal: Sendable {
    init()
    var count: Int64 { get }
    /// The sum as a word; nil when no number of its kind can hold it.
    var sum: Int64? { get }
    /// The mean of at least one value.
    var mean: Double { get }
    /// Why there is no sum.
    var complaint: String { get }

    mutating func add(_ word: Int64)
    /// Removes a value that was added.
    mutating func remove(_ word: Int64)
    /// Removes values that were added.
    mutating func remove(_ other: Self)
}

/// How many values there are.
struct CountTotal: WindowTotal {
    private(set) var count: Int64 = 0

    var sum: Int64? { nil }
    var mean: Double { 0 }
    var complaint: String { "" }

    @inline(__always)
    mutating func add(_ word: Int64) { count &+= 1 }
    @inline(__always)
    mutating func remove(_ word: Int64) { count &-= 1 }
    @inline(__always)
    mutating func remove(_ other: CountTotal) { count &-= other.count }
}

/// A sum of whole numbers. 128 bits hold the sum of as many as a machine can count.
struct WholeTotal: WindowTotal {
    private(set) var count: Int64 = 0
    private var total: Int128 = 0

    @inline(__always)
    var sum: Int64? { Int64(exactly: total) }

    @inline(__always)
    var mean: Double { ExactMean.of(total, count: count) }

    var complaint: String { "the sum up to this row is \(total), more than a whole number of 64 bits can hold" }

    @inline(__always)
    mutating func add(_ word: Int64) {
        total &+= Int128(word)
        count &+= 1
    }

    @inline(__always)
    mutating func remove(_ word: Int64) {
        total &-= Int128(word)
        count &-= 1
    }

    @inline(__always)
    mutating func remove(_ other: WholeTotal) {
        total &-= other.total
        count &-= other.count
    }
}

/// A sum of decimals without rounding, in 128 bits as long as these hold it.
struct DecimalTotal: WindowTotal {
    private(set) var count: Int64 = 0
    private var total = ScaledNumber(0, 0)
    /// The sum beyond its range.
    private var wide: ExactSum?

    var complaint: String { "the sum up to this row is larger than a number can hold" }

    @inline(__always)
    var sum: Int64? {
        let sum = rounded
        return sum.isFinite ? sum.sortable : nil
    }

    @inline(__always)
    var mean: Double {
        if wide == nil, let mean = ExactMean.of(total.mantissa, doubled: total.exponent, count: count) { return mean }
        return exact.mean(of: Int(count))
    }

    @inline(__always)
    private var rounded: Double { wide == nil ? total.rounded ?? exact.value : exact.value }

    private var exact: ExactSum {
        if let wide { return wide }
        var sum = ExactSum()
        sum.add(total)
        return sum
    }

    @inline(__always)
    mutating func add(_ word: Int64) {
        count &+= 1
        put(Double(sortable: word))
    }

    @inline(__always)
    mutating func remove(_ word: Int64) {
        count &-= 1
        put(-Double(sortable: word))
        if count == 0 { self = DecimalTotal() }
    }

    mutating func remove(_ other: DecimalTotal) {
        count &-= other.count
        if count == 0 {
            self = DecimalTotal()
        } else if let theirs = other.wide {
            widen()
            wide?.subtract(theirs)
        } else {
            put(ScaledNumber(-other.total.mantissa, other.total.exponent))
        }
    }

    @inline(__always)
    private mutating func put(_ value: Double) { if value != 0 { put(ScaledNumber(value)) } }

    @inline(__always)
    private mutating func put(_ number: ScaledNumber) {
        if number.mantissa == 0 { return }
        if wide == nil {
            if total.mantissa == 0 {
                total = number
                return
            }
            if let sum = total.adding(number) {
                total = sum
                return
            }
        }
        widen()
        wide?.add(number)
    }

    private mutating func widen() {
        guard wide == nil else { return }
        wide = exact
        total = ScaledNumber(0, 0)
    }
}

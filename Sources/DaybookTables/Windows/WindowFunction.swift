/// A new column of a window.
package struct WindowColumn: Sendable {
    package enum Function: String, CaseIterable, Sendable {
        case rowNumber = "row_number"
        case rank
        case denseRank = "dense_rank"
        /// The value of the row `distance` rows before, or after.
        case lag, lead
        /// The last value that is not missing.
        case fillForward = "fill_forward"
        case count, sum, mean, min, max
    }

    /// Which rows of the group, up to the current one, count.
    package enum Frame: Sendable, Hashable {
        case all
        /// A number of rows, ending with the current row.
        case rows(Int)
        /// The rows whose place in time is less than so far from the current row's.
        case within(UInt64)
    }

    let function: Function
    let distance: Int
    let frame: Frame
    /// The column of values, as an index of the columns read; nil for the rows themselves.
    let column: Int?
    /// The kind of the new column.
    let kind: ColumnKind

    package init(_ function: Function, of column: Int?, distance: Int, _ frame: Frame, kind: ColumnKind) {
        (self.function, self.column, self.distance, self.frame, self.kind) = (function, column, distance, frame, kind)
    }
}

/// A window function, with its state from the rows before: computed row by row in window order.
protocol WindowFunction: Sendable {
    /// Computes the next rows of a slice.
    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput)

    /// Moves its stored texts into the bytes of a slice, so that all texts are in one buffer.
    mutating func enter(_ slice: WindowSlice) throws(DaybookError)
    /// Copies its stored texts out of the slice, which is about to be released.
    mutating func leave(_ slice: WindowSlice)
}

extension WindowFunction {
    mutating func enter(_ slice: WindowSlice) {}
    mutating func leave(_ slice: WindowSlice) {}
}

/// The results of a function for the rows of a slice.
struct WindowOutput: Sendable {
    private(set) var words: [Int64]
    private(set) var isThere: [Bool]
    /// Rows whose result no number can hold, each with a message.
    private(set) var tooLarge: [Int32: String] = [:]
    /// The number of the row of each result, or -1; nil if each row has its own.
    var targets: [Int64]?

    init(rows: Int) {
        words = [Int64](repeating: 0, count: rows)
        isThere = [Bool](repeating: false, count: rows)
    }

    @inline(__always)
    mutating func set(_ row: Int, _ word: Int64?) {
        guard let word else { return }
        words[row] = word
        isThere[row] = true
    }

    mutating func reject(_ row: Int, _ message: String) { tooLarge[Int32(truncatingIfNeeded: row)] = message }
}

extension WindowColumn {
    /// The function before its first row.
    ///
    /// - Parameters:
    ///   - kinds: the kinds of the columns read.
    ///   - times: the column that places rows in time.
    func start(_ kinds: [ColumnKind], times: Int?) -> any WindowFunction {
        let source = column.map { kinds[$0] }
        let isText = source == .text || source == .json
        switch function {
        case .rowNumber, .rank, .denseRank: return RowPositions(function)
        case .lag: return Lag(of: column, distance, isText: isText)
        case .lead: return Lead(of: column, distance)
        case .fillForward: return FillForward(of: column, isText: isText)
        case .min, .max:
            return Extreme(of: column, isLeast: function == .min, frame, times: times, isText: isText)
        case .count: return WindowTotals<CountTotal>(of: column, frame, times: times, function)
        case .sum, .mean:
            return source == .decimal
                ? WindowTotals<DecimalTotal>(of: column, frame, times: times, function)
                : WindowTotals<WholeTotal>(of: column, frame, times: times, function)
        }
    }
}

extension WindowSlice {
    /// The values of a column; every row has one where it is nil.
    func values(_ column: Int?) -> WindowValues { column.map { columns[$0] } ?? WindowValues(rows: count) }
}

/// The position of a row in its group: its number, or its rank with or without gaps after ties.
struct RowPositions: WindowFunction {
    /// `rowNumber`, `rank` or `denseRank`.
    private let position: WindowColumn.Function
    private var number: Int64 = 0
    private var rank: Int64 = 0
    private var denseRank: Int64 = 0

    init(_ position: WindowColumn.Function) { self.position = position }

    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput) {
        for row in rows {
            if slice.beginsGroup(row) { (number, rank, denseRank) = (0, 0, 0) }
            number &+= 1
            if slice.beginsTie(row) {
                rank = number
                denseRank &+= 1
            }
            switch position {
            case .rowNumber: output.set(row, number)
            case .rank: output.set(row, rank)
            default: output.set(row, denseRank)
            }
        }
    }
}

/// The words of the last rows of a group, to look back by a number of rows.
struct Lookback: Sendable {
    let distance: Int
    /// The values before the rows of this slice; nil for a missing value.
    var kept: [Int64?] = []

    init(_ distance: Int) { self.distance = distance }

    /// Calls `body` with each row and the word that many rows before; nil if the group has none, or it is missing.
    @inline(__always)
    mutating func forEach(
        _ rows: Range<Int>,
        of slice: WindowSlice,
        _ values: WindowValues,
        _ body: (_ row: Int, _ earlier: Int64?) -> Void
    ) {
        // The group of the current row: its start in this slice, and how many of its rows precede that.
        var start = rows.lowerBound
        var before = kept.count
        for row in rows {
            if slice.beginsGroup(row) { (start, before) = (row, 0) }
            let place = row &- distance
            if place >= start {
                body(row, values[place])
            } else {
                let behind = before &+ place &- start
                body(row, before > 0 && behind >= 0 ? kept[behind] : nil)
            }
        }
        if before == 0 { kept.removeAll(keepingCapacity: true) }
        kept += (max(start, rows.upperBound - distance)..<rows.upperBound).map { values[$0] }
        if kept.count > distance { kept.removeFirst(kept.count - distance) }
    }
}

/// Words that a function stores from one slice to the next; texts among them need a buffer.
struct StoredTexts: Sendable {
    private let isText: Bool
    private var texts: [UInt8] = []

    init(isText: Bool) { self.isText = isText }

    /// Copies the texts of words out of a slice, so that the words point to the copies.
    mutating func leave(_ slice: WindowSlice, _ words: inout [Int64?]) {
        guard isText else { return }
        texts.removeAll(keepingCapacity: true)
        for place in words.indices {
            guard let word = words[place] else { continue }
            let view = TextView(word: word)
            words[place] = TextView(offset: texts.count, length: Int(view.length)).word
            texts.append(contentsOf: slice.bytes.cell(Int(view.offset)..<Int(view.offset) + Int(view.length)))
        }
        withExtendedLifetime(slice) {}
    }

    /// Appends the copies to the bytes of a slice, so that the words point into it.
    mutating func enter(_ slice: WindowSlice, _ words: inout [Int64?]) throws(DaybookError) {
        guard isText, !texts.isEmpty else { return }
        let start = slice.bytes.count
        guard start + texts.count <= Int(UInt32.max) else {
            throw DaybookError.machine("window-too-large", "the texts that a window looks back to take more than 4 GiB")
        }
        slice.bytes.append(texts)
        for place in words.indices {
            guard let word = words[place] else { continue }
            let view = TextView(word: word)
            words[place] = TextView(offset: start + Int(view.offset), length: Int(view.length)).word
        }
    }
}

/// The value of the row a fixed number of rows before.
struct Lag: WindowFunction {
    private let column: Int?
    private var lookback: Lookback
    private var texts: StoredTexts

    init(of column: Int?, _ rows: Int, isText: Bool) {
        self.column = column
        lookback = Lookback(rows)
        texts = StoredTexts(isText: isText)
    }

    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput) {
        lookback.forEach(rows, of: slice, slice.values(column)) { row, earlier in output.set(row, earlier) }
    }

    mutating func enter(_ slice: WindowSlice) throws(DaybookError) { try texts.enter(slice, &lookback.kept) }
    mutating func leave(_ slice: WindowSlice) { texts.leave(slice, &lookback.kept) }
}

/// The value of the row a fixed number of rows after: each row passes its value back by that many rows.
struct Lead: WindowFunction {
    private let column: Int?
    private var lookback: Lookback

    init(of column: Int?, _ rows: Int) {
        self.column = column
        lookback = Lookback(rows)
    }

    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput) {
        let values = slice.values(column)
        var targets = output.targets ?? [Int64](repeating: -1, count: slice.count)
        output.targets = nil
        lookback.forEach(rows, of: slice, WindowValues(words: slice.numbers)) { row, number in
            guard let number, let value = values[row] else { return }
            targets[row] = number
            output.set(row, value)
        }
        output.targets = targets
    }
}

extension WindowValues {
    /// Words without missing ones.
    init(words: [Int64]) {
        self.words = words
        missing = nil
    }
}

/// The last value of a group so far.
struct FillForward: WindowFunction {
    private let column: Int?
    /// None, or one.
    private var last: [Int64?] = [nil]
    private var texts: StoredTexts

    init(of column: Int?, isText: Bool) {
        self.column = column
        texts = StoredTexts(isText: isText)
    }

    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput) {
        let values = slice.values(column)
        var last = last[0]
        for row in rows {
            if slice.beginsGroup(row) { last = nil }
            if let word = values[row] { last = word }
            output.set(row, last)
        }
        self.last[0] = last
    }

    mutating func enter(_ slice: WindowSlice) throws(DaybookError) { try texts.enter(slice, &last) }
    mutating func leave(_ slice: WindowSlice) { texts.leave(slice, &last) }
}

/// The minimum or the maximum of a frame.
///
/// Only values that can still become the result are stored: of two, the earlier only if it is the better. So the first
/// is the result, and each row is added and removed once (the monotone deque of sliding windows).
struct Extreme: WindowFunction {
    private let column: Int?
    private let times: Int?
    private let isLeast: Bool
    private let isText: Bool
    private let frame: WindowColumn.Frame
    /// The candidates, from `head` on, and the position of each: in time, or in its group.
    private var words: [Int64?] = []
    private var places: [Int64] = []
    private var head = 0
    /// How many rows of the group there have been.
    private var row: Int64 = 0
    private var texts: StoredTexts

    init(of column: Int?, isLeast: Bool, _ frame: WindowColumn.Frame, times: Int?, isText: Bool) {
        (self.column, self.isLeast, self.frame, self.isText) = (column, isLeast, frame, isText)
        self.times = if case .within = frame { times } else { nil }
        texts = StoredTexts(isText: isText)
    }

    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput) {
        guard isText else { return compute(rows, of: slice, into: &output) { $0 < $1 } }
        let base = slice.bytes.base
        compute(rows, of: slice, into: &output) { one, other in
            let (mine, theirs) = (TextView(word: one), TextView(word: other))
            return Cell(start: base + Int(mine.offset), count: Int(mine.length))
                .comesBefore(Cell(start: base + Int(theirs.offset), count: Int(theirs.length)))
        }
    }

    @inline(__always)
    private mutating func compute(
        _ rows: Range<Int>,
        of slice: WindowSlice,
        into output: inout WindowOutput,
        _ comesBefore: (Int64, Int64) -> Bool
    ) {
        let values = slice.values(column)
        let moments = times.map { slice.columns[$0] }
        let isLeast = isLeast
        func isBetter(_ one: Int64, _ other: Int64) -> Bool {
            isLeast ? comesBefore(one, other) : comesBefore(other, one)
        }
        for row in rows {
            if slice.beginsGroup(row) {
                words.removeAll(keepingCapacity: true)
                places.removeAll(keepingCapacity: true)
                (head, self.row) = (0, 0)
            }
            self.row &+= 1
            // A row without a place in time has no window, and is in none.
            guard let now = moments.map({ $0[row] }) ?? self.row else { continue }
            drop(leftBehind: now)
            if let word = values[row] {
                while words.count > head, let last = words[words.count - 1], !isBetter(last, word) {
                    words.removeLast()
                    places.removeLast()
                }
                // If no row leaves the frame, a value that is not the best will never be.
                if frame != .all || words.isEmpty {
                    words.append(word)
                    places.append(now)
                }
            }
            if words.count > head { output.set(row, words[head]) }
        }
    }

    @inline(__always)
    private mutating func drop(leftBehind now: Int64) {
        let width: UInt64
        switch frame {
        case .all: return
        case .rows(let rows): width = UInt64(rows)
        case .within(let distance): width = distance
        }
        while head < places.count, places[head].distance(from: now) >= width { head += 1 }
        if head > 32, head * 2 > places.count { tidy() }
    }

    /// Releases the memory of removed candidates.
    private mutating func tidy() {
        words.removeFirst(head)
        places.removeFirst(head)
        head = 0
    }

    mutating func enter(_ slice: WindowSlice) throws(DaybookError) { try texts.enter(slice, &words) }

    mutating func leave(_ slice: WindowSlice) {
        tidy()
        texts.leave(slice, &words)
    }
}

extension Int64 {
    /// The distance of two numbers.
    @inline(__always)
    func distance(from other: Int64) -> UInt64 { UInt64(bitPattern: self < other ? other &- self : self &- other) }
}

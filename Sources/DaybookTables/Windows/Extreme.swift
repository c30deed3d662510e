/// The last value of a group so far.
struct FillForward: WindowFunction {
    private let column: Int?
    /// None, or one.
    private var last: [Int64?] = [nil]
    private var texts: KeptTexts

    init(of column: Int?, isText: Bool) {
        self.column = column
        texts = KeptTexts(isText: isText)
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

/// The least or the greatest value of a frame.
///
/// Kept are the values that can still become the result: of two, the earlier one only if it is the better. So the first is the result,
/// and each row is put in and taken out once (the monotone deque of sliding windows).
struct Extreme: WindowFunction {
    private let column: Int?
    private let times: Int?
    private let isLeast: Bool
    private let isText: Bool
    private let frame: WindowColumn.Frame
    /// The candidates, from `head` on, and where each stands: in time, or in its group.
    private var words: [Int64?] = []
    private var places: [Int64] = []
    private var head = 0
    /// How many rows of the group there have been.
    private var row: Int64 = 0
    private var texts: KeptTexts

    init(of column: Int?, isLeast: Bool, _ frame: WindowColumn.Frame, times: Int?, isText: Bool) {
        (self.column, self.isLeast, self.frame, self.isText) = (column, isLeast, frame, isText)
        self.times = if case .within = frame { times } else { nil }
        texts = KeptTexts(isText: isText)
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
            if slice.beginsGroup(row) { clear() }
            self.row &+= 1
            // A row without a place in time has no window, and stands in none.
            guard let now = moments.map({ $0[row] }) ?? self.row else { continue }
            drop(leftBehind: now)
            if let word = values[row] {
                while words.count > head, let last = words[words.count - 1], !isBetter(last, word) { removeLast() }
                // Where no row leaves the frame, a value that is not the best will never be.
                if frame != .all || words.isEmpty {
                    words.append(word)
                    places.append(now)
                }
            }
            if words.count > head { output.set(row, words[head]) }
        }
    }

    private mutating func clear() {
        words.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        (head, row) = (0, 0)
    }

    @inline(__always)
    private mutating func removeLast() {
        words.removeLast()
        places.removeLast()
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

    /// Gives back the room of those that were left behind.
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
    /// How far two numbers lie apart.
    @inline(__always)
    func distance(from other: Int64) -> UInt64 {
        UInt64(bitPattern: self < other ? other &- self : self &- other)
    }
}

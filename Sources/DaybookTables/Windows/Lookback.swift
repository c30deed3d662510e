/// The words of the last rows of a group, to look back by a number of rows.
struct Lookback: Sendable {
    let distance: Int
    /// Those before the rows that are at hand; nil where a value is missing.
    var kept: [Int64?] = []

    init(_ distance: Int) { self.distance = distance }

    /// Calls `body` with each row and the word that many rows before it; nil where there is none in the group, or it is missing.
    @inline(__always)
    mutating func forEach(
        _ rows: Range<Int>,
        of slice: WindowSlice,
        _ values: WindowValues,
        _ body: (_ row: Int, _ earlier: Int64?) -> Void
    ) {
        // The group of the current row: where it begins among the rows at hand, and how many of its rows stand before them.
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

/// Words that a function keeps from one slice to the next, of which texts need a place to stand.
struct KeptTexts: Sendable {
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

    /// Puts the copies behind the bytes of a slice, so that the words point into it.
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

/// The value of the row so many before.
struct Lag: WindowFunction {
    private let column: Int?
    private var lookback: Lookback
    private var texts: KeptTexts

    init(of column: Int?, _ rows: Int, isText: Bool) {
        self.column = column
        lookback = Lookback(rows)
        texts = KeptTexts(isText: isText)
    }

    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput) {
        lookback.forEach(rows, of: slice, slice.values(column)) { row, earlier in output.set(row, earlier) }
    }

    mutating func enter(_ slice: WindowSlice) throws(DaybookError) { try texts.enter(slice, &lookback.kept) }
    mutating func leave(_ slice: WindowSlice) { texts.leave(slice, &lookback.kept) }
}

/// The value of the row so many behind: each row gives its own value to the row so many before it.
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
    /// Words of which none is missing.
    init(words: [Int64]) {
        self.words = words
        missing = nil
    }
}

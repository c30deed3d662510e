/// A new column of a window.
package struct WindowColumn: Sendable {
    package enum Function: Sendable, Hashable {
        case rowNumber, rank, denseRank
        /// The value of the row so many before, or behind.
        case lag(Int)
        case lead(Int)
        /// The last value that is not missing.
        case fillForward
        case least, greatest
        case count, sum, mean
    }

    /// Which rows of the group, up to the current one, count.
    package enum Frame: Sendable, Hashable {
        case all
        /// So many, of which the current one is the last.
        case rows(Int)
        /// Those whose place in time is less than so far from that of the current one.
        case within(UInt64)
    }

    let function: Function
    let frame: Frame
    /// The column that is read, among those that are; nil for the rows themselves.
    let column: Int?
    /// What the new column holds.
    let kind: ColumnKind

    package init(_ function: Function, of column: Int?, _ frame: Frame = .all, kind: ColumnKind) {
        (self.function, self.column, self.frame, self.kind) = (function, column, frame, kind)
    }
}

/// A function of a window, with what it knows of the rows before: computed row by row in the order of the windows.
protocol WindowFunction: Sendable {
    /// Computes rows of a slice that follow those before.
    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput)

    /// Puts the texts that it keeps among the bytes of a slice, so that all texts lie in one place.
    mutating func enter(_ slice: WindowSlice) throws(DaybookError)
    /// Takes the texts that it keeps out of the slice, which is about to go.
    mutating func leave(_ slice: WindowSlice)
}

extension WindowFunction {
    mutating func enter(_ slice: WindowSlice) {}
    mutating func leave(_ slice: WindowSlice) {}
}

/// What a function makes of the rows of a slice.
struct WindowOutput: Sendable {
    private(set) var words: [Int64]
    private(set) var isThere: [Bool]
    /// Rows whose result no number can hold, each with a message.
    private(set) var tooLarge: [Int32: String] = [:]
    /// The number of the row to which each result belongs, or -1; nil where it is the row's own.
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
    /// The function that has seen no row.
    ///
    /// - Parameters:
    ///   - kinds: those of the columns that are read.
    ///   - times: the column that places rows in time.
    func start(_ kinds: [ColumnKind], times: Int?) -> any WindowFunction {
        let source = column.map { kinds[$0] }
        let isText = source == .text || source == .json
        switch function {
        case .rowNumber: return RowPositions(.number)
        case .rank: return RowPositions(.rank)
        case .denseRank: return RowPositions(.denseRank)
        case .lag(let rows): return Lag(of: column, rows, isText: isText)
        case .lead(let rows): return Lead(of: column, rows)
        case .fillForward: return FillForward(of: column, isText: isText)
        case .least, .greatest:
            return Extreme(of: column, isLeast: function == .least, frame, times: times, isText: isText)
        case .count: return WindowTotals<CountTotal>(of: column, frame, times: times, .count)
        case .sum, .mean:
            let result = function == .sum ? TotalResult.sum : .mean
            return source == .decimal
                ? WindowTotals<DecimalTotal>(of: column, frame, times: times, result)
                : WindowTotals<WholeTotal>(of: column, frame, times: times, result)
        }
    }
}

extension WindowSlice {
    /// The values of a column; every row has one where it is nil.
    func values(_ column: Int?) -> WindowValues { column.map { columns[$0] } ?? WindowValues(rows: count) }
}

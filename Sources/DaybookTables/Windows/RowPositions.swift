/// Where a row stands in its group: its number, its rank with gaps behind ties, or without.
struct RowPositions: WindowFunction {
    enum Position: Sendable { case number, rank, denseRank }

    private let position: Position
    private var number: Int64 = 0
    private var rank: Int64 = 0
    private var denseRank: Int64 = 0

    init(_ position: Position) { self.position = position }

    mutating func compute(_ rows: Range<Int>, of slice: WindowSlice, into output: inout WindowOutput) {
        for row in rows {
            if slice.beginsGroup(row) { (number, rank, denseRank) = (0, 0, 0) }
            number &+= 1
            if slice.beginsTie(row) {
                rank = number
                denseRank &+= 1
            }
            switch position {
            case .number: output.set(row, number)
            case .rank: output.set(row, rank)
            case .denseRank: output.set(row, denseRank)
            }
        }
    }
}

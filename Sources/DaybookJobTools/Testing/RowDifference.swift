/// The difference of two lists of rows.
struct RowDifference: Sendable {
    /// A row of the result, with its indices in both lists.
    enum Step: Sendable, Hashable {
        case same(Int, Int)
        /// Two rows that are compared cell by cell.
        case changed(Int, Int)
        case missing(Int)
        case surplus(Int)
    }

    private(set) var steps: [Step] = []

    var isEmpty: Bool { steps.allSatisfy { if case .same = $0 { true } else { false } } }

    /// How many rows differ.
    var count: Int { steps.count { if case .same = $0 { false } else { true } } }

    /// How many cells may be compared for the best match; larger lists are matched by position.
    private static let limit = 4_000_000

    init(from expected: [[String?]], to actual: [[String?]]) {
        var start = 0
        while start < min(expected.count, actual.count), expected[start] == actual[start] { start += 1 }
        var (end, otherEnd) = (expected.count, actual.count)
        while end > start, otherEnd > start, expected[end - 1] == actual[otherEnd - 1] {
            (end, otherEnd) = (end - 1, otherEnd - 1)
        }
        steps = (0..<start).map { .same($0, $0) }
        let matches =
            (end - start) * (otherEnd - start) * max(1, expected.first?.count ?? 1) <= RowDifference.limit
            ? RowDifference.matches(Array(expected[start..<end]), Array(actual[start..<otherEnd])) : []
        var (from, to) = (start, start)
        for match in matches {
            let (row, other) = (start + match.0, start + match.1)
            addGap(from..<row, to..<other)
            steps.append(expected[row] == actual[other] ? .same(row, other) : .changed(row, other))
            (from, to) = (start + match.0 + 1, start + match.1 + 1)
        }
        addGap(from..<end, to..<otherEnd)
        for index in 0..<expected.count - end { steps.append(.same(end + index, otherEnd + index)) }
    }

    /// Rows without a match: pairs of them are changed, the rest is missing or surplus.
    private mutating func addGap(_ expected: Range<Int>, _ actual: Range<Int>) {
        let pairs = min(expected.count, actual.count)
        for offset in 0..<pairs { steps.append(.changed(expected.lowerBound + offset, actual.lowerBound + offset)) }
        steps += expected.dropFirst(pairs).map { .missing($0) }
        steps += actual.dropFirst(pairs).map { .surplus($0) }
    }

    /// The pairs of rows, in order on both sides, with the most in common: equal rows first, then rows of which at least half of
    /// the cells are equal.
    private static func matches(_ first: [[String?]], _ second: [[String?]]) -> [(Int, Int)] {
        guard let width = first.first?.count, !second.isEmpty else { return [] }
        // Cells become numbers for fast comparison.
        var numbers: [String?: Int32] = [:]
        func number(_ cell: String?) -> Int32 {
            if let known = numbers[cell] { return known }
            numbers[cell] = Int32(numbers.count)
            return Int32(numbers.count - 1)
        }
        let (one, other) = (first.flatMap { $0.map(number) }, second.flatMap { $0.map(number) })
        func likeness(_ row: Int, _ column: Int) -> Int32 {
            var same = 0
            for cell in 0..<width where one[row * width + cell] == other[column * width + cell] { same += 1 }
            if same == width { return Int32(4 * width + 1) }
            return 2 * same >= width ? Int32(same) : 0
        }
        let length = second.count + 1
        var best = [Int32](repeating: 0, count: (first.count + 1) * length)
        for row in first.indices.reversed() {
            for column in second.indices.reversed() {
                let apart = max(best[(row + 1) * length + column], best[row * length + column + 1])
                let likeness = likeness(row, column)
                best[row * length + column] =
                    likeness > 0 ? max(apart, best[(row + 1) * length + column + 1] + likeness) : apart
            }
        }
        var pairs: [(Int, Int)] = []
        var (row, column) = (0, 0)
        while row < first.count, column < second.count {
            let likeness = likeness(row, column)
            let here = best[row * length + column]
            if likeness > 0, here == best[(row + 1) * length + column + 1] + likeness {
                pairs.append((row, column))
                (row, column) = (row + 1, column + 1)
            } else if here == best[(row + 1) * length + column] {
                row += 1
            } else {
                column += 1
            }
        }
        return pairs
    }
}

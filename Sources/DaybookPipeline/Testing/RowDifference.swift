/// How two lists of rows differ: which rows of one stand for which of the other.
struct RowDifference: Sendable {
    /// A row of the result: at its place in both lists, or in one.
    enum Step: Sendable, Hashable {
        case same(Int, Int)
        /// Two rows that are held against each other cell by cell.
        case changed(Int, Int)
        case missing(Int)
        case surplus(Int)
    }

    private(set) var steps: [Step] = []

    var isEmpty: Bool { steps.allSatisfy { if case .same = $0 { true } else { false } } }

    /// How many rows are not as they were expected.
    var count: Int { steps.count { if case .same = $0 { false } else { true } } }

    /// The product of two lengths up to which the best match is looked for; beyond it, rows are matched by their places.
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
            (end - start) * (otherEnd - start) <= RowDifference.limit
            ? RowDifference.matches(Array(expected[start..<end]), Array(actual[start..<otherEnd])) : []
        var (from, to) = (start, start)
        for match in matches {
            addGap(from..<start + match.0, to..<start + match.1)
            steps.append(.same(start + match.0, start + match.1))
            (from, to) = (start + match.0 + 1, start + match.1 + 1)
        }
        addGap(from..<end, to..<otherEnd)
        for index in 0..<expected.count - end { steps.append(.same(end + index, otherEnd + index)) }
    }

    /// Rows without a match: pairs of them are changed, the rest is missing or surplus.
    private mutating func addGap(_ expected: Range<Int>, _ actual: Range<Int>) {
        let pairs = min(expected.count, actual.count)
        for offset in 0..<pairs {
            steps.append(.changed(expected.lowerBound + offset, actual.lowerBound + offset))
        }
        steps += expected.dropFirst(pairs).map { .missing($0) }
        steps += actual.dropFirst(pairs).map { .surplus($0) }
    }

    /// The longest common subsequence, as pairs of places.
    private static func matches(_ first: [[String?]], _ second: [[String?]]) -> [(Int, Int)] {
        guard !first.isEmpty, !second.isEmpty else { return [] }
        // Rows become numbers, so that each pair is compared fast.
        var numbers: [[String?]: Int32] = [:]
        func number(_ row: [String?]) -> Int32 {
            if let known = numbers[row] { return known }
            numbers[row] = Int32(numbers.count)
            return Int32(numbers.count - 1)
        }
        let (one, other) = (first.map(number), second.map(number))
        let width = other.count + 1
        var lengths = [Int32](repeating: 0, count: (one.count + 1) * width)
        for row in one.indices.reversed() {
            for column in other.indices.reversed() {
                lengths[row * width + column] =
                    one[row] == other[column]
                    ? lengths[(row + 1) * width + column + 1] + 1
                    : max(lengths[(row + 1) * width + column], lengths[row * width + column + 1])
            }
        }
        var pairs: [(Int, Int)] = []
        var (row, column) = (0, 0)
        while row < one.count, column < other.count {
            if one[row] == other[column] {
                pairs.append((row, column))
                (row, column) = (row + 1, column + 1)
            } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
                row += 1
            } else {
                column += 1
            }
        }
        return pairs
    }
}

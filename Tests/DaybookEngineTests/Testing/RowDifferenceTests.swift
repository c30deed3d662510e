import Testing

@testable import DaybookContracts
@testable import DaybookJobTools

/// How rows that differ are held against each other.
@Suite struct RowDifferenceTests {
    private func steps(_ expected: [[String?]], _ actual: [[String?]]) -> String {
        RowDifference(from: expected, to: actual).steps.map { step in
            switch step {
            case .same(let row, let other): "=\(row)\(other)"
            case .changed(let row, let other): "~\(row)\(other)"
            case .missing(let row): "-\(row)"
            case .surplus(let row): "+\(row)"
            }
        }.joined(separator: " ")
    }

    @Test func rowsFindTheirMatches() {
        let (a, b, c): ([String?], [String?], [String?]) = (["1", "a"], ["2", "b"], ["3", nil])
        #expect(steps([], []) == "")
        #expect(steps([a, b], [a, b]) == "=00 =11")
        #expect(steps([a, b], [b]) == "-0 =10")
        #expect(steps([b], [a, b, c]) == "+0 =01 +2")
        #expect(steps([a, b, c], [a, ["2", "x"], c]) == "=00 ~11 =22")
        // The row with the same id is the one that is meant, wherever it stands.
        #expect(steps([["9", "z"], b], [["2", "x"], c]) == "-0 ~10 +1")
        #expect(steps([a], [c]) == "~00")
    }

    @Test func everyRowStandsOnceAndInOrder() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<500 {
            func rows() -> [[String?]] {
                (0..<Int.random(in: 0..<9, using: &random)).map { _ in
                    [String(Int.random(in: 0..<4, using: &random)), Bool.random(using: &random) ? nil : "x"]
                }
            }
            let (expected, actual) = (rows(), rows())
            let difference = RowDifference(from: expected, to: actual)
            var (seen, other): ([Int], [Int]) = ([], [])
            for step in difference.steps {
                switch step {
                case .same(let row, let column), .changed(let row, let column):
                    seen.append(row)
                    other.append(column)
                case .missing(let row): seen.append(row)
                case .surplus(let row): other.append(row)
                }
                if case .same(let row, let column) = step { #expect(expected[row] == actual[column]) }
                if case .changed(let row, let column) = step { #expect(expected[row] != actual[column]) }
            }
            #expect(seen == Array(expected.indices))
            #expect(other == Array(actual.indices))
            #expect(difference.isEmpty == (expected == actual))
        }
    }

    @Test func manyRowsAreMatchedByTheirPlaces() {
        let expected = (0..<60_000).map { [String?("a\($0)")] }
        let actual = (0..<60_000).map { [String?("b\($0)")] }
        #expect(RowDifference(from: expected, to: actual).count == 60_000)
    }
}

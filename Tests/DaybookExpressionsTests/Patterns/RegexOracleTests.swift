import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookExpressions
@testable import DaybookValues

/// Random patterns and texts, judged by a matcher that only lists places, by Foundation, and by the automaton without a table.
@Suite struct RegexOracleTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `every way of matching gives the same answer`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var found = 0
        var asked = 0
        for _ in 0..<TestSize.rounds(80, of: 300) {
            let sample = PatternSample.random(depth: 4, using: &random)
            guard !sample.written.isEmpty, sample.written.utf8.count < 200 else { continue }
            let expression = try RegularExpression(sample.written)
            let automaton = expression.automaton
            let foundation = try NSRegularExpression(pattern: sample.written)
            for _ in 0..<12 {
                let text = (0..<Int.random(in: 0...7, using: &random)).map { _ in
                    PatternSample.alphabet.randomElement(using: &random)!
                }
                var string = ""
                string.unicodeScalars.append(contentsOf: text)
                let expected = sample.isFound(in: text)
                let range = NSRange(location: 0, length: string.utf16.count)
                let reason = "'\(sample.written)' in '\(string)', \(random)"
                #expect(expression.matches(string) == expected, "table: \(reason)")
                let followed = Array(string.utf8).withUnsafeBufferPointer {
                    RegexSimulation.run(automaton, on: $0).matches
                }
                #expect(followed == expected, "states: \(reason)")
                #expect((foundation.firstMatch(in: string, range: range) != nil) == expected, "Foundation: \(reason)")
                found += expected ? 1 : 0
                asked += 1
            }
        }
        // Neither answer is rare, or the comparison would show nothing.
        #expect(found > asked / 10 && found < asked * 9 / 10, "\(found) of \(asked)")
    }

    @Test func `properties are those of Foundation`() throws {
        for name in [
            "L", "Lu", "Nd", "P", "Sc", "Mn", "Zs", "Hangul", "Han", "Latin", "Greek", "Cyrillic", "Alphabetic",
        ] {
            try comparePerScalar(#"\p{\#(name)}"#, allowed: 40)
        }
        for pattern in [#"\w"#, #"\s"#, #"\W"#, "(?i)[k-s]", "(?i)σ", "(?i)[à-þ]"] {
            try comparePerScalar(pattern, allowed: 40)
        }
    }

    @Test func `sets made by blocks are right for every scalar`() {
        let digits = ScalarSet.property(named: "Nd")
        let others = ScalarSet.property(named: "Cn")
        let alphabetic = ScalarSet.property(named: "Alphabetic")
        var wrong: [String] = []
        for value in 0...ScalarSet.last {
            guard let properties = Unicode.Scalar(value)?.properties else { continue }
            let isWord =
                switch properties.generalCategory {
                case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: true
                default: properties.isAlphabetic || value == 0x200C || value == 0x200D
                }
            let isRight =
                ScalarSet.word.contains(value) == isWord
                && ScalarSet.whiteSpace.contains(value) == properties.isWhitespace
                && digits?.contains(value) == (properties.generalCategory == .decimalNumber)
                && others?.contains(value) == (properties.generalCategory == .unassigned)
                && alphabetic?.contains(value) == properties.isAlphabetic
            if !isRight { wrong.append(String(value, radix: 16)) }
        }
        #expect(wrong == [])
    }

    /// Compares on every scalar of the plane that text is mostly of. Two versions of Unicode may differ by what was added
    /// between them, in `allowed` per thousand of what is in the set.
    private func comparePerScalar(_ pattern: String, allowed: Int) throws {
        let expression = try RegularExpression("^\(pattern)$")
        let foundation = try NSRegularExpression(pattern: "^\(pattern)\\z")
        var members = 0
        var others: [String] = []
        for value in (UInt32(0x20)...0x33FF) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let expected = foundation.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
            members += expected ? 1 : 0
            if expression.matches(text) != expected { others.append(String(value, radix: 16)) }
        }
        #expect(others.count * 1_000 <= members * allowed, "\(pattern): \(members) expected, other: \(others)")
    }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookExpressions
@testable import DaybookValues

/// Patterns and cells that were made to take long. Steps are counted, never timed.
@Suite struct RegexHostileTests {
    /// Patterns that make a backtracking matcher take time that doubles with each letter.
    static let classics = [
        "(a+)+$", "(a|aa)*b", "(a|a)*$", "^(a*)*b", "(?:a?){30}a{30}$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(.*)*(.*)*(.*)*b", "(a*a*a*a*a*)*b", #"^(\w+\s?)*$"#, "((a{0,20}){0,20})*b",
    ]

    @Test(arguments: classics) func `steps grow with the cell and not faster`(_ pattern: String) throws {
        let automaton = try RegexAutomaton(RegexParser.tree(of: pattern))
        func steps(_ length: Int) -> Int {
            let text = String(repeating: "a", count: length) + "!"
            return Array(text.utf8).withUnsafeBufferPointer { RegexSimulation.run(automaton, on: $0).steps }
        }
        // Each place visits a state at most twice: once when it is reached, once when a scalar is taken from it.
        for length in [10, 100, 1_000] { #expect(steps(length) <= 2 * automaton.states.count * (length + 2)) }
        #expect(try RegularExpression(pattern).hasTable)
    }

    @Test func `a pattern whose table would be too large is followed state by state`() throws {
        // Which of the last fifteen letters were an a: 32,768 states of a deterministic automaton.
        let expression = try RegularExpression("[ab]*a[ab]{14}$")
        #expect(!expression.hasTable)
        #expect(expression.matches("bbbb" + "a" + String(repeating: "b", count: 14)))
        #expect(!expression.matches("bbbb" + "b" + String(repeating: "b", count: 14)))
        let counted = try RegularExpression("^(x{1,10}){1,10}y?[ab]*a[ab]{14}$")
        #expect(!counted.hasTable)
        let tail = "a" + String(repeating: "b", count: 14)
        #expect(counted.matches(String(repeating: "x", count: 100) + tail))
        #expect(!counted.matches(String(repeating: "x", count: 101) + tail))
        #expect(throws: DaybookError.self) { _ = try RegularExpression("(x{1,100}){1,100}") }
    }

    @Test(arguments: [
        (".{1000}.{1000}.{1000}.{1000}x", "4,002"), ("^(x{1,40}){1,40}$", "3,202"), ("[ab]*a[ab]{300}", "304"),
    ])
    func `a pattern that is too long to be followed is refused`(_ pattern: String, steps: String) throws {
        let error = try #require(throws: DaybookError.self) { _ = try RegularExpression(pattern) }
        #expect(
            error.message
                == "the pattern may take up to \(steps) steps for each character of a cell, and 250 are the most "
                + "(character 1 of '\(pattern)')"
        )
        #expect(error.hint?.hasPrefix("a counted repetition stands for as many copies") == true)
    }

    @Test func `a pattern that is followed state by state is told before a cell costs its time`() throws {
        #expect(try RegularExpression("[ab]*a[ab]{100}").warning?.code == "costly-pattern")
        #expect(try ExpressionText("f and not matches(t, '[ab]*a[ab]{100}')").warning?.code == "costly-pattern")
        #expect(try ExpressionText("matches(t, '[ab]{100}')").warning == nil)
        // Few states, and a table, are no news.
        #expect(try RegularExpression("[ab]*a[ab]{14}$").warning == nil)
        #expect(try RegularExpression("^[0-9]{1,1000}$").warning == nil)
    }

    @Test func `what a pattern can make of memory is bounded`() throws {
        let letters = (0..<400).map { String(Unicode.Scalar(0xAC00 + UInt32($0 * 3))!) }
        // Each letter is a class of its own, and a few too many are refused.
        #expect(try RegularExpression(letters.joined()).matches(letters.joined()))
        let more = (0..<9_000).map { String(Unicode.Scalar(0xAC00 + UInt32($0))!) }.joined()
        let error = try #require(throws: DaybookError.self) { _ = try RegularExpression(more) }
        #expect(error.message.hasPrefix("the pattern tells more than 4096 classes of characters apart"))
        let negated = (0..<200).map { "[^\(Unicode.Scalar(0xAC00 + UInt32($0 * 2))!)]" }.joined()
        #expect(try RegularExpression(negated).matches(String(repeating: "a", count: 200)))
    }

    @Test(arguments: [11, 12] as [UInt64]) func `mutated patterns and cells never crash or hang`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let seeds = RegularExpressionTests.claims.map { Array($0.pattern.unicodeScalars) }
        let signs = Array(#"()[]{}|*+?.^$\-,:<>=!&dDwWsSbBpPxuimk019aA가해😀"#.unicodeScalars)
        let cells = (0..<20).map { _ in (0..<Int.random(in: 0...24, using: &random)).map { _ in randomByte(&random) } }
        var compiled = 0
        let rounds = TestSize.rounds(1_200, of: 5_000)
        for _ in 0..<rounds {
            var pattern = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...pattern.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: pattern.insert(signs.randomElement(using: &random)!, at: place)
                case 1 where place < pattern.count: pattern.remove(at: place)
                case 2 where place < pattern.count: pattern[place] = signs.randomElement(using: &random)!
                default: pattern += seeds[Int.random(in: 0..<seeds.count, using: &random)].prefix(6)
                }
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: pattern)
            do {
                let expression = try RegularExpression(text)
                compiled += 1
                for cell in cells.prefix(4) { _ = cell.withUnsafeBufferPointer { expression.matches($0) } }
            } catch {
                #expect(
                    error.code == "bad-pattern" && error.message.contains("(character "),
                    "\(text): \(error.message)"
                )
            }
        }
        #expect(compiled > rounds / 5 && compiled < rounds * 98 / 100, "\(compiled) of \(rounds) compiled, \(random)")
    }

    @Test func `any bytes give the same answer with a table and without`() throws {
        var random = SeededGenerator(seed: 5)
        for pattern in [#"^[^a]+$"#, #"\b가"#, "(?i)é.?$", #"^\W*\w"#, "(?s).{3}"] {
            let expression = try RegularExpression(pattern)
            try columnsAreAlike(expression, &random)
            for _ in 0..<400 {
                let bytes = (0..<Int.random(in: 0...9, using: &random)).map { _ in randomByte(&random) }
                bytes.withUnsafeBufferPointer { cell in
                    #expect(
                        expression.matches(cell) == RegexSimulation.run(expression.automaton, on: cell).matches,
                        "\(pattern) in \(bytes)"
                    )
                }
            }
        }
    }

    /// A column is matched as its cells are, of which some are missing and some have many bytes that are all ASCII.
    private func columnsAreAlike(_ expression: RegularExpression, _ random: inout SeededGenerator) throws {
        let letters = Array("aab 1_".utf8)
        for hasGaps in [false, true] {
            var column = TextColumnBuilder(rows: 300)
            var expected = Mask(count: 300)
            for row in 0..<300 {
                let isPlain = Bool.random(using: &random)
                let cell = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                    isPlain ? letters.randomElement(using: &random)! : randomByte(&random)
                }
                if hasGaps, row % 7 == 3 {
                    column.appendMissing()
                    continue
                }
                cell.withUnsafeBufferPointer { cell in
                    column.append(cell)
                    if !RegexSimulation.run(expression.automaton, on: cell).matches { expected.insert(row) }
                }
            }
            #expect(expression.misses(in: column.build()) == expected, "'\(expression.pattern)'")
        }
    }

    /// A byte that often goes well with its neighbours and often does not.
    private func randomByte(_ random: inout SeededGenerator) -> UInt8 {
        let common: [UInt8] = [
            0x61, 0x20, 0xEA, 0xB0, 0x80, 0xC3, 0xA9, 0xF0, 0x9F, 0x98, 0xED, 0xA0, 0xFF, 0xC0, 0x0A,
        ]
        return Int.random(in: 0..<4, using: &random) == 0
            ? UInt8.random(in: 0...255, using: &random) : common.randomElement(using: &random)!
    }
}

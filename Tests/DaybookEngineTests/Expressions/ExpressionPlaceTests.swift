import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookExpressions

/// A mistake in an expression is told at its own line and column, however YAML writes the scalar.
@Suite struct ExpressionPlaceTests {
    @Test(
        "the place of a mistyped column inside a scalar",
        arguments: [
            "where: cuont > 3", "where: n > 3 and cuont > 3", "where: 날짜 > 1 and cuont > 3", "where: 'cuont > 3'",
            "where: \"n = 1 or cuont > 3\"", "where: 't = ''it''''s'' and cuont > 3'",
            #"where: "t = '\u00e9\t\\x' and cuont > 3""#, #"where: "t = \"t\" and cuont > 3""#,
            "where: n > 3 and\n  cuont > 3", "where: n > 3\n\n    and   cuont > 3", "where: 'n > 3\n    and cuont > 3'",
            "where: \"n > 3\n    and \\\n    cuont > 3\"", "where: |\n  n > 3 and\n    cuont > 3\n",
            "where: >\n  n > 3\n  and cuont > 3\n", "where: >-\n    n > 3 and\n\n    cuont > 3\n\n",
            "where: |2-\n    n > 3 and\n  cuont > 3\n",
            "where: >  # a comment\n  n > 1 and\n   t = 'x' and\n  cuont > 3\n",
            "a: &x \"n > 3 and cuont > 3\"\nwhere: *x", "where: &x n > 3 and cuont > 3",
            "where: |\r\n  n > 3 and\r\n  t = '행복' and cuont > 3\r\n", "{where: 'n > 3 and cuont > 3'}",
        ]
    )
    func place(_ yaml: String) throws {
        let reading = YAMLReader().read(Array(yaml.utf8), file: "job.yaml")
        try #require(reading.problems.isEmpty)
        let node = try #require(reading.root?.map?.first { $0.key == "where" }?.value)
        let schema = Schema([Field("n", .integer), Field("t", .text), Field("날짜", .integer)])
        let context = ExampleRunner.context
        let error = try #require(throws: DaybookError.self) {
            try ExpressionText(reading: node).condition(against: schema, context: context)
        }
        #expect(error.message == "no column named 'cuont'")
        let before = try #require(yaml.range(of: "cuont")).lowerBound
        let lines = yaml[..<before].split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let column = (lines.last?.unicodeScalars.count ?? 0) + 1
        #expect(error.place == SourcePlace(file: "job.yaml", line: lines.count, column: column, length: 5))
    }

    @Test("every character of a scalar is found where it stands", arguments: [0, 1, 2, 3] as [UInt64])
    func everyCharacter(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var checked = 0
        for _ in 0..<300 {
            // Distinct letters, so that each is found in the source without a doubt.
            let letters = Array("abcdefghijklmnopqrstuvwxyz가나다라마바사".unicodeScalars).shuffled(using: &random)
            var body = ""
            for letter in letters.prefix(12) {
                body.unicodeScalars.append(letter)
                let gap = ["", "", " ", "  ", "\n  ", "\n\n  ", " \n   "].randomElement(using: &random)!
                body += gap
            }
            let style = ["plain", "'", "\"", "|", ">", "|-", ">+"].randomElement(using: &random)!
            let yaml =
                switch style {
                case "plain": "where: \(body)"
                case "'", "\"": "where: \(style)\(body)\(style)"
                default: "where: \(style)\n  \(body)\n"
                }
            let reading = YAMLReader().read(Array(yaml.utf8), file: "job.yaml")
            guard reading.problems.isEmpty, let node = reading.root?.map?.first?.value, let text = node.text else {
                continue
            }
            let lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.unicodeScalars) }
            checked += 1
            for (index, scalar) in text.unicodeScalars.enumerated() where !scalar.properties.isWhitespace {
                let place = node.place(ofText: index..<index + 1)
                #expect(lines[place.line - 1][place.column - 1] == scalar, "\(seed): \(yaml)")
            }
        }
        #expect(checked > 200)
    }

    @Test("a text that a param fills in is told as a whole")
    func substituted() throws {
        let node = OptionNode(
            .text("cuont > 3", quoted: false),
            at: SourcePlace(file: "job.yaml", line: 3, column: 9, length: 9),
            spots: .unknown
        )
        #expect(node.place(ofText: 3..<4) == node.place)
    }
}

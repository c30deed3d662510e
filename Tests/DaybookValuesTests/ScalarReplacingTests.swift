import DaybookContracts
import Testing

/// Escaping for other programs looks at scalars, where Swift sees one character.
@Suite struct ScalarReplacingTests {
    @Test(
        "a part is found whatever mark follows it",
        arguments: [
            ("a\"b", "a\"\"b"), ("\"\u{301}", "\"\"\u{301}"), ("\"\"", "\"\"\"\""), ("", ""), ("가\"나", "가\"\"나"),
        ]
    )
    func found(_ text: String, _ expected: String) {
        #expect(Array(text.replacingScalars("\"", with: "\"\"").utf8) == Array(expected.utf8))
    }

    @Test func severalScalarsAreFoundToo() {
        #expect(Array("${\u{301}HOME}".replacingScalars("${", with: "$${").utf8) == Array("$${\u{301}HOME}".utf8))
    }
}

import DaybookContracts
import Testing

@Suite struct PrintedPropertyListTests {
    @Test(
        "a list as 'defaults read' prints it is told from what is no list",
        arguments: [
            ("{\n    name = Alexa;\n}", true), ("{ \"a b\" = 1; }", true), ("(\n    1,\n    2\n)", true),
            ("( one )", true),
            ("(\n    {\n        a = 1;", true), ("()", true), ("(( 1, 2 ), ( 3 ))", true), ("", false), ("{", false),
            ("{ \"a\": 1 ", false), ("{ a: 1 }", false), ("({\"a\": 1})", false), ("(function() { return 1 })", false),
            ("a = 1", false), ("[1, 2", false),
        ]
    )
    func isLikely(_ text: String, _ expected: Bool) {
        #expect(PrintedPropertyList.isLikely(Array(text.utf8)) == expected)
    }
}

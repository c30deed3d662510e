import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

@Suite struct JobErrorRendererTests {
    private func render(
        _ text: String,
        line: Int,
        column: Int,
        length: Int = 1,
        hint: String? = nil,
        hasColour: Bool = false,
        secrets: [String] = []
    ) -> String {
        let place = SourcePlace(file: "a.yaml", line: line, column: column, length: length)
        return ErrorRenderer(
            source: SourceText(Array(text.utf8), file: "a.yaml"),
            style: TerminalStyle(hasColour: hasColour),
            mask: SecretMask(secrets)
        ).render(DaybookError("some-code", "what is wrong", at: place, hint: hint))
    }

    @Test func theFormOfTheHouse() {
        let text = String(repeating: "\n", count: 8) + "      days: dtae\n"
        let hint = "did you mean 'date'? The columns here are date, mood, colour"
        #expect(
            render(text, line: 9, column: 13, length: 4, hint: hint) == """
                a.yaml:9:13: error: what is wrong [some-code]
                    9 |       days: dtae
                      |             ^^^^
                  hint: did you mean 'date'? The columns here are date, mood, colour
                """
        )
    }

    @Test func wideCharactersAndTabsKeepTheCaretInItsColumn() {
        #expect(
            render("\t날짜: 오늘 # é e\u{301}x\n", line: 1, column: 6, length: 2).hasSuffix(
                "\n    1 | \t날짜: 오늘 # é e\u{301}x\n      | \t      ^^^^"
            )
        )
        #expect(render("é e\u{301}x", line: 1, column: 5).hasSuffix("\n      |    ^"))
    }

    @Test func longLinesAreCutAroundTheCaret() {
        let text = String(repeating: "a", count: 500) + "BAD" + String(repeating: "z", count: 500)
        let expected =
            "\n    1 | …" + String(repeating: "a", count: 50) + "BAD" + String(repeating: "z", count: 47) + "…"
            + "\n      | " + String(repeating: " ", count: 51) + "^^^"
        #expect(render(text, line: 1, column: 501, length: 3).hasSuffix(expected))
        #expect(render(text, line: 1, column: 1).contains("\n    1 | aaaa"))
        #expect(render(text, line: 1, column: 1_000, length: 50).hasSuffix("^^^^"))
    }

    @Test func aPlacePastTheEndOfItsLineIsMarkedThere() {
        #expect(render("a:\nb: c", line: 1, column: 3).hasSuffix("    1 | a:\n      |   ^"))
        #expect(render("", line: 1, column: 1).hasSuffix("    1 | \n      | ^"))
    }

    @Test func aPlaceElsewhereHasNoExcerpt() {
        #expect(render("a", line: 7, column: 1) == "a.yaml:7:1: error: what is wrong [some-code]")
        let renderer = ErrorRenderer(source: nil)
        #expect(renderer.render(DaybookError("c", "m", hint: "h")) == "error: m [c]\n  hint: h")
        let place = SourcePlace(file: "b.yaml", line: 1, column: 1)
        #expect(renderer.render(DaybookError("c", "m", at: place)) == "b.yaml:1:1: error: m [c]")
    }

    @Test func nothingSteersTheTerminal() {
        let text = render("a: \u{1B}[31m\u{202E}\u{7F}", line: 1, column: 4, hint: "\u{7}bell\nline")
        #expect(text.contains("    1 | a: ␛[31m\u{FFFD}␡\n"))
        #expect(text.hasSuffix("hint: ␇bell␊line"))
    }

    @Test func coloursOnlyWhenAskedFor() {
        #expect(!render("a: b", line: 1, column: 1, hint: "h").contains("\u{1B}"))
        #expect(
            render("a: b", line: 1, column: 1, hasColour: true).hasPrefix(
                "\u{1B}[1ma.yaml:1:1: \u{1B}[0m\u{1B}[1;31merror: \u{1B}[0m\u{1B}[1mwhat is wrong\u{1B}[0m [some-code]\n"
            )
        )
    }

    @Test func secretsStayHidden() {
        #expect(
            render("key: hunter2", line: 1, column: 6, hint: "not hunter2", secrets: ["hunter2"]).hasSuffix(
                "    1 | key: ••••\n      |      ^^^^\n  hint: not ••••"
            )
        )
    }

    /// What escapes a secret must not make it unknown.
    @Test(arguments: ["bell\u{7}bell", "a\ttab", "C1\u{85}C1", "quote\"s", "a/b~c", "back\\slash", "it's", "a\nb\nc"])
    func secretsStayHiddenHoweverTheyAreWritten(_ secret: String) {
        let text = render("key: x", line: 1, column: 6, hint: "not \(secret)!", secrets: [secret])
        #expect(text.hasSuffix("  hint: not ••••!"))
        let mask = SecretMask([secret])
        #expect(mask.masking(JSONDocument.text(of: [secret])) == JSONDocument.text(of: ["••••"]))
        let pointer = secret.replacing("~", with: "~0").replacing("/", with: "~1")
        #expect(mask.masking("/\(pointer)/0") == "/••••/0")
        let field = secret.replacing("\"", with: "\"\"")
        #expect(mask.masking("\"\(field)\"") == "\"••••\"")
    }

    @Test func aSecretThatIsCutOffStaysHidden() {
        let secret = String(repeating: "s", count: 500)
        let hint = String(repeating: "x", count: 300) + secret
        let text = render("key: x", line: 1, column: 6, hint: hint, secrets: [secret])
        #expect(!text.contains("ss"))
    }

    @Test func aSecretThatTheExcerptCutsStaysHidden() {
        let blank = String(repeating: "x", count: 96)
        let text = render("\(blank)hunter2\(blank)hunter2\(blank)", line: 1, column: 1, secrets: ["hunter2"])
        #expect(text.contains("x••••…") && !text.contains("hu"))
    }

    @Test func endlessMessagesAreCut() {
        let text = String(repeating: "x", count: 1_000_000)
        let rendered = ErrorRenderer(source: nil).render(DaybookError("c", text, hint: text))
        #expect(rendered.utf8.count < 1_500)
    }
}

import DaybookContracts
import DaybookExpressions
import Testing

@Suite struct RegexRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var pattern: String
        var character: Int
        var message: String
        var hint: String?
        var testDescription: String { pattern }

        init(_ pattern: String, _ character: Int, _ message: String, hint: String? = nil) {
            self.pattern = pattern
            self.character = character
            self.message = message
            self.hint = hint
        }
    }

    static let refusals = [
        Refusal("", 1, "the pattern is empty and would match every cell"),
        Refusal("a(b", 2, "the group is never closed", hint: #"write \( for the character itself"#),
        Refusal("ab)", 3, "no group is open that this could close", hint: #"write \) for the character itself"#),
        Refusal("a[bc", 2, "the class is never closed", hint: #"write \[ for the character itself"#),
        Refusal("[]a]", 1, "the class is empty", hint: #"write \] for the character itself"#),
        Refusal("[^]", 1, "the class is empty", hint: #"write \] for the character itself"#),
        Refusal("x[z-a]", 3, "the range runs backwards", hint: "write the smaller character first"),
        Refusal(#"[\d-z]"#, 2, "a range cannot begin with a class", hint: #"write \- for the character itself"#),
        Refusal(#"[a-\d]"#, 2, "a range cannot end with a class", hint: #"write \- for the character itself"#),
        Refusal(
            "[a-c-e]",
            5,
            "this '-' does not stand between two characters",
            hint: #"write \- for the character itself"#
        ),
        Refusal("[[:alpha:]]", 2, "names such as [:alpha:] are not supported", hint: #"write \p{L}, \d, \w or \s"#),
        Refusal("[a[b]]", 3, "a class inside a class is not supported", hint: #"write \[ for the character itself"#),
        Refusal("[a&&b]", 3, "the set operation '&&' is not supported"),
        Refusal(#"[\b]"#, 2, #"'\b' stands for a word boundary, which is no character"#, hint: #"write \x08"#),
        Refusal("*a", 1, "nothing stands before '*' that it could repeat", hint: #"write \* for the character itself"#),
        Refusal("a|+", 3, "nothing stands before '+' that it could repeat"),
        Refusal(
            "행{",
            2,
            "'{' does not begin a count such as {2} or {2,3}",
            hint: #"write \{ for the character itself"#
        ),
        Refusal("a{,3}", 2, "a count begins with a number", hint: "write {0,3} for at most 3"),
        Refusal("a{3,2}", 2, "the count's first number is larger than its second"),
        Refusal("a{1001}", 2, "a count can be 1,000 at most"),
        Refusal("a{99999999999999999999}", 2, "a count can be 1,000 at most"),
        Refusal("a**", 3, "a repetition is repeated"),
        Refusal("a{2}{3}", 5, "a repetition is repeated"),
        Refusal("^*", 1, "an anchor cannot be repeated", hint: "leave out the repetition"),
        Refusal("a++", 2, "possessive repetition is not supported"),
        Refusal(#"(a)\1"#, 4, #"the backreference '\1' is not supported"#),
        Refusal(#"\k<name>"#, 1, #"the backreference '\k' is not supported"#),
        Refusal("a(?=b)", 2, "look-ahead is not supported"),
        Refusal("a(?!b)", 2, "negative look-ahead is not supported"),
        Refusal("(?<=a)b", 1, "look-behind is not supported"),
        Refusal("(?<!a)b", 1, "negative look-behind is not supported"),
        Refusal("(?>a)", 1, "an atomic group is not supported"),
        Refusal("(?x)a", 3, "the flag x is not supported"),
        Refusal("(?)a", 1, "this kind of group is not supported"),
        Refusal("(?i", 1, "the group is never closed"),
        Refusal("(?<a", 1, "the name of the group does not end with '>'"),
        Refusal("(*FAIL)", 1, "verbs such as (*FAIL) are not supported"),
        Refusal(#"a\"#, 2, "the pattern ends with a backslash", hint: #"write \\ for the character itself"#),
        Refusal(#"a\y"#, 2, #"'\y' is not an escape"#),
        Refusal(#"\해"#, 1, #"'\해' is not an escape"#),
        Refusal(#"\xG"#, 1, #"'\x' needs 2 hex digits"#),
        Refusal(#"\x{}"#, 1, "braces need 1 to 8 hex digits and a '}'"),
        Refusal(#"\uD800"#, 1, "this number is not a Unicode scalar"),
        Refusal(#"\x{110000}"#, 1, "this number is not a Unicode scalar"),
        Refusal(#"a\Z"#, 2, #"'\Z' is not supported"#, hint: #"write $ or \z"#),
        Refusal(#"\p{Hangol}"#, 1, "'Hangol' is not a property that is known here", hint: "did you mean 'Hangul'?"),
        Refusal(#"\p{"#, 1, "the name of the property does not end with '}'"),
        Refusal("((a{100}){100}){100}", 1, "the pattern grows to more than 10,000 states here"),
        Refusal("((((){1000}){1000}){1000}){1000}", 3, "the pattern grows to more than 10,000 states here"),
        Refusal(String(repeating: "a", count: 10_001), 10_001, "the pattern has more than 10,000 characters"),
        Refusal(String(repeating: "(", count: 5_000), 101, "more than 100 groups stand in one another here"),
    ]

    @Test(arguments: refusals) func `what is not supported is refused at its character`(_ refusal: Refusal) throws {
        let error = try #require(throws: DaybookError.self) { _ = try RegularExpression(refusal.pattern) }
        #expect(error.code == "bad-pattern")
        #expect(error.message.hasPrefix(refusal.message + " (character \(refusal.character) of '"), "\(error.message)")
        if let hint = refusal.hint { #expect(error.hint?.hasPrefix(hint) == true, "\(error.hint ?? "no hint")") }
    }

    @Test func `the place is inside the scalar of the job file`() throws {
        func refused(_ text: String, length: Int) -> SourcePlace? {
            let place = SourcePlace(file: "job.yaml", line: 3, column: 20, length: length)
            let node = OptionNode(.text(text, quoted: length != text.unicodeScalars.count), at: place)
            do {
                _ = try RegularExpression(reading: node)
                return nil
            } catch {
                return error.place
            }
        }
        // Plain, in quotes, and with an escape of YAML in it, after which nobody knows.
        #expect(refused("행a(?=b)", length: 7) == SourcePlace(file: "job.yaml", line: 3, column: 22, length: 3))
        #expect(refused("행a(?=b)", length: 9) == SourcePlace(file: "job.yaml", line: 3, column: 23, length: 3))
        #expect(refused("행a(?=b)", length: 10) == SourcePlace(file: "job.yaml", line: 3, column: 20, length: 10))
    }

    @Test func `a list is not a pattern`() throws {
        let node = OptionNode(.list([]), at: SourcePlace(file: "job.yaml", line: 1, column: 1))
        let error = try #require(throws: DaybookError.self) { _ = try RegularExpression(reading: node) }
        #expect(error.message == "expected a regular expression, found a list")
    }
}

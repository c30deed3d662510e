import Testing

@testable import DaybookContracts

@Suite struct JobYAMLReaderTests {
    @Test(
        "what YAML 1.1 would turn into something else stays text",
        arguments: [
            "no", "yes", "on", "012", "0x1F", "12:30", "2026-11-21", "1e3", ".inf", "1_000", "NULL", "=", "007",
        ]
    )
    func surprises(text: String) {
        #expect(flat(yaml("a: \(text)\n").root) == "{a: \(text)}")
    }

    @Test func onlyPlainNullTildeAndEmptyAreNothing() {
        #expect(flat(yaml("[null, ~, 'null', \"~\", nullable]").root) == "[∅, ∅, 'null', '~', nullable]")
        #expect(flat(yaml("a:\nb: ''\nc:\n  -\n  - x").root) == "{a: ∅, b: '', c: [∅, x]}")
        #expect(flat(yaml("null: a\n~: b").root) == "{null: a, ~: b}")
    }

    @Test func everyStyleButPlainIsQuoted() {
        let text = "a: plain text\nb: 'single'\nc: \"double\\t\"\nd: |\n  line\ne: >-\n  fold\n  ed\n"
        #expect(flat(yaml(text).root) == "{a: plain text, b: 'single', c: 'double\t', d: 'line\n', e: 'fold ed'}")
    }

    @Test func placesCountCharactersFromOne() throws {
        let root = try #require(yaml("# 주석\n'감정': 기쁨\nlist:\n  - { 키: \"값\", é: x }\n").root)
        let entries = try #require(root.map)
        #expect(entries[0].keyPlace == SourcePlace(file: "job.yaml", line: 2, column: 1, length: 4))
        #expect(entries[0].value.place == SourcePlace(file: "job.yaml", line: 2, column: 7, length: 2))
        let inner = try #require(entries[1].value.list?[0].map)
        #expect(inner[0].keyPlace == SourcePlace(file: "job.yaml", line: 4, column: 7, length: 1))
        #expect(inner[0].value.place == SourcePlace(file: "job.yaml", line: 4, column: 10, length: 3))
        #expect(inner[1].value.place == SourcePlace(file: "job.yaml", line: 4, column: 18, length: 1))
    }

    @Test("byte-order mark and line ends do not move a place", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(lineEnd: String) throws {
        let reading = yaml("\u{FEFF}a: 1\(lineEnd)b: 2\(lineEnd)")
        let entries = try #require(reading.root?.map)
        #expect(flat(reading.root) == "{a: 1, b: 2}")
        #expect(entries[0].keyPlace == SourcePlace(file: "job.yaml", line: 1, column: 1))
        #expect(entries[1].value.place == SourcePlace(file: "job.yaml", line: 2, column: 4))
    }

    @Test func aliasesRepeatWhatTheirAnchorHolds() throws {
        let root = try #require(yaml("a: &x\n  k: [1, 2]\nb: *x\nc: &t text\nd: *t\n").root)
        #expect(flat(root) == "{a: {k: [1, 2]}, b: {k: [1, 2]}, c: text, d: text}")
        #expect(root.map?[2].value.place == SourcePlace(file: "job.yaml", line: 4, column: 7, length: 4))
    }

    @Test(
        "what a job file cannot hold is named",
        arguments: [
            ("a: *b", "there is no anchor '&b' above '*b' [unknown-alias]"),
            ("a: &x [*x]", "'*x' stands inside what it names [unknown-alias]"),
            ("a: !!int 5", "the tag '!!int' is not read [tag]"),
            ("a: !mine [1]", "the tag '!mine' is not read [tag]"),
            ("<<: { a: 1 }", "the merge key '<<' is not read [merge-key]"),
            ("? [a]\n: b", "expected a text as the key, found a list [wrong-key]"),
            ("{ { a: 1 }: b }", "expected a text as the key, found a map [wrong-key]"),
            ("a: &k 1\n*k : 2", "expected a text as the key, found an alias [wrong-key]"),
            ("?\n: b", "a key is missing before ':' [missing-key]"),
            ("a: 1\n---\nb: 2", "a second document begins here, and a job file holds one [several-documents]"),
        ]
    )
    func refused(text: String, message: String) {
        #expect(yamlProblems(text).contains("error: \(message)"), "\(yamlProblems(text))")
    }

    @Test func severalProblemsAreReportedAtOnce() {
        #expect(
            yamlProblems("a: 1\nb: !x 2\na: 3\n") == """
                job.yaml:2:4: error: the tag '!x' is not read [tag]
                    2 | b: !x 2
                      |    ^^
                  hint: a value has the type that its option asks for; a text that begins with ! needs quotes
                job.yaml:3:1: error: the key 'a' stands here a second time [duplicate-key]
                    3 | a: 3
                      | ^
                  hint: the first is in line 1, column 1
                """
        )
    }

    @Test(
        "a colour that YAML takes for a comment",
        arguments: [
            ("a: #EC007F", "1:4 #EC007F"),
            ("a:   #fff  # pink", "1:6 #fff"),
            ("a: #ec007f is pink", "1:4 #ec007f"),
            ("a:\n  - #ec007f80\n  - b", "2:5 #ec007f80"),
            ("a: [#EC007F, #FFFFFF]\nb: c", "1:5 #EC007F"),
            ("a: [red, #abc]", "1:10 #abc"),
            ("a: { b: c, d: #EC007F }", "1:15 #EC007F"),
            ("a: { d: #abc\n}", "1:9 #abc"),
            ("a: [\n  #EC007F,\n  #ABCDEF\n]", "2:3 #EC007F; 3:3 #ABCDEF"),
        ]
    )
    func unquotedColour(text: String, colours: String) {
        let problems = yaml(text).problems
        let found = problems.map { problem in
            let colour = problem.message.split(separator: "'")[1]
            return "\(problem.place?.line ?? 0):\(problem.place?.column ?? 0) \(colour)"
        }
        #expect(problems.allSatisfy { $0.code == "unquoted-colour" })
        #expect(found.joined(separator: "; ") == colours)
    }

    @Test func theMessageOfAnUnquotedColour() {
        #expect(
            yamlProblems("replacement: #EC007F\n") == """
                job.yaml:1:14: error: an unquoted # starts a comment, so '#EC007F' is not read [unquoted-colour]
                    1 | replacement: #EC007F
                      |              ^^^^^^^
                  hint: write "#EC007F" in quotes
                """
        )
    }

    @Test(
        "a comment that is no colour is a comment",
        arguments: [
            "a: b #EC007F", "a: #add a thing", "a: # EC007F", "a: #12", "a: #123456789", "a: #EC007Fx",
            "a: [b, #add these\n c]", "a: [b, # 123456\n c]", "a: \"#EC007F\"", "a: '#EC007F'", "a: b#EC007F",
            "a: #EC007F\n  b: c",
        ]
    )
    func comment(text: String) {
        #expect(yamlProblems(text) == "")
    }
}

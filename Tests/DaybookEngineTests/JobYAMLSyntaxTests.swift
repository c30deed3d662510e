import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookReports

@Suite struct JobYAMLSyntaxTests {
    @Test(
        "libyaml's complaints are said in our words, where the mistake is",
        arguments: [
            ("a: b: c", "1:5 a ':' cannot stand here"),
            ("a: \"x\nb: c\n", "1:4 the quote that opens here is never closed"),
            ("a: 'x\n", "1:4 the quote that opens here is never closed"),
            ("a: [1, 2\nb: 3\n", "1:4 the '[' that opens here is not closed"),
            ("a: {x: 1\nb: 2\n", "1:4 the '{' that opens here is not closed"),
            ("a: @x", "1:4 a value cannot begin with '@'"),
            ("a: %x", "1:4 a value cannot begin with '%'"),
            ("a: `x`", "1:4 a value cannot begin with '`'"),
            ("a:\n\t- x\n", "2:1 a tab stands where a space has to"),
            ("a: 1\nplain\n", "2:1 expected ':' after this key"),
            ("a:\n  x: 1\n y: 2\n", "3:2 expected a key here"),
            ("a: 'x'y\n", "1:7 expected the end of the line here"),
            ("- a\nb: c\n", "2:1 expected '- ' here, as before the other entries of the list"),
            ("a: - b\n", "1:4 a '- ' cannot stand here"),
            ("a: }\n", "1:4 expected a value here"),
            ("a: \"C:\\data\"\n", "1:7 this is no escape in double quotes"),
            ("a: *.csv\n", "1:5 expected a name of letters and digits after '&' or '*'"),
            ("a: |x\n  y", "1:5 only a comment can stand behind '|' or '>' on this line"),
            ("a: { path: ${diary} }\n", "1:12 inside { } or [ ] a value with ${…} needs quotes"),
            ("%FOO\na: 1\n", "1:5 a line that begins with % is not read"),
            ("- import_csv: { path: a.csv delimiter: \";\" }\n", "1:29 a comma is missing before 'delimiter'"),
            ("- a: { path: \"a.csv\" delimiter: \";\" }\n", "1:22 a comma is missing before 'delimiter'"),
            ("- a: { path: a.csv\n       delimiter: \";\" }\n", "2:8 a comma is missing before 'delimiter'"),
            ("- a: { x: [1] y: [2] }\n", "1:15 a comma is missing before 'y'"),
            ("- a: { x: { z: 1 } y: 2 }\n", "1:20 a comma is missing before 'y'"),
            ("- a: [\"x\" \"가 나\"]\n", "1:11 a comma is missing before '\"가'"),
            ("- a: [{ x: 1 } { x: 2 }]\n", "1:16 a comma is missing before '{'"),
            ("- a: { path: 'it's' }\n", "1:18 a value cannot go on with 's''"),
            ("- a: { path: a[1].csv }\n", "1:15 a value cannot go on with '[1].csv'"),
            ("- a: { where: \"a\" = \"b\" }\n", "1:19 a value cannot go on with '='"),
            ("- a: [\"x\" = \"y\"]\n", "1:11 a value cannot go on with '='"),
            ("- a: { x: \"a\" \"y\": 1 }\n", "1:15 a comma is missing before '\"y\"'"),
            ("- a: { note: x: y }\n", "1:15 a ':' cannot stand here"),
            ("- a: { x: 1]\n", "1:6 the '{' that opens here is not closed"),
            ("- a: { x: 1\n- b: 2\n", "1:6 the '{' that opens here is not closed"),
        ]
    )
    func reworded(text: String, message: String) {
        let problems = yaml(text).problems.map { "\($0.place?.line ?? 0):\($0.place?.column ?? 0) \($0.message)" }
        #expect(problems == [message])
    }

    @Test func aParamInAFlowMapIsShownInQuotes() {
        #expect(
            yamlProblems("- import_csv: { path: ${diary} }\n") == """
                job.yaml:1:23: error: inside { } or [ ] a value with ${…} needs quotes [yaml-syntax]
                    1 | - import_csv: { path: ${diary} }
                      |                       ^^^^^^^^
                  hint: write "${diary}"
                """
        )
    }

    @Test func aMissingCommaIsShownBeforeTheNextKey() {
        #expect(
            yamlProblems("- import_csv: { path: a.csv delimiter: \";\" }\n") == """
                job.yaml:1:29: error: a comma is missing before 'delimiter' [yaml-syntax]
                    1 | - import_csv: { path: a.csv delimiter: ";" }
                      |                             ^^^^^^^^^
                  hint: inside { } a comma and a blank separate entries
                """
        )
    }

    @Test func textThatIsNotUTF8IsRefusedWhereItStands() {
        let bytes = Array("a: 가\nb: 나".utf8) + [0xB0, 0xA1] + Array("\n".utf8)
        let reading = YAMLReader().read(bytes, file: "job.yaml")
        #expect(
            ErrorRenderer(source: reading.source).render(reading.problems) == """
                job.yaml:2:5: error: the file is not UTF-8 (byte 0xB0) [bad-encoding]
                    2 | b: 나\u{FFFD}\u{FFFD}
                      |      ^
                  hint: save it as UTF-8
                """
        )
    }

    @Test("the byte is the first of a broken character", arguments: [[0xE9, 0x20], [0xFF], [0xE2, 0x82, 0x22]])
    func theFirstByteThatIsNotUTF8IsNamed(_ broken: [UInt8]) {
        let reading = YAMLReader().read(Array("a: 1\n# ab".utf8) + broken + Array("\nb: 2\n".utf8), file: "job.yaml")
        #expect(reading.problems.map(\.place?.column) == [5])
        let byte = String(broken[0], radix: 16, uppercase: true)
        #expect(reading.problems.map(\.message) == ["the file is not UTF-8 (byte 0x\(byte))"])
    }

    @Test func utf16IsNamed() {
        var bytes: [UInt8] = [0xFF, 0xFE]
        for byte in "a: 1".utf8 { bytes += [byte, 0] }
        let problems = YAMLReader().read(bytes, file: "job.yaml").problems
        #expect(problems.map(\.message) == ["the file is in UTF-16, and a job file is UTF-8"])
    }

    @Test func controlCharactersAreRefusedAndShownBySymbols() {
        #expect(
            yamlProblems("a: b\nc: \"d\u{0}e\"\n") == """
                job.yaml:2:6: error: a NUL character stands in the file [control-character]
                    2 | c: "d␀e"
                      |      ^
                  hint: a job file is text in UTF-8; in "double quotes" write such a character as \\x..
                """
        )
        #expect(yaml("a: \u{1B}[31m").problems.map(\.message) == ["a control character stands in the file (byte 0x1B)"])
    }
}

import Testing

@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// What each form of report makes of characters that mean something to it.
@Suite struct ReportEscapeTests {
    @Test(
        arguments: [
            ("100%", "100%25", "100%25"), ("a\nb", "a%0Ab", "a%0Ab"), ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"),
            ("a\rb", "a%0Db", "a%0Db"), ("a:b,c", "a:b,c", "a%3Ab%2Cc"), ("%0A", "%250A", "%250A"), ("감정", "감정", "감정"),
            ("::error::x", "::error::x", "%3A%3Aerror%3A%3Ax"), ("", "", ""),
        ]
    )
    func workflowCommandsAreEscapedAsTheRunnerReadsThem(_ text: String, _ message: String, _ property: String) {
        #expect(WorkflowCommand.escaped(message: text) == message)
        #expect(WorkflowCommand.escaped(property: text) == property)
    }

    @Test(
        arguments: [
            ("<b> & \"c\" ]]>", "&lt;b&gt; &amp; &quot;c&quot; ]]&gt;"), ("a\0\u{1B}[0m\u{7F}", "a␀␛[0m␡"),
            ("\u{85}\u{202E}", "\u{FFFD}\u{FFFD}"),
            ("감정 😀", "감정 😀"),
        ]
    )
    func xmlHoldsNothingThatItForbids(_ text: String, _ escaped: String) {
        #expect(XMLElement.escaped(text) == escaped)
        #expect(XMLElement.escaped(text, isAttribute: true) == escaped)
    }

    @Test(arguments: [0xFFFE, 0xFFFF, 0x1FFFF, 0xFDD0, 0xFDEF] as [UInt32])
    func noncharactersAreNotPassedOn(_ value: UInt32) {
        #expect(XMLElement.escaped(Unicode.Scalar(value).map { String(Character($0)) } ?? "") == "\u{FFFD}")
    }

    @Test func lineEndsOfXMLAreOneKind() {
        #expect(XMLElement.escaped("a\r\nb\rc\nd\te") == "a\nb\nc\nd\te")
        #expect(XMLElement.escaped("a\r\nb\rc\nd\te", isAttribute: true) == "a&#10;b&#10;c&#10;d&#9;e")
    }

    @Test(
        arguments: [
            ("a|b", "a&#124;b"), ("`x` *y* _z_", "&#96;x&#96; &#42;y&#42; &#95;z&#95;"), ("@me #1", "&#64;me &#35;1"),
            ("<img src=x>", "&#60;img src&#61;x&#62;"), ("a\nb", "a␊b"), ("[a](b)", "&#91;a&#93;&#40;b&#41;"),
            ("https://a", "https&#58;//a"), ("www.a.b", "www&#46;a.b"), ("&amp;", "&#38;amp;"), ("감정", "감정"),
        ]
    )
    func markdownIsNoMarkup(_ text: String, _ escaped: String) { #expect(MarkdownText.escaped(text) == escaped) }

    @Test(
        arguments: [
            ("a b/c.csv", "a%20b/c.csv"), ("감.csv", "%EA%B0%90.csv"), ("100%:,.csv", "100%25%3A%2C.csv"),
            ("/tmp/a b", "file:///tmp/a%20b"), ("a#b?c", "a%23b%3Fc"),
        ]
    )
    func pathsBecomeReferences(_ path: String, _ uri: String) { #expect(SARIFLocation.uri(of: path) == uri) }

    @Test func equalFindingsHaveFingerprintsOfTheirOwnInGitLab() {
        let text = GitLabReporter(.plain).report(SampleRuns.named("everything"))
        let prints = text.matches(of: /"fingerprint" : "([^"]+)"/).map { String($0.1) }
        #expect(prints.count == 8 && Set(prints).count == 8)
        #expect(prints.contains { $0.hasSuffix("-2") })
    }
}

/// Which findings become annotations, and what is said of the others.
@Suite struct AnnotationTests {
    func run(_ findings: [RenderedFinding], counted: Int = 0, tellsTolerated: Bool = false) -> [Substring] {
        var run = RunReport(jobFile: "job.yaml", threads: 1, started: 0)
        run.tellsTolerated = tellsTolerated
        run.outcome.findings = findings
        if counted > 0 {
            run.outcome.tallies = [
                RunOutcome.Tally(stage: "clean", code: "a", severity: .error, column: nil, count: counted)
            ]
        }
        return GitHubReporter(.plain).report(run).split(separator: "\n")
    }

    @Test func aRuleThatEveryRowBreaksHidesNoOther() {
        let many = (1...50).map { (number: Int) in SampleRuns.finding("a", "a\(number)", line: number) }
        let lines = run(many + [SampleRuns.finding("b", "b1", line: 60), SampleRuns.finding("c", "c1", line: 61)])
        let errors = lines.filter { $0.hasPrefix("::error ") }
        #expect(errors.count == 10)
        #expect(errors.first?.hasSuffix("::a1") == true)
        #expect(errors.suffix(2).map { String($0.suffix(2)) } == ["b1", "c1"])
        #expect(lines.contains { $0.contains("::42 more findings are not annotated, since GitHub keeps 10 of a kind") })
    }

    @Test func errorsWarningsAndNoticesHaveRoomOfTheirOwn() {
        let kinds: [Finding.Severity] = [.note, .warning, .error]
        let lines = run(
            kinds.flatMap { kind in
                (1...11).map { (number: Int) in
                    SampleRuns.finding("a-\(kind.rawValue)", "\(number)", severity: kind, line: number)
                }
            },
            tellsTolerated: true
        )
        let words = lines.prefix(30).map { String($0.prefix { $0 != " " }) }
        #expect(
            words == Array(repeating: "::error", count: 10) + Array(repeating: "::warning", count: 10)
                + Array(repeating: "::notice", count: 10)
        )
        #expect(lines[29].contains("::4 more findings are not annotated"))
    }

    @Test("what rules tolerate is told where all is asked for", arguments: ["github", "gitlab", "sarif"])
    func toleratedFindings(_ form: String) throws {
        let reporter = try #require(ReporterTable.builtIn[form])
        var run = SampleRuns.named("everything")
        let leavesOut = reporter.leavesOutTolerated
        #expect(leavesOut)
        #expect(!reporter.init(.plain).report(run).contains("this much is allowed"))
        run.tellsTolerated = true
        #expect(reporter.init(.plain).report(run).contains("this much is allowed"))
    }

    @Test func toleratedFindingsAreNotMissing() {
        let tolerated = (1...30).map { (number: Int) in
            SampleRuns.finding("a", "a\(number)", severity: .note, line: number)
        }
        #expect(run(tolerated) == ["done: checked, in 0.00 s; the job writes nothing"])
        #expect(run(tolerated, tellsTolerated: true).contains { $0.contains("::21 more findings are not annotated") })
    }

    @Test func whatWasOnlyCountedIsMissingToo() {
        let lines = run([SampleRuns.finding("a", "a1", line: 1)], counted: 3)
        #expect(lines.contains { $0.contains("::2 more findings are not annotated") })
        #expect(!run([SampleRuns.finding("a", "a1", line: 1)], counted: 1).contains { $0.hasPrefix("::notice") })
    }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts

/// What RFC 8259 takes and what it does not, each as a line, as an element of an array and as a document.
@Suite struct JSONConformanceTests {
    /// A value, and how its column shows it.
    static let accepted: [(text: String, shown: String)] = [
        ("null", "∅"), ("true", "true"), (" false ", "false"), ("0", "0"), ("-0", "0"), ("-1", "-1"),
        ("1234567", "1234567"), ("12345678", "12345678"), ("123456789012345678", "123456789012345678"),
        ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
        ("9007199254740993", "9007199254740993"), ("9223372036854775808", "9223372036854775808"),
        ("123456789012345678901234567890", "123456789012345678901234567890"), ("1e999", "1e999"),
        ("0.5", "0.5"), ("-0.0", "-0.0"), ("1E2", "100"), ("1e+2", "100"), ("1e-2", "0.01"), ("0e0", "0"),
        ("2.2250738585072011e-308", "2.2250738585072011e-308"), ("0.1234567890123456789", "0.1234567890123456789"),
        ("0.30000000000000004", "0.30000000000000004"),
        (#""""#, ""), (#""a""#, "a"), (#""행복해""#, "행복해"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\\u0000""#, "\\u0000"), (#""\u00e9\u00E9""#, "éé"), (#""\uD83D\uDE00""#, "😀"), (#""\uFFFF""#, "\u{FFFF}"),
        (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"), ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
        ("[]", "[]"), ("[ ]", "[ ]"), (#"[1,"\u0041",{"a":[]}]"#, #"[1,"\u0041",{"a":[]}]"#),
        (
            #""a string that is longer than the thirty-two bytes of one look""#,
            "a string that is longer than the thirty-two bytes of one look"
        ),
    ]

    @Test("a value that is JSON is read", arguments: accepted)
    func accepts(_ text: String, _ shown: String) {
        #expect(JSONReference.accepts(Array(text.utf8)))
        let inObject = #"{"a":\#(text)}"#
        for (input, options) in [
            (inObject, "layout: lines"), (inObject + "\n" + inObject, ""), (inObject, ""), ("[\(inObject)]", ""),
            ("[\(inObject), \(inObject)]", ""), (#"{"x":[\#(inObject)],"y":[]}"#, "records: /x"),
        ] {
            let trial = JSONTrial(input, options: options)
            #expect(trial.error == nil && trial.rejects.isEmpty, "\(input)")
            #expect(Set(trial.rows) == [shown], "\(input)")
        }
        let bare = JSONTrial("[\(text)]")
        #expect(bare.rows == [shown] && bare.rejects.isEmpty)
    }

    /// A value, the code of its finding, and the byte of the value that is to blame.
    static let refused: [(text: String, code: String, at: Int)] = [
        ("01", "not-json", 0), ("-", "not-json", 0), ("-01", "not-json", 0), ("+1", "not-json", 0),
        (".5", "not-json", 0),
        ("1.", "not-json", 0), ("1.e1", "not-json", 0), ("1e", "not-json", 0), ("1e+", "not-json", 0),
        ("0x10", "not-json", 0), ("1_000", "not-json", 0), ("1a", "not-json", 0), ("NaN", "not-json", 0),
        ("Infinity", "not-json", 0), ("-Infinity", "not-json", 0), ("True", "not-json", 0), ("nul", "not-json", 0),
        ("nulll", "not-json", 0), ("truefalse", "not-json", 0), ("'a'", "not-json", 0), ("1 2", "not-json", 2),
        ("", "not-json", 0), ("\\u0031", "not-json", 0), ("\u{FEFF}1", "not-json", 0), ("\u{A0}1", "not-json", 0),
        ("/* */1", "not-json", 0), ("１", "not-json", 0), ("[1,]", "not-json", 3), ("[,1]", "not-json", 1),
        ("[1 2]", "not-json", 3), ("[1}", "not-json", 2), (#"{"a":1,}"#, "not-json", 7), (#"{a:1}"#, "not-json", 1),
        (#"{"a" 1}"#, "not-json", 5), (#"{"a":}"#, "not-json", 5), (#"{"a"}"#, "not-json", 4), ("{1:1}", "not-json", 1),
        (#"{"a":1 "b":2}"#, "not-json", 7), (#""\x""#, "not-json", 1), (#""\u12""#, "not-json", 1),
        (#""\u12G4""#, "not-json", 1), (#""\ud800""#, "lone-surrogate", 1), (#""\udc00""#, "lone-surrogate", 1),
        (#""\ud800\u0041""#, "lone-surrogate", 1), (#""\ud800\ud800""#, "lone-surrogate", 1),
        (#""ab\ud800""#, "lone-surrogate", 3), ("\"a\tb\"", "control-character", 2),
        ("\"\u{1}\"", "control-character", 1),
        (#"[1,"\q"]"#, "not-json", 4),
    ]

    @Test("a value that is not JSON is rejected at its byte", arguments: refused)
    func refuses(_ text: String, _ code: String, _ at: Int) {
        #expect(!JSONReference.accepts(Array(text.utf8)))
        let good = #"{"a":1}"#
        let line = #"{"b":true,"a":\#(text)}"#
        let lines = JSONTrial("\(good)\n\(line)\n\(good)\n")
        #expect(lines.rejects == [.init(record: 1, at: 22 + at, code: code)])
        #expect(lines.rows == ["1", "1"])
        let element = JSONTrial("[\(good),\(line),\(good)]")
        if element.error == nil {
            #expect(element.rejects == [.init(record: 1, at: 23 + at, code: code)])
            #expect(element.rows == ["1", "1"])
        }
        let document = JSONTrial(line)
        #expect(document.error?.code.rawValue == code)
        #expect(document.error?.place?.column == 15 + line.utf8.prefix(14 + at).count - 14)
        #expect(document.error?.blame == .data)
    }

    @Test(
        "a text that holds a NUL is rejected at its escape, and a value that keeps it as one is not",
        arguments: [(#""a\u0000""#, 2), (#""\\\u0000\\""#, 3), (#""\ud83d\ude00\u0000""#, 13)]
    )
    func nul(_ text: String, at: Int) {
        let good = #"{"b":["\u0000"],"a":"x"}"#
        let line = #"{"b":["\u0000"],"a":\#(text)}"#
        let before = (good + "\n").utf8.count + line.utf8.count - text.utf8.count - 1
        for trial in [JSONTrial("\(good)\n\(line)\n\(good)\n"), JSONTrial("\(good)\n\(line)\n{\"b\":[]}\n")] {
            #expect(trial.rejects == [.init(record: 1, at: before + at, code: "nul-character")])
        }
        let key = JSONTrial(#"{"a":1}"# + "\n" + #"{"a":2,"k\u0000":3}"# + "\n")
        #expect(key.rejects == [.init(record: 1, at: 17, code: "nul-character")])
        #expect(key.rows == ["1"])
    }

    @Test(
        "a document whose brackets or strings do not close stops the run",
        arguments: [
            "[", "[1", "[1,", "[1,2", #"[{"a":1}"#, #"[{"a":"x}]"#, #"{"a":1"#, #"{"a":"x}"#, "[1]]", "[1}", "[1] 2",
            "[1][2]",
            #"{"a":{"b":1}"#, "[\"\\\"]",
        ]
    )
    func broken(_ text: String) {
        let trial = JSONTrial(text)
        #expect(trial.error?.blame == .data)
        #expect(trial.error?.place?.file == "input.json")
    }

    @Test(
        "what stands around the records is checked as well",
        arguments: [
            #"{"x":[1],}"#, #"{"x":[1]"#, #"{"x":[1]]"#, #"{"x":[1],"y":01}"#, #"{"x":[1]} 2"#, #"{"w":nul,"x":[1]}"#,
        ]
    )
    func around(_ text: String) {
        #expect(JSONTrial(text, options: "records: /x").error?.code.rawValue == "not-json")
    }

    @Test("commas with nothing between them cost a record each, and no more")
    func commas() {
        #expect(JSONTrial("[1,,2]").rejects.map(\.record) == [1])
        #expect(JSONTrial("[1,2,]").rejects.map(\.record) == [2])
        #expect(JSONTrial("[,1]").rejects.map(\.record) == [0])
        #expect(JSONTrial("[1,2,]", window: 1).rows == ["1", "2"])
    }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookJSON

/// Files that are odd, huge or hostile.
@Suite struct JSONUnusualTests {
    @Test("nothing at all is no rows where that may be, and an error elsewhere", arguments: ["", "\n\n", " \r\n"])
    func empty(_ text: String) {
        for options in ["layout: lines", "empty: allow", "layout: document\nempty: allow", "records: /x\nempty: allow"]
        {
            let trial = JSONTrial(text, options: options)
            #expect(trial.error == nil && trial.rows.isEmpty && trial.seen == 0, "\(options)")
        }
        // What ought to be there may be lost, and nothing would tell.
        for options in ["", "layout: document", "records: /x"] {
            let error = JSONTrial(text, options: options).error
            #expect(error?.code.rawValue == "empty-file" && error?.blame == .data, "\(options)")
        }
    }

    /// Else a large one would be held in memory as a whole, and read by one thread.
    @Test("an array is cut while it is read")
    func arrayInParts() {
        let trial = JSONTrial(
            "[" + [String](repeating: #"{"a": 1}"#, count: 1_000).joined(separator: ", ") + "]",
            window: 203
        )
        #expect(trial.error == nil && trial.seen == 1_000)
        #expect(trial.cuts > 40)
    }

    @Test("an empty array is no rows, and an empty object is a row without columns")
    func emptyArray() {
        for text in ["[]", "[ ]\n", " [\n]\n\n"] {
            let trial = JSONTrial(text)
            #expect(trial.error == nil && trial.seen == 0 && trial.schema.fields.isEmpty)
        }
        #expect(JSONTrial("{}").rows == [""])
        #expect(JSONTrial("[{},{}]").rows == ["", ""])
        #expect(JSONTrial("{}\n{}\n").rows == ["", ""])
    }

    @Test(
        "a document of one value is one row",
        arguments: [
            ("5", "5"), (" \"a\"\n", "a"), ("null", "∅"), ("{\"a\":\n{\"b\":true}}\n", "true"),
            ("{\n\"a\": [1,\n2]\n}", "[1,\n2]"),
        ]
    )
    func single(_ text: String, _ row: String) {
        let trial = JSONTrial(text)
        #expect(trial.rows == [row] && trial.error == nil)
    }

    @Test("lines may end in CR LF, be blank, or lack the last line end")
    func lineEnds() {
        let trial = JSONTrial("{\"a\":1}\r\n\r\n{\"a\":2}\r\n \t\n{\"a\":3}")
        #expect(trial.rows == ["1", "2", "3"] && trial.skipped == 2 && trial.lines == 4)
    }

    @Test("a stray quote is told where the grammar broke, and not where the text ends")
    func strayQuote() {
        let error = JSONTrial("[{\"name\": \"n\"2\"},\n{\"name\": \"b\"}]").error
        #expect(error?.message.hasPrefix("expected ',' or '}'; a quote too many or too few leaves") == true)
        #expect(error?.place?.line == 1 && error?.place?.column == 14)
    }

    @Test("two arrays in one file are refused where the second begins, and objects are read one behind another")
    func twoDocuments() {
        #expect(JSONTrial("[1]\n[2]").error?.place?.line == 2)
        #expect(JSONTrial("{\n\"a\":1\n}\n{}").rows == ["1", "∅"])
        #expect(JSONTrial("{\"a\":1}{\"a\":2} {\n\"a\":tru}").rejects.count == 1)
        #expect(JSONTrial("[1]\n[2]", options: "layout: lines").rows == ["[1]", "[2]"])
        #expect(JSONTrial("{\"a\":1} {\"a\":2}\n{\"a\":3}").rejects == [.init(record: 0, at: 8, code: "not-json")])
    }

    @Test("a byte-order mark inside the text is no white space")
    func byteOrderMark() {
        #expect(JSONTrial("\u{FEFF}{\"a\":1}").error?.code.rawValue == "not-json")
    }

    @Test("10,000 levels of nesting cost one record and no stack")
    func deep() {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let objects = String(repeating: "{\"a\":", count: 10_000) + "1" + String(repeating: "}", count: 10_000)
        for bomb in [deep, objects] {
            let trial = JSONTrial("{\"a\":[1]}\n{\"a\":\(bomb)}\n{\"a\":[2]}\n")
            #expect(trial.rows == ["[1]", "[2]"])
            #expect(trial.rejects.map(\.code) == ["nested-too-deeply"])
        }
        #expect(JSONTrial(deep).rejects.map(\.code) == ["nested-too-deeply"])
        #expect(JSONTrial(objects).error?.code.rawValue == "nested-too-deeply")
        #expect(JSONTrial("{\"a\":" + String(repeating: "[", count: 10_000)).error != nil)
    }

    @Test("512 levels are read, 513 are not, whether they are guessed or not")
    func limit() {
        for (levels, isRead) in [(511, true), (512, false)] {
            let value = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            let line = "{\"a\":[]}\n{\"a\":\(value)}\n{\"a\":\(value)}\n"
            let trial = JSONTrial(line)
            #expect(trial.rows.count == (isRead ? 3 : 1))
            #expect(trial.rejects.count == (isRead ? 0 : 2))
        }
    }

    @Test("a string of 100 MB is one cell")
    func longString() {
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000_000)
        let trial = JSONTrial(Array("[\"".utf8) + text + Array("\",\"y\"]".utf8), window: 40_000_000, head: 1 << 20)
        #expect(trial.rows.map(\.utf8.count) == [100_000_000, 1] && trial.error == nil)
    }

    @Test("a string that is never closed is told where it opens")
    func openString() {
        let error = JSONTrial("[{\"a\":1},\n {\"a\":\"\\\"x").error
        #expect(error?.message == "a string opens here and is never closed")
        #expect(error?.place == SourcePlace(file: "input.json", line: 2, column: 7))
    }

    @Test("of keys that stand twice the last counts, with all below it, and a warning says so")
    func duplicates() {
        let trial = JSONTrial(
            #"{"a":1,"b":{"c":1,"d":2}}"# + "\n" + #"{"b":{"c":3},"a":2,"b":{"d":4},"\u0061":5}"# + "\n"
        )
        #expect(trial.rows == ["1|1|2", "5|∅|4"])
        #expect(trial.warnings.map(\.code) == ["duplicate-key", "duplicate-key"])
        #expect(trial.warnings.map(\.at) == [26 + 19, 26 + 31])
    }

    @Test("keys with escapes are the keys that they spell")
    func escapedKeys() {
        #expect(JSONTrial(#"{"é":1}"# + "\n" + #"{"\u00e9":2}"#).rows == ["1", "2"])
        #expect(JSONTrial(#"{"\u00e9":1}"# + "\n" + #"{"é":2}"#).schema.names == ["é"])
    }

    @Test("bytes that are not UTF-8 cost their own record")
    func invalidText() {
        let good = Array("{\"a\":\"é\"}\n".utf8)
        let bad = Array("{\"a\":\"".utf8) + [0xC3] + Array("\"}\n".utf8)
        let trial = JSONTrial(good + bad + good)
        #expect(trial.rows == ["é", "é"])
        #expect(trial.rejects == [.init(record: 1, at: good.count + 6, code: "invalid-encoding")])
    }

    @Test("kinds are those that hold every value, and no other value is let in later")
    func kinds() {
        func kind(_ values: String...) -> ColumnKind? {
            JSONTrial("[" + values.map { "{\"a\":\($0)}" }.joined(separator: ",") + "]").schema.fields.first?.kind
        }
        #expect(kind("1", "null") == .integer)
        #expect(kind("1", "1.5") == .decimal)
        #expect(kind("9007199254740993", "1.5") == .json)
        #expect(kind("9223372036854775808") == .json)
        #expect(kind("1e999") == .json)
        #expect(kind("\"x\"", "1") == .text)
        #expect(kind("true", "1", "\"x\"") == .text)
        #expect(kind("\"x\"", "[1]") == .json)
        #expect(kind("true", "null") == .flag)
        #expect(kind("null") == .text)
        #expect(kind("{}") == .json)
        #expect(kind("{\"b\":1}", "3") == .json)
        let line = "{\"a\":1,\"b\":\"x\",\"c\":0.5,\"d\":true,\"e\":{\"f\":1}}\n"
        for (late, code) in [
            ("{\"a\":1.0}", "unlearnt-kind"), ("{\"a\":\"1\"}", "unlearnt-kind"), ("{\"b\":1}", "unlearnt-kind"),
            ("{\"a\":9223372036854775808}", "unlearnt-kind"), ("{\"c\":9007199254740993}", "unlearnt-kind"),
            ("{\"c\":1e999}", "unlearnt-kind"), ("{\"d\":0}", "unlearnt-kind"), ("{\"e\":1}", "unlearnt-kind"),
            ("{\"a\":[1]}", "unlearnt-kind"), ("{\"g\":1}", "unexpected-key"),
            ("{\"e\":{\"g\":1}}", "unexpected-key"),
            ("7", "unlearnt-kind"),
        ] {
            let trial = JSONTrial(line + late + "\n" + line, head: line.utf8.count)
            #expect(trial.rejects.map(\.code) == [code], "\(late)")
            #expect(trial.rows.count == 2)
        }
    }

    @Test("files with different columns make one table")
    func severalFiles() throws {
        let stage = try ExampleRunner.make(ImportJSON.self, "path: input.json")
        func format(_ text: String) throws -> JSONFormat {
            try stage.format(of: SourceHead(source: SourceName(index: 0, path: "x"), bytes: Bytes(text), isWhole: true))
        }
        let formats = [try format("{\"a\":1,\"b\":null}"), try format("{\"b\":2,\"a\":1.5,\"c\":\"x\"}")]
        let schema = try stage.schema(of: formats)
        #expect(schema.names == ["a", "b", "c"] && schema.fields.map(\.kind) == [.decimal, .integer, .text])
        var findings = Findings()
        let morsel = Morsel(
            source: SourceName(index: 0, path: "x"),
            bytes: Bytes("{\"a\":1,\"c\":\"y\"}"),
            offset: 0,
            firstLine: 1,
            firstRecord: 0
        )
        let batch = stage.reader(of: formats[0], schema: schema).read(morsel, reporting: &findings)
        #expect(batch.count == 1 && findings.rejectedRecords.isEmpty)
    }

    @Test("findings find their field, and say where it is")
    func places() throws {
        let stage = try ExampleRunner.make(ImportJSON.self, "path: input.json\nrecords: /a~1b/0")
        let text = "{\"a/b\":[[{\"m/n\":{\"t~\":1,\"u\":\"x\"}}]]}"
        let head = SourceHead(source: SourceName(index: 0, path: "x"), bytes: Bytes(text), isWhole: true)
        let format = try stage.format(of: head)
        let reader = stage.reader(of: format, schema: try stage.schema(of: [format]))
        #expect(reader.pointers(to: "m/n.t~")?[12] == "/a~1b/0/12/m~1n/t~0")
        #expect(reader.pointers(to: nil)?[3] == "/a~1b/0/3")
        let record = Bytes("{\"m/n\":{\"u\":\"\\u0041\"}, \"m/n\": {\"u\" : \"yes\"}}")
        let range = try #require(reader.finder(of: "m/n.u")?.range(in: record.filled))
        #expect(record.text(range) == "\"yes\"")
        #expect(reader.finder(of: "m/n.t~")?.range(in: record.filled) == nil)
        let lines = JSONTrial("5\n6")
        #expect(lines.schema.names == ["value"])
    }

    /// The records of one of them would be missing, and nothing would tell.
    @Test(
        "a key that stands twice on the way to the records is refused at the second",
        arguments: [
            (#"{"x":[{"a":1}],"x":[{"a":3},{"a":4}]}"#, "/x", 1, 16), (#"{"x":[],"x":1}"#, "/x", 1, 9),
            ("{\"m\":{\"x\":[{\"a\":1}]},\n \"m\":{}}", "/m/x", 2, 2),
            ("{\"m\":{\"x\":[{\"a\":1}],\n\n\"\\u0078\":[]},\"y\":1}", "/m/x", 3, 1),
            (#"{"l":[{"x":[{"a":1}],"x":2}]}"#, "/l/0/x", 1, 22),
            (#"{"x":{"k":{"a":1}},"x":{"l":{"a":1}}}"#, "{ at: /x, each_key: key }", 1, 20),
        ]
    )
    func secondKeys(_ text: String, _ records: String, _ line: Int, _ column: Int) throws {
        for window in [1, 5, 1 << 20] {
            let error = try #require(JSONTrial(text, options: "records: \(records)", window: window).error)
            #expect(error.code.rawValue == "duplicate-key" && error.blame == .data)
            #expect(error.place?.line == line && error.place?.column == column, "\(error)")
        }
    }

    @Test("a key that is equal to one on the way is none where it stands elsewhere")
    func equalKeys() {
        let text = #"{"y":{"x":0},"x":[{"x":1},{"x":2}],"z":{"x":3,"x":4},"xx":5}"#
        let trial = JSONTrial(text, options: "records: /x")
        #expect(trial.error == nil && trial.rows == ["1", "2"])
        #expect(JSONTrial(#"{"m":{"x":[{"a":1}]},"x":[]}"#, options: "records: /m/x").rows == ["1"])
    }
}

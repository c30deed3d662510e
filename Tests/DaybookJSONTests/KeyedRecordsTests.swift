import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookJSON

/// Records that stand under keys of their own: `{"2026-03-01": {…}}`, or keys and values in turn.
@Suite struct KeyedRecordsTests {
    static let keys = ["a", "b c", "\"", "가", "2026-03-01", "", "a/b", "x\\y", "]", "}", "😀", "k,"]

    /// The records as an array, under keys and in turn with keys, and the keys.
    static func documents(_ random: inout SeededGenerator) -> (array: String, members: String, pairs: String, [String])
    {
        let all = [
            #"{"n":1,"t":"x"}"#, #"{"t":"[","n":2}"#, #"{"n":3}"#, #"{"m":{"a":[1,{}],"b":"}"}}"#, "7", #""text""#,
            "null",
            "{}",
        ]
        let pool = Bool.random(using: &random) ? all : Array(all.prefix(4))
        let blanks = ["", " ", "\n", " \n\t"]
        let picked = (0..<Int.random(in: 0..<30, using: &random)).map { _ in pool.randomElement(using: &random)! }
        let names = picked.indices.map { "\(keys.randomElement(using: &random)!)\($0)" }
        func blank() -> String { blanks.randomElement(using: &random)! }
        let quoted = names.map { $0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") }.map { "\"\($0)\"" }
        let members = zip(quoted, picked).map { "\(blank())\($0)\(blank()):\(blank())\($1)\(blank())" }
        let pairs = zip(quoted, picked).map { "\(blank())\($0)\(blank()),\(blank())\($1)\(blank())" }
        return (
            "[\(picked.joined(separator: ","))]", "{\(members.joined(separator: ","))}",
            "[\(pairs.joined(separator: ","))]", names
        )
    }

    @Test("each record is read as an element of an array is, with its key before it, wherever the text is cut")
    func sameRows() {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let (array, members, pairs, names) = Self.documents(&random)
            let plain = JSONTrial(array)
            #expect(plain.error == nil && plain.rows.count == names.count)
            let window = [5, 40, 1 << 20].randomElement(using: &random)!
            for text in [members, pairs] {
                let trial = JSONTrial(text, options: "records: { each_key: key }", window: window)
                #expect(trial.error == nil && trial.rejects.isEmpty, "\(random) \(text)")
                #expect(trial.schema.names == ["key"] + plain.schema.names, "\(random)")
                #expect(trial.schema.fields.dropFirst().map(\.kind) == plain.schema.fields.map(\.kind), "\(random)")
                let isAlone = plain.schema.names.isEmpty
                let rows = zip(names, plain.rows).map { isAlone ? $0 : "\($0)|\($1)" }
                #expect(trial.rows == rows, "\(random) \(window)\n\(text)")
                #expect(trial.seen == names.count && trial.lines == text.utf8.filter { $0 == 0x0A }.count)
                let nested = JSONTrial(
                    #"{"v":[0,\#(text)],"x":{}}"#,
                    options: "records: { at: /v/1, each_key: key }",
                    window: window
                )
                #expect(nested.rows == rows, "\(random)")
                let keys = JSONTrial(
                    text,
                    options: "records: { each_key: key }",
                    window: window,
                    wanted: .some(["key"])
                )
                #expect(keys.rows == names)
            }
        }
    }

    @Test("a key can be a day or a number, and is rejected with its place where it is none")
    func kinds() {
        let text = #"{"2026-03-01":{"n":1},"March":{"n":2},"2026-03-02":{"n":3,"day":4}}"#
        let trial = JSONTrial(text, options: "records: { each_key: day }\ncolumns: { day: day }")
        #expect(trial.rows == ["2026-03-01|1"])
        #expect(trial.rejects.map(\.description) == ["1 not-a-day at 22", "2 key-taken at 58"])
        let numbers = JSONTrial(#"[1.5,{"n":1},2,{"n":2}]"#, options: "records: { each_key: at }")
        #expect(numbers.rows == ["1.5|1", "2|2"] && numbers.schema.fields[0].kind == .decimal)
    }

    @Test("no records are no rows, and the key is a column all the same", arguments: ["{}", "[]", " { } ", "[ ]"])
    func empty(_ text: String) {
        let trial = JSONTrial(text, options: "records: { each_key: key }")
        #expect(trial.rows.isEmpty && trial.error == nil && trial.schema.names == ["key"])
    }

    @Test(
        "what is broken is rejected, or stops the run where no end is clear",
        arguments: [
            (#"{"a":{"n":1},"b" {"n":2},"c":{"n":3}}"#, ["1 not-json at 17"], nil),
            (#"{"a":{"n":1},}"#, ["1 not-json at 13"], nil), (#"["a",{"n":1},"b"]"#, ["1 not-json at 16"], nil),
            (#"{"a":{"n":1},7:{"n":2}}"#, ["1 not-json at 13"], nil),
            (#"{"a":{"n":1},"b":}"#, ["1 not-json at 17"], nil), (#"{"a":{"n":1}"#, [], "not-json"),
            (#"{"a":{"n":1}]"#, [], "not-json"), (#"["a",{"n":1}}"#, [], "not-json"), (#"{"a":1} x"#, [], "not-json"),
            (#"[{"n":1}]"#, [], "records-have-no-keys"), ("7", [], "records-have-no-keys"),
        ] as [(String, [String], String?)]
    )
    func broken(_ text: String, _ rejects: [String], _ code: String?) {
        for window in [3, 1 << 20] {
            let trial = JSONTrial(text, options: "records: { each_key: key }", window: window)
            #expect(trial.error?.code.rawValue == code, "\(trial.error?.message ?? "no error")")
            #expect(trial.rejects.map(\.description) == rejects)
        }
    }

    @Test("a quote too few is named where the grammar broke")
    func openString() {
        let trial = JSONTrial(#"{"a":{"n":1},"b":{"n":"x},"c":{"n":"y"}}"#, options: "records: { each_key: key }")
        let message = trial.error?.message ?? ""
        #expect(message.contains("a quote too many or too few"), "\(message)")
        #expect(trial.error?.place?.column == 28, "\(trial.error?.place?.column ?? 0)")
    }

    @Test("what is written under keys is read back", arguments: ["", "pairs: true"])
    func roundTrip(_ pairs: String) throws {
        for pretty in ["", "pretty: true\n", "nest: true\n"] {
            for seed in 0..<20 as Range<UInt64> {
                var random = SeededGenerator(seed: seed)
                let rows = Int.random(in: 0..<40, using: &random)
                var keys = TextColumnBuilder(rows: rows)
                for row in 0..<rows { keys.append("\(Self.keys.randomElement(using: &random)!)\(row)") }
                let old = JSONRoundTripTests.batch(&random, rows: rows)
                let schema = Schema([Field("key", .text)] + old.schema.fields)
                let batch = Batch(schema, [.text(keys.build())] + old.columns, count: rows, provenance: .made)
                let place = "records: { at: /a/b, each_key: key\(pairs.isEmpty ? "" : ", \(pairs)") }\n"
                let bytes = try JSONRoundTripTests.exported(batch, pretty + place)
                #expect(JSONReference.accepts(bytes), "\(random)")
                let trial = JSONTrial(bytes, options: place + JSONRoundTripTests.columns)
                let order = trial.schema.names.map { name in batch.column(ColumnName(name)) }
                let expected = (0..<rows).map { row in
                    order.map { $0.displayText(row) ?? "∅" }.joined(separator: "|")
                }
                #expect(trial.error == nil && trial.rejects.isEmpty, "\(random)")
                #expect(trial.rows == expected, "\(random)")
            }
        }
    }

    @Test("two rows with one key are refused, in one piece or in two")
    func twice() throws {
        for count in [1, 3] {
            var keys = TextColumnBuilder(rows: count + 1)
            for row in 0...count { keys.append(row == count ? "0" : "\(row)") }
            let schema = Schema([Field("key", .text)])
            let batch = Batch(schema, [.text(keys.build())], count: count + 1, provenance: .made)
            let error = #expect(throws: DaybookError.self) {
                _ = try JSONRoundTripTests.exported(batch, "records: { each_key: key }")
            }
            #expect(error?.code.rawValue == "key-twice")
        }
    }
}

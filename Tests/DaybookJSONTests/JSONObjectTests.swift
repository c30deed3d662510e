import DaybookContracts
import DaybookTestSupport
import Testing

@testable import DaybookJSON

/// Objects without keys and keys with dots, which columns alone would not tell from other things.
@Suite struct JSONObjectTests {
    @Test("an object that is empty in some records has a column that says so, whatever shape the record before had")
    func emptyObjects() {
        let records = [
            "{\"c\":{\"a\":1},\"d\":1}", "{\"c\":{},\"d\":1}", "{\"c\":{ },\"d\":1}", "{\"d\":1}",
            "{\"c\":null,\"d\":1}", "{\"c\":{\"a\":2},\"d\":1}", "{\"c\":{\"a\":3},\"c\":{},\"d\":1}",
            "{\"c\":{},\"c\":{\"a\":4},\"d\":1}",
        ]
        let rows = ["∅|1|1", "{}|∅|1", "{ }|∅|1", "∅|∅|1", "∅|∅|1", "∅|2|1", "{}|∅|1", "∅|4|1"]
        var random = SeededGenerator(seed: 7)
        for round in 0..<50 {
            let picked = (0..<Int.random(in: 2...40, using: &random)).map { _ in
                Int.random(in: records.indices, using: &random)
            }
            let order = [0, 1] + picked
            let lines = order.map { records[$0] }
            for text in [lines.joined(separator: "\n"), "[" + lines.joined(separator: ",") + "]"] {
                let trial = JSONTrial(text, window: [7, 100, 1 << 20][round % 3])
                #expect(trial.schema.names == ["c", "c.a", "d"])
                #expect(trial.schema.fields.map(\.kind) == [.json, .integer, .integer])
                #expect(trial.rows == order.map { rows[$0] }, "\(random)")
                #expect(trial.rejects.isEmpty)
                let some = JSONTrial(text, wanted: .some(["c.a"]))
                #expect(some.rows == order.map { String(rows[$0].split(separator: "|")[1]) })
            }
        }
    }

    @Test("an empty object that the beginning of the file does not have is warned of, where its columns are read")
    func lateEmptyObjects() throws {
        let line = "{\"id\":1,\"c\":{\"a\":{\"x\":1}}}\n"
        let text = line + "{\"id\":2,\"c\":{\"a\":{}}}\n{\"id\":3,\"c\":{}}\n" + line
        let trial = JSONTrial(text, head: line.utf8.count)
        #expect(trial.rows == ["1|1", "2|∅", "3|∅", "1|1"])
        #expect(trial.rejects.isEmpty)
        #expect(trial.warnings.map(\.code) == ["empty-object", "empty-object"])
        #expect(trial.warnings.map(\.at) == [line.utf8.count + 17, line.utf8.count + 34])
        #expect(JSONTrial(text, head: line.utf8.count, wanted: .some(["id"])).warnings.isEmpty)
        let declared = JSONTrial(text, options: "columns: { c: json }", head: line.utf8.count)
        #expect(declared.rows[1...2] == ["2|{\"a\":{}}", "3|{}"] && declared.warnings.isEmpty)
        #expect(JSONTrial(text).schema.names == ["id", "c", "c.a", "c.a.x"])
        let kind = Finding.Kind.emptyObject("c.a")
        #expect(
            kind.message
                == "'c.a' is an empty object, which the columns of its keys cannot tell from one that is not there; "
                + "keep it whole with 'columns: { c.a: json }'"
        )
    }

    @Test("a key with a dot in it is told from a key in an object")
    func dottedKeys() {
        let trial = JSONTrial(#"{"app.version":"1","a":{"b.c":{"d":1},"e":2},"f":{"g.h":3}}"#)
        #expect(trial.schema.names == ["app.version", "a.b.c.d", "a.e", "f.g.h"])
        #expect(trial.schema.fields.map(\.keys) == [["app.version"], ["a", "b.c", "d"], nil, ["f", "g.h"]])
    }

    @Test("a column that is declared below an object that is always empty is there")
    func declaredBelowEmpty() {
        let trial = JSONTrial("[{\"c\":{}}]", options: "columns: { c.a: integer }")
        #expect(trial.schema.names == ["c", "c.a"])
        #expect(trial.rows == ["{}|∅"])
    }
}

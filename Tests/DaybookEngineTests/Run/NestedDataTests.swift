import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// Arrays become rows of a table of their own, and go back into their documents.
@Suite struct NestedDataTests {
    private let scratch = Scratch()

    /// An answer of a web API: objects in objects, arrays of both sorts, empty ones, null, escapes and text of many scripts.
    private static let orders = #"""
        {"total": 4, "orders": [
          {"id": 17, "customer": {"name": "김민아", "city": null}, "tags": ["gift", "급함"], "items": [
            {"sku": "A-1", "name": "6\" tape \\ two\nlines", "quantity": 2, "price": 1.5},
            {"sku": "B-2", "name": "\ud83c\udf89 caf\u00e9, \"hot\"", "quantity": 1, "price": null}
          ], "note": null},
          {"id": 4, "customer": {"name": "O'Brien; Ltd", "city": "Cork"}, "tags": [], "items": [], "note": "a,b"},
          {"id": 9, "customer": {"name": "", "city": "서울"}, "tags": [null, "x\/y"], "items": [
            {"sku": "A-1", "name": "tape", "quantity": 10, "price": 0.1}
          ], "note": "\u2028"}
        ]}
        """#

    @Test(arguments: [1, 3])
    func ordersGoToTwoTablesAndBack(threads: Int) throws {
        scratch.write("orders.json", Self.orders)
        let apart = """
            daybook: 1
            stages:
              - import_json: { path: orders.json, records: /orders }
                id: answer
              - select_columns: { except: [items] }
              - export_csv: { path: orders.csv }
              - explode_rows:
                  column: items
                  columns: { sku: text, name: text, quantity: integer, price: decimal }
                  index: line
                  empty: keep
                from: answer
              - select_columns: { columns: [id, line, items.sku, items.name, items.quantity, items.price] }
              - export_csv: { path: lines.csv }
            """
        let back = """
            daybook: 1
            stages:
              - import_csv: { path: lines.csv, columns: { id: integer, line: integer, items.quantity: integer, items.price: decimal } }
                id: read
              - nest_rows: { by: id, into: items, columns: [items.sku, items.name, items.quantity, items.price], index: line }
                id: nested
              - import_csv: { path: orders.csv, columns: { id: integer } }
                id: orders
              - derive_columns: { list: parse_json(tags) }
              - select_columns: { except: [tags] }
              - rename_columns: { list: tags }
                id: heads
              - join_rows: { by: id }
                from: [heads, nested]
              - select_columns: { columns: [id, customer.name, customer.city, tags, items, note] }
              - export_json: { path: back.json, nest: true }
            """
        try run(apart, threads: threads)
        try run(back, threads: threads)
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(Self.orders.utf8)) as? NSDictionary)
        let written = Data((scratch.read("back.json") ?? "").utf8)
        let found = try JSONSerialization.jsonObject(with: written) as? NSArray
        #expect(found == answer["orders"] as? NSArray, "\(scratch.read("back.json") ?? "")")
        // Foundation forgets the order of keys.
        #expect(scratch.read("back.json")?.contains(#""items":[{"sku":"A-1","name":"6\" tape"#) == true)
    }

    @Test func findingsBehindAnArrayPointIntoIt() throws {
        scratch.write("orders.json", Self.orders)
        scratch.write(
            "orders.ndjson",
            #"{"id":1,"items":[{"sku":"A"},{"sku":7}]}"# + "\n" + #"{"id":2,"items":3}"# + "\n"
                + #"{"id":3,"items":[{"sku":"B"}]}"# + "\n"
        )
        let job = """
            daybook: 1
            rejects: { allow: 100% }
            stages:
              - import_json: { path: orders.json, records: /orders }
              - explode_rows:
                  column: items
                  columns: { sku: text, quantity: integer }
                  index: line
              - check_rows: { rules: [{ between: { column: items.quantity, max: 5 }, warn: "> 0", then: reject }] }
                id: gate
              - select_columns: { columns: [pointer, line] }
                from: gate.rejects
              - export_csv: { path: late.csv }
              - import_json: { path: orders.ndjson }
              - explode_rows: { column: items, columns: { sku: text } }
                id: lines
              - select_columns: { columns: [pointer, line, column, value] }
                from: lines.rejects
              - export_csv: { path: early.csv }
            """
        try run(job, threads: 2)
        #expect(scratch.read("late.csv") == "pointer,line\n/orders/2/items/0/quantity,8\n")
        #expect(scratch.read("early.csv") == "pointer,line,column,value\n/items/1/sku,1,37,7\n/items,2,17,3\n")
    }

    /// Whatever the documents, their elements go back to where they were; and neither threads nor morsels show.
    @Test func `a message names the value that stands in an array`() throws {
        let long = String(repeating: "9", count: 90)
        let arrays = [#"["2026-02-29"]"#, #"["2026-01-01","\#(long)"]"#, "[]", #"["2026-01-01"]"#]
        scratch.write("days.ndjson", arrays.map { #"{"t":\#($0)}"# + "\n" }.joined())
        let job = """
            daybook: 1
            rejects: { allow: 100% }
            stages:
              - import_json: { path: days.ndjson }
              - explode_rows: { column: t, kind: day }
                id: days
              - select_columns: { columns: [message] }
                from: days.rejects
              - export_csv: { path: told.csv }
            """
        try run(job, threads: 1)
        let wanted = """
            message
            "'""2026-02-29""' is not a date such as 2026-11-21 at /0 of the array"
            a value of 92 bytes is not a date such as 2026-11-21 at /1 of the array

            """
        #expect(scratch.read("told.csv") == wanted)
    }

    @Test(arguments: TestSize.seeds(4, of: 20))
    func anyDocumentsComeBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let lines = (0..<400).map { Self.document($0, &random) }
        scratch.write("in.ndjson", lines.joined(separator: "\n") + "\n")
        let job = """
            daybook: 1
            stages:
              - import_json: { path: in.ndjson, layout: lines, columns: { list: json, tail: text } }
              - explode_rows:
                  column: list
                  columns: { t: text, "n.w": integer, "n.d": decimal, f: flag, j: json }
                  index: place
                  empty: keep
              - nest_rows:
                  by: id
                  into: list
                  columns: [list.t, list.n.w, list.n.d, list.f, list.j]
                  index: place
                  memory_mebibytes: 1
              - export_json: { path: out.ndjson, layout: lines }
            """
        for (threads, size) in [(1, 1 << 20), (3, 2_000)] {
            try run(job, threads: threads, morselSize: size)
            let written = (scratch.read("out.ndjson") ?? "").split(separator: "\n")
            try #require(written.count == lines.count, "\(random)")
            for (before, after) in zip(lines, written) {
                let one = try JSONSerialization.jsonObject(with: Data(before.utf8)) as? NSDictionary
                let other = try JSONSerialization.jsonObject(with: Data(after.utf8)) as? NSDictionary
                #expect(one == other, "\(before) became \(after), \(random)")
            }
        }
    }

    private static func document(_ id: Int, _ random: inout SeededGenerator) -> String {
        let texts = [#""plain""#, #""""#, #""a \"b\"""#, #""\u00e9\n""#, #""서울, 부산""#, "null", #""$null""#, #""NaN""#]
        let values = ["1", "[1, [2]]", #"{"k": "]}"}"#, #""x""#, "null", "[]", "true"]
        func space() -> String { ["", "", "", " ", "  "].randomElement(using: &random)! }
        let elements = (0..<Int.random(in: 0...6, using: &random)).map { _ in
            var members = [
                #""t":\#(space())\#(texts.randomElement(using: &random)!)"#,
                #""n":{"w":\#(Int64.random(in: -9...9_999_999_999, using: &random)),\#(space())"d":\#(Int.random(in: 0...99, using: &random)).25}"#,
                #""f":\#(Bool.random(using: &random))"#, #""j":\#(values.randomElement(using: &random)!)"#,
            ]
            if Int.random(in: 0..<4, using: &random) == 0 { members.shuffle(using: &random) }
            return "{" + space() + members.joined(separator: "," + space()) + space() + "}"
        }
        let list = "[" + space() + elements.joined(separator: space() + "," + space()) + space() + "]"
        return #"{"id":\#(id),"list":\#(list),"tail":\#(texts.randomElement(using: &random)!)}"#
    }

    private func run(_ text: String, threads: Int, morselSize: Int = 1 << 20) throws {
        let job = try JobParser { _ in nil }.job(Array(text.utf8), file: "job.yaml")
        let plan = try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
        let settings = RunSettings(
            threads: threads,
            directory: scratch.path,
            state: StateDirectory(scratch["state"]),
            morselSize: morselSize
        )
        let outcome = Runner(plan, settings).run()
        #expect(outcome.errors.isEmpty && outcome.ledger.allSatisfy { $0.unaccounted == 0 }, "\(outcome.errors)")
    }
}

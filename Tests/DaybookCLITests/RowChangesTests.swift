import DaybookTestSupport
import Foundation
import Testing

/// Which rows of an output came, went and changed from one run to another.
@Suite struct RowChangesTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func write(_ output: String, _ publish: String = "") throws {
        try place.write(
            """
            daybook: 1
            job: states
            as_of: today
            \(publish)
            stages:
              - import_csv: { path: in.csv }
              - \(output)

            """,
            to: "job.yaml"
        )
    }

    private func run(_ rows: String, on day: String) throws {
        try place.write(rows, to: "in.csv")
        let outcome = try command.run("run", "job.yaml", "--as-of", day)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// Begins with the days anew: the last run is that of the latest day.
    private func forget() throws {
        try FileManager.default.removeItem(at: place.url.appendingPathComponent(".daybook"))
    }

    private func diff(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        let outcome = try command.run(["history", "diff", "previous", "last", "--job", "job.yaml"] + arguments)
        #expect(outcome.status == code, "\(outcome.errors)")
        return outcome.output + outcome.errors
    }

    private let first = "id,state,note\n1,open,\n2,open,\"a, b\"\n3,open,\n3,open,\n"
    private let second = "state,id,note,more\nopen,1,\npaid,2,\"a, b\",\nopen,3,,\nopen,4,\"\",\n"

    @Test func `rows are told by their cells, or by key`() throws {
        try write("export_csv: { path: \"out-${as_of}.csv\" }")
        try run(first, on: "2026-11-01")
        try run(second.replacingOccurrences(of: "open,1,\n", with: "open,1,,\n"), on: "2026-11-02")
        let whole = try diff()
        #expect(
            whole.hasSuffix(
                """
                rows of out-2026-11-01.csv and out-2026-11-02.csv: 2 came, 2 went, 2 the same in the columns of both
                  + columns more
                  + id=2 state=paid note="a, b"  (line 3)
                  + id=4 state=open note=""  (line 5)
                  - id=2 state=open note="a, b"  (line 3 before)
                  - id=3 state=open note=  (line 5 before)

                """
            ),
            "\(whole)"
        )
        let repeated = try diff("--key", "id")
        #expect(
            repeated.contains("rows of out-2026-11-01.csv and out-2026-11-02.csv: row 4 of '")
                && repeated.contains(
                    "/out-2026-11-01.csv' has the 'id' of a row before it; name more columns with '--key'"
                ),
            "\(repeated)"
        )
        let unknown = try diff("--key", "idd", ending: 2)
        #expect(
            unknown.contains("no output has a column 'idd' [unknown-column]") && unknown.contains("did you mean 'id'?")
        )
        try run("id,state,note\n1,open,\n2,open,\n3,lost,\n", on: "2026-11-03")
        let keyed = try diff("--key", "id")
        #expect(
            keyed.contains(
                """
                rows of out-2026-11-02.csv and out-2026-11-03.csv by id: 0 came, 1 went, 2 changed, 1 the same in the columns of both
                  - columns more
                  ~ cells: state 2, note 1
                  - state=open id=4 note=""  (line 5 before)
                  ~ id=2  state: paid → open, note: "a, b" →   (line 3)
                  ~ id=3  state: open → lost  (line 4)
                """
            ),
            "\(keyed)"
        )
        let json = try diff("--key", "id", "--format", "json")
        #expect(json.contains("\"changed\" : 2") && json.contains("\"sort\" : \"went\""), "\(json)")
    }

    @Test func `what is no longer on the disk is said, and a published directory still has it`() throws {
        try write("export_json: { path: all.ndjson, layout: lines }")
        try run("id\n1\n", on: "2026-11-01")
        let before = try command.run("history", "--format", "csv").output
        let name = try #require(before.split(separator: "\n").last?.split(separator: ",").first)
        try run("id\n1\n2\n", on: "2026-11-02")
        #expect(try diff().contains("rows of all.ndjson: the bytes of run \(name) are no longer on the disk\n"))
        try write("export_json: { path: out/all.ndjson, layout: lines }", "publish: { directory: out }")
        try run("id\n1\n", on: "2026-11-03")
        try run("id\n1\n2\n", on: "2026-11-04")
        let told = try diff()
        #expect(told.contains("rows of out/all.ndjson: 1 came, 0 went, 1 as before\n  + id=2  (line 2)\n"), "\(told)")
        // A file without rows is a table without rows.
        try run("id\n", on: "2026-11-05")
        #expect(try diff().contains("rows of out/all.ndjson: 0 came, 2 went, 0 as before\n"))
    }

    @Test func `rows with other columns are not called as they were`() throws {
        try write("export_csv: { path: \"out-${as_of}.csv\" }")
        let name = "rows of out-2026-11-01.csv and out-2026-11-02.csv"
        try run("a,b\n1,x\n2,y\n", on: "2026-11-01")
        try run("c,d\n9,q\n8,r\n", on: "2026-11-02")
        #expect(
            try diff().hasSuffix(
                "\(name): no column is in both files: a, b in the earlier one, c, d in the later one\n"
            )
        )
        try forget()
        try run("a,b\n1,x\n2,y\n", on: "2026-11-01")
        try run("a,c\n1,x\n2,z\n", on: "2026-11-02")
        for (keys, counts) in [([], "0 came, 0 went"), (["--key", "a"], "0 came, 0 went, 0 changed")] {
            let outcome = try command.run(["history", "diff", "previous", "last", "--job", "job.yaml"] + keys)
            let by = keys.isEmpty ? "" : " by a"
            #expect(
                outcome.output.hasSuffix(
                    "\(name)\(by): \(counts), 2 the same in the columns of both\n  - columns b\n  + columns c\n"
                ),
                "\(outcome.output)"
            )
        }
    }

    @Test func `a file is read as the job writes it, without a header and in its encoding`() throws {
        try write("export_csv: { path: \"out-${as_of}.csv\", header: false, encoding: utf-16le }")
        let name = "rows of out-2026-11-01.csv and out-2026-11-02.csv"
        try run("a,b\n1,x\n1,x\n2,y\n", on: "2026-11-01")
        try run("a,b\n1,x\n1,x\n3,y\n", on: "2026-11-02")
        let told = try diff()
        #expect(
            told.hasSuffix(
                "\(name): 1 came, 1 went, 2 as before\n  + column_1=3 column_2=y  (line 3)\n  - column_1=2 column_2=y  (line 3 before)\n"
            ),
            "\(told)"
        )
        // A job that is gone tells nothing of the files that it wrote, but they do themselves.
        let job = place.url.appendingPathComponent("job.yaml")
        try FileManager.default.removeItem(at: job)
        let unknown = try diff()
        #expect(unknown.contains("\(name): 1 came, 1 went, 2 as before\n"), "\(unknown)")
        // A row that is like the header is a row.
        try forget()
        try write("export_csv: { path: \"out-${as_of}.csv\", header: false }")
        try run("a,b\n1,x\n1,x\n2,y\n", on: "2026-11-01")
        try run("a,b\n1,x\n1,x\n3,y\n", on: "2026-11-02")
        try FileManager.default.removeItem(at: job)
        #expect(try diff().contains("\(name): 1 came, 1 went, 2 as before\n"))
    }

    @Test func `of an output that holds no table it is said that it is not compared`() throws {
        try write(
            """
            export_sqlite: { path: "out-${as_of}.sqlite", table: t }
              - import_csv: { path: in.csv }
              - export_csv: { path: "list-${as_of}" }
            """
        )
        try run("a\n1\n", on: "2026-11-01")
        try run("a\n2\n", on: "2026-11-02")
        // The stages that wrote them say how they are read.
        let read = try diff()
        for file in ["list-2026-11-01 and list-2026-11-02", "out-2026-11-01.sqlite and out-2026-11-02.sqlite"] {
            #expect(read.contains("rows of \(file): 1 came, 1 went, 0 as before\n"), "\(read)")
        }
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("job.yaml"))
        let told = try diff()
        let reason = "only files called *.csv, *.tsv, *.json, *.ndjson or *.jsonl are compared row by row\n"
        for file in ["list-2026-11-01 and list-2026-11-02", "out-2026-11-01.sqlite and out-2026-11-02.sqlite"] {
            #expect(told.contains("rows of \(file): \(reason)"), "\(told)")
        }
    }

    private struct Told: Decodable {
        struct Output: Decodable {
            struct Row: Decodable {
                var before, after: [String: String?]?
            }

            var output: String
            var notCompared: String?
            var changed: Int?
            var rows: [Row]?
        }

        var rows: [Output]
    }

    private func told(_ arguments: String...) throws -> [Told.Output] {
        let outcome = try command.run(
            ["history", "diff", "previous", "last", "--job", "job.yaml", "--format", "json"] + arguments
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Told.self, from: Data(outcome.output.utf8)).rows
    }

    /// Two outputs a day: all rows, and those without a note, of which `id` and `state` are left as the second says.
    private func writeTwo() throws {
        try place.write(
            """
            daybook: 1
            job: states
            as_of: today
            stages:
              - import_csv: { path: in.csv }
                id: rows
              - export_csv: { path: "all-${as_of}.csv" }
              - select_columns: { columns: [state] }
                from: rows
              - export_json: { path: "states-${as_of}.ndjson", layout: lines }

            """,
            to: "job.yaml"
        )
    }

    @Test func `outputs with the key are compared by it, and of others it is said why not`() throws {
        try writeTwo()
        try run("id,state\n1,open\n2,open\n", on: "2026-11-01")
        try run("id,state\n1,open\n2,paid\n", on: "2026-11-02")
        let names = (
            all: "all-2026-11-01.csv and all-2026-11-02.csv",
            states: "states-2026-11-01.ndjson and states-2026-11-02.ndjson"
        )
        let keyed = try diff("--key", "id")
        #expect(keyed.contains("rows of \(names.all) by id: 0 came, 0 went, 1 changed, 1 as before\n"), "\(keyed)")
        #expect(keyed.contains("rows of \(names.states): not both files have a column 'id'\n"), "\(keyed)")
        let json = try told("--key", "id")
        #expect(json.map(\.output) == [names.all, names.states])
        #expect(json.map(\.notCompared) == [nil, "not both files have a column 'id'"])
        #expect(json.map(\.changed) == [1, nil])
        // The key of the one output is on several rows of the other.
        let repeated = try told("--key", "state")
        #expect(repeated.allSatisfy { $0.notCompared?.contains("has the 'state' of a row before it") == true })
        #expect(try diff("--key", "id", "--key", "sate", ending: 2).contains("did you mean 'state'?"))
        // An output that is as it was has the key; the others lack it.
        try run("id,state\n1,open\n2,paid\n", on: "2026-11-03")
        try run("state,id\nopen,1\npaid,2\n", on: "2026-11-04")
        #expect(try told("--key", "id").map(\.notCompared) == [nil])
    }

    @Test func `a key that only an output without changes has is no error`() throws {
        try place.write("id,state\n1,open\n", to: "fixed.csv")
        try writeTwo()
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacingOccurrences(of: "from: rows", with: "from: others").replacingOccurrences(
                of: "  - import_csv: { path: in.csv }",
                with: "  - import_csv: { path: in.csv }\n    id: others\n  - import_csv: { path: fixed.csv }"
            ),
            to: "job.yaml"
        )
        try run("state\nopen\n", on: "2026-11-01")
        try run("state\npaid\n", on: "2026-11-02")
        #expect(try told("--key", "id").map(\.notCompared) == ["not both files have a column 'id'"])
        for keys in [["idd"], ["id", "idd"], ["idd", "id"]] {
            let outcome = try command.run(
                ["history", "diff", "previous", "last", "--job", "job.yaml"] + keys.flatMap { ["--key", $0] }
            )
            #expect(outcome.status == 2 && outcome.errors.contains("did you mean 'id'?"), "\(outcome.errors)")
        }
    }

    @Test func `JSON has the values of cells, and words have them as CSV spells them`() throws {
        try write("export_csv: { path: \"out-${as_of}.csv\" }")
        let long = String(repeating: "x", count: 300)
        try run("id,a,b,c,d\n1,,,,\n", on: "2026-11-01")
        try run("id,a,b,c,d\n1,\"\"\"q\"\"\",\"e,f\",\"\",\(long)\n", on: "2026-11-02")
        let rows = try #require(try told("--key", "id").first?.rows)
        #expect(rows.map(\.before) == [["id": "1", "a": nil, "b": nil, "c": nil, "d": nil]])
        #expect(rows.map(\.after) == [["id": "1", "a": "\"q\"", "b": "e,f", "c": "", "d": long]])
        let words = try diff("--key", "id")
        #expect(words.contains(#"  ~ id=1  a:  → """q""", b:  → "e,f", c:  → "", d:  → xxx"#), "\(words)")
        #expect(!words.contains(long))
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// `daybook contract`: data held against contracts of others, contracts of jobs, and what a later one breaks.
@Suite struct ContractCommandTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func contract(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        let outcome = try command.run(["contract"] + arguments)
        #expect(outcome.status == code, "\(outcome.output)\(outcome.errors)")
        return outcome.output + outcome.errors
    }

    private let package = """
        {
          "resources": [
            { "name": "orders", "path": "orders.csv", "dialect": { "delimiter": ";" },
              "schema": { "fields": [
                  { "name": "id", "type": "integer", "description": "Its number \\ud83d\\ude00",
                    "constraints": { "unique": true } },
                  { "name": "state", "constraints": { "enum": ["new", "paid"], "odd": 3 } },
                  { "name": "shop" } ],
                "primaryKey": "id",
                "foreignKeys": [{ "fields": "shop", "reference": { "resource": "shops", "fields": "name" } }] } },
            { "name": "shops", "path": "shops.csv", "schema": { "fields": [{ "name": "name" }] } }
          ]
        }
        """

    @Test func `a package is held against its own files, with their lines`() throws {
        try place.write(package, to: "datapackage.json")
        try place.write("id;state;shop\n1;new;Busan\n2;lost;Seoul\n1;paid;Busan\n", to: "orders.csv")
        try place.write("name\nBusan\n", to: "shops.csv")
        let told = try contract("check", "datapackage.json", ending: 1)
        for line in [
            "orders.csv:3:3: error: 'lost' is not one of new, paid [in_set_state]",
            "orders.csv:3:8: error: 'Seoul' does not stand in shops.name [refers_to_shop]",
            "orders.csv:4:1: error: the value stands in line 2 already [unique_id]",
        ] { #expect(told.contains(line), "\(told)") }
        try place.write("id;state;shop\n1;new;Busan\n", to: "orders.csv")
        let passed = try contract("check", "datapackage.json", "--report", "json=r.json")
        #expect(passed.contains("not checked: state: odd: 3"), "\(passed)")
        #expect(FileManager.default.fileExists(atPath: place.url.appendingPathComponent("r.json").path))
        // The job that was run can be printed, and run from a file.
        let job = try contract("import", "datapackage.json")
        // What the field and the key of the table ask is one rule.
        #expect(job.components(separatedBy: "- unique: id").count == 2, "\(job)")
        #expect(
            job.contains("# cannot be said: state: odd: 3") && job.contains("id: \"Its number \u{1F600}\""),
            "\(job)"
        )
        try place.write(job, to: "gate.yaml")
        #expect(try command.run("run", "gate.yaml").status == 0)
    }

    @Test func `data are named for one table`() throws {
        try place.write(package, to: "datapackage.json")
        try place.write("name\nBusan\n", to: "other.csv")
        #expect(
            try contract("check", "datapackage.json", "other.csv", ending: 2).contains(
                "name one with '--table': 'orders', 'shops'"
            )
        )
        _ = try contract("check", "datapackage.json", "other.csv", "--table", "shops")
        #expect(
            try contract("import", "datapackage.json", "--table", "shop", ending: 2).contains("did you mean 'shops'?")
        )
        _ = try contract("check", "datapackage.json", "lost.csv", "--table", "shops", ending: 3)
    }

    @Test func `references of a JSON Schema are followed, but not in circles`() throws {
        try place.write(
            """
            {"$defs": {"Address": {"type": "object", "properties": {"city": {"type": "string"}, "zip": {"$ref": "#/$defs/Zip"}}},
             "Zip": {"type": "string", "pattern": "^[0-9]{5}$"}, "Line": {"type": "object", "required": ["sku"],
               "properties": {"sku": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/Line"}}}},
             "Tree": {"type": "object", "properties": {"name": {"type": "string"}, "left": {"$ref": "#/$defs/Tree"}}}},
             "type": "object", "required": ["id"], "properties": {
               "id": {"type": "integer"}, "home": {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}], "default": null},
               "note": {"anyOf": [{"type": "string", "maxLength": 9}, {"type": "null"}]},
               "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}}, "tree": {"$ref": "#/$defs/Tree"},
               "far": {"$ref": "https://example.com/x.json"}}}
            """,
            to: "orders.schema.json"
        )
        let job = try command.run("contract", "import", "orders.schema.json").output
        for line in [
            "matches: { column: home.zip, pattern: \"^[0-9]{5}$\" }", "length: { column: note, max: 9 }",
            "# cannot be said: far: $ref: https://example.com/x.json",
            "# cannot be said: tree.left: $ref: #/$defs/Tree",
        ] { #expect(job.contains(line), "\(line)\n\(job)") }
        try place.write(
            """
            {"id": 1, "home": {"city": "Seoul", "zip": "04524"}, "lines": [{"sku": "a", "parts": [{"sku": "b"}]}]}
            {"id": 2, "home": {"zip": "4524"}, "lines": [{"sku": "a", "parts": [{"sku": 7}]}]}

            """,
            to: "orders.ndjson"
        )
        let checked = try command.run("contract", "check", "orders.schema.json", "orders.ndjson")
        #expect(checked.status == 1)
        #expect(checked.errors.contains("'/0/parts/0/sku'") && checked.errors.contains("home.zip"), "\(checked.errors)")
        // Sixteen definitions that each ask twice for the next stand for too many columns.
        let doubling = (0..<16).map { level in
            "\"d\(level)\": {\"type\": \"object\", \"properties\": {\"a\": {\"$ref\": \"#/$defs/d\(level + 1)\"}, \"b\": {\"$ref\": \"#/$defs/d\(level + 1)\"}}}"
        }
        try place.write(
            "{\"$defs\": {\(doubling.joined(separator: ", ")), \"d16\": {\"type\": \"string\"}}, \"type\": \"object\", \"properties\": {\"x\": {\"$ref\": \"#/$defs/d0\"}}}",
            to: "many.schema.json"
        )
        let many = try command.run("contract", "import", "many.schema.json")
        #expect(many.status == 0 && many.output.contains("# cannot be said: columns beyond 4,096"), "\(many.errors)")
    }

    @Test func `what is no contract is refused with its place`() throws {
        try place.write("a: 1\n", to: "a.yaml")
        #expect(
            try contract("import", "a.yaml", ending: 2).contains(
                "a.yaml:1:1: error: 'a.yaml' is no contract that is known"
            )
        )
        try place.write(#"{ "resources": [{ "path": "../../etc/passwd" }] }"#, to: "b.json")
        #expect(
            try contract("import", "b.json", ending: 2).contains(
                "b.json:1:27: error: the path '../../etc/passwd' leads out"
            )
        )
        try place.write(String(repeating: "[", count: 10_000), to: "c.json")
        #expect(try contract("check", "c.json", ending: 2).contains("[nested-too-deep]"))
        #expect(try contract("check", "d.json", ending: 2).contains("there is no file 'd.json'"))
    }

    @Test func `numbers of a contract are no text of the job`() throws {
        let hostile =
            #"{ "fields": [{ "name": "a\n- b: }", "type": "integer", "constraints": { "minimum": "0 }\n    - holds: x" } }] }"#
        try place.write(hostile, to: "a.json")
        let job = try contract("import", "a.json")
        #expect(!job.contains("\n    - holds") && job.contains("# cannot be said"), "\(job)")
    }

    @Test func `a job is exported, and what was exported is imported again`() throws {
        let rules = """
                    - not_missing: [id, s]
                    - unique: id
                    - between: { column: id, min: 1, max: 9 }
                    - matches: { column: s, pattern: "^a+$" }
                    - in_set: { column: s, values: [a, aa] }
                    - length: { column: s, max: 4 }
                      fail: "> 1%"
                    - sum: { column: id, max: 100 }
            """
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: o.csv, columns: { id: integer } }\n  - check_rows:\n      rules:\n\(rules)\n",
            to: "gate.yaml"
        )
        for form in ["table-schema", "odcs"] {
            let outcome = try command.run("contract", "export", "gate.yaml", "--as", form)
            #expect(
                outcome.errors.contains("only said as a rule of Daybook, of column s: { length:"),
                "\(outcome.errors)"
            )
            try place.write(outcome.output, to: "\(form).yaml")
            let job = try contract("import", "\(form).yaml", "--data", "o.csv")
            for rule in [
                "not_missing: id", "not_missing: s", "unique: id", "between: { column: id, min: 1, max: 9 }",
                "in_set: { column: s, values: [a, aa] }", "length: { column: s, max: 4 }\n          fail: \"> 1%\"",
                "sum: { column: id, max: 100 }", "matches: { column: s, pattern: ",
            ] { #expect(job.contains("- \(rule)"), "\(form): \(rule)\n\(job)") }
            #expect(!job.contains("cannot be said"), "\(job)")
            #expect(!(try contract("diff", "gate.yaml", "\(form).yaml").contains("breaking")))
        }
    }

    @Test func `what a later contract lets through is breaking`() throws {
        func schema(_ id: String, _ state: String, _ more: String = "") -> String {
            #"{ "fields": [{ "name": "id", \#(id) }, { "name": "state", \#(state) }\#(more)] }"#
        }
        let id = #""type": "integer", "constraints": { "required": true, "maximum": 9 }"#
        let state = #""constraints": { "enum": ["a", "b"] }"#
        try place.write(schema(id, state), to: "old.json")
        try place.write(
            schema(
                #""type": "number", "constraints": { "maximum": 10 }"#,
                #""constraints": { "enum": ["a", "b", "c"] }"#
            ),
            to: "wide.json"
        )
        #expect(
            try contract("diff", "old.json", "wide.json", "--fail-on", "breaking", ending: 1) == """
                breaking: old.id held integer and holds decimal
                breaking: old.id asks no longer: a value
                breaking: old.id asks for less: from anything to 9 was, from anything to 10 is
                breaking: old.state asks for less: one of a, b was, one of a, b, c is

                """
        )
        let later = #", { "name": "note" }"#
        try place.write(
            schema(id.replacing("9", with: "8"), state.replacing(#", "b""#, with: ""), later),
            to: "narrow.json"
        )
        #expect(
            try contract("diff", "old.json", "narrow.json", "--fail-on", "breaking") == """
                new: old.id asks for more: from anything to 9 was, from anything to 8 is
                new: old.state asks for more: one of a, b was, one of a is
                new: old.note is new

                """
        )
        #expect(try contract("diff", "narrow.json", "old.json").contains("breaking: narrow.note is gone"))
        #expect(try contract("diff", "old.json", "old.json") == "nothing changed for readers\n")
    }

    @Test func `a contract without fields asks for nothing`() throws {
        try place.write("{ \"fields\": [] }", to: "schema.json")
        try place.write("a\n1\n", to: "a.csv")
        let job = try contract("import", "schema.json", "--data", "a.csv")
        #expect(job.contains("- row_count: { min: 0 }"), "\(job)")
        #expect(try contract("check", "schema.json", "a.csv").contains("not checked: "))
    }

    /// What 'contract diff' says from one text to another, and back.
    private func changes(_ old: String, _ later: String, _ name: String) throws -> (there: String, back: String) {
        try place.write(old, to: "old.\(name)")
        try place.write(later, to: "later.\(name)")
        let told = try ["old", "later"].map { first in
            let second = first == "old" ? "later" : "old"
            return try command.run("contract", "diff", "\(first).\(name)", "\(second).\(name)").output
        }
        let gate = try command.run("contract", "diff", "old.\(name)", "later.\(name)", "--fail-on", "breaking")
        #expect(gate.status == (told[0].contains("breaking: ") ? 1 : 0))
        return (told[0], told[1])
    }

    @Test func `columns that may come besides or be missing are breaking`() throws {
        let closed = #"{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}"#
        let open = closed.replacing(#", "additionalProperties": false"#, with: "")
        let schema = try changes(closed, open, "json")
        #expect(schema.there == "breaking: old asks for less: no other columns was, any other columns is\n")
        #expect(schema.back == "new: later asks for more: any other columns was, no other columns is\n")
        func fields(_ match: String, _ missing: String = "") -> String {
            #"{ "fields": [{ "name": "a" }, { "name": "b", "constraints": { "required": true } }], "fieldsMatch": ["\#(match)"]\#(missing) }"#
        }
        let package = try changes(fields("exact"), fields("partial"), "json")
        for line in [
            "breaking: old asks for less: no other columns was, any other columns is",
            "breaking: old asks no longer that columns are there: a",
            "breaking: old asks no longer for the order of columns: a, b",
        ] { #expect(package.there.contains("\(line)\n"), "\(package.there)") }
        #expect(!package.back.contains("breaking") && package.back.contains("new: "), "\(package.back)")
        #expect(try changes(fields("exact"), fields("equal"), "json").there.contains("no longer for the order"))
        func job(_ wish: String, _ more: String = "") -> String {
            "daybook: 1\n\(more)stages:\n  - import_csv: { path: o.csv }\n  - check_rows:\n      rules:\n        - columns: \(wish)\n"
        }
        let told = try changes(
            job("{ are: [a, b] }"),
            job("{ are: [a, b], extra: allow, missing: allow }"),
            "yaml"
        )
        #expect(
            told.there == """
                breaking: old asks for less: no other columns was, any other columns is
                breaking: old asks no longer that columns are there: a, b

                """
        )
        #expect(try changes(job("{ min: 3 }"), job("{ min: 2 }"), "yaml").there.hasPrefix("breaking: "))
        let rejects = try changes(job("a", "rejects: { allow: 0 }\n"), job("a", "rejects: { allow: 50% }\n"), "yaml")
        #expect(rejects.there == "breaking: old asks for less: 0 rejected rows allowed was, 50% is\n")
        #expect(!rejects.back.contains("breaking"), "\(rejects.back)")
        let words = try changes(
            fields("exact", #", "missingValues": ["", "NA"]"#),
            fields("exact", #", "missingValues": [""]"#),
            "json"
        )
        #expect(
            words.there == "breaking: old reads 'NA' as a value, and it was missing where one is asked for\n",
            "\(words.there)"
        )
    }

    @Test func `rules of a later job that let more pass are breaking, and others are new`() throws {
        func job(_ rules: String, _ options: String = "", between: String = "") -> String {
            let lines = rules.split(separator: ";").map { "        - \($0.drop { $0 == " " })\n" }.joined()
            return
                "daybook: 1\nstages:\n  - import_csv: { path: o.csv\(options) }\n\(between)  - check_rows:\n      rules:\n\(lines)"
        }
        for (old, later, there) in [
            (job("holds: a > 1; holds: b > 1"), job("holds: b > 1"), "breaking: old asks no longer: holds: \"a > 1\""),
            (job("holds: a > 1"), job("holds: a > 1; holds: b > 1"), "new: old asks besides: holds: \"b > 1\""),
            (
                job(#"{ not_missing: a, fail: "> 1%" }"#), job(#"{ not_missing: a, fail: "> 5%" }"#),
                #"breaking: old.a asks for less: a value with fail: "> 1%" was, a value with fail: "> 5%" is"#
            ),
            (
                job(#"{ not_missing: a, fail: "> 5%" }"#), job("not_missing: a"),
                #"new: old.a asks for more: a value with fail: "> 5%" was, a value with no limits is"#
            ),
            (
                job("not_missing: a"), job("not_missing: a", ", trim: true"),
                "breaking: old is read otherwise: no 'trim' was"
            ),
            (
                job("not_missing: a"), job("not_missing: a", between: "  - filter_rows: { where: a > 1 }\n"),
                "not compared: old, filter_rows before the check: { where: a > 1 }, which is new or another"
            ),
        ] {
            let told = try changes(old, later, "yaml").there
            #expect(told.hasPrefix(there), "\(told)")
        }
        // Bounds that are values themselves read otherwise than those that are not.
        func schema(_ keys: String) -> String { #"{"properties": {"n": {"type": "number", \#(keys)}}}"# }
        #expect(
            try changes(schema(#""exclusiveMinimum": 0"#), schema(#""minimum": 0"#), "json").there
                == "breaking: old.n asks for less: above 0 was, from 0 to anything is\n"
        )
        // Of JSON, a number is no text.
        let text = try changes(#"{"properties": {"n": {"type": "string"}}}"#, schema(#""title": "N""#), "json")
        #expect(text.there == "breaking: old.n held text and holds decimal\n" && text.back.hasPrefix("breaking: "))
        // What no job can say is told, and fails no gate.
        let odd = try changes(schema(#""multipleOf": 0.5"#), schema(#""title": "N""#), "json")
        #expect(odd.there == "not compared: old.n, multipleOf: 0.5, which is gone or another\n")
    }

    @Test func `properties of a JSON Schema need not occur, and have the kinds that it says`() throws {
        try place.write(
            #"""
            {"type": "array", "items": {"type": "object", "additionalProperties": false, "properties": {
              "t": {"type": "string", "pattern": "^a"}, "e": {"enum": ["x", "y"]}, "u": {"type": "integer"}, "any": {},
              "list": {"type": "array", "items": {"type": "integer"}}, "mix": {"type": ["string", "integer"]}}}}
            """#,
            to: "s.schema.json"
        )
        for (data, fault) in [
            ("[]", nil), (#"[{"u": 7}]"#, nil), (#"[{"t": "ab", "e": "x", "list": [1.0], "mix": 7}]"#, nil),
            (#"[{"any": {"a": 1}}, {"any": 7}]"#, nil), (#"[{"mix": "a"}, {"mix": 1}]"#, nil),
            (#"[{"t": 7}]"#, "the number 7 in a column of kind text"), (#"[{"t": "b"}]"#, "[matches_t]"),
            (#"[{"e": "z"}]"#, "[in_set_e]"), (#"[{"list": 7}]"#, "[schema_list]"),
            (#"[{"mix": true}]"#, "[schema_mix]"), (#"[{"more": 1}]"#, "there is a column 'more' besides"),
            (#"[{"u": 1.0}]"#, "the number 1.0 in a column of kind integer"),
        ] {
            try place.write(data, to: "d.json")
            let told = try contract("check", "s.schema.json", "d.json", ending: fault == nil ? 0 : 1)
            if let fault { #expect(told.contains(fault), "\(data): \(told)") }
            #expect(told.contains("not checked: whole numbers that are written as 1.0 or 1e2"), "\(told)")
        }
    }

    @Test func `what is required need not be described, nor be in a document without records`() throws {
        try place.write(#"{"properties": {"a": {}}, "required": ["a", "z"]}"#, to: "s.schema.json")
        for (data, code) in [("[]", 0), (#"[{"a": {"b": 1}, "z": {"b": 1}}]"#, 0), (#"[{"a": 1}]"#, 1)]
            as [(String, Int32)]
        {
            try place.write(data, to: "d.json")
            _ = try contract("check", "s.schema.json", "d.json", ending: code)
        }
    }

    @Test func `a condition that cannot be read is left out, and the rest is judged`() throws {
        try place.write(
            """
            models:
              - name: t
                columns:
                  - name: id
                    data_tests: [{ not_null: { config: { where: "id > 5" } } }]
                  - name: s
                    data_type: text
                    data_tests: [{ dbt_utils.expression_is_true: { expression: ">= 1" } }, unique]
            """,
            to: "schema.yml"
        )
        try place.write("id,s\n7,a\n9,a\n", to: "t.csv")
        let told = try contract("check", "schema.yml", "t.csv", ending: 1)
        #expect(told.contains("not checked: s: holds: ") && told.contains("compare text with"), "\(told)")
        #expect(told.contains("[unique_s]") && !told.contains("not checked: id"), "\(told)")
    }
}

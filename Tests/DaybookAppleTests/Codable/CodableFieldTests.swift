import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts
@testable import DaybookJSON

/// Which columns fill which fields, which values cost their row, and what is refused before a row is read.
@Suite struct CodableFieldTests {
    @Test(
        "values that the app's type cannot hold reject their row",
        arguments: [
            ("decimal", "integer", ["1", "-3.0", "1e18", "1.5", "nan", "1e19", ""], "1,-3,1000000000000000000"),
            ("integer", "decimal", ["9007199254740992", "9007199254740993", "-1"], "9007199254740992,-1"),
            ("integer", "date", ["757339200", "9007199254740993"], "757339200"),
            ("decimal", "date", ["757339200.1234567", "inf", "-0.5"], "757339200.1234567,-0.5"),
            ("decimal", "decimal", ["0.1", "-inf", "3", "1e300"], "0.1,3,1e+300"),
            (
                "json", "integer",
                ["9223372036854775807", "9223372036854775808", "1.0", "-9223372036854775808", "true"],
                "9223372036854775807,-9223372036854775808"
            ),
            ("json", "text", ["\"\"\"a\"\"\"", "1", "\"{\"\"a\"\":1}\""], "\"a\""),
            ("json", "flag", ["true", "0", "false"], "true,false"),
            (
                "json", "date", ["757339200.12345678901", "\"\"\"x\"\"\"", "1e999", "-1E2"],
                "757339200.12345678901,-1E2"
            ),
            ("json", "json", ["null", "{}", "[1, 2]"].map { "\"\($0)\"" }, "null,{},[1, 2]"),
            ("day", "text", ["2026-03-01"], "\"2026-03-01\""),
            ("flag", "json", ["true"], "true"),
            (
                "text", "json",
                [
                    "\"{\"\"a\"\": [1]}\"", "7", " true ", "\"\"\"x\"\"\"", "null", "x", "{a: 1}", "1 2", "\"\"", "[1",
                    "nan",
                ],
                "{\"a\": [1]},7, true ,\"x\",null"
            ),
        ]
    )
    func values(_ column: String, _ field: String, _ cells: [String], _ expected: String) throws {
        let rows = try BatchText.read("a:\(column),row:integer\n" + cells.map { "\($0),1" }.joined(separator: "\n"))
        let (json, findings) = try CodableExportTests.exported(
            rows,
            "layout: lines\ndates: apple_seconds\nfields: { a: \(field) }"
        )
        let lines = String(decoding: json, as: UTF8.self).split(separator: "\n")
        #expect(lines.map { $0.dropFirst(5).dropLast() }.joined(separator: ",") == expected)
        #expect(findings.count == cells.count - lines.count)
    }

    @Test(
        "a column of another kind is refused with what to do",
        arguments: [
            ("text", "date", "put normalise_dates with 'to: instant' before this stage"),
            ("decimal", "date", "say what the numbers count, such as 'dates: apple_seconds'"),
            ("json", "date", "say what the numbers count, such as 'dates: apple_seconds'"),
            ("text", "integer", "declare the kind of 'a' where it is imported"),
            ("day", "integer", "declare the field as date"),
            ("integer", "text", "declare the field as integer"),
            ("integer", "flag", "declare the field as integer"),
            ("flag", "date", "declare the field as flag"),
        ]
    )
    func kinds(_ column: String, _ field: String, _ hint: String) throws {
        let error = try refusal("a:\(column)", "fields: { a: \(field)? }")
        #expect(error?.message == "column 'a' holds \(column), and the field 'a' is \(field)")
        #expect(error?.hint == hint)
        #expect(error?.place != nil)
    }

    @Test("a field whose column is not there is refused, also when it is optional")
    func columns() throws {
        #expect(try refusal("a:text", "fields: { b: text }")?.code == "unknown-column")
        let absent = try refusal("a:text", "fields: { note: text?, a: text }")
        #expect(absent?.message == "no column named 'note'")
        #expect(absent?.hint?.hasPrefix("leave the field out of 'fields'") == true)
        #expect(absent?.hint?.hasSuffix("'columns: { note: text }'") == true)
        let near = try refusal("a:text,notes:text", "fields: { note: text?, a: text }")
        #expect(near?.hint?.hasPrefix("did you mean 'notes'?") == true)
        #expect(try refusal("a:text", "fields: { b: { from: c, kind: text? } }")?.code == "unknown-column")
        #expect(try refusal("", "fields: { b: { from: c, kind: text } }") == nil)
        #expect(try refusal("a:text,a.b:text", "nest: true\nfields: { a: text, a.b: text? }")?.code == "nested-name")
    }

    @Test("an object that was taken apart is put together again")
    func objects() throws {
        let rows = try BatchText.read("id:integer,place.lat:decimal,place.geo.hash:text\n1,37.5,wydm\n2,,\n3,,u4pr")
        func lines(_ fields: String) throws -> (lines: [Substring], findings: [String]) {
            let (json, findings) = try CodableExportTests.exported(rows, "layout: lines\nfields: { \(fields) }")
            return (String(decoding: json, as: UTF8.self).split(separator: "\n"), findings)
        }
        let whole = "{\"id\":1,\"place\":{\"lat\":37.5,\"geo\":{\"hash\":\"wydm\"}}}"
        let part = "{\"id\":3,\"place\":{\"geo\":{\"hash\":\"u4pr\"}}}"
        let optional = try lines("id: integer, place: json?")
        #expect(optional.lines == [whole[...], "{\"id\":2}", part[...]])
        #expect(optional.findings.isEmpty)
        let needed = try lines("id: integer, place: json")
        #expect(needed.lines == [whole[...], part[...]])
        #expect(needed.findings.count == 1)
        let renamed = try lines("spot: { from: place.geo, kind: json? }")
        #expect(renamed.lines == ["{\"spot\":{\"hash\":\"wydm\"}}", "{}", "{\"spot\":{\"hash\":\"u4pr\"}}"])
        let header = "place.lat:decimal"
        #expect(
            try refusal(header, "fields: { place: text? }")?.message
                == "'place' is an object here, with 'place.lat', and the field 'place' is text"
        )
        #expect(try refusal(header, "nest: true\nfields: { place: json, place.lat: decimal }")?.code == "nested-name")
        #expect(try refusal("place.a:text,place.a.b:text", "fields: { place: json }")?.code == "nested-name")
        #expect(try refusal("places.a:text", "fields: { place: json? }")?.code == "unknown-column")
    }

    @Test("an object that a column holds as a whole is written, or its parts are, and a row that has both is rejected")
    func wholes() throws {
        let rows = try BatchText.read(
            "id:integer,c:json,c.a:integer,c.b.x:integer\n1,,5,\n2,{},,\n3,,,\n4,{},5,\n5,{},,6\n6,\"[1]\",,"
        )
        func lines(_ options: String) throws -> (lines: [String], findings: [String]) {
            let (json, findings) = try CodableExportTests.exported(rows, "layout: lines\n" + options)
            return (String(decoding: json, as: UTF8.self).split(separator: "\n").map(String.init), findings)
        }
        let twofold = ["4 c object-and-parts", "5 c object-and-parts"]
        let left = try lines("nest: true\nmissing: leave_out")
        #expect(
            left.lines == [
                "{\"id\":1,\"c\":{\"a\":5}}", "{\"id\":2,\"c\":{}}", "{\"id\":3}", "{\"id\":6,\"c\":[1]}",
            ]
        )
        #expect(left.findings == twofold)
        let null = try lines("nest: true")
        #expect(
            null.lines == [
                "{\"id\":1,\"c\":{\"a\":5,\"b\":{\"x\":null}}}", "{\"id\":2,\"c\":{}}",
                "{\"id\":3,\"c\":{\"a\":null,\"b\":{\"x\":null}}}", "{\"id\":6,\"c\":[1]}",
            ]
        )
        #expect(null.findings == twofold)
        let optional = try lines("fields: { id: integer, c: json? }")
        #expect(optional.lines == left.lines)
        let needed = try lines("fields: { c: json }")
        #expect(needed.lines == ["{\"c\":{\"a\":5}}", "{\"c\":{}}", "{\"c\":[1]}"])
        #expect(needed.findings == ["3 c.a missing-value"] + twofold)
        let header = "c:json,c.a:integer"
        #expect(try refusal(header, "nest: true\nfields: { c: json, c.a: integer }")?.code == "nested-name")
        #expect(try refusal("c:integer,c.a:integer", "nest: true")?.code == "nested-name")
    }

    @Test("fields with dots are keys inside objects, in export_json as in export_user_defaults")
    func dottedFields() throws {
        let rows = try BatchText.read("a.b:integer,c:text\n1,x")
        let fields = "fields: { a.b: integer, a.c: { from: c, kind: text } }"
        func json(_ options: String) throws -> String {
            String(decoding: try CodableExportTests.exported(rows, "layout: lines\n" + options).0, as: UTF8.self)
        }
        #expect(try json(fields) == "{\"a\":{\"b\":1,\"c\":\"x\"}}\n")
        #expect(try json("nest: false\n" + fields) == "{\"a.b\":1,\"a.c\":\"x\"}\n")
        #expect(try json("") == "{\"a.b\":1,\"c\":\"x\"}\n")
        let defaults = try DefaultsExportTests.exported(rows, "key: k\nformat: json\ncontent: text\n" + fields)
        #expect(String(decoding: defaults, as: UTF8.self) == #"{"k":"[{\"a\":{\"b\":1,\"c\":\"x\"}}]"}"# + "\n")
    }

    @Test(
        "fields that cannot be read are refused in the words of the app",
        arguments: [
            ("fields: { a: Double? }", "did you mean 'decimal?'?"),
            ("fields: { a: dat }", "did you mean 'date'?"),
            ("fields: { a: { kind: text, form: b } }", "did you mean 'from'?"),
            ("dates: deferredToDate", "did you mean 'apple_seconds'?"),
        ]
    )
    func words(_ options: String, _ hint: String) {
        do {
            _ = try ExampleRunner.make(ExportJSON.self, "path: out.json\n" + options)
            Issue.record("accepted: \(options)")
        } catch {
            #expect((error as? DaybookErrors)?.errors.map(\.hint) == [hint])
        }
    }

    @Test("dates ask for the job's zone, and only they do")
    func zone() throws {
        let context = OptionReader.Context(asOf: CalendarDay(number: 0), timezone: nil)
        func problems(_ options: String) -> [DaybookError.Code] {
            do {
                _ = try ExampleRunner.make(ExportJSON.self, "path: x\n" + options, in: context)
                return []
            } catch { return (error as? DaybookErrors)?.errors.map(\.code) ?? [] }
        }
        #expect(problems("") == [])
        #expect(problems("fields: { a: integer }\ndates: apple_seconds") == [])
        #expect(problems("dates: epoch_millis") == ["missing-timezone"])
        #expect(problems("fields: { a: date? }") == ["missing-timezone"])
    }

    @Test("a day that clocks skipped whole has no beginning")
    func skippedDay() throws {
        let context = OptionReader.Context(asOf: CalendarDay(number: 0), timezone: "Pacific/Apia")
        let stage = try ExampleRunner.make(
            ExportJSON.self,
            "{ path: x, layout: lines, fields: { a: date } }",
            in: context
        )
        let rows = try BatchText.read("a:day\n2011-12-29\n2011-12-30\n2011-12-31")
        _ = try stage.bind(StageInputs(rows.schema))
        var findings = Findings()
        let piece = stage.piece(of: rows, from: 0, reporting: &findings)
        #expect(findings.rejectedRows.map(\.row) == [1])
        let out = MemoryOutput()
        var writer = try stage.writer(in: SinkContext(rows.schema))
        try writer.append(piece, input: 0, to: out)
        #expect(out.text == "{\"a\":\"2011-12-29T10:00:00Z\"}\n{\"a\":\"2011-12-30T10:00:00Z\"}\n")
    }

    private func refusal(_ header: String, _ options: String) throws -> DaybookError? {
        let stage = try ExampleRunner.make(ExportJSON.self, "path: out.json\n" + options)
        do throws(DaybookError) {
            _ = try stage.bind(StageInputs(try BatchText.read(header).schema))
            return nil
        } catch { return error }
    }
}

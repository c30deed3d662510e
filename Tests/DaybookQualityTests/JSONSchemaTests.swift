import DaybookTestSupport
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookQuality

/// What schemas ask of values, and how a fault is told. The official test suite is held against them by `check-json-schema`.
@Suite struct JSONSchemaTests {
    private static func schema(_ text: String) throws -> JSONSchema {
        let root = try #require(YAMLReader().read(Array(text.utf8), file: "schema.yaml").root)
        return try JSONSchema(root)
    }

    private static func fault(_ value: String, _ schema: JSONSchema) -> JSONSchemaCheck.Fault? {
        let bytes = Bytes(value)
        return withExtendedLifetime(bytes) {
            let fits = JSONSchemaCheck.fits(schema, bytes.filled, isJSON: false)
            let fault = JSONSchemaCheck.fault(of: bytes.filled, schema)
            #expect(fits == (fault == nil), "\(value)")
            return fault
        }
    }

    @Test(
        "a fault is told with its place",
        arguments: [
            ("{ type: integer }", "1.5", "", "is not a whole number"),
            ("{ type: [string, 'null'] }", "true", "", "is not null or a string"),
            ("{ items: { minimum: 0 } }", "[3, -1]", "/1", "is less than 0"),
            (
                "{ properties: { a/b: { maxLength: 1 } } }", #"{"a/b": "바다"}"#, "/a~1b",
                "has 2 characters, and at most 1 are allowed"
            ),
            ("{ required: [id] }", "{}", "", "lacks 'id'"),
            ("{ additionalProperties: false }", #"{"x": 1}"#, "/x", "is not allowed"),
            ("{ enum: [1, red, null] }", #""blue""#, "", #"is none of 1, "red", null"#),
            ("{ const: { a: [1] } }", "{}", "", #"is not {"a":[1]}"#),
            ("{ uniqueItems: true }", "[1, 2, 1.0]", "/2", "stands in the list twice"),
            ("{ format: date }", #""2026-02-30""#, "", "is not a day such as 2026-11-21"),
            ("{ anyOf: [{ type: string }, { type: array }] }", "1", "", "fits none of the 2 schemas of 'anyOf'"),
            ("{ oneOf: [{ minimum: 1 }, { maximum: 5 }] }", "3", "", "fits 2 of the 2 schemas of 'oneOf'"),
            ("{ not: { type: string } }", #""a""#, "", "fits what 'not' forbids"),
            ("{ multipleOf: 0.01 }", "4.355", "", "is no multiple of 0.01"),
            ("{ minimum: 4, exclusiveMinimum: true }", "4", "", "is not more than 4"),
            ("{ propertyNames: { pattern: '^[a-z]+$' } }", #"{"A": 1}"#, "/A", "does not match '^[a-z]+$'"),
            (
                "{ $ref: '#/$defs/n', $defs: { n: { type: object, additionalProperties: { $ref: '#/$defs/n' } } } }",
                #"{"a": {"b": 1}}"#, "/a/b", "is not an object"
            ),
            ("{ if: { type: string }, then: { minLength: 2 }, else: { minimum: 2 } }", "1", "", "is less than 2"),
        ]
    )
    func faults(_ schema: String, _ value: String, _ pointer: String, _ words: String) throws {
        let fault = try #require(Self.fault(value, Self.schema(schema)))
        #expect(fault.pointer == pointer)
        #expect(fault.words == words)
    }

    @Test(
        "what fits has no fault",
        arguments: [
            ("{ type: integer }", "1.0"), ("{ type: number }", " -0.5e3 "), ("{ multipleOf: 0.01 }", "4.35"),
            ("{ const: { a: 1, b: 2 } }", #"{"b": 2.0, "a": 1}"#),
            ("{ enum: ['1'] }", #""\u0031""#), ("{ maxLength: 2 }", #""\ud83d\ude00é""#), ("{ required: [a] }", "[]"),
            ("{ contains: { type: string } }", #"[1, "a"]"#),
            ("{ properties: { 키: { type: string } }, required: [키] }", #"{"\ud0a4": "x"}"#), ("{}", "null"),
        ]
    )
    func fitting(_ schema: String, _ value: String) throws {
        #expect(try Self.fault(value, Self.schema(schema)) == nil)
    }

    @Test(
        "a schema that cannot be judged is refused at its place",
        arguments: [
            (
                "{ type: strnig }",
                "expected a type: null, boolean, object, array, string, number or integer, found 'strnig'", 9
            ),
            ("{ $ref: other.json }", "the schema has nothing at 'other.json'", 9),
            ("{ $ref: '#/$defs/a' }", "the schema has nothing at '#/$defs/a'", 9),
            (
                "{ unevaluatedItems: false }",
                "'unevaluatedItems' is not judged here, and without it values would pass that the schema forbids", 3
            ),
            ("{ minItems: 3, maxItems: 2 }", "expected at least 3, found '2'", 26),
            ("{ pattern: '[' }", "the class is never closed (character 1 of '[')", 13),
            ("{ multipleOf: 0 }", "expected a number above 0, found '0'", 15),
            ("{ minimum: '1' }", "expected a number, found '1'", 12),
            ("{ uniqueItems: yes }", "expected true or false, found 'yes'", 16),
            ("{ required: [1] }", "expected a string, found '1'", 14),
            ("{ type: [] }", "expected a type, found none", 9),
            ("{ anyOf: [] }", "expected a list of schemas, found none", 10),
            (
                "{ $defs: { n: { $id: 'http://q/n' } }, $ref: '#/$defs/n' }",
                "a schema within another that has an '$id' is a document of its own, which is not read here", 22
            ),
            ("{ required: true }", "expected a list of keys, found 'true'", 13),
            ("{ allOf: [{ $ref: '#' }] }", "this schema asks for itself", 1),
        ]
    )
    func refused(_ schema: String, _ message: String, _ column: Int) throws {
        let error = #expect(throws: DaybookError.self) { try Self.schema(schema) }
        #expect(error?.message == message)
        #expect(error?.place?.column == column)
    }

    @Test func `keywords and formats that nobody knows are told`() throws {
        let schema = try Self.schema("{ requierd: [a], x-note: 1, format: idn-email, title: T }")
        #expect(
            schema.unjudged.map(\.words).sorted() == [
                "the format 'idn-email' is not known and is ignored",
                "the keyword 'requierd' is not known and is ignored; did you mean 'required'?",
            ]
        )
    }

    @Test(
        "numbers are exact, whatever their digits",
        arguments: [
            ("{ maximum: 1 }", "1e309", false), ("{ minimum: 1 }", "-1e400", false), ("{ minimum: 1 }", "1e400", true),
            ("{ type: integer }", "1e400", true), ("{ type: integer }", "1e-400", false),
            ("{ type: integer }", "1.50e1", true),
            ("{ exclusiveMaximum: 1 }", "0.\(String(repeating: "9", count: 60))", true),
            ("{ const: 123456789012345678901234567890 }", "123456789012345678901234567891", false),
            ("{ const: 1.0e2 }", "100", true), ("{ const: 0 }", "-0.0", true), ("{ multipleOf: 2 }", "1e400", true),
            ("{ multipleOf: 3 }", "1e2147483647", false), ("{ multipleOf: 0.01 }", "4.35", true),
            ("{ multipleOf: 0.01 }", "4.355", false), ("{ multipleOf: 1.5 }", "4.50", true),
            ("{ minimum: -0.5 }", "-0.50", true),
            ("{ exclusiveMinimum: 9007199254740992 }", "9007199254740993", true),
            ("{ maxLength: 1e1 }", "\"abcdefghij\"", true),
        ]
    )
    func numbers(_ schema: String, _ value: String, _ isFit: Bool) throws {
        #expect((Self.fault(value, try Self.schema(schema)) == nil) == isFit)
    }

    @Test func `alternatives within alternatives end`() throws {
        let levels = (1..<40).map {
            "x\($0): { anyOf: [{ $ref: '#/$defs/x\($0 - 1)' }, { $ref: '#/$defs/x\($0 - 1)' }] }"
        }
        let text = "$ref: '#/$defs/x39', $defs: { x0: { type: string }, \(levels.joined(separator: ", ")) }"
        #expect(Self.fault("1", try Self.schema("{ \(text) }"))?.words == "takes too many steps to be judged")
        // What cannot be judged does not fit, whatever is made of it.
        let inverted = try Self.schema(
            "{ not: { $ref: '#/$defs/x39' }, \(text.dropFirst("$ref: '#/$defs/x39', ".count)) }"
        )
        #expect(Self.fault("1", inverted)?.words == "takes too many steps to be judged")
    }

    @Test func `a value as deep as JSON may be is judged`() throws {
        let schema = try Self.schema("{ items: { $ref: '#' }, not: { type: string } }")
        let depth = JSONCursor.deepest - 1
        func nested(_ inner: String, _ depth: Int) -> String {
            String(repeating: "[", count: depth) + inner + String(repeating: "]", count: depth)
        }
        #expect(Self.fault(nested("1", depth), schema)?.words == "is nested deeper than can be judged")
        #expect(Self.fault(nested("1", 300), schema) == nil)
        #expect(Self.fault(nested("\"a\"", 300), schema)?.words == "fits what 'not' forbids")
    }

    @Test func `what is cut anywhere is no JSON`() throws {
        let schema = try Self.schema("{ type: object, properties: { a: { items: { type: integer } } } }")
        let value = #" {"a": [1, -2.0e1, 3], "\u00e9": "x\"y"} "#
        for count in 0..<value.utf8.count {
            let bytes = Bytes(String(decoding: value.utf8.prefix(count), as: UTF8.self))
            let fits = withExtendedLifetime(bytes) { JSONSchemaCheck.fits(schema, bytes.filled, isJSON: false) }
            #expect(fits == (count >= value.utf8.count - 1 ? true : nil), "\(count)")
        }
    }
}

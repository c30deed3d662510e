import DaybookBytes

/// Every value of a column is JSON that fits a JSON Schema. Missing values pass.
struct FitsSchema: RowRule, ColumnRule {
    static let name = "schema"
    static let summary = "Every value of a column is JSON that fits a JSON Schema."

    let column: ColumnName
    private let schema: JSONSchemaOption
    private let hint: ValueHint

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of JSON, or of text that holds it.")
        schema = options.read(
            "is",
            help:
                "The schema: a file of JSON or YAML, or the schema itself. Draft 2020-12 without unevaluated… and other documents; "
                + "of formats, date, date-time, email, ipv4, uri and uuid are judged."
        )
        for (words, place) in schema.schema.unjudged { options.warn("unjudged-schema", "is", words, at: place) }
        hint = ValueHint(of: schema.schema) { [schema = schema.schema] cell in
            guard let fault = cell.flatMap({ JSONSchemaCheck.fault(of: $0, schema) }) else { return "" }
            let subject = fault.pointer.isEmpty ? "it" : "'\(fault.pointer)'"
            // The message shows the whole value already.
            let value = fault.pointer.isEmpty ? nil : fault.value.map { " (\($0.shortened))" }
            return "; \(subject)\(value ?? "") \(fault.words)"
        }
    }

    var finding: Finding.Kind { Finding.Kind("breaks-schema", "{value} does not fit \(schema.written)", hint: hint) }
    var complaint: String { "have a value in '\(column)' that does not fit \(schema.written)" }
    var expectation: String { "every value in '\(column)' fits \(schema.written)" }

    func check(_ input: Schema) throws(DaybookError) { try input.requiring(column, .text, .json) }

    func breaches(in batch: Batch) -> [Breach] {
        switch batch.column(column) {
        case .json(let values):
            return [
                Breach(
                    finding,
                    in: column,
                    values.rows { JSONSchemaCheck.fits(schema.schema, $0, isJSON: true) != true }
                )
            ]
        case .text(let values):
            let fits = values.mapValues(filler: true as Bool?) {
                JSONSchemaCheck.fits(schema.schema, $1, isJSON: false)
            }.elements
            return [
                Breach(finding, in: column, Mask(count: fits.count) { fits[$0] == false }),
                Breach(
                    Finding.Kind("not-json", "{value} is not JSON", hint: FitsSchema.notJSON),
                    in: column,
                    Mask(count: fits.count) { fits[$0] == nil }
                ),
            ]
        default: return []
        }
    }

    private static let notJSON = ValueHint(of: "not-json") { cell in
        cell.flatMap(JSONSchemaCheck.reason).map { "; at its byte \($0.place + 1), \($0.fault.message)" } ?? ""
    }

    static let examples: [StageExample] = [
        .passing(
            "the message says where in the value the fault is",
            options: """
                rules:
                  - schema:
                      column: payload
                      is:
                        type: object
                        required: [id]
                        properties:
                          id: { type: integer, minimum: 1 }
                          tags: { type: array, items: { type: string }, uniqueItems: true }
                        additionalProperties: false
                """,
            rows: """
                payload:text
                "{""id"": 7, ""tags"": [""바다"", ""산""]}"
                "{""id"": 0}"
                "{""tags"": []}"
                "{""id"": 7, ""tags"": [""바다"", 3]}"
                "{""id"": 7, ""note"": null}"

                "{""id"": 7"
                """,
            findings: [
                "2 payload breaks-schema", "3 payload breaks-schema", "4 payload breaks-schema",
                "5 payload breaks-schema",
                "7 payload not-json",
            ]
        ),
        StageExample(
            "a schema that would let values pass that it forbids is refused",
            options: "rules: [{ schema: { column: payload, is: { type: object, unevaluatedProperties: false } } }]",
            input: "payload:json",
            refused:
                "'is': 'unevaluatedProperties' is not judged here, and without it values would pass that the schema forbids"
        ),
    ]
}

/// A JSON Schema as an option: a file, or the schema itself.
struct JSONSchemaOption: OptionValue {
    let schema: JSONSchema
    /// How messages name it.
    let written: String

    static var kind: OptionKind { .either([.path, .schema]) }
    static var placeholder: JSONSchemaOption { JSONSchemaOption(schema: .anything, written: "its schema") }

    private init(schema: JSONSchema, written: String) { (self.schema, self.written) = (schema, written) }

    init(reading node: OptionNode) throws(DaybookError) {
        guard node.map == nil else {
            self.init(schema: try JSONSchema(node), written: "its schema")
            return
        }
        let path = try PathText(reading: node)
        self.init(schema: try JSONSchema(try JSONDocument.root(of: path)), written: "'\(path.text)'")
    }
}

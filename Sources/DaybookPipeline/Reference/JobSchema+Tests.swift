import DaybookCore

extension JobSchema {
    /// The list of tests. Which stages and columns there are, only `validate` knows.
    static let tests: JSONValue = [
        "description": "Tests of the job: rows given to some stages, and rows expected of others.",
        "type": ["array", "null"], "maxItems": .number(TestListReader.limit),
        "items": [
            "type": "object", "additionalProperties": false, "required": ["name"],
            "properties": [
                "name": ["description": "What holds, in a sentence.", "type": "string", "minLength": 1],
                "as_of": [
                    "description": "The day that the test takes for as_of.", "type": "string",
                    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
                ],
                "set": [
                    "description": "Params that the test sets.", "type": "object",
                    "additionalProperties": ["$ref": "#/$defs/scalar"],
                ],
                "given": [
                    "description":
                        "What stages are given, by their ids: an import the text of its file, any stage the rows that stand in its place.",
                    "type": "object", "additionalProperties": given,
                ],
                "expect": [
                    "description": "The rows that stages give, by their ids; with '.rejects', what they reject.",
                    "type": "object", "minProperties": 1, "additionalProperties": expected,
                ],
                "findings": expected, "rules": expected,
                "gate": ["description": "Whether the gates hold.", "enum": ["passes", "fails"]],
            ],
        ],
    ]

    private static let list: JSONValue = [
        "type": "array",
        "items": [
            "type": "object",
            "additionalProperties": ["anyOf": [["$ref": "#/$defs/scalar"], ["type": "null"]]],
        ],
    ]

    private static let given: JSONValue = [
        "anyOf": [
            ["description": "CSV with a header, or what the file of an import holds.", "type": "string"],
            list,
            [
                "description": "The files of an import, by name.", "type": "object", "minProperties": 1,
                "additionalProperties": ["type": "string"],
            ],
        ]
    ]

    private static let expected: JSONValue = [
        "description": "CSV with a header, or a list of maps; with nothing, 'daybook test --update' writes it.",
        "anyOf": [["type": "string"], ["type": "null"], list],
    ]
}

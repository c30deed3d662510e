import DaybookEngine
import DaybookReports

extension JobSchema {
    /// The list of tests. Only `validate` knows which stages and columns exist.
    package static let tests: JSONValue = [
        "description": "Tests of the job: rows given to some stages, and rows expected of others.",
        "type": ["array", "null"], "maxItems": .number(TestListReader.limit),
        "items": map(
            nil,
            [
                "name": text("What holds, in a sentence.", ["minLength": 1]),
                "as_of": text(
                    "The day that the test takes for as_of.",
                    ["pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"]
                ),
                "set": [
                    "description": "Params that the test sets.", "type": "object",
                    "additionalProperties": reference("scalar"),
                ],
                "given": [
                    "description":
                        "What stages are given, by their ids: an import the text of its file, any stage the rows that stand in its place.",
                    "type": "object", "additionalProperties": given,
                ],
                "expect": [
                    "description": "The rows that stages give, by their ids; with '.rejects', what they reject.",
                    "type": "object", "minProperties": 1, "additionalProperties": expected,
                    "properties": [
                        "exports": [
                            "description":
                                "The rows that outputs hold, by their paths, as an import reads them; of an output of several exports, by key or table.",
                            "type": "object", "minProperties": 1,
                            "additionalProperties": [
                                "anyOf": [expected, ["type": "object", "additionalProperties": expected]]
                            ],
                        ]
                    ],
                ],
                "findings": expected, "rules": expected,
                "gate": ["description": "Whether the gates hold.", "enum": ["passes", "fails"]],
            ],
            required: ["name"]
        ),
    ]

    private static let list: JSONValue = [
        "type": "array",
        "items": [
            "type": "object", "additionalProperties": ["anyOf": [reference("scalar"), ["type": "null"]]],
        ],
    ]

    private static let given: JSONValue = [
        "anyOf": [
            text("CSV with a header, or what the file of an import holds."), list,
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

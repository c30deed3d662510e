import DaybookEngine
import DaybookReports

/// The JSON Schema of job files for the stages of one table: what an editor needs to complete and check them.
///
/// A schema knows less than `validate`: it sees the shape of a file, and not its columns, ids or params.
public struct JobSchema: Sendable {
    private let entries: [StageEntry]

    public init(_ table: StageTable) { entries = table.stages.map(StageEntry.init).sorted { $0.name < $1.name } }

    /// The schema as a document.
    public var text: String { JSONDocument.text(of: document) }

    private var document: JSONValue {
        [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Daybook job",
            "description": "A job of Daybook: a chain of stages over rows, every one of which is accounted for.",
            "type": "object",
            "required": ["daybook", "stages"],
            "additionalProperties": false,
            "properties": [
                "daybook": ["description": "The format version.", "enum": [1, "1"]],
                "job": [
                    "description": "The name of the job; without it, the name of the file.", "type": "string",
                    "minLength": 1,
                ],
                "timezone": [
                    "description": "The zone of times without one, by its IANA name.", "type": "string",
                    "examples": ["Asia/Seoul", "Etc/UTC"],
                ],
                "as_of": [
                    "description": "The day that the job takes for today. --as-of overrides it.", "default": "today",
                    "anyOf": [["enum": ["today", "yesterday"]], ["$ref": "#/$defs/day"]],
                ],
                "params": [
                    "description": "Values from outside, for ${name}. --set name=value sets one.",
                    "type": ["object", "null"], "additionalProperties": ["$ref": "#/$defs/param"],
                ],
                "rejects": ["$ref": "#/$defs/rejects"],
                "publish": [
                    "description":
                        "Publishes all outputs at one moment: the directory is a link, which each run switches.",
                    "type": "object", "additionalProperties": false, "required": ["directory"],
                    "properties": [
                        "directory": [
                            "description": "The directory that readers look into; every output lies below it.",
                            "type": "string", "minLength": 1, "examples": ["../out"],
                        ]
                    ],
                ],
                "notify": JobSchema.notify,
                "stages": [
                    "description": "The stages, in order. Each reads the one above it, unless 'from' names another.",
                    "type": "array", "minItems": 1, "maxItems": .number(StageListReader.limit),
                    "items": ["$ref": "#/$defs/stage"],
                ],
                "tests": JobSchema.tests,
            ],
            "$defs": .map(definitions),
        ]
    }

    private var definitions: [String: JSONValue] {
        var all: [String: JSONValue] = [
            "stage": stage,
            "reference": [
                "description": "The id of a stage above; with '.rejects', what it rejected.", "type": "string",
                "minLength": 1,
            ],
            "rejects": [
                "description": "What becomes of the rows that are rejected.", "type": "object",
                "additionalProperties": false,
                "properties": [
                    "path": ["description": "Where rejects are written, one JSON object a line.", "type": "string"],
                    "allow": [
                        "description":
                            "How many rows may be rejected: a count, or a share such as 1%, for the job of what each import reads.",
                        "default": 0,
                        "anyOf": [
                            ["type": "integer", "minimum": 0],
                            [
                                "type": "string",
                                "pattern": .text("^(0|[1-9][0-9]*)(\\.[0-9]{1,6})?%$|\(JobSchema.template)"),
                            ],
                        ],
                    ],
                ],
            ],
            "param": [
                "anyOf": [
                    ["$ref": "#/$defs/scalar"], ["type": "null"],
                    [
                        "type": "object", "additionalProperties": false,
                        "properties": [
                            "default": ["$ref": "#/$defs/scalar"],
                            "help": ["description": "What the param is for.", "type": "string"],
                            "secret": [
                                "description":
                                    "Masks the value wherever it would be shown. Without it, names that speak of secrets do.",
                                "type": "boolean",
                            ],
                        ],
                    ],
                ]
            ],
            "scalar": [
                "description": "Text; what looks like a number or a flag is taken as it is written.",
                "type": ["string", "number", "boolean"],
            ],
            "template": [
                "description": "A value that a param gives.", "type": "string", "pattern": .text(JobSchema.template),
            ],
            "day": [
                "description": "A date such as 2026-11-21.", "type": "string",
                "pattern": .text("^[0-9]{4}-[0-9]{2}-[0-9]{2}$|\(JobSchema.template)"),
            ],
        ]
        for entry in entries { all["stage.\(entry.name)"] = OptionSchema.options(of: entry) }
        return all
    }

    /// One entry of the list: exactly one stage, and the keys of the engine beside it.
    private var stage: JSONValue {
        var properties: [String: JSONValue] = [
            "id": ["description": "The name by which 'from' calls this stage.", "type": "string", "minLength": 1],
            "from": [
                "description": "What the stage reads, when that is not the stage above.",
                "anyOf": [
                    ["$ref": "#/$defs/reference"],
                    ["type": "array", "minItems": 1, "uniqueItems": true, "items": ["$ref": "#/$defs/reference"]],
                ],
            ],
            "rejects": ["$ref": "#/$defs/rejects"],
        ]
        for entry in entries { properties[entry.name] = ["$ref": .text("#/$defs/stage.\(entry.name)")] }
        return [
            "type": "object", "additionalProperties": false, "properties": .map(properties),
            "oneOf": .list(entries.map { ["required": [.text($0.name)]] }),
        ]
    }

    /// A text with `${…}` in it, which may stand for any scalar.
    static let template = "\\$\\{"
}

extension JobSchema {
    /// The list of tests. Which stages and columns there are, only `validate` knows.
    package static let tests: JSONValue = [
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

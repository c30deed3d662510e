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

extension JobSchema {
    /// Who is told of which runs: one map, or a list of them.
    static let notify: JSONValue = [
        "description": "Who is told of a run, and of which runs.",
        "anyOf": [notice, ["type": "array", "minItems": 1, "maxItems": .number(Notice.mostOfAJob), "items": notice]],
    ]

    private static let events: JSONValue = .list(Notice.Event.allCases.map { .text($0.rawValue) })

    private static let notice: JSONValue = [
        "type": "object", "additionalProperties": false,
        "properties": [
            "on": [
                "description": "Of which runs somebody is told.", "default": ["failed", "recovered"],
                "anyOf": [
                    ["enum": events],
                    ["type": "array", "minItems": 1, "uniqueItems": true, "items": ["enum": events]],
                ],
            ],
            "command": [
                "description":
                    "A program and its arguments, started without a shell, with the report as JSON on its standard input. Only with --allow-commands.",
                "type": "array", "minItems": 1, "items": ["type": ["string", "number", "boolean"]],
            ],
            "webhook": [
                "description": "An address that is sent a POST of JSON.", "type": "object",
                "additionalProperties": false,
                "required": ["url"],
                "properties": [
                    "url": [
                        "description": "An address by https://.", "type": "string",
                        "examples": ["https://hooks.example.com/nightly"],
                    ],
                    "secret": [
                        "description": "The key of the signature by HMAC-SHA256, from a variable or a param.",
                        "type": "string", "pattern": .text(template), "examples": ["${env:WEBHOOK_SECRET}"],
                    ],
                    "allow_http": [
                        "description": "Whether the address may be one by http:// on another machine.",
                        "default": false,
                        "anyOf": [["type": "boolean"], ["$ref": "#/$defs/template"]],
                    ],
                ],
            ],
            "mail": mail,
        ],
    ]

    private static let mail: JSONValue = [
        "description": "A mail with the report, given to a server by SMTP.", "type": "object",
        "additionalProperties": false, "required": ["server", "from", "to"],
        "properties": [
            "server": [
                "description": "By smtp://, where STARTTLS is required, or smtps://.", "type": "string",
                "examples": ["smtp://mail.example.com:587"],
            ],
            "user": ["description": "Who sends, for the server.", "type": "string"],
            "password": [
                "description": "From a variable or a param.", "type": "string", "pattern": .text(template),
                "examples": ["${env:SMTP_PASSWORD}"],
            ],
            "from": ["description": "The address that it comes from.", "type": "string"],
            "to": [
                "description": "The addresses that it goes to.",
                "anyOf": [
                    ["type": "string"],
                    ["type": "array", "minItems": 1, "maxItems": 100, "items": ["type": "string"]],
                ],
            ],
            "subject": ["description": "Without it, how the run ended.", "type": "string"],
            "tls": [
                "description": "Whether the connection has to be encrypted; none is for a server on this machine.",
                "default": "required", "enum": ["required", "none"],
            ],
        ],
    ]
}

/// The JSON Schema of the options of a stage.
enum OptionSchema {
    static func options(of entry: StageEntry) -> JSONValue {
        var map = object(entry.options)
        map["description"] = .text(entry.description.summary)
        // A stage that needs no option may stand with nothing behind its colon.
        if !entry.options.contains(where: \.isRequired) { map["type"] = ["object", "null"] }
        return .map(map)
    }

    private static func object(_ specs: [OptionSpec]) -> [String: JSONValue] {
        var properties: [String: JSONValue] = [:]
        for spec in specs { properties[spec.key] = option(spec) }
        // The entries of such a map may stand among the options, so any key may.
        let bare = specs.first(where: \.isBare)
        let required = specs.filter { $0.isRequired && !$0.isBare }.map(\.key)
        var map: [String: JSONValue] = [
            "type": "object", "additionalProperties": bare.map(entry) ?? false, "properties": .map(properties),
        ]
        if bare?.isRequired == true { map["minProperties"] = 1 }
        if !required.isEmpty { map["required"] = .list(required.map(JSONValue.text)) }
        return map
    }

    /// One entry of a map that may stand among the options.
    private static func entry(_ spec: OptionSpec) -> JSONValue {
        guard case .map(let kind) = spec.kind, case .map(var map) = value(kind) else { return true }
        map["description"] = .text(spec.help)
        return .map(map)
    }

    private static func option(_ spec: OptionSpec) -> JSONValue {
        guard case .map(var map) = optionValue(spec) else { return true }
        map["description"] = .text(spec.help)
        if let fallback = spec.fallback { map["default"] = written(fallback, spec.kind) }
        return .map(map)
    }

    /// An entry may happen to have the key of the map itself.
    private static func optionValue(_ spec: OptionSpec) -> JSONValue {
        guard spec.isBare, case .map(let kind) = spec.kind else { return value(spec.kind) }
        return ["anyOf": [value(spec.kind), value(kind)]]
    }

    /// What may be written for a kind. Every scalar may also be a `${…}`.
    private static func value(_ kind: OptionKind) -> JSONValue {
        switch kind {
        case .text, .column, .path, .expression, .dateFormat: ["$ref": "#/$defs/scalar"]
        case .integer: ["anyOf": [["type": "integer"], ["$ref": "#/$defs/template"]]]
        case .decimal: ["anyOf": [["type": "number"], ["$ref": "#/$defs/template"]]]
        case .flag: ["anyOf": [["type": "boolean"], ["$ref": "#/$defs/template"]]]
        case .day: ["$ref": "#/$defs/day"]
        case .choice(let names): ["anyOf": [["enum": .list(names.map(JSONValue.text))], ["$ref": "#/$defs/template"]]]
        case .list(let kind): ["anyOf": [value(kind), ["type": "array", "items": value(kind)]]]
        case .map(let kind): ["type": "object", "additionalProperties": value(kind)]
        case .object(let specs): .map(object(specs))
        case .either(let kinds): ["anyOf": .list(kinds.map(value))]
        }
    }

    /// The default as a value of its kind, where that is plain; else as it would be written.
    private static func written(_ fallback: String, _ kind: OptionKind) -> JSONValue {
        switch kind {
        case .integer: Int(fallback).map(JSONValue.number) ?? .text(fallback)
        case .flag: .flag(fallback == "true")
        case .list where fallback == "[]": []
        case .map where fallback == "{  }" || fallback == "{}": [:]
        default: .text(fallback == "\"\"" ? "" : fallback)
        }
    }
}

import DaybookEngine
import DaybookReports

/// The JSON Schema of job files for the stages of one table: what an editor needs to complete and check them.
///
/// A schema knows less than `validate`: it sees the shape of a file, but not its columns, ids or params.
public struct JobSchema: Sendable {
    private let entries: [StageEntry]

    public init(_ table: StageTable) { entries = table.stages.map(StageEntry.init).sorted { $0.name < $1.name } }

    /// The schema as a document.
    public var text: String { JSONDocument.text(of: JobSchema.document(entries)) }

    private static func document(_ entries: [StageEntry]) -> JSONValue {
        [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Daybook job",
            "description": "A job of Daybook: a chain of stages over rows, every one of which is accounted for.",
            "type": "object",
            "required": ["daybook", "stages"],
            "additionalProperties": false,
            "properties": [
                "daybook": ["description": "The format version.", "enum": [1, "1"]],
                "job": text("The name of the job; without it, the name of the file.", ["minLength": 1]),
                "timezone": text(
                    "The zone of times without one, by its IANA name.",
                    ["examples": ["Asia/Seoul", "Etc/UTC"]]
                ),
                "as_of": [
                    "description": "The day that the job takes for today. --as-of overrides it.", "default": "today",
                    "anyOf": [["enum": ["today", "yesterday"]], reference("day")],
                ],
                "params": [
                    "description": "Values from outside, for ${name}. --set name=value sets one.",
                    "type": ["object", "null"], "additionalProperties": reference("param"),
                ],
                "state": text(
                    "The directory where runs keep their state; without it, .daybook beside the job.",
                    ["minLength": 1, "examples": ["/var/lib/daybook", "${env:STATE_DIRECTORY}"]]
                ),
                "keep": [
                    "description": "How many runs the history keeps; without it, all.", "type": "string",
                    "pattern": .text("^(1 run|[1-9][0-9]* runs)$|\(template)"), "examples": ["400 runs"],
                ],
                "catch_up": [
                    "description": "Which days without a run that passed are made up, before the day of the run.",
                    "enum": ["daily"],
                ],
                "after": texts("Jobs that must have passed for the same day."),
                "wait_for": [
                    "description": "Files that must have been delivered, each until a time of day.",
                    "anyOf": [awaited, ["type": "array", "items": awaited]],
                ],
                "rejects": reference("rejects"),
                "publish": map(
                    "Publishes all outputs at one moment: the directory is a link, which each run switches.",
                    [
                        "directory": text(
                            "The directory that readers look into; every output lies below it.",
                            ["minLength": 1, "examples": ["../out"]]
                        )
                    ],
                    required: ["directory"]
                ),
                "diff": map(
                    "How far the files that the job reads may be from earlier ones; more fails the run, and nothing is written.",
                    [
                        "against": text(
                            "A branch, tag or commit, or an earlier file or directory; else what --changed-since or --past names.",
                            ["minLength": 1, "examples": ["origin/main", "archive/orders.csv"]]
                        ),
                        "key": texts("Columns by which a row is known in both; else they are found."),
                        "fail_on": texts(
                            "Limits, as daybook diff --fail-on has them.",
                            ["examples": [["columns-gone", "rows-removed>1%"]]]
                        ),
                        "append_only": [
                            "description": "Whether no row, column or file may go or change.", "type": "boolean",
                        ],
                    ]
                ),
                "notify": notify,
                "for_each": [
                    "description":
                        "Repeats the stages for each place that a pattern finds, all in one run: ${name} is its path, ${name:name} its name.",
                    "type": "object", "minProperties": 1, "maxProperties": 1,
                    "additionalProperties": [
                        "anyOf": [
                            text("A pattern; with a slash at its end, for directories.", ["examples": ["dumps/*/"]]),
                            ["type": "array", "minItems": 1, "items": ["type": "string"]],
                        ]
                    ],
                ],
                "container": map(
                    "Copies a directory, with the outputs in the place of the files that they replace.",
                    [
                        "from": text("The directory.", ["minLength": 1, "examples": ["dumps/app", "${user}"]]),
                        "to": text(
                            "Where the copy is made; with a slash at its end, below that, under its own name.",
                            ["minLength": 1, "examples": ["out/"]]
                        ),
                    ],
                    required: ["from", "to"]
                ),
                "stages": [
                    "description": "The stages, in order. Each reads the one above it, unless 'from' names another.",
                    "type": "array", "minItems": 1, "maxItems": .number(StageListReader.limit),
                    "items": reference("stage"),
                ],
                "tests": tests,
            ],
            "$defs": .map(definitions(entries)),
        ]
    }

    private static func definitions(_ entries: [StageEntry]) -> [String: JSONValue] {
        var all: [String: JSONValue] = [
            "stage": stage(entries),
            "reference": text("The id of a stage above; with '.rejects', what it rejected.", ["minLength": 1]),
            "rejects": map(
                "What becomes of the rows that are rejected.",
                [
                    "path": text("Where rejects are written, one JSON object a line."),
                    "allow": [
                        "description":
                            "How many rows may be rejected: a count, or a share such as 1%, for the job of what each import reads.",
                        "default": 0,
                        "anyOf": [
                            ["type": "integer", "minimum": 0],
                            ["type": "string", "pattern": .text("^(0|[1-9][0-9]*)(\\.[0-9]{1,6})?%$|\(template)")],
                        ],
                    ],
                ]
            ),
            "param": [
                "anyOf": [
                    reference("scalar"), ["type": "null"],
                    map([
                        "default": reference("scalar"),
                        "help": text("What the param is for."),
                        "secret": [
                            "description":
                                "Masks the value wherever it would be shown. Without it, names that speak of secrets do.",
                            "type": "boolean",
                        ],
                    ]),
                ]
            ],
            "scalar": [
                "description": "Text; what looks like a number or a flag is taken as it is written.",
                "type": ["string", "number", "boolean"],
            ],
            "template": text("A value that a param gives.", ["pattern": .text(template)]),
            "day": text("A date such as 2026-11-21.", ["pattern": .text("^[0-9]{4}-[0-9]{2}-[0-9]{2}$|\(template)")]),
        ]
        for entry in entries { all["stage.\(entry.name)"] = OptionSchema.options(of: entry) }
        return all
    }

    /// One entry of the list: exactly one stage, and the keys of the engine beside it.
    private static func stage(_ entries: [StageEntry]) -> JSONValue {
        var properties: [String: JSONValue] = [
            "id": text("The name by which 'from' calls this stage.", ["minLength": 1]),
            "from": [
                "description": "What the stage reads, when that is not the stage above.",
                "anyOf": [reference("reference"), set(of: reference("reference"))],
            ],
            "rejects": reference("rejects"),
            "once": flag("Whether a job with 'for_each' has this stage once, for all places together.", default: false),
        ]
        for entry in entries { properties[entry.name] = reference("stage.\(entry.name)") }
        return [
            "type": "object", "additionalProperties": false, "properties": .map(properties),
            "oneOf": .list(entries.map { ["required": [.text($0.name)]] }),
        ]
    }

    /// The pattern of a text with `${…}`, which may stand for any scalar.
    static let template = "\\$\\{"
}

/// The building blocks of the schema.
extension JobSchema {
    static func reference(_ name: String) -> JSONValue { ["$ref": .text("#/$defs/\(name)")] }

    static func text(_ description: String, _ others: [String: JSONValue] = [:]) -> JSONValue {
        .map(others.merging(["description": .text(description), "type": "string"]) { own, _ in own })
    }

    /// A text, or a list of them.
    fileprivate static func texts(_ description: String, _ others: [String: JSONValue] = [:]) -> JSONValue {
        let forms: JSONValue = [["type": "string"], ["type": "array", "items": ["type": "string"]]]
        return .map(others.merging(["description": .text(description), "anyOf": forms]) { own, _ in own })
    }

    /// Whether, as an option that is false or true where the job says nothing.
    fileprivate static func flag(_ description: String, default fallback: Bool) -> JSONValue {
        [
            "description": .text(description), "default": .flag(fallback),
            "anyOf": [["type": "boolean"], reference("template")],
        ]
    }

    /// A list of different values.
    fileprivate static func set(of items: JSONValue) -> JSONValue {
        ["type": "array", "minItems": 1, "uniqueItems": true, "items": items]
    }

    static func map(_ properties: [String: JSONValue], required: [String] = []) -> JSONValue {
        map(nil, properties, required: required)
    }

    /// A map with known keys.
    static func map(_ description: String?, _ properties: [String: JSONValue], required: [String] = []) -> JSONValue {
        JSONValue(withoutNulls: [
            "description": JSONValue(description), "type": "object", "additionalProperties": false,
            "properties": .map(properties),
            "required": required.isEmpty ? .null : .texts(required),
        ])
    }

    fileprivate static let awaited = map(
        [
            "path": text("The file, or a pattern.", ["minLength": 1, "examples": ["in/orders-${as_of}.csv"]]),
            "until": text(
                "The time of day at which the run ends without it.",
                ["pattern": .text("^[0-9]{1,2}:[0-9]{2}$|\(template)"), "examples": ["06:00"]]
            ),
        ],
        required: ["path", "until"]
    )

    /// Notices: one map, or a list of maps.
    static let notify: JSONValue = [
        "description": "Who is told of a run, and of which runs.",
        "anyOf": [notice, ["type": "array", "minItems": 1, "maxItems": .number(Notice.mostOfAJob), "items": notice]],
    ]

    private static let events: JSONValue = .texts(Notice.Event.allCases.map(\.rawValue))

    private static let notice: JSONValue = map([
        "on": [
            "description": "Of which runs somebody is told.", "default": ["failed", "recovered", "missed"],
            "anyOf": [["enum": events], set(of: ["enum": events])],
        ],
        "command": [
            "description":
                "A program and its arguments, started without a shell, with the report as JSON on its standard input. Only with --allow-commands.",
            "type": "array", "minItems": 1, "items": ["type": ["string", "number", "boolean"]],
        ],
        "webhook": map(
            "An address that is sent a POST of JSON.",
            [
                "url": text("An address by https://.", ["examples": ["https://hooks.example.com/nightly"]]),
                "secret": text(
                    "The key of the signature by HMAC-SHA256, from a variable or a param.",
                    ["pattern": .text(template), "examples": ["${env:WEBHOOK_SECRET}"]]
                ),
                "headers": [
                    "description": "Headers beside those of every request.", "type": "object",
                    "additionalProperties": ["type": ["string", "number", "boolean"]],
                ],
                "body": [
                    "description":
                        "The body in the form that the receiver needs; its texts may have fields such as {outcome} and {summary}.",
                    "type": "object",
                ],
                "allow_http": flag("Whether the address may be one by http:// on another machine.", default: false),
            ],
            required: ["url"]
        ),
        "mail": mail,
        "link": text(
            "The address of a page about the run; it may have fields such as {run}.",
            ["examples": ["https://reports.example.com/${as_of}.html"]]
        ),
        "values": flag("Whether the notice may show values of the data.", default: true),
    ])

    private static let mail = map(
        "A mail with the report, given to a server by SMTP.",
        [
            "server": text(
                "By smtp://, where STARTTLS is required, or smtps://.",
                ["examples": ["smtp://mail.example.com:587"]]
            ),
            "user": text("Who sends, for the server."),
            "password": text(
                "From a variable or a param.",
                ["pattern": .text(template), "examples": ["${env:SMTP_PASSWORD}"]]
            ),
            "from": text("The address that it comes from."),
            "to": [
                "description": "The addresses that it goes to.",
                "anyOf": [
                    ["type": "string"],
                    ["type": "array", "minItems": 1, "maxItems": 100, "items": ["type": "string"]],
                ],
            ],
            "subject": text("Without it, how the run ended."),
            "tls": [
                "description": "Whether the connection has to be encrypted; none is for a server on this machine.",
                "default": "required", "enum": ["required", "none"],
            ],
        ],
        required: ["server", "from", "to"]
    )
}

extension JobSchema {
    /// The list of tests. Only `validate` knows which stages and columns exist.
    package static let tests: JSONValue = [
        "description": "Tests of the job: rows given to some stages, and rows expected of others.",
        "type": ["array", "null"], "maxItems": .number(TestListReader.limit),
        "items": map(
            [
                "name": text("What holds, in a sentence.", ["minLength": 1]),
                "as_of": text("The day that the test takes for as_of.", ["pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"]),
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

/// The JSON Schema of the options of a stage.
enum OptionSchema {
    static func options(of entry: StageEntry) -> JSONValue {
        var map = object(entry.options)
        map["description"] = .text(entry.description.summary)
        // A stage without required options may be written without any.
        if !entry.options.contains(where: \.isRequired) { map["type"] = ["object", "null"] }
        return .map(map)
    }

    private static func object(_ specs: [OptionSpec]) -> [String: JSONValue] {
        var properties: [String: JSONValue] = [:]
        for spec in specs { properties[spec.key] = option(spec) }
        // The entries of such a map may be among the options, so any key is allowed.
        let bare = specs.first(where: \.isBare)
        let required = specs.filter { $0.isRequired && !$0.isBare }.map(\.key)
        var map: [String: JSONValue] = [
            "type": "object", "additionalProperties": bare.map(entry) ?? false, "properties": .map(properties),
        ]
        if bare?.isRequired == true { map["minProperties"] = 1 }
        if !required.isEmpty { map["required"] = .texts(required) }
        return map
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

    /// One entry of a map that may be among the options.
    private static func entry(_ spec: OptionSpec) -> JSONValue {
        guard case .map(let kind) = spec.kind, case .map(var map) = value(kind) else { return true }
        map["description"] = .text(spec.help)
        return .map(map)
    }

    private static func orTemplate(_ schema: JSONValue) -> JSONValue {
        ["anyOf": [schema, JobSchema.reference("template")]]
    }

    /// The schema of a kind. A template may stand for every scalar.
    private static func value(_ kind: OptionKind) -> JSONValue {
        switch kind {
        case .text, .column, .path, .expression, .dateFormat: JobSchema.reference("scalar")
        case .integer: orTemplate(["type": "integer"])
        case .decimal: orTemplate(["type": "number"])
        case .flag: orTemplate(["type": "boolean"])
        case .day: JobSchema.reference("day")
        case .choice(let names): orTemplate(["enum": .texts(names)])
        case .list(let kind): ["anyOf": [value(kind), ["type": "array", "items": value(kind)]]]
        case .map(let kind): ["type": "object", "additionalProperties": value(kind)]
        case .object(let specs): .map(object(specs))
        case .schema: ["type": "object"]
        case .either(let kinds): ["anyOf": .list(kinds.map(value))]
        }
    }

    /// The default as a value of its kind if possible, otherwise as text.
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

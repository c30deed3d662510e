import DaybookEngine
import DaybookReports

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

import DaybookCore

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
        for spec in specs where !spec.isRest { properties[spec.key] = option(spec) }
        let rest = specs.first(where: \.isRest)
        let required = specs.filter { $0.isRequired && !$0.isRest }.map(\.key)
        var map: [String: JSONValue] = [
            "type": "object", "additionalProperties": rest.map(option) ?? false, "properties": .map(properties),
        ]
        if rest?.isRequired == true { map["minProperties"] = 1 }
        if !required.isEmpty { map["required"] = .list(required.map(JSONValue.text)) }
        return map
    }

    private static func option(_ spec: OptionSpec) -> JSONValue {
        guard case .map(var map) = value(spec.kind) else { return true }
        map["description"] = .text(spec.help)
        if let fallback = spec.fallback { map["default"] = written(fallback, spec.kind) }
        return .map(map)
    }

    /// What may be written for a kind. Every scalar may also be a `${…}`.
    private static func value(_ kind: OptionKind) -> JSONValue {
        switch kind {
        case .text, .column, .path, .expression: ["$ref": "#/$defs/scalar"]
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

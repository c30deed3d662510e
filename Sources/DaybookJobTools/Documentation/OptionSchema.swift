import DaybookReports

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

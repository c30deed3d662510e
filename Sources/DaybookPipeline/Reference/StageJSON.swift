import DaybookCore

/// The pages as JSON, for other programs.
struct StageJSON {
    func page(_ entry: StageEntry) -> JSONValue {
        var map: [String: JSONValue] = [
            "name": .text(entry.name), "role": .text(entry.role.rawValue), "summary": .text(entry.description.summary),
            "details": JSONValue(entry.description.details),
            "options": .list(entry.options.map(option)),
            "examples": .list(entry.description.examples.map { example($0, of: entry.name) }),
        ]
        if entry.takesExpressions { map["functions"] = ExpressionPages(.plain).json }
        if entry.takesDateFormats { map["date_letters"] = DateFormatPages(.plain).json }
        return .map(map)
    }

    private func option(_ spec: OptionSpec) -> JSONValue {
        var map: [String: JSONValue] = [
            "name": .text(spec.key), "kind": .text(spec.described), "help": .text(spec.help),
            "required": .flag(spec.isRequired), "default": JSONValue(spec.fallback == "\"\"" ? "" : spec.fallback),
        ]
        if spec.isBare { map["bare"] = true }
        if case .choice(let names) = spec.kind { map["choices"] = .list(names.map(JSONValue.text)) }
        let nested = spec.kind.nested
        if !nested.isEmpty { map["options"] = .list(nested.map(option)) }
        return .map(map)
    }

    private func example(_ example: StageExample, of stage: String) -> JSONValue {
        [
            "claim": .text(example.claim), "stage": .text(example.entry(of: stage).joined(separator: "\n")),
            "base": JSONValue(example.base), "input": .text(example.input), "beside": JSONValue(example.beside),
            "output": JSONValue(example.output),
            "excerpts": .list(example.excerpts.map(JSONValue.text)),
            "findings": .list(example.findings.map(JSONValue.text)), "refused": JSONValue(example.refused),
        ]
    }
}

extension CodableField: OptionValue {
    package static let kind = OptionKind.either([
        .choice(words),
        .object([
            OptionSpec(key: "from", kind: .column, help: "Column that fills the field.", isRequired: true),
            OptionSpec(key: "kind", kind: .choice(words), help: "What the app declares.", isRequired: true),
        ]),
    ])
    package static var placeholder: CodableField { CodableField(kind: .text, isOptional: false) }

    private static let words = Kind.allCases.flatMap { [$0.rawValue, $0.rawValue + "?"] }

    /// The names of Swift's types, and of the columns.
    private static let otherWords: [String: Kind] = [
        "string": .text, "int": .integer, "int64": .integer, "double": .decimal, "float": .decimal, "number": .decimal,
        "bool": .flag, "boolean": .flag, "instant": .date, "day": .date, "object": .json, "array": .json,
    ]

    package init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            let (kind, isOptional) = try CodableField.readKind(node)
            self.init(kind: kind, isOptional: isOptional)
            return
        }
        var declared: (kind: Kind, isOptional: Bool)?
        var from: ColumnName?
        for entry in map {
            switch entry.key {
            case "from": from = try ColumnName(reading: entry.value)
            case "kind": declared = try CodableField.readKind(entry.value)
            default: throw entry.unknown(to: "a field", among: ["from", "kind"], "its options are from and kind")
            }
        }
        guard let declared else { throw DaybookError("missing-option", "the option 'kind' is missing", at: node.place) }
        self.init(kind: declared.kind, isOptional: declared.isOptional, from: from)
    }

    private static func readKind(_ node: OptionNode) throws(DaybookError) -> (Kind, Bool) {
        let expected = "one of \(Kind.allCases.map(\.rawValue).joined(separator: ", ")), each with ? if optional"
        guard let text = node.text else { throw node.expected(expected) }
        let isOptional = text.hasSuffix("?")
        let name = isOptional ? String(text.dropLast()) : text
        if let kind = Kind(rawValue: name) { return (kind, isOptional) }
        let meant =
            otherWords[name.lowercased()]?.rawValue ?? NearestName.of(name, among: Kind.allCases.map(\.rawValue))
        throw node.expected(expected, hint: meant.map { "did you mean '\($0)\(isOptional ? "?" : "")'?" })
    }

    package var written: String {
        let kind = type.rawValue + (isOptional ? "?" : "")
        return from.map { "{ from: \($0.written), kind: \(kind) }" } ?? kind
    }
}

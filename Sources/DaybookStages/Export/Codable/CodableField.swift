import DaybookCore

/// One property of an app's model: what it holds, whether it may lack, and the column that fills it.
///
/// Written as a kind, `date` or `date?`, or as a map where the column has another name: `{ from: target_date, kind: date }`.
struct CodableField: OptionValue {
    /// What a property holds, in the words for columns; `date` stands for Swift's `Date`, which is an instant.
    enum Kind: String, CaseIterable, BitwiseCopyable { case text, integer, decimal, flag, date, json }

    var kind: Kind
    var isOptional: Bool
    /// The column, when it has another name than the property.
    var from: ColumnName?

    static let kind = OptionKind.either([
        .choice(words),
        .object([
            OptionSpec(key: "from", kind: .column, help: "Column that fills the field.", isRequired: true),
            OptionSpec(key: "kind", kind: .choice(words), help: "What the app declares.", isRequired: true),
        ]),
    ])
    static var placeholder: CodableField { CodableField(kind: .text, isOptional: false) }

    private static let words = Kind.allCases.flatMap { [$0.rawValue, $0.rawValue + "?"] }

    /// The names of Swift's types, and of the columns.
    private static let otherWords: [String: Kind] = [
        "string": .text, "int": .integer, "int64": .integer, "double": .decimal, "float": .decimal, "number": .decimal,
        "bool": .flag, "boolean": .flag, "instant": .date, "day": .date, "object": .json, "array": .json,
    ]

    init(kind: Kind, isOptional: Bool) {
        self.kind = kind
        self.isOptional = isOptional
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let map = node.map else {
            (kind, isOptional) = try CodableField.readKind(node)
            return
        }
        var declared: (Kind, Bool)?
        for entry in map {
            switch entry.key {
            case "from": from = try ColumnName(reading: entry.value)
            case "kind": declared = try CodableField.readKind(entry.value)
            default: throw entry.unknown(to: "a field", among: ["from", "kind"], "its options are from and kind")
            }
        }
        guard let declared else { throw DaybookError("missing-option", "the option 'kind' is missing", at: node.place) }
        (kind, isOptional) = declared
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

    var written: String {
        let kind = kind.rawValue + (isOptional ? "?" : "")
        return from.map { "{ from: \($0.written), kind: \(kind) }" } ?? kind
    }
}

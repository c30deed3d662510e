import DaybookCore

/// The rules that `check_rows` of a table knows, so that no job is printed which that table refuses.
struct KnownRules {
    /// By the name of the rule its options; nil where the table has no `check_rows`.
    private let options: [String: Set<String>]?

    init(_ table: StageTable) {
        guard let stage = table["check_rows"],
            let rules = OptionReader.specs(of: stage).first(where: { $0.key == "rules" }),
            case .list(of: .object(let specs)) = rules.kind
        else {
            options = nil
            return
        }
        options = Dictionary(specs.map { ($0.key, KnownRules.keys(of: $0.kind)) }) { first, _ in first }
    }

    private static func keys(of kind: OptionKind) -> Set<String> {
        switch kind {
        case .object(let specs): Set(specs.map(\.key))
        case .either(let kinds): kinds.reduce(into: []) { $0.formUnion(keys(of: $1)) }
        default: []
        }
    }

    func contains(_ rule: FoundRule) -> Bool {
        guard let options else { return true }
        guard let keys = options[rule.type] else { return false }
        guard case .map(let entries) = rule.value else { return true }
        return entries.allSatisfy { keys.contains($0.key) }
    }
}

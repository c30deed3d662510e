/// A value that stands where the options of a stage should: `sort_rows: date`.
struct MisplacedValue {
    private let value: OptionNode
    private let stage: String
    /// The option that is likely meant.
    private let option: OptionSpec?

    init(_ value: OptionNode, of stage: String, _ options: [OptionSpec]) {
        self.value = value
        self.stage = stage
        option = options.first { $0.isRequired } ?? options.first
    }

    var error: DaybookError {
        value.expected("a map with the options of \(stage.quotedForMessage)", hint: hint)
    }

    private var hint: String? {
        guard let option, let written = text(of: value, as: option.kind) else { return nil }
        let shown = written.utf8.count > 60 ? "…" : written
        return "write '\(stage): { \(option.key): \(shown) }'"
    }

    /// How the value is written as one of that kind; nil where it is none.
    private func text(of node: OptionNode, as kind: OptionKind) -> String? {
        switch kind {
        case .list(let kind):
            guard let items = node.list else { return text(of: node, as: kind) }
            let texts = items.prefix(20).compactMap { text(of: $0, as: kind) }
            return texts.count == items.count ? "[\(texts.joined(separator: ", "))]" : nil
        case .either(let kinds): return kinds.lazy.compactMap { text(of: node, as: $0) }.first
        case .map, .object: return nil
        case .integer, .decimal, .flag, .day: return node.plainText
        case .text, .column, .expression, .path, .dateFormat, .choice: return node.text.map { YAMLScalar.of($0) }
        }
    }
}

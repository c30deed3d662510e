/// Value in the place of a stage's options: `sort_rows: date`.
package struct MisplacedValue {
    package let error: DaybookError

    package init(_ value: OptionNode, of stage: String, _ options: [OptionSpec]) {
        // Option that the author probably meant.
        let option = options.first { $0.isRequired } ?? options.first
        let hint = option.flatMap { option in
            MisplacedValue.text(of: value, as: option.kind).map { written in
                "write '\(stage): { \(option.key): \(written.utf8.count > 60 ? "…" : written) }'"
            }
        }
        error = value.expected("a map with the options of \(stage.quotedForMessage)", hint: hint)
    }

    /// Text of the value for an option of this kind; nil if the value is of another kind.
    private static func text(of node: OptionNode, as kind: OptionKind) -> String? {
        switch kind {
        case .list(let kind):
            guard let items = node.list else { return text(of: node, as: kind) }
            let texts = items.prefix(20).compactMap { text(of: $0, as: kind) }
            return texts.count == items.count ? "[\(texts.joined(separator: ", "))]" : nil
        case .either(let kinds): return kinds.lazy.compactMap { text(of: node, as: $0) }.first
        case .map, .object, .schema: return nil
        case .integer, .decimal, .flag, .day: return node.plainText
        case .text, .column, .expression, .path, .dateFormat, .choice: return node.text.map { YAMLScalar.of($0) }
        }
    }
}

/// One stage as the reference pages show it: what its file says, with its options learnt by listening.
package struct StageEntry {
    /// What a stage does with rows; the order in which the pages list them.
    package enum Role: String, CaseIterable {
        case source, transform, fold, sink

        package init(_ stage: any Stage.Type) {
            switch stage {
            case is any Source.Type: self = .source
            case is any Fold.Type: self = .fold
            case is any Sink.Type: self = .sink
            default: self = .transform
            }
        }

        var heading: String {
            switch self {
            case .source: "Read files"
            case .transform: "Change or check rows"
            case .fold: "Gather rows"
            case .sink: "Write files"
            }
        }
    }

    package let role: Role
    package let description: StageDescription
    package let options: [OptionSpec]

    package var name: String { description.name }

    /// Whether it holds rows against rules, which have a page of their own.
    var takesRules: Bool { options.contains { $0.key == "rules" } }

    /// Whether any option takes an expression, so that the page has to say how one is written.
    var takesExpressions: Bool { options.contains { $0.kind.holds(.expression) } }

    /// The same of date formats.
    var takesDateFormats: Bool { options.contains { $0.kind.holds(.dateFormat) } }
}

extension StageEntry {
    package init(_ stage: any Stage.Type) {
        self.init(role: Role(stage), description: stage.description, options: OptionReader.specs(of: stage))
    }
}

extension OptionSpec {
    /// What may be written, as the pages say it.
    var described: String { isBare ? "\(kind.described), under this key or without it" : kind.described }
}

extension StageExample {
    /// The example as an entry of a job's list of stages.
    func entry(of stage: String) -> [String] {
        ["- \(stage):"] + options.split(separator: "\n").map { "    \($0)" }
    }

    /// The findings in words: `row 2, column date: not-a-date`.
    var spokenFindings: [String] {
        findings.map { finding in
            let parts = finding.split(separator: " ", maxSplits: 2).map(String.init)
            guard parts.count == 3 else { return finding }
            return parts[1] == "-" ? "row \(parts[0]): \(parts[2])" : "row \(parts[0]), column \(parts[1]): \(parts[2])"
        }
    }
}

extension OptionKind {
    /// What may be written, as the pages say it.
    var described: String {
        switch self {
        case .choice(let names): Spoken.list(names, "or")
        case .list(let kind): "\(kind.described), or a list"
        case .map(.list(let kind)): "a map of names to one or several: \(kind.described)"
        case .map(let kind): "a map of names to \(kind.described)"
        case .object: "a map with keys of its own"
        case .either(let kinds): kinds.map(\.described).joined(separator: ", or ")
        case .text, .integer, .decimal, .flag, .day, .path, .column, .expression, .dateFormat: spoken
        }
    }

    /// Whether it is that kind, or a part of it is.
    package func holds(_ wanted: OptionKind) -> Bool {
        switch self {
        case .list(let kind), .map(let kind): kind.holds(wanted)
        case .object(let specs): specs.contains { $0.kind.holds(wanted) }
        case .either(let kinds): kinds.contains { $0.holds(wanted) }
        default: self == wanted
        }
    }

    /// The options of a map that stands in the place of one value, wherever it may stand.
    var nested: [OptionSpec] {
        switch self {
        case .object(let specs): specs
        case .list(let kind), .map(let kind): kind.nested
        case .either(let kinds): kinds.flatMap(\.nested)
        default: []
        }
    }
}

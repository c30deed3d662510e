/// Replaces `${name}` and `${env:NAME}` inside the scalars of a tree. Keys stay, and what is put in is not
/// looked at again, so a value can never change the structure of a job.
struct Substitution {
    /// The value of each param; nil for one whose value is not known, which has been noted already.
    let params: [String: String?]
    let problems: Problems
    private let namesToSuggest: [String]
    let environment: @Sendable (String) -> String?
    let source: SourceText
    /// What the job may use beside its params, once that is known.
    var builtIn: BuiltInValues?
    /// Whether the scalars are defaults of params, where only the environment is open.
    var isForDefaults = false
    /// Whether the values of variables are fit to be shown, whatever their names say.
    var showsVariables = false
    /// The values of variables whose names speak of secrets, by name.
    private(set) var secrets: [String: String] = [:]
    /// How many bytes the filled-in texts may have together, against templates that multiply.
    private var bytesLeft = 16 << 20
    private var hasOverflowed = false

    init(
        params: [String: String?],
        environment: @escaping @Sendable (String) -> String?,
        source: SourceText,
        problems: Problems,
        isForDefaults: Bool = false
    ) {
        self.problems = problems
        self.params = params
        namesToSuggest = params.keys.sorted()
        self.environment = environment
        self.source = source
        self.isForDefaults = isForDefaults
    }

    /// The tree with its scalars filled in. Depth is bounded by the reader.
    mutating func fill(_ node: OptionNode) -> OptionNode {
        switch node.content {
        case .nothing: return node
        case .text(let text, let quoted): return fill(node, text, quoted: quoted)
        case .list(let items):
            return OptionNode(.list(items.map { fill($0) }), at: node.place)
        case .map(let entries):
            let filled = entries.map {
                OptionNode.Entry(key: $0.key, keyPlace: $0.keyPlace, value: fill($0.value))
            }
            return OptionNode(.map(filled), at: node.place)
        }
    }

    private mutating func fill(_ node: OptionNode, _ text: String, quoted: Bool) -> OptionNode {
        guard text.utf8.contains(UInt8(ascii: "$")), let template = Template(text) else { return node }
        var places: TemplatePlaces?
        var result = ""
        for piece in template.pieces {
            switch piece {
            case .text(let text): result += text
            case .reference(let name, let ordinal):
                switch value(of: name) {
                case .success(let value): result += value
                case .failure(var problem):
                    let known = places ?? TemplatePlaces(of: node, in: source)
                    places = known
                    problem.place = known.place(ordinal, expecting: "${\(name)}")
                    problems.add(problem, hiding: node.place)
                case nil: problems.hide(node.place)
                }
            case .unclosed(let ordinal):
                let known = places ?? TemplatePlaces(of: node, in: source)
                problems.add(
                    DaybookError(
                        "bad-reference",
                        "the '${' is never closed",
                        at: known.place(ordinal, expecting: "${"),
                        hint: "write '$${' for the text '${'"
                    ),
                    hiding: node.place
                )
            }
            guard result.utf8.count <= bytesLeft else { return overflow(at: node) }
        }
        bytesLeft -= result.utf8.count
        // In { } and [ ] YAML demands the quotes around ${…}, so around a whole value they say nothing.
        return OptionNode(.text(result, quoted: quoted && !template.isOneReference), at: node.place, spots: .unknown)
    }

    private mutating func overflow(at node: OptionNode) -> OptionNode {
        if !hasOverflowed {
            problems.add(
                DaybookError(
                    "text-too-large",
                    "the texts of the job pass 16 MiB once every ${…} is filled in",
                    at: node.place
                ),
                hiding: node.place
            )
        }
        hasOverflowed = true
        bytesLeft = 0
        return node
    }

    /// Nil when a param has no value, which has been noted already.
    private mutating func value(of name: String) -> Result<String, DaybookError>? {
        if name.hasPrefix("env:") {
            let variable = String(name.dropFirst(4))
            if !variable.isEmpty, !variable.utf8.contains(0), !variable.contains("="),
                let value = environment(variable)
            {
                if !showsVariables, SecretName.speaks(variable), !value.isEmpty {
                    guard value.count >= SecretMask.leastLength else { return .failure(.shortSecret(variable)) }
                    secrets[variable] = value
                }
                return .success(value)
            }
            return .failure(
                DaybookError(
                    "undefined-variable",
                    "the environment has no variable \(variable.quotedForMessage)",
                    hint: "set it before the run, or use a param that has a default"
                )
            )
        }
        if !isForDefaults, let value = params[name] { return value.map { .success($0) } }
        if let value = builtIn?.value(of: name) { return value }
        if name.isEmpty || name.contains(":") || name.contains("{") {
            return .failure(
                DaybookError(
                    "bad-reference",
                    "expected the name of a param in '${\(name.shortened(to: 80))}'",
                    hint: "write ${name}, ${env:NAME}, ${as_of:yyyy-MM-dd}, or '$${' for the text '${'"
                )
            )
        }
        if isForDefaults {
            return .failure(
                DaybookError(
                    "undefined-param",
                    "a default cannot use the param \(name.quotedForMessage)",
                    hint: "a default is text, in which only ${env:NAME} is filled in"
                )
            )
        }
        let hint =
            params.isEmpty
            ? "the job has no params; declare it under 'params'"
            : problems.hint(for: name, among: namesToSuggest, listing: "the params are")
        return .failure(DaybookError("undefined-param", "no param \(name.quotedForMessage)", hint: hint))
    }
}

extension DaybookError {
    /// What cannot be hidden must not be used; whether it has to be hidden only its writer knows.
    fileprivate static func shortSecret(_ variable: String) -> DaybookError {
        DaybookError(
            "short-secret",
            "the variable \(variable.quotedForMessage) is a secret by its name, and too short to be hidden",
            hint: "a secret has at least \(SecretMask.leastLength) characters; for what is none, write a param with "
                + "'{ default: \"${env:\(variable.shortened(to: 80))}\", secret: false }'"
        )
    }
}

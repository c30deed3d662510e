import DaybookBytes
import DaybookDates

/// Replaces `${name}` and `${env:NAME}` inside the scalars of a tree. Keys stay, and replaced text is not scanned
/// again, so a value can never change the structure of a job.
struct Substitution {
    /// Value of each param; nil for an unknown value, which is already reported.
    let params: [String: String?]
    let problems: Problems
    private let namesToSuggest: [String]
    let environment: @Sendable (String) -> String?
    let source: SourceText
    /// Built-in values of the job, once they are known.
    var builtIn: BuiltInValues?
    /// Whether the scalars are defaults of params, which may use only the environment.
    var isForDefaults = false
    /// Whether values of environment variables may be shown, regardless of their names.
    var showsVariables = false
    /// Values of environment variables whose names indicate secrets, by name.
    private(set) var secrets: [String: String] = [:]
    /// Places of the texts that name the day.
    private(set) var dated: Set<SourcePlace> = []
    /// Limit of bytes in all filled-in texts, against templates that multiply.
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
        (self.environment, self.source, self.isForDefaults) = (environment, source, isForDefaults)
    }

    /// The tree with its scalars filled in. The parser limits its depth.
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
        lazy var places = TemplatePlaces(of: node, in: source)
        var result = ""
        for piece in template.pieces {
            switch piece {
            case .text(let text): result += text
            case .reference(let name, let ordinal):
                if name == "as_of" || name.hasPrefix("as_of:") { dated.insert(node.place) }
                do throws(DaybookError) {
                    if let value = try value(of: name) { result += value } else { problems.hide(node.place) }
                } catch {
                    let place = places.place(ordinal, expecting: "${\(name)}")
                    problems.add(error.located(at: place), hiding: node.place)
                }
            case .unclosed(let ordinal):
                let place = places.place(ordinal, expecting: "${")
                let hint = "write '$${' for the text '${'"
                let problem = DaybookError("bad-reference", "the '${' is never closed", at: place, hint: hint)
                problems.add(problem, hiding: node.place)
            }
            guard result.utf8.count <= bytesLeft else { return overflow(at: node) }
        }
        bytesLeft -= result.utf8.count
        // In { } and [ ] YAML requires the quotes around ${…}, so quotes around a whole value carry no meaning.
        return OptionNode(.text(result, quoted: quoted && !template.isOneReference), at: node.place, spots: .unknown)
    }

    private mutating func overflow(at node: OptionNode) -> OptionNode {
        if !hasOverflowed {
            let message = "the texts of the job pass 16 MiB once every ${…} is filled in"
            problems.add(DaybookError("text-too-large", message, at: node.place), hiding: node.place)
        }
        hasOverflowed = true
        bytesLeft = 0
        return node
    }

    /// Nil for a param without a value, which is already reported.
    private mutating func value(of name: String) throws(DaybookError) -> String? {
        if name.hasPrefix("env:") { return try value(ofVariable: String(name.dropFirst(4))) }
        if !isForDefaults, let value = params[name] { return value }
        if let value = try builtIn?.value(of: name) { return value }
        if name.isEmpty || name.contains(":") || name.contains("{") {
            throw DaybookError(
                "bad-reference",
                "expected the name of a param in '${\(name.shortened(to: 80))}'",
                hint: "write ${name}, ${env:NAME}, ${as_of:yyyy-MM-dd}, or '$${' for the text '${'"
            )
        }
        if isForDefaults {
            throw DaybookError(
                "undefined-param",
                "a default cannot use the param \(name.quotedForMessage)",
                hint: "a default is text, in which only ${env:NAME} is filled in"
            )
        }
        let hint =
            params.isEmpty
            ? "the job has no params; declare it under 'params'"
            : problems.hint(for: name, among: namesToSuggest, listing: "the params are")
        throw DaybookError("undefined-param", "no param \(name.quotedForMessage)", hint: hint)
    }

    private mutating func value(ofVariable variable: String) throws(DaybookError) -> String {
        guard !variable.isEmpty, !variable.utf8.contains(0), !variable.contains("="), let value = environment(variable)
        else {
            throw DaybookError(
                "undefined-variable",
                "the environment has no variable \(variable.quotedForMessage)",
                hint: "set it before the run, or use a param that has a default"
            )
        }
        guard !showsVariables, SecretName.speaks(variable), !value.isEmpty else { return value }
        // A value that cannot be hidden must not be used; only its author knows whether it is secret.
        guard value.count >= SecretMask.leastLength else {
            throw DaybookError(
                "short-secret",
                "the variable \(variable.quotedForMessage) is a secret by its name, and too short to be hidden",
                hint:
                    "a secret has at least \(SecretMask.leastLength) characters; for what is none, write a param with "
                    + "'{ default: \"${env:\(variable.shortened(to: 80))}\", secret: false }'"
            )
        }
        secrets[variable] = value
        return value
    }
}

/// Built-in values of every job: `${as_of}`, `${as_of:yyyy/MM/dd}` and `${job}`.
///
/// A param with one of these names takes precedence. The keys `job`, `timezone` and `as_of` themselves cannot use them.
struct BuiltInValues {
    var day: CalendarDay
    var job: String
    /// Value of a job's `for_each`, with its name.
    var each: (name: String, value: ForEach.Value)?

    static let names = ["as_of", "job"]

    /// Nil for a reference that is not a built-in value.
    func value(of reference: String) throws(DaybookError) -> String? {
        if reference == "job" { return job }
        if reference == "as_of" { return day.description }
        if let each {
            if reference == each.name { return each.value.path }
            if reference == "\(each.name):name" { return each.value.name }
        }
        return reference.hasPrefix("as_of:") ? try text(by: String(reference.dropFirst(6))) : nil
    }

    private func text(by format: String) throws(DaybookError) -> String {
        let pattern: DatePattern
        do { pattern = try DatePattern(format) } catch {
            throw DaybookError("bad-reference", error.message, hint: error.hint)
        }
        guard !pattern.hasTime, !pattern.needsNames else {
            throw DaybookError(
                "bad-reference",
                pattern.hasTime
                    ? "the pattern '\(format)' writes a time, and 'as_of' is a day"
                    : "the pattern '\(format)' writes names, whose language nobody names here",
                hint: "write numbers of a day, as in ${as_of:yyyy/MM/dd}"
            )
        }
        let written = DateTextWriter(DateWriter(pattern, names: nil), zone: .utc).text(of: .days(Values([day.number])))
        guard case .text(let column) = written, let text = column[0] else {
            preconditionFailure("a day is written as a text")
        }
        return text
    }
}

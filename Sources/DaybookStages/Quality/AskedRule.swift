import DaybookCore

/// One entry under `rules`: what is asked, of which rows, and what becomes of those that break it.
struct AskedRule: Sendable {
    enum Then: String, OptionChoice { case pass, reject, count }

    let rule: any CheckRule
    let id: String
    /// Whether the job wrote the id.
    let hasOwnID: Bool
    let limits: RuleLimits
    let then: Then
    let place: SourcePlace?

    var fate: Findings.Fate {
        switch then {
        case .pass: .reported
        case .reject: .rejected
        case .count: .counted
        }
    }

    /// Reads one entry; nil when it names no rule, or none that is known.
    init?(reading options: inout OptionReader, at node: OptionNode) {
        for type in RuleTable.builtIn { options.note(AskedRule.spec(of: type)) }
        id = options.optional("id", help: "Name of the rule in reports; made from the rule when left out.") ?? ""
        let warn: RuleLimit? = options.optional("warn", help: "Warn when more rows break it, such as '> 0' or '> 1%'.")
        let fail: RuleLimit? = options.optional(
            "fail",
            help: "Fail the run when more rows break it; '> 0' without 'warn', never with 'warn' alone."
        )
        let atLeast = options.read(
            "at_least",
            default: 1,
            help: "With fewer rows than this breaking it, the rule holds."
        )
        then = options.read("then", default: .pass, help: "What becomes of the rows that break it.")
        hasOwnID = options.isWritten("id")
        limits = RuleLimits(warn: warn, fail: fail, atLeast: atLeast)
        if atLeast < 1 { options.refuse("at_least", "'at_least' is at least 1, found '\(atLeast)'") }
        let asked = options.written.filter { RuleTable[$0.key] != nil }
        options.finish(stage: "a rule")
        guard let entry = asked.first, let type = RuleTable[entry.key] else {
            if options.problems.isEmpty, !options.written.isEmpty || node.map?.isEmpty == true, node.place.file != "" {
                options.add(problems: [
                    DaybookError(
                        "missing-option",
                        "this entry asks nothing",
                        at: node.place,
                        hint: "name a rule: \(RuleTable.names.joined(separator: ", "))"
                    )
                ])
            }
            return nil
        }
        if asked.count > 1 {
            options.add(problems: [
                DaybookError(
                    "bad-option",
                    "one entry asks both '\(entry.key)' and '\(asked[1].key)'",
                    at: asked[1].keyPlace,
                    hint: "write a second entry, so that each has limits and a name of its own"
                )
            ])
        }
        place = entry.keyPlace
        var reader = options.reader(of: entry.value, shorthand: type.shorthand)
        rule = type.init(reading: &reader)
        reader.finish(stage: entry.key)
        options.add(problems: reader.problems)
    }

    /// The rule as an option, for help and schema.
    private static func spec(of type: any CheckRule.Type) -> OptionSpec {
        var reader = OptionReader.listening()
        _ = type.init(reading: &reader)
        let object = OptionKind.object(reader.specs)
        let bare = type.shorthand.flatMap { key in reader.specs.first { $0.key == key }?.kind }
        return OptionSpec(key: type.name, kind: bare.map { .either([$0, object]) } ?? object, help: type.summary)
    }

    /// What reports call it.
    func reported(as id: String) -> Rule {
        Rule(
            id: id,
            type: type(of: rule).name,
            columns: rule.columns.map(\.text),
            at: place,
            limits: limits,
            complaint: rule.complaint
        )
    }

    /// Whether rows are rejected only when all have been seen.
    var rejectsLate: Bool { then == .reject && (type(of: rule) as? any MemoryRule.Type)?.findsLate == true }
}

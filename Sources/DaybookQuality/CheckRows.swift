/// Checks rows against rules, counts and reports the rows that break them; the job sets how many are too many.
///
/// Every rule sees every row, even after an earlier rule rejected it, so that one failure hides no other.
///
/// `Rules` lists the known rules: `BuiltInRules`, or these with another package's rules.
public struct CheckRows<Rules: RuleSet>: Stage, Check, Joining {
    private let asked: [RuleEntry]
    public let rules: [Rule]
    private let context: OptionReader.Context

    public init(reading options: inout OptionReader) {
        context = options.context
        asked = options.readEach(
            "rules",
            help: "What is asked of the rows: each entry names one rule, and may have limits and a name of its own."
        ) { RuleEntry.read(&$0, among: Rules.table) }.flatMap { $0 }
        rules = CheckRows.named(asked, &options)
        if asked.isEmpty, options.problems.isEmpty { options.refuse("rules", "'rules' asks nothing") }
    }

    /// The rules with unique names: `not_missing_emotion`, numbered from the second rule of a kind.
    private static func named(_ asked: [RuleEntry], _ options: inout OptionReader) -> [Rule] {
        var names = Set(asked.filter(\.hasOwnID).map(\.id))
        var seen: Set<String> = []
        return asked.map { one in
            if one.hasOwnID {
                if !seen.insert(one.id).inserted {
                    options.refuse(
                        DaybookError("duplicate-id", "a second rule has the id '\(one.id)'", at: one.idPlace)
                    )
                }
                return one.reported(as: one.id)
            }
            let base = ([type(of: one.rule).name] + one.columns.map(\.text)).joined(separator: "_") + one.suffix
            var name = base
            var number = 2
            while !names.insert(name).inserted {
                name = "\(base)_\(number)"
                number += 1
            }
            return one.reported(as: name)
        }
    }

    public var rejectsLate: Bool { asked.contains(where: \.rejectsLate) }
    public var keys: (any PartialKeys.Type)? {
        asked.contains { $0.by.isEmpty && $0.rule.gathersKeys } ? CheckKeys<Rules>.self : nil
    }

    public func problems(of inputs: StageInputs) -> [Int: DaybookError] {
        let references = references
        var problems: [Int: DaybookError] = [:]
        for (number, one) in asked.enumerated() where !inputs.leftOut.contains(number) {
            do throws(DaybookError) {
                try one.check(inputs.schema)
                try references.check(one.rule, of: inputs)
            } catch { problems[number] = error }
        }
        return problems
    }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        let asked = asked.map { one in
            var one = one
            one.rule = one.rule.over(inputs.schema)
            return one
        }
        for (number, one) in asked.enumerated() where !inputs.leftOut.contains(number) {
            try one.check(inputs.schema)
            try references.check(one.rule, of: inputs)
        }
        let day = try day(of: inputs)
        let check = RowCheck<Rules>(
            asked: asked.enumerated().map { number, one in
                // The gate fails for the column that is gone, and the rows are judged by the others.
                let rest = inputs.leftOut.contains(number) ? one.keeping(inputs.schema) : one
                return RowCheck.Asked(rest ?? one, isLeftOut: rest == nil, day: day)
            },
            past: rules.map { inputs.past[$0.id] ?? FigurePast() },
            day: day,
            belongsToDays: inputs.from.first?.day != nil,
            context: context
        )
        let sides = references.sides.indices.map { Binding.Side(references.columns(ofSide: $0)) }
        let needs = { @Sendable (wanted: ColumnSet) in wanted.union(check.columns) }
        guard !sides.isEmpty else { return Binding(inputs.schema, .fold(check), needing: needs) }
        return Binding(inputs.schema, sides: sides, merging: check, needing: needs) {
            [references] sides, _ throws(DaybookError) in
            .fold(try check.looking(in: sides, by: references))
        }
    }

    /// The column with the day of each row. A rule that compares days needs it.
    private func day(of inputs: StageInputs) throws(DaybookError) -> ColumnName? {
        guard let day = inputs.from.first?.day else { return nil }
        if let rule = asked.first(where: { $0.comparesGroups }) {
            throw DaybookError(
                "days-mixed",
                "'by' is compared with earlier runs, and the rows of this one belong to days",
                at: rule.place,
                hint: "summarise_rows makes a row of each group and day, whose values other rules can judge"
            )
        }
        if inputs.schema[day]?.kind == .day { return day }
        if inputs.schema.isOpen || !pastRequests.values.contains(where: \.isByDay) { return nil }
        throw .withoutDay(day)
    }

    /// The stages that rules refer to; the engine reads them first.
    public var sides: [BuildSideReference] { references.sides }
    private var references: RuleReferences { RuleReferences(asked.map(\.rule)) }
    public var tableRules: Set<Int> { Set(asked.indices.filter { type(of: asked[$0].rule).isAboutTable }) }
    public func separates(_ column: ColumnName) -> Bool {
        asked.allSatisfy { !type(of: $0.rule).comparesRows || $0.rule.columns.contains(column) }
    }

    public var expectedColumns: [String] { asked.flatMap { ($0.rule as? Columns)?.expected ?? [] } }

    public var pastRequests: [Int: PastRequest] {
        var requests: [Int: PastRequest] = [:]
        for (number, one) in asked.enumerated() {
            if let rule = one.rule as? any MeasuringRule {
                requests[number] = rule.against.request(for: rule.measure, isByGroup: !one.by.isEmpty)
            }
            if one.newestWithin != nil { requests[number] = PastRequest(.newestDay, days: 1) }
        }
        return requests
    }
}

extension CheckRows {
    public static var description: StageDescription {
        StageDescription(
            name: "check_rows",
            summary: "Hold rows against rules, tell which break them and where, and fail the run where too many do.",
            details: """
                Each entry under 'rules' names one rule. Without limits it fails the run with the first row that breaks it; 'warn' \
                and 'fail' say how many are too many, as a count or a share of the rows that were asked about, and 'warn' alone never \
                fails. Every rule sees every row, also those that another rejects. Rows that break a rule go on unless it says \
                'then: reject'; such rejects count under the limits of the rule, not under what the job allows. A missing value breaks \
                no rule but not_missing, and a rule about all rows together is judged once, at their end.
                """,
            examples: [
                .passing(
                    "rules with limits of their own; a row is told for each rule that it breaks",
                    options: """
                        rules:
                          - not_missing: emotion
                            id: emotion-is-there
                          - between: { column: count, min: 0, max: 1000 }
                            where: "emotion is not missing"
                            warn: "> 0"
                            fail: "> 10%"
                            at_least: 10
                          - row_count: { min: 1 }
                        """,
                    rows: "emotion:text,count:integer\n행복해,3\n,2000\n우울해,-1",
                    findings: ["2 emotion missing-value", "3 count out-of-range"]
                ),
                .passing(
                    "a rule about a column may name several: it is asked of each, with limits of its own",
                    options: """
                        rules:
                          - length: { column: [emotion, note], max: 3 }
                            id: short
                            fail: "> 1"
                          - hex_colour: [colour, tint]
                        """,
                    rows: "emotion:text,note:text,colour:text,tint:text\n행복해,바다에서,#EC007F,pink",
                    findings: ["1 note wrong-length", "1 tint not-a-hex-colour"]
                ),
                StageExample(
                    "what is wrong with such a rule is told once",
                    options: "rules: [{ in_set: { column: [emotion, note, note], values: [] } }]",
                    input: "emotion:text,note:text",
                    refused: "'values' allows nothing; 'column' names 'note' twice"
                ),
                StageExample(
                    "a rule that nobody knows is refused",
                    options: "rules: [{ not_mising: emotion }]",
                    input: "emotion:text",
                    refused: "a rule has no option 'not_mising'"
                ),
                StageExample(
                    "all that is wrong with the rules is told at once",
                    options: "rules: [{ in_set: { column: emotion } }, { id: nothing }, { matches: colour }]",
                    input: "emotion:text",
                    refused:
                        "the option 'values' is missing; this entry asks nothing; expected a map of options, found 'colour'"
                ),
            ] + Rules.table.rules.flatMap { $0.examples }
        )
    }
}

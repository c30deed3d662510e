/// Holds rows against rules, counts and tells those that break them, and lets the job decide how many are too many.
///
/// Every rule sees every row, also one that an earlier rule rejects, so that one failure hides no other.
///
/// Which rules it knows, `Rules` says: `BuiltInRules`, or those and the rules of another package.
public struct CheckRows<Rules: RuleSet>: CheckStage, KeyedFold {
    private var asked: [RuleEntry]
    public let rules: [Rule]
    private let context: OptionReader.Context
    /// What rules know of earlier runs, by number.
    private var past: [Int: FigurePast] = [:]

    public init(reading options: inout OptionReader) {
        context = options.context
        asked = options.readEach(
            "rules",
            help: "What is asked of the rows: each entry names one rule, and may have limits and a name of its own."
        ) { RuleEntry.read(&$0, among: Rules.table) }.flatMap { $0 }
        rules = CheckRows.named(asked, &options)
        if asked.isEmpty, options.problems.isEmpty { options.refuse("rules", "'rules' asks nothing") }
    }

    /// The rules with names that tell them apart: `not_missing_emotion`, and a number behind the second of a kind.
    private static func named(_ asked: [RuleEntry], _ options: inout OptionReader) -> [Rule] {
        var taken = Set(asked.filter(\.hasOwnID).map(\.id))
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
            let base = ([type(of: one.rule).name] + one.rule.columns.map(\.text)).joined(separator: "_") + one.suffix
            var name = base
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(base)_\(number)"
                number += 1
            }
            return one.reported(as: name)
        }
    }

    /// What is asked, in the order of the job.
    var rulesAsked: [any CheckRule] { asked.map(\.rule) }

    /// The same stage with other rules in their place.
    func mappingRules<Failure>(
        _ transform: (any CheckRule) throws(Failure) -> any CheckRule
    ) throws(Failure) -> CheckRows {
        var result = self
        for index in asked.indices where !asked[index].isLeftOut {
            result.asked[index].rule = try transform(asked[index].rule)
        }
        return result
    }

    public var rejectsLate: Bool { asked.contains(where: \.rejectsLate) }
    public var gathersKeys: Bool { asked.contains { !$0.isLeftOut && $0.rule.gathersKeys } }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        for one in asked where !one.isLeftOut { try one.check(input) }
        return input
    }

    public func problems(of input: Schema, sides: [Schema?]) -> [Int: DaybookError] {
        var problems: [Int: DaybookError] = [:]
        for (number, one) in asked.enumerated() where !one.isLeftOut {
            do throws(DaybookError) {
                try one.check(input)
                if let rule = one.rule as? any ReferringRule { try check(rule, of: input, against: sides) }
            } catch { problems[number] = error }
        }
        return problems
    }

    public var tableRules: Set<Int> { Set(asked.indices.filter { type(of: asked[$0].rule).isAboutTable }) }

    public func leavingOut(_ rules: Set<Int>) -> CheckRows {
        var result = self
        for index in rules { result.asked[index].isLeftOut = true }
        return result
    }

    public var expectedColumns: [String] { asked.flatMap { ($0.rule as? Columns)?.expected ?? [] } }

    public var pastRequests: [Int: PastRequest] {
        var requests: [Int: PastRequest] = [:]
        for (number, one) in asked.enumerated() where !one.isLeftOut {
            if let rule = one.rule as? any MeasuringRule { requests[number] = rule.against.request(for: rule.measure) }
        }
        return requests
    }

    public func knowing(_ past: [Int: FigurePast]) -> CheckRows {
        var result = self
        result.past = past
        return result
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        asked.reduce(wanted) { needed, one in
            one.isLeftOut
                ? needed
                : needed.union(ColumnSet(one.rule.columns)).union(one.filter?.columns ?? ColumnSet.none)
        }
    }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> CheckMemory<Rules>
    {
        var memories = [(any PartialResult)?](repeating: nil, count: asked.count)
        for (number, one) in asked.enumerated() where !one.isLeftOut {
            let looked = one.filter?.look(at: batch)
            var breaches: [Breach] = []
            switch one.rule {
            case let rule as any RowRule: breaches = rule.breaches(in: batch)
            case let rule as any MemoryRule:
                let rows = CheckedRows(batch: batch, asked: looked?.asked)
                memories[number] = try rule.partial(of: rows, reporting: &breaches)
            default: preconditionFailure("a rule is a row rule or a memory rule")
            }
            if let looked {
                for index in breaches.indices { breaches[index].rows.formIntersection(looked.asked) }
                // Nobody can say whether these rows were to be held against the rule, so they do not hold.
                if let unknown = looked.unknown {
                    breaches.append(Breach(.notComputable("the condition under 'where'"), in: nil, unknown))
                }
            }
            findings.look(at: looked?.count ?? batch.count, for: number)
            for breach in breaches {
                findings.fail(breach.rows, findings.token(breach.kind, in: breach.column, rule: number), one.fate)
            }
        }
        return CheckMemory(
            foldedRows: batch.count,
            memories: memories,
            rules: asked.map { type(of: $0.rule).name },
            rejected: rejectsLate ? findings.failedRows : RowSet()
        )
    }

    public func merge(
        _ later: CheckMemory<Rules>,
        into earlier: inout CheckMemory<Rules>,
        scratch: any Scratch
    ) throws(DaybookError) {
        earlier.rejected.insert(later.rejected, raisedBy: earlier.foldedRows)
        earlier.foldedRows += later.foldedRows
        for (number, one) in asked.enumerated() {
            guard let rule = one.rule as? any MemoryRule, let memory = later.memories[number] else { continue }
            try rule.merge(erased: memory, into: &earlier.memories[number], scratch: scratch)
        }
        try earlier.spill(to: scratch)
    }

    public func finish(_ partial: CheckMemory<Rules>?, _ output: FoldOutput) throws(DaybookError) {
        // A row is rejected once, by whichever rule comes first; the others still tell it.
        var rejected = partial?.rejected ?? RowSet()
        for (number, one) in asked.enumerated() where !one.isLeftOut {
            guard let rule = one.rule as? any MemoryRule else { continue }
            var conclusion = RuleConclusion(
                fate: one.fate,
                room: output.room?[number] ?? .max,
                wordsRejects: output.wordsRejects,
                rejected: rejected,
                schema: output.schema,
                context: context
            )
            try rule.conclude(erased: partial?.memories[number], &conclusion, output.scratch) {
                (rows) throws(DaybookError) in
                for part in rows.parts { try output.emit(one.late(part, number, output.schema, &rejected)) }
            }
            rejected.insert(conclusion.newRejects, raisedBy: 0)
            var findings = Findings()
            let token = findings.token(one.rule.finding, in: one.rule.target, rule: number)
            let (judgement, observation) = held(rule, conclusion, against: past[number] ?? FigurePast())
            if let judgement { findings.judge(token, saying: judgement) }
            if let observation { findings.observe(observation, for: number) }
            findings.count(conclusion.untold, token)
            if !findings.isEmpty { try output.emit(LateFindings(findings)) }
        }
    }

    /// What is to be said of all rows together once what they come to was held against earlier runs, too.
    private func held(
        _ rule: any MemoryRule,
        _ conclusion: RuleConclusion,
        against past: FigurePast
    ) -> (judgement: String?, RuleObservation?) {
        let observed = conclusion.observed
        guard let rule = rule as? any MeasuringRule, !rule.against.isEmpty else {
            let isTold = observed != nil || conclusion.remark != nil
            return (conclusion.judgement, isTold ? RuleObservation(observed, remark: conclusion.remark) : nil)
        }
        let comparison = rule.comparison(of: observed, with: past, on: context.asOf)
        let broken = [conclusion.judgement].compactMap(\.self) + comparison.broken
        let held = comparison.held.isEmpty ? nil : comparison.held.joined(separator: "; ")
        return (
            broken.isEmpty ? nil : broken.joined(separator: "; "),
            RuleObservation(observed, comparison: held, lacksPast: comparison.lacksPast)
        )
    }
}

extension MemoryRule {
    /// Ends with a partial result whose type is no longer named.
    fileprivate func conclude(
        erased memory: (any Sendable)?,
        _ conclusion: inout RuleConclusion,
        _ scratch: any Scratch,
        tell: (LateRows) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        try conclude(memory as? Partial, &conclusion, scratch: scratch, tell: tell)
    }
}

extension Findings {
    /// The rows of a batch that some rule rejects.
    fileprivate var failedRows: RowSet {
        let rejecting = failures.filter { $0.fate == .rejected }
        guard var rows = rejecting.first?.rows else { return RowSet() }
        for failure in rejecting.dropFirst() { rows.formUnion(failure.rows) }
        return RowSet(rows)
    }
}

extension RuleEntry {
    /// Refuses columns that are not there, or hold what the rule cannot be asked of.
    fileprivate func check(_ input: Schema) throws(DaybookError) {
        for column in rule.columns { _ = try input.requiring(column) }
        try rule.check(input)
        try filter?.check(input)
    }

    /// What there is to say of rows that passed long before.
    fileprivate func late(
        _ late: LateRows,
        _ number: Int,
        _ schema: Schema,
        _ rejected: inout RowSet
    ) -> LateFindings {
        var findings = Findings()
        var others = Mask(count: late.numbers.count)
        if !late.areNewRejects {
            for (place, row) in late.numbers.enumerated() where fate != .rejected || !rejected.insert(row) {
                others.insert(place)
            }
        }
        let rejects = Mask(count: others.count) { !others[$0] }
        let finding = rule.finding
        let kind = late.message.map { message in
            Finding.Kind(finding.code, message, severity: finding.severity, namesRow: late.named != nil)
        }
        let token = findings.token(kind ?? finding, in: rule.target, rule: number)
        if let named = late.named {
            for (place, row) in named.enumerated() {
                if rejects[place] {
                    findings.reject(place, token, naming: row)
                } else {
                    findings.warn(place, token, naming: row)
                }
            }
        } else {
            findings.fail(rejects, token, .rejected)
            findings.fail(others, token, .reported)
        }
        let field = rule.target.flatMap { schema[$0] }
        return LateFindings(findings, numbers: late.numbers) { () throws(DaybookError) in
            LateFindings.rows(
                try late.places.gathered(late.at),
                count: late.at.count,
                field: field,
                values: try late.values()
            )
        }
    }
}

import DaybookCore

/// Holds rows against rules, counts and tells those that break them, and lets the job decide how many are too many.
///
/// Every rule sees every row, also one that an earlier rule rejects, so that one failure hides no other.
public struct CheckRows: CheckStage {
    private let asked: [AskedRule]
    public let rules: [Rule]
    private let context: OptionReader.Context

    public init(reading options: inout OptionReader) {
        context = options.context
        asked = options.readEach(
            "rules",
            help: "What is asked of the rows, each rule with limits of its own."
        ) { options, node in AskedRule(reading: &options, at: node) }.compactMap { $0 }
        rules = CheckRows.named(asked, &options)
        if asked.isEmpty, options.problems.isEmpty { options.refuse("rules", "'rules' asks nothing") }
    }

    /// The rules with names that tell them apart: `not_missing_emotion`, and a number behind the second of a kind.
    private static func named(_ asked: [AskedRule], _ options: inout OptionReader) -> [Rule] {
        var taken = Set(asked.filter(\.hasOwnID).map(\.id))
        var seen: Set<String> = []
        return asked.map { one in
            if one.hasOwnID {
                if !seen.insert(one.id).inserted {
                    options.add(problems: [
                        DaybookError("duplicate-id", "a second rule has the id '\(one.id)'", at: one.place)
                    ])
                }
                return one.reported(as: one.id)
            }
            let base = ([type(of: one.rule).name] + one.rule.columns.map(\.text)).joined(separator: "_")
            var name = base
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(base)_\(number)"
                number += 1
            }
            return one.reported(as: name)
        }
    }

    public var rejectsLate: Bool { asked.contains(where: \.rejectsLate) }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        for one in asked {
            for column in one.rule.columns { _ = try input.requiring(column) }
            try one.rule.check(input)
        }
        return input
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        wanted.union(ColumnSet(asked.flatMap(\.rule.columns)))
    }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> CheckMemory {
        var memories: [CheckMemory.Memory?] = []
        for (number, one) in asked.enumerated() {
            findings.look(at: batch.count, for: number)
            var broken: Mask?
            switch one.rule {
            case let rule as any RowRule:
                broken = rule.broken(in: batch)
                memories.append(nil)
            case let rule as any MemoryRule: memories.append(rule.remember(batch, asked: nil, broken: &broken))
            default: preconditionFailure("a rule is a row rule or a memory rule")
            }
            if let broken {
                findings.fail(
                    broken,
                    findings.token(one.rule.finding, in: one.rule.columns.first, rule: number),
                    one.fate
                )
            }
        }
        return CheckMemory(foldedRows: batch.count, memories: memories)
    }

    public func merge(
        _ later: CheckMemory,
        into earlier: inout CheckMemory,
        scratch: any Scratch
    ) throws(DaybookError) {
        earlier.foldedRows += later.foldedRows
        for (number, one) in asked.enumerated() {
            guard let rule = one.rule as? any MemoryRule, let new = later.memories[number],
                var old = earlier.memories[number]
            else { continue }
            earlier.memories[number] = nil
            rule.join(new, into: &old)
            earlier.memories[number] = old
        }
    }

    public func conclude(
        _ partial: CheckMemory?,
        schema: Schema,
        room: [Int],
        scratch: any Scratch,
        emit: (LateFindings) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        for (number, one) in asked.enumerated() {
            guard let rule = one.rule as? any MemoryRule else { continue }
            var conclusion = RuleConclusion(
                number: number,
                finding: one.rule.finding,
                field: one.rule.columns.first.flatMap { schema[$0] },
                fate: one.fate,
                room: room[number],
                context: context
            )
            try rule.end(partial?.memories[number], &conclusion)
            for late in conclusion.said { try emit(late) }
            if !conclusion.findings.isEmpty { try emit(LateFindings(conclusion.findings)) }
        }
    }
}

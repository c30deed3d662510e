import DaybookCore

/// Runs one example of a transform in its disguises.
struct TransformTrial<S: TransformStage> {
    private let stage: S
    private let input: Batch
    /// The rows of the second stage under `from`, for a stage that reads two.
    private let beside: Batch?
    private var output = ""
    private var findings: [FindingLine] = []

    init(_ stage: S, _ example: StageExample) throws {
        self.stage = stage
        input = try BatchText.read(example.input)
        beside = try example.beside.map(BatchText.read)
        output = example.output ?? ""
        findings = try example.findingLines()
    }

    /// Takes what the stage makes of `rows` in one batch to be right, and asks for the same in every disguise.
    init(_ stage: S, rows: Batch, beside: Batch? = nil) throws {
        self.stage = stage
        input = rows
        self.beside = beside
        let whole = try outcome(of: [rows])
        (output, findings) = (whole.output, whole.findings)
    }

    func run(_ log: inout FailureLog) throws {
        let promised = try ExampleRunner.joined(stage, to: input, beside).schema(after: input.schema)
        func expect(_ disguise: String, _ parts: [Batch]) {
            log.expect(output, findings: findings, as: disguise) { try outcome(of: parts) }
        }
        expect("all rows in one batch", [input])
        for size in 1...3 { expect("batches of \(size)", input.cut(into: size)) }
        expect("an empty batch in front", [input.keeping([]), input])
        for edge in Batch.Edge.allCases { expect("the \(edge) values under gaps", [input.worsened(edge)]) }

        log.expect(output, findings: findings, as: "columns reordered") {
            try outcome(of: [input.reversingColumns()], writing: promised)
        }
        log.expect(output, findings: findings, as: "a stranger column") { try outcomeBesideStranger(promised) }
        for name in promised.names where input.schema.index(of: name) == nil { tryTaken(name, &log) }
        try runProjected(promised, &log)
    }

    /// A column that the stage makes is refused where the rows have one of that name: what it held would be lost.
    private func tryTaken(_ name: String, _ log: inout FailureLog) {
        // A union takes its columns from either side.
        guard second?.schema.index(of: name) == nil else { return }
        let crowded = input.addingNumbers(named: name)
        guard let joined = try? ExampleRunner.joined(stage, to: crowded, beside),
            (try? joined.schema(after: crowded.schema)) != nil,
            // A stage that keeps only what it is told to keep lets go of that column as of any other.
            joined.columns(neededFor: .all).contains(Batch.stranger.text)
        else { return }
        log.add(writtenOver: name)
    }

    /// Hands over the parts in turn and does with the findings what the engine does.
    ///
    /// - Parameter writing: the order in which to write the columns, when not the promised one.
    private func outcome(of parts: [Batch], writing: Schema? = nil) throws -> Outcome {
        // Rows in parts meet a lookup on disk, and all at once one in memory.
        let stage = try ExampleRunner.joined(stage, to: parts[0], beside, areOnDisk: parts.count > 1)
        let promised = try stage.schema(after: parts[0].schema)
        var outcome = Outcome(output: "")
        var results = try parts.map { try processed($0, by: stage, promised, &outcome) }
        if let second { results.append(try processed(second, of: 1, by: stage, promised, &outcome)) }
        results += try EndOfTransform(parts, promised).rows(of: stage)
        outcome.output = BatchText.write(outcome.broken.isEmpty ? results : [], schema: writing ?? promised)
        return outcome
    }

    /// The rows of the second stage where they flow through the stage too.
    private var second: Batch? { ExampleRunner.readsSeveral(stage) ? beside : nil }

    private func processed(
        _ part: Batch,
        of index: Int = 0,
        by stage: S,
        _ promised: Schema?,
        _ outcome: inout Outcome
    ) throws -> Batch {
        if let parts = stage.parts(of: part) { return try processed(part, parts, promised, &outcome) }
        let numbers = part.originNumbers ?? []
        var findings = Findings()
        let result = try stage.process(part, of: index, reporting: &findings)
        outcome.findings += findings.rowLines { numbers.indices.contains($0) ? numbers[$0] + 1 : 0 }
        outcome.broken += findings.misplaced(in: part.count)
        guard !stage.makesRows else {
            outcome.broken += unfoldingProblems(part, result, findings)
            if let promised { outcome.broken += ExampleRunner.difference(of: result.schema, from: promised) }
            return result
        }
        if result.count != part.count {
            outcome.broken.append(
                "\(part.count) rows went in and \(result.count) came back; to drop one, name it in findings"
            )
        } else if result.originNumbers != part.originNumbers {
            outcome.broken.append(
                "the rows came back with other origins, so a finding about them would point elsewhere"
            )
        }
        if let promised { outcome.broken += ExampleRunner.difference(of: result.schema, from: promised) }
        return findings.keptRows(of: result.count).map(result.keeping) ?? result
    }

    /// Takes all that a batch becomes part by part; each part has to add up.
    private func processed(
        _ part: Batch,
        _ parts: any BatchParts,
        _ promised: Schema?,
        _ outcome: inout Outcome
    ) throws -> Batch {
        var parts = parts
        let numbers = part.originNumbers ?? []
        var results: [Batch] = []
        var parents = 0
        var isLast = false
        while !isLast {
            var findings = Findings()
            let next = try parts.next(reporting: &findings)
            outcome.findings += findings.rowLines { numbers.indices.contains($0) ? numbers[$0] + 1 : 0 }
            outcome.broken += findings.misplaced(in: part.count)
            let own = part.keeping((parents..<parents + next.parents).map { Int32($0) })
            let gone = part.count - (findings.keptRows(of: part.count)?.count ?? part.count)
            if findings.unfolded.rows + gone != next.parents || findings.unfolded.into != next.rows.count {
                outcome.broken.append("a part does not account for its \(own.count) rows")
            }
            if let promised { outcome.broken += ExampleRunner.difference(of: next.rows.schema, from: promised) }
            results.append(next.rows)
            parents += next.parents
            isLast = next.isLast
        }
        if parents != part.count {
            outcome.broken.append("\(part.count) rows went in, and \(parents) are accounted for")
        }
        let picks = results.indices.flatMap { batch in
            (0..<results[batch].count).map { RowPick(batch: batch, row: $0) }
        }
        let origins = Set(numbers)
        let all = results.count == 1 ? results[0] : Batch.take(picks, from: results)
        if !(all.originNumbers ?? []).allSatisfy(origins.contains) {
            outcome.broken.append("a row that was made has the origin of none that went in")
        }
        return all
    }

    /// What does not add up where rows became others.
    private func unfoldingProblems(_ part: Batch, _ result: Batch, _ findings: Findings) -> [String] {
        var broken: [String] = []
        let kept = findings.keptRows(of: part.count)?.count ?? part.count
        if findings.unfolded.rows != kept {
            broken.append("\(kept) rows were to become others, and \(findings.unfolded.rows) are said to have")
        }
        if findings.unfolded.into != result.count {
            broken.append("\(findings.unfolded.into) rows are said to have been made, and \(result.count) came out")
        }
        let parents = Set(part.originNumbers ?? [])
        if !(result.originNumbers ?? []).allSatisfy(parents.contains) {
            broken.append("a row that was made has the origin of none that went in")
        }
        return broken
    }

    /// A column that the stage has not asked for passes untouched, unless the stage says that it lets go of columns:
    /// `select_columns` does, and shows it by not needing the stranger even when all of its output is wanted.
    private func outcomeBesideStranger(_ promised: Schema) throws -> Outcome {
        let crowded = input.addingStranger()
        let other = second.map { $0.addingStranger() }
        let stage = try ExampleRunner.joined(stage, to: crowded, other ?? beside)
        let promisedBeside = try stage.schema(after: crowded.schema)
        let passes = stage.columns(neededFor: .all).contains(Batch.stranger.text)
        var outcome = Outcome(output: "")
        let result = try processed(crowded, by: stage, promisedBeside, &outcome)
        let rest = try other.map { try processed($0, of: 1, by: stage, promisedBeside, &outcome) }
        if !passes {
            if result.schema[Batch.stranger] != nil {
                outcome.broken.append("a column comes through that columns(neededFor: .all) leaves out")
            }
        } else if result.strangerNumbers != result.originNumbers?.map(Int64.init) {
            outcome.broken.append("a column that the stage has not asked for did not pass untouched")
        }
        let last = try EndOfTransform([crowded], promisedBeside).rows(of: stage)
        outcome.output = BatchText.write(
            ([result] + (rest.map { [$0] } ?? []) + last).map { $0.withoutStranger() },
            schema: promised
        )
        return outcome
    }

    /// With only the columns that the stage says it needs, each wanted column comes out the same, and so do the
    /// findings: what is rejected must not depend on what somebody reads later.
    private func runProjected(_ promised: Schema, _ log: inout FailureLog) throws {
        let stage = try ExampleRunner.joined(stage, to: input, beside)
        let sets = promised.names.map { ColumnSet.some([$0]) } + [.none, .some(Set(promised.names))]
        for wanted in sets {
            let needed = stage.columns(neededFor: wanted)
            let expected = promised.selecting(wanted)
            let whole = try? BatchText.read(output).selecting(wanted)
            log.expect(
                whole.map { BatchText.write([$0], schema: expected) },
                findings: findings,
                as: "only the columns needed for \(ExampleRunner.names(of: wanted))"
            ) {
                var outcome = Outcome(output: "")
                var results = [try processed(input.selecting(needed), by: stage, nil, &outcome)]
                if let second {
                    results.append(try processed(second.selecting(needed), of: 1, by: stage, nil, &outcome))
                }
                let some = input.selecting(needed)
                results += try EndOfTransform([some], stage.schema(after: some.schema)).rows(of: stage)
                for result in results {
                    for name in expected.names where result.schema.index(of: name) == nil {
                        outcome.broken.append("the column '\(name)' did not come out")
                    }
                }
                if outcome.broken.isEmpty { outcome.output = BatchText.write(results, schema: expected) }
                return outcome
            }
        }
    }
}

/// The rows that a transform gives at its end, if it gathers something beside the rows that flow through it.
private struct EndOfTransform {
    let parts: [Batch]
    let promised: () throws -> Schema

    init(_ parts: [Batch], _ promised: @autoclosure @escaping () throws -> Schema) {
        (self.parts, self.promised) = (parts, promised)
    }

    func rows(of stage: some Stage) throws -> [Batch] {
        guard let gathering = stage as? any FinishingStage, gathering.finishes else { return [] }
        return try finished(gathering)
    }

    private func finished<S: FinishingStage>(_ stage: S) throws -> [Batch] {
        let (scratch, promised) = (MemoryScratch(), try promised())
        var whole: S.Partial?
        for part in parts {
            var findings = Findings()
            let bytes = Bytes()
            let header = PartialCoding.Header(plan: 1, seed: 2)
            try PartialCoding.write(try stage.partial(of: part, reporting: &findings), for: header, to: bytes)
            if !findings.isEmpty { throw BatchText.mistake("a transform noted findings beside its rows") }
            var reader = ByteReader(bytes.filled)
            let partial: S.Partial = try PartialCoding.read(for: header, from: &reader)
            withExtendedLifetime(bytes) {}
            if var earlier = whole {
                try stage.merge(partial, into: &earlier, scratch: scratch)
                whole = earlier
            } else {
                whole = partial
            }
        }
        let ended = Ended()
        let output = FoldOutput(schema: promised, scratch: scratch) { late throws(DaybookError) in
            ended.rows.append(try late.rows())
        }
        try stage.finish(whole, output)
        let made = ended.rows.reduce(0) { $0 + $1.count }
        guard made == output.addedRows.values.reduce(0, +) else {
            throw BatchText.mistake("\(made) rows were made at the end, and others are named")
        }
        for rows in ended.rows where rows.schema.names != promised.names {
            throw BatchText.mistake(
                "the schema check promised \(promised.names), the last rows have \(rows.schema.names)"
            )
        }
        return ended.rows
    }

    private final class Ended { var rows: [Batch] = [] }
}

extension ExampleRunner {
    /// The stage as the engine makes it ready when it reads two stages; else the stage itself.
    ///
    /// - Parameter areOnDisk: whether rows that it looks things up in are on disk.
    static func joined<S: Stage>(
        _ stage: S,
        to input: Batch,
        _ beside: Batch?,
        areOnDisk: Bool = false
    ) throws -> S {
        guard let joining = stage as? any JoiningStage, let beside else { return stage }
        guard let ready = try ready(joining, input.schema, beside, areOnDisk) as? S else {
            preconditionFailure("a stage that was joined is the same stage")
        }
        return ready
    }

    private static func ready(
        _ stage: some JoiningStage,
        _ input: Schema,
        _ beside: Batch,
        _ areOnDisk: Bool
    ) throws -> any JoiningStage {
        // Where the options name the other stages, each is the one beside.
        let isNamed = type(of: stage).inputs == .one
        let joined = try stage.reading(["first", "second"]).joined(
            to: isNamed ? [input] : [input, beside.schema],
            sides: isNamed ? stage.sides.map { _ in beside.schema } : []
        )
        guard !readsSeveral(stage) else { return joined }
        let sides = try (0..<(isNamed ? stage.sides.count : 1)).map { number in
            let side = beside.selecting(joined.columns(neededOfBuildSide: number))
            var rows = BatchBuffer(memoryLimit: areOnDisk ? 0 : .max)
            for batch in side.cut(into: 2) where batch.count > 0 { try rows.append(batch, MemoryScratch()) }
            return BuildSide(side.schema, rows)
        }
        return try joined.knowing(sides, scratch: MemoryScratch())
    }

    /// Whether the rows of all stages under `from` flow through the stage.
    static func readsSeveral(_ stage: any Stage) -> Bool {
        (stage as? any JoiningStage).map { type(of: $0).inputs == .several } ?? false
    }

    /// How a schema differs from the one that was promised, in names, kinds or order.
    static func difference(of schema: Schema, from promised: Schema) -> [String] {
        func header(_ schema: Schema) -> String {
            schema.fields.map { "\($0.name):\($0.kind.rawValue)" }.joined(separator: ",")
        }
        guard header(schema) != header(promised) else { return [] }
        return ["the schema check promised '\(header(promised))', the rows have '\(header(schema))'"]
    }

    static func names(of columns: ColumnSet) -> String {
        switch columns {
        case .all: "everything"
        case .some(let names): names.isEmpty ? "nothing" : names.sorted().joined(separator: ", ")
        }
    }
}

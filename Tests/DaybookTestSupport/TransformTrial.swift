import DaybookContracts

/// Runs one example of a transform in its disguises.
struct TransformTrial {
    private let stage: any Transform & Stage
    private let input: Batch
    /// The rows of the second stage under `from`, for a stage that reads two.
    private let beside: Batch?
    private var output = ""
    private var findings: [FindingLine] = []

    init(_ stage: any Transform & Stage, _ example: StageExample) throws {
        self.stage = stage
        input = try BatchText.read(example.input)
        beside = try example.beside.map(BatchText.read)
        output = example.output ?? ""
        findings = try example.findingLines()
    }

    /// Takes what the stage makes of `rows` in one batch to be right, and asks for the same in every disguise.
    init(_ stage: any Transform & Stage, rows: Batch, beside: Batch? = nil) throws {
        self.stage = stage
        input = rows
        self.beside = beside
        let whole = try outcome(of: [rows])
        (output, findings) = (whole.output, whole.findings)
    }

    func run(_ log: inout FailureLog) throws {
        let promised = try BoundStage.bind(stage, to: input.schema, beside?.schema).schema
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
        guard let binding = try? BoundStage.bind(stage, to: crowded.schema, beside?.schema),
            // A stage that keeps only what it is told to keep lets go of that column as of any other.
            binding.columns(neededFor: .all).contains(Batch.stranger.text)
        else { return }
        log.add(writtenOver: name)
    }

    /// Hands over the parts in turn and does with the findings what the engine does.
    ///
    /// - Parameter writing: the order in which to write the columns, when not the promised one.
    private func outcome(of parts: [Batch], writing: Schema? = nil) throws -> Outcome {
        // Rows in parts meet a lookup on disk, and all at once one in memory.
        let bound = try BoundStage(stage, to: parts[0].schema, beside, areOnDisk: parts.count > 1)
        let promised = bound.binding.schema
        var outcome = Outcome(output: "")
        var results = try parts.map { try processed($0, by: bound, promised, &outcome) }
        if let second { results.append(try processed(second, of: 1, by: bound, promised, &outcome)) }
        results += try EndOfTransform(parts, promised).rows(of: bound)
        outcome.output = BatchText.write(outcome.broken.isEmpty ? results : [], schema: writing ?? promised)
        return outcome
    }

    /// The rows of the second stage where they flow through the stage too.
    private var second: Batch? { BoundStage.readsSeveral(stage) ? beside : nil }

    private func processed(
        _ part: Batch,
        of index: Int = 0,
        by bound: BoundStage,
        _ promised: Schema?,
        _ outcome: inout Outcome
    ) throws -> Batch {
        if let parts = bound.transform.parts(of: part) { return try processed(part, parts, promised, &outcome) }
        let numbers = part.originNumbers ?? []
        var findings = Findings()
        let result = try bound.transform.process(part, of: index, reporting: &findings)
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
        let bound = try BoundStage(stage, to: crowded.schema, other ?? beside)
        let promisedBeside = bound.binding.schema
        let passes = bound.binding.columns(neededFor: .all).contains(Batch.stranger.text)
        var outcome = Outcome(output: "")
        let result = try processed(crowded, by: bound, promisedBeside, &outcome)
        let rest = try other.map { try processed($0, of: 1, by: bound, promisedBeside, &outcome) }
        if !passes {
            if result.schema[Batch.stranger] != nil {
                outcome.broken.append("a column comes through that columns(neededFor: .all) leaves out")
            }
        } else if result.strangerNumbers != result.originNumbers?.map(Int64.init) {
            outcome.broken.append("a column that the stage has not asked for did not pass untouched")
        }
        let last = try EndOfTransform([crowded], promisedBeside).rows(of: bound)
        outcome.output = BatchText.write(
            ([result] + (rest.map { [$0] } ?? []) + last).map { $0.withoutStranger() },
            schema: promised
        )
        return outcome
    }

    /// With only the columns that the stage says it needs, each wanted column comes out the same, and so do the
    /// findings: what is rejected must not depend on what somebody reads later.
    private func runProjected(_ promised: Schema, _ log: inout FailureLog) throws {
        let bound = try BoundStage(stage, to: input.schema, beside)
        let sets = promised.names.map { ColumnSet.some([$0]) } + [.none, .some(Set(promised.names))]
        for wanted in sets {
            let needed = bound.binding.columns(neededFor: wanted)
            let expected = promised.selecting(wanted)
            let whole = try? BatchText.read(output).selecting(wanted)
            log.expect(
                whole.map { BatchText.write([$0], schema: expected) },
                findings: findings,
                as: "only the columns needed for \(ExampleRunner.names(of: wanted))"
            ) {
                var outcome = Outcome(output: "")
                var results = [try processed(input.selecting(needed), by: bound, nil, &outcome)]
                if let second {
                    results.append(try processed(second.selecting(needed), of: 1, by: bound, nil, &outcome))
                }
                let some = input.selecting(needed)
                results += try EndOfTransform([some], BoundStage.bind(stage, to: some.schema, beside?.schema).schema)
                    .rows(of: bound)
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

    func rows(of bound: BoundStage) throws -> [Batch] {
        guard let gathering = bound.transform.asFinishing else { return [] }
        return try finished(gathering)
    }

    private func finished<S: FinishingOperator>(_ stage: S) throws -> [Batch] {
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

/// A stage bound to rows as the engine binds it.
struct BoundStage {
    let binding: Binding
    let operation: StageOperator

    /// - Parameter areOnDisk: whether rows that it looks things up in are on disk.
    init(_ stage: any Stage, to input: Schema, _ beside: Batch?, areOnDisk: Bool = false) throws {
        binding = try BoundStage.bind(stage, to: input, beside?.schema)
        let sides = try binding.sides.map { need in
            let side = (beside ?? Batch(empty: Schema())).selecting(need.columns)
            var rows = BatchBuffer(memoryLimit: areOnDisk ? 0 : .max)
            for batch in side.cut(into: 2) where batch.count > 0 { try rows.append(batch, MemoryScratch()) }
            return BuildSide(side.schema, rows)
        }
        operation = try binding.makeOperator(sides, MemoryScratch())
    }

    static func bind(_ stage: any Stage, to input: Schema, _ beside: Schema?) throws(DaybookError) -> Binding {
        let inputs = inputs(of: stage, input, beside)
        return switch stage.inRole {
        case .transform(let stage): try stage.bind(inputs)
        case .fold(let stage): try stage.bind(inputs)
        case .sink(let stage): try stage.bind(inputs)
        case .source, .store, .service: preconditionFailure("a source reads no stage")
        }
    }

    /// Where the options name the other stages, each is the one beside.
    private static func inputs(of stage: any Stage, _ input: Schema, _ beside: Schema?) -> StageInputs {
        guard let joining = joining(stage) else { return StageInputs([StageInput(id: "example", schema: input)]) }
        var inputs = StageInputs([StageInput(id: "first", schema: input)])
        if type(of: joining).inputs == .one {
            inputs.sides = joining.sides.map { _ in beside }
        } else {
            inputs.from.append(StageInput(id: "second", schema: beside ?? Schema()))
        }
        return inputs
    }

    private static func joining(_ stage: any Stage) -> (any Joining)? {
        switch stage.inRole {
        case .transform(let stage): stage.asJoining
        case .fold(let stage): stage.asJoining
        case .source, .store, .service, .sink: nil
        }
    }

    /// Whether the rows of all stages under `from` flow through the stage.
    static func readsSeveral(_ stage: any Stage) -> Bool {
        joining(stage).map { type(of: $0).inputs == .several } ?? false
    }

    var transform: any TransformOperator {
        guard case .transform(let transform) = operation else { preconditionFailure("a transform runs as one") }
        return transform
    }
}

extension ExampleRunner {
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

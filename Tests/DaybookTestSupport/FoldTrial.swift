import DaybookContracts

extension Batch {
    /// The rows but for those that have one of these numbers in their input.
    fileprivate func without(_ numbers: Set<Int>) -> Batch {
        let own = originNumbers ?? []
        return keeping((0..<count).filter { !numbers.contains(own[$0]) }.map { Int32($0) })
    }
}

extension FoldOperator {
    /// Ends with what `emit` is given, for tests that look at the batches themselves; gives the dropped rows that stood in none.
    @discardableResult
    public func finish(
        _ partial: Partial?,
        schema: Schema,
        scratch: any Scratch,
        emit: @escaping (Batch, Findings) throws(DaybookError) -> Void
    ) throws(DaybookError) -> [String: Int] {
        let output = FoldOutput(schema: schema, scratch: scratch) { (late) throws(DaybookError) in
            try emit(try late.rows(), late.findings)
        }
        try finish(partial, output)
        return output.droppedRows
    }
}

/// Runs one example of a fold in its disguises.
struct FoldTrial<S: FoldOperator> {
    private let declared: any Fold & Stage
    private let stage: S
    private let input: Batch
    private let beside: Schema?
    private var output = ""
    private var findings: [FindingLine] = []

    /// How the partials of several batches become one. All must give the same answer.
    private enum Merging: String, CaseIterable {
        case inOrder = "merged in order"
        case fromTheEnd = "merged from the end"
        case inPairs = "merged in pairs"
        case throughBytes = "each partial written to bytes and read back"
        case againThroughBytes = "the merged partial written to bytes and read back"
    }

    /// - Parameter operation: what the stage runs where rows have the columns of the example.
    private init(_ declared: any Fold & Stage, _ operation: S, _ input: Batch, _ beside: Schema?) {
        (self.declared, stage, self.input, self.beside) = (declared, operation, input, beside)
    }

    fileprivate init(_ declared: any Fold & Stage, _ operation: S, _ example: StageExample) throws {
        let beside = try example.beside.map(BatchText.read)?.schema
        self.init(declared, operation, try BatchText.read(example.input), beside)
        output = example.output ?? ""
        findings = try example.findingLines()
    }

    /// Takes what the stage makes of `rows` in one batch to be right, and asks for the same in every disguise.
    fileprivate init(_ declared: any Fold & Stage, _ operation: S, rows: Batch, beside: Schema?) throws {
        self.init(declared, operation, rows, beside)
        let whole = try outcome(of: [rows], try schema(after: rows.schema), .inOrder)
        (output, findings) = (whole.output, whole.findings)
    }

    private func schema(after input: Schema) throws -> Schema {
        try BoundStage.bind(declared, to: input, beside).schema
    }
    private var keepsRows: Bool { type(of: declared).keepsRows }
    private var passesRows: Bool { type(of: declared).passesRows }

    func run(_ log: inout FailureLog) throws {
        let promised = try schema(after: input.schema)
        func expect(_ disguise: String, _ parts: [Batch], _ merging: Merging = .inOrder) {
            log.expect(output, findings: findings, as: "\(disguise), \(merging.rawValue)") {
                try outcome(of: parts, promised, merging)
            }
        }
        for size in [input.count + 1, 1, 2, 3] {
            for merging in Merging.allCases { expect("batches of \(size)", input.cut(into: size), merging) }
        }
        expect("an empty batch in front", [input.keeping([]), input])
        for edge in Batch.Edge.allCases { expect("the \(edge) values under gaps", input.worsened(edge).cut(into: 2)) }
        if input.count == 0 { expect("no batch at all", []) }

        log.expect(output, findings: findings, as: "columns reordered") {
            let reversed = input.reversingColumns()
            return try outcome(of: [reversed], try schema(after: reversed.schema), .inOrder, writing: promised)
        }
        log.expect(output, findings: findings, as: "a stranger column") { try outcomeBesideStranger(promised) }
        // Rows that come back with a column more must not have had one of that name.
        for name in promised.names where keepsRows && input.schema.index(of: name) == nil {
            let crowded = input.addingNumbers(named: name).schema
            if (try? schema(after: crowded)) != nil { log.add(writtenOver: name) }
        }
        runProjected(promised, &log)
    }

    private func outcome(
        of parts: [Batch],
        _ promised: Schema,
        _ merging: Merging,
        writing: Schema? = nil
    ) throws -> Outcome {
        var outcome = Outcome(output: "")
        let results = try folded(parts, promised, merging, &outcome)
        outcome.output = BatchText.write(outcome.broken.isEmpty ? results : [], schema: writing ?? promised)
        return outcome
    }

    /// What came of a fold's end.
    private final class Ended {
        var passed: [Batch]
        var results: [Batch] = []
        var made = 0
        var findings: [FindingLine] = []
        var broken: [String] = []

        init(_ passed: [Batch]) { self.passed = passed }
    }

    private func folded(
        _ parts: [Batch],
        _ promised: Schema,
        _ merging: Merging,
        _ outcome: inout Outcome
    ) throws -> [Batch] {
        // Small batches meet a small memory, so that what goes to disk is tried too.
        let scratch =
            parts.count > 1 && parts[0].count < 3
            ? MemoryScratch(memoryLimit: parts[0].count * 32 - 32) : MemoryScratch()
        var partials: [S.Partial] = []
        var kept = 0
        var passed: [Batch] = []
        for part in parts {
            let numbers = part.originNumbers ?? []
            var findings = Findings()
            partials.append(try stage.partial(of: part, reporting: &findings))
            let rest = findings.keptRows(of: part.count).map(part.keeping) ?? part
            kept += passesRows ? part.count : rest.count
            if passesRows { passed.append(rest) }
            outcome.findings += findings.rowLines { numbers.indices.contains($0) ? numbers[$0] + 1 : 0 }
            outcome.broken += findings.misplaced(in: part.count)
        }
        let whole = try merged(partials, merging, scratch)
        if let whole, whole.foldedRows != kept {
            outcome.broken.append("\(kept) rows went in and \(whole.foldedRows) are said to be folded")
        }
        let ended = Ended(passed)
        let output = FoldOutput(schema: promised, scratch: scratch) { late throws(DaybookError) in
            let (result, findings) = (try late.rows(), late.findings)
            // A row that was made has no number of its own; it is told by its place in the output.
            let numbers = result.originNumbers ?? Array(ended.made..<ended.made + result.count)
            ended.findings += findings.rowLines { numbers.indices.contains($0) ? numbers[$0] + 1 : 0 }
            ended.broken += findings.misplaced(in: result.count)
            guard !passesRows else {
                let late = findings.keptRows(of: result.count).map { Set($0.map { numbers[Int($0)] }) }
                if let late { ended.passed = ended.passed.map { $0.without(Set(numbers).subtracting(late)) } }
                return
            }
            ended.broken += ExampleRunner.difference(of: result.schema, from: promised)
            ended.made += result.count
            ended.results.append(findings.keptRows(of: result.count).map(result.keeping) ?? result)
        }
        try stage.finish(whole, output)
        outcome.findings += ended.findings
        outcome.broken += ended.broken
        let (results, made, dropped) = (ended.results, ended.made, output.droppedRows.values.reduce(0, +))
        passed = ended.passed
        if passesRows { return passed }
        if keepsRows, made + dropped != kept {
            outcome.broken.append("\(kept) rows went in, \(made) came out and \(dropped) are said to be dropped")
        }
        return results
    }

    private func merged(_ partials: [S.Partial], _ merging: Merging, _ scratch: MemoryScratch) throws -> S.Partial? {
        guard var result = partials.first else { return nil }
        let later = partials.dropFirst()
        switch merging {
        case .inOrder:
            for partial in later { try stage.merge(partial, into: &result, scratch: scratch) }
        case .throughBytes:
            result = try copied(result)
            for partial in later { try stage.merge(try copied(partial), into: &result, scratch: scratch) }
        case .againThroughBytes:
            for partial in later {
                try stage.merge(partial, into: &result, scratch: scratch)
                result = try copied(result)
            }
        case .fromTheEnd:
            result = partials[partials.count - 1]
            for partial in partials.dropLast().reversed() {
                var earlier = partial
                try stage.merge(result, into: &earlier, scratch: scratch)
                result = earlier
            }
        case .inPairs:
            var level = partials
            while level.count > 1 {
                level = try stride(from: 0, to: level.count, by: 2).map { index in
                    var earlier = level[index]
                    if index + 1 < level.count { try stage.merge(level[index + 1], into: &earlier, scratch: scratch) }
                    return earlier
                }
            }
            result = level[0]
        }
        return result
    }

    /// What another process would read, and one of another plan or seed would refuse.
    private func copied(_ partial: S.Partial) throws -> S.Partial {
        let header = PartialCoding.Header(plan: 1, seed: 2)
        let bytes = Bytes()
        try PartialCoding.write(partial, for: header, to: bytes)
        defer { withExtendedLifetime(bytes) {} }
        for other in [PartialCoding.Header(plan: 3, seed: 2), PartialCoding.Header(plan: 1, seed: 3)] {
            var reader = ByteReader(bytes.filled)
            let foreign: S.Partial? = try? PartialCoding.read(for: other, from: &reader)
            if foreign != nil { throw BatchText.mistake("a partial result of another run was read") }
        }
        var reader = ByteReader(bytes.filled)
        let copy: S.Partial = try PartialCoding.read(for: header, from: &reader)
        if !reader.isAtEnd {
            throw BatchText.mistake("a partial was written in \(bytes.count) bytes, \(reader.position) were read")
        }
        return copy
    }

    /// A fold that keeps its rows brings the stranger along with the row that it stood in. One that folds rows into
    /// others has no row left that the stranger could stand in, and must not be confused by it.
    private func outcomeBesideStranger(_ promised: Schema) throws -> Outcome {
        let crowded = input.addingStranger()
        var outcome = Outcome(output: "")
        var results = try folded(crowded.cut(into: 2), try schema(after: crowded.schema), .inOrder, &outcome)
        if keepsRows {
            for result in results where result.strangerNumbers != result.originNumbers?.map(Int64.init) {
                outcome.broken.append("a column that the stage has not asked for did not stay with its row")
            }
            results = results.map { $0.withoutStranger() }
        }
        outcome.output = BatchText.write(results, schema: promised)
        return outcome
    }

    /// With only the columns that the stage says it needs. As in the engine, `finish` is given the whole schema: that
    /// some of its columns are gone shows in the partial alone.
    private func runProjected(_ promised: Schema, _ log: inout FailureLog) {
        for wanted in promised.names.map({ ColumnSet.some([$0]) }) + [.none] {
            let expected = promised.selecting(wanted)
            let whole = try? BatchText.read(output).selecting(wanted)
            log.expect(
                whole.map { BatchText.write([$0], schema: expected) },
                findings: findings,
                as: "only the columns needed for \(ExampleRunner.names(of: wanted))"
            ) {
                var outcome = Outcome(output: "")
                let parts = input.selecting(
                    try BoundStage.bind(declared, to: input.schema, beside).columns(neededFor: wanted)
                ).cut(into: 2)
                let results = try folded(parts, promised, .inOrder, &outcome)
                outcome.broken = results.flatMap { result in
                    expected.names.filter { result.schema.index(of: $0) == nil }.map {
                        "the column '\($0)' did not come out"
                    }
                }
                outcome.output = BatchText.write(outcome.broken.isEmpty ? results : [], schema: expected)
                return outcome
            }
        }
    }
}

extension ExampleRunner {
    static func fold(_ stage: any Fold & Stage, _ log: inout FailureLog) throws {
        func run(_ operation: some FoldOperator) throws { try FoldTrial(stage, operation, log.example).run(&log) }
        let input = try BatchText.read(log.example.input).schema
        try run(try operation(of: stage, input, try log.example.beside.map(BatchText.read)))
    }

    static func fold(_ stage: any Fold & Stage, _ rows: Batch, _ beside: Batch?, _ log: inout FailureLog) throws {
        func run(_ operation: some FoldOperator) throws {
            try FoldTrial(stage, operation, rows: rows, beside: beside?.schema).run(&log)
        }
        try run(try operation(of: stage, rows.schema, beside))
    }

    static func fold(once stage: any Fold & Stage, _ rows: Batch, _ beside: Batch?) throws {
        func run(_ operation: some FoldOperator) throws {
            _ = try FoldTrial(stage, operation, rows: rows, beside: beside?.schema)
        }
        try run(try operation(of: stage, rows.schema, beside))
    }

    private static func operation(
        of stage: any Fold & Stage,
        _ input: Schema,
        _ beside: Batch?
    ) throws -> any FoldOperator {
        guard case .fold(let fold) = try BoundStage(stage, to: input, beside).operation else {
            preconditionFailure("a fold runs as one")
        }
        return fold
    }
}

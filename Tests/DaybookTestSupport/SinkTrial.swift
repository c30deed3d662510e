import DaybookCore

/// Runs one example of a sink: typed rows in, the bytes of the output out.
///
/// Columns reordered and a stranger column have no place here: an output shows every column it is given, in the order
/// in which it is given them.
struct SinkTrial<S: SinkStage> {
    private let stage: S
    private let input: Batch
    private var output = ""
    private var findings: [FindingLine] = []

    init(_ stage: S, _ example: StageExample) throws {
        self.stage = stage
        input = try BatchText.read(example.input)
        output = example.output ?? ""
        findings = try example.findingLines()
    }

    /// Takes what the stage makes of `rows` in one batch to be right, and asks for the same in every disguise.
    init(_ stage: S, rows: Batch) throws {
        self.stage = stage
        input = rows
        let whole = try outcome(of: [rows])
        (output, findings) = (whole.output, whole.findings)
    }

    func run(_ log: inout FailureLog) throws {
        try stage.check(input.schema)
        func expect(_ disguise: String, _ parts: [Batch]) {
            log.expect(output, findings: findings, as: disguise, isTable: false) { try outcome(of: parts) }
        }
        expect("all rows in one batch", [input])
        for size in 1...3 { expect("batches of \(size)", input.cut(into: size)) }
        expect("an empty batch in front", [input.keeping([]), input])
        for edge in Batch.Edge.allCases { expect("the \(edge) values under gaps", [input.worsened(edge)]) }
        if input.count == 0 { expect("no batch at all", []) }
    }

    private func outcome(of parts: [Batch]) throws -> Outcome {
        var outcome = Outcome(output: "")
        let out = MemoryOutput()
        var writer = stage.writer(for: [SinkInput(id: "example", schema: input.schema)])
        try writer.begin(out)
        var kept = 0
        for part in parts {
            let numbers = part.originNumbers ?? []
            var findings = Findings()
            let piece = stage.piece(of: part, reporting: &findings)
            outcome.findings += findings.rowLines { numbers.indices.contains($0) ? numbers[$0] + 1 : 0 }
            outcome.broken += findings.misplaced(in: part.count)
            kept += findings.keptRows(of: part.count)?.count ?? part.count
            try writer.append(piece, input: 0, to: out)
        }
        try writer.finish(RunSummary(job: "example", asOf: ExampleRunner.context.asOf, ledger: []), out)
        if writer.writtenRows != kept {
            outcome.broken.append("\(kept) rows were to be written and \(writer.writtenRows) are said to be")
        }
        outcome.output = out.text
        return outcome
    }
}

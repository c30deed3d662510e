import DaybookContracts
import Foundation

/// Runs one example of a sink: typed rows in, the bytes of the output out.
///
/// Columns reordered and a stranger column have no place here: an output shows every column it is given, in the order
/// in which it is given them.
struct SinkTrial {
    private let stage: any SinkStage
    private let input: Batch
    private let base: String?
    private var output: String?
    private var excerpts: [String] = []
    private var findings: [FindingLine] = []

    init(_ stage: any SinkStage, _ example: StageExample) throws {
        self.stage = stage
        input = try BatchText.read(example.input)
        base = example.base
        // Where an example shows excerpts, the disguises are still held to the bytes of the first.
        excerpts = example.excerpts
        output = excerpts.isEmpty ? example.output ?? "" : nil
        findings = try example.findingLines()
    }

    /// Takes what the stage makes of `rows` in one batch to be right, and asks for the same in every disguise.
    init(_ stage: any SinkStage, rows: Batch, base: String?) throws {
        self.stage = stage
        input = rows
        self.base = base
        let whole = try outcome(of: [rows])
        (output, findings) = (whole.output, whole.findings)
    }

    func run(_ log: inout FailureLog) throws {
        _ = try stage.bind(StageInputs(inputs))
        var whole = output
        func expect(_ disguise: String, _ parts: [Batch]) {
            log.expect(whole, findings: findings, as: disguise, isTable: false) {
                var outcome = try outcome(of: parts)
                outcome.broken += missingExcerpts(in: outcome.output)
                whole = whole ?? outcome.output
                return outcome
            }
        }
        expect("all rows in one batch", [input])
        for size in 1...3 { expect("batches of \(size)", input.cut(into: size)) }
        expect("an empty batch in front", [input.keeping([]), input])
        for edge in Batch.Edge.allCases { expect("the \(edge) values under gaps", [input.worsened(edge)]) }
        if input.count == 0 { expect("no batch at all", []) }
    }

    private var inputs: [StageInput] { [StageInput(id: "example", schema: input.schema)] }

    /// What the example shows and `output` does not, or not in that order.
    private func missingExcerpts(in output: String) -> [String] {
        var rest = output[...]
        for excerpt in excerpts {
            guard let range = rest.firstRange(of: excerpt) else { return ["the output lacks \(excerpt)"] }
            rest = rest[range.upperBound...]
        }
        return []
    }

    private func outcome(of parts: [Batch]) throws -> Outcome {
        var outcome = Outcome(output: "")
        let out = MemoryOutput()
        let files = SinkFiles(base: base.map { Data($0.utf8) })
        guard case .sink(let sink) = try stage.bind(StageInputs(inputs)).ready else {
            preconditionFailure("an output runs as one")
        }
        var writer: any SinkWriter = try sink.writer(in: files.context(input.schema))
        try writer.begin(out)
        var kept = 0
        for part in parts {
            let numbers = part.originNumbers ?? []
            var findings = Findings()
            let piece: any Sendable = sink.piece(of: part, from: 0, reporting: &findings)
            outcome.findings += findings.rowLines { numbers.indices.contains($0) ? numbers[$0] + 1 : 0 }
            outcome.broken += findings.misplaced(in: part.count)
            kept += findings.keptRows(of: part.count)?.count ?? part.count
            try writer.append(erased: piece, input: 0, to: out)
        }
        try writer.finish(RunSummary(job: "example", asOf: ExampleRunner.context.asOf, ledger: []), out)
        if writer.writtenRows != kept {
            outcome.broken.append("\(kept) rows were to be written and \(writer.writtenRows) are said to be")
        }
        outcome.output = out.text
        withExtendedLifetime(files) {}
        return outcome
    }
}

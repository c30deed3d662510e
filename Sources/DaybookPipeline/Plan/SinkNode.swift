import DaybookCore

/// A sink stage whose type is no longer named.
public protocol SinkNode: Sendable {
    var output: PathText { get }
    var takesSeveral: Bool { get }
    var base: SinkBase? { get }
    func check(_ input: Schema) throws(DaybookError)
    func piece(of batch: Batch, reporting findings: inout Findings) -> any Sendable
    func makeAssembler(for inputs: [SinkInput], in room: SinkRoom) throws(DaybookError) -> any SinkAssembler
}

/// Puts the pieces of one output together, one thread at a time.
public protocol SinkAssembler: AnyObject, Sendable {
    var writtenRows: Int { get }
    func begin(_ out: any ByteOutput) throws(DaybookError)
    func append(_ piece: any Sendable, input: Int, to out: any ByteOutput) throws(DaybookError)
    func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError)
}

struct SinkBox<Wrapped: SinkStage>: SinkNode {
    let stage: Wrapped

    init(_ stage: Wrapped) { self.stage = stage }

    var output: PathText { stage.output }
    var takesSeveral: Bool { Wrapped.takesSeveral }
    var base: SinkBase? { stage.base }

    func check(_ input: Schema) throws(DaybookError) { try stage.check(input) }

    func piece(of batch: Batch, reporting findings: inout Findings) -> any Sendable {
        stage.piece(of: batch, reporting: &findings)
    }

    func makeAssembler(for inputs: [SinkInput], in room: SinkRoom) throws(DaybookError) -> any SinkAssembler {
        Assembler(try stage.writer(for: inputs, in: room))
    }

    /// Sendable because the run's commit order lets only one thread at a time touch it.
    final class Assembler: SinkAssembler, @unchecked Sendable {
        var writer: Wrapped.Writer

        init(_ writer: Wrapped.Writer) { self.writer = writer }

        var writtenRows: Int { writer.writtenRows }

        func begin(_ out: any ByteOutput) throws(DaybookError) { try writer.begin(out) }

        func append(_ piece: any Sendable, input: Int, to out: any ByteOutput) throws(DaybookError) {
            guard let piece = piece as? Wrapped.Piece else {
                preconditionFailure("an output was handed the piece of another")
            }
            try writer.append(piece, input: input, to: out)
        }

        func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) { try writer.finish(run, out) }
    }
}

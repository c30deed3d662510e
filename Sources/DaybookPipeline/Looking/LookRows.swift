import DaybookCore

/// The sink of a look: learns what the rows that reach it look like, and stops the run when it has seen enough.
///
/// No job can name it. It stands where the outputs of a job would, so the engine runs as it always does.
struct LookRows: SinkStage {
    /// What the sink that is being made is to fill.
    @TaskLocal static var capture = LookCapture(nil, limit: 0)

    let output = PathText("-")
    private let capture: LookCapture

    init(reading options: inout OptionReader) { capture = LookRows.capture }

    static let description = StageDescription(
        name: "look_at_rows",
        summary: "Learn what the rows look like.",
        examples: []
    )

    /// What one batch looks like.
    struct Piece: Sendable {
        var look: TableLook?
        var rows: Int
        /// Where the morsel of the batch ends in its file.
        var end: Int
    }

    func piece(of batch: Batch, reporting findings: inout Findings) -> Piece {
        var piece = Piece(look: nil, rows: batch.count, end: 0)
        if case .morsel(let morsel, _, _) = batch.origins { piece.end = morsel.offset + morsel.length }
        if let candidates = capture.candidates {
            var look = TableLook(batch.schema, candidates)
            look.add(batch)
            piece.look = look
        }
        return piece
    }

    func writer(for inputs: [SinkInput]) -> Writer {
        if let candidates = capture.candidates, let schema = inputs.first?.schema {
            capture.look = TableLook(schema, candidates)
        }
        return Writer(capture: capture)
    }

    struct Writer: SinkWriter {
        let capture: LookCapture
        var writtenRows = 0

        mutating func begin(_ out: any ByteOutput) {}

        mutating func append(_ piece: Piece, input: Int, to out: any ByteOutput) throws(DaybookError) {
            writtenRows += piece.rows
            capture.rows += piece.rows
            if let look = piece.look { capture.look?.merge(look) }
            guard piece.end >= capture.limit || capture.rows >= LookCapture.mostRows else { return }
            capture.isFull = true
            throw .lookIsFull
        }

        mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}
    }
}

extension DaybookError {
    /// What stops a run once enough was seen; never shown.
    static var lookIsFull: DaybookError { .machine("look-is-full", "enough was looked at") }
}

/// What a look has come to. Touched by the committing thread while the run lasts, and read after it.
final class LookCapture: @unchecked Sendable {
    /// For sources that have no bytes to count.
    static let mostRows = 5_000_000

    /// Nil when the rows are only counted.
    let candidates: DateCandidates?
    /// How many bytes of a file are looked at.
    let limit: Int
    fileprivate(set) var look: TableLook?
    fileprivate(set) var rows = 0
    /// Whether there was more than was looked at.
    fileprivate(set) var isFull = false

    init(_ candidates: DateCandidates?, limit: Int) {
        self.candidates = candidates
        self.limit = limit
    }
}

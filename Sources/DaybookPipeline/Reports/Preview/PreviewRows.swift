import DaybookCore

/// The sink of a preview: keeps the first rows that reach it, and then stops the run.
///
/// No job can name it. It stands where the outputs of a job would, so the engine runs as it always does.
struct PreviewRows: SinkStage {
    /// What the sink that is being made is to fill.
    @TaskLocal static var capture = PreviewCapture(limit: 0)

    let output = PathText("-")
    private let capture: PreviewCapture

    init(reading options: inout OptionReader) { capture = PreviewRows.capture }

    static let description = StageDescription(
        name: "preview_rows",
        summary: "Keep the first rows and stop.",
        examples: []
    )

    func piece(of batch: Batch, reporting findings: inout Findings) -> Batch { batch }

    func writer(for inputs: [SinkInput]) -> Writer {
        capture.schema = inputs.first?.schema ?? Schema()
        return Writer(capture: capture)
    }

    struct Writer: SinkWriter {
        let capture: PreviewCapture
        var writtenRows = 0

        mutating func begin(_ out: any ByteOutput) {}

        mutating func append(_ piece: Batch, input: Int, to out: any ByteOutput) throws(DaybookError) {
            writtenRows += piece.count
            capture.add(piece)
            if capture.isFull { throw .previewIsFull }
        }

        mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}
    }
}

extension DaybookError {
    /// What stops a run once a preview has all its rows; never shown.
    static var previewIsFull: DaybookError { .machine("preview-is-full", "the preview has all its rows") }
}

/// The rows that a preview has caught. Touched by the committing thread while the run lasts, and read after it.
final class PreviewCapture: @unchecked Sendable {
    let limit: Int
    var schema = Schema()
    private(set) var batches: [Batch] = []
    private(set) var count = 0

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { count >= limit }

    func add(_ batch: Batch) {
        let room = limit - count
        guard room > 0, batch.count > 0 else { return }
        let kept = batch.count <= room ? batch : batch.keeping((0..<Int32(room)).map { $0 })
        batches.append(kept)
        count += kept.count
    }
}

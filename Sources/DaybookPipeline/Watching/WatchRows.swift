import DaybookCore

/// What watches the rows that a stage gives, in the place of the outputs of a job.
protocol RowWatcher: AnyObject, Sendable {
    associatedtype Piece: Sendable

    /// Told the columns before any row comes.
    func begin(_ schema: Schema)

    /// What one batch comes to; made by any worker, in any order.
    func piece(of batch: Batch) -> Piece

    /// Takes the pieces in the order of the input, on one thread at a time. False says that enough was seen, which stops
    /// the run.
    func add(_ piece: Piece) -> Bool
}

/// The sink of a watched run: hands the rows that reach it to a watcher and writes nothing.
///
/// No job can name it. It stands where the outputs of a job would, so the engine runs as it always does.
struct WatchRows: SinkStage {
    /// What the sink that is being made is to hand its rows to.
    @TaskLocal static var watcher: (any RowWatcher)?

    /// What is watched is written nowhere, also where standard output is closed.
    let output = PathText("/dev/null")
    private let watcher: any RowWatcher

    init(reading options: inout OptionReader) {
        guard let watcher = WatchRows.watcher else { preconditionFailure("rows are watched without a watcher") }
        self.watcher = watcher
    }

    static let description = StageDescription(
        name: "watch_rows",
        summary: "Hand the rows to whoever watches them.",
        examples: []
    )

    struct Piece: Sendable {
        var rows: Int
        var seen: any Sendable
    }

    func piece(of batch: Batch, reporting findings: inout Findings) -> Piece {
        Piece(rows: batch.count, seen: watcher.piece(of: batch))
    }

    func writer(for inputs: [SinkInput]) -> Writer {
        watcher.begin(inputs.first?.schema ?? Schema())
        return Writer(watcher: watcher)
    }

    struct Writer: SinkWriter {
        let watcher: any RowWatcher
        var writtenRows = 0

        mutating func begin(_ out: any ByteOutput) {}

        mutating func append(_ piece: Piece, input: Int, to out: any ByteOutput) throws(DaybookError) {
            writtenRows += piece.rows
            guard Writer.hand(piece.seen, to: watcher) else { throw .enoughSeen }
        }

        mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}

        private static func hand<Watcher: RowWatcher>(_ piece: any Sendable, to watcher: Watcher) -> Bool {
            guard let piece = piece as? Watcher.Piece else {
                preconditionFailure("a watcher was handed the piece of another")
            }
            return watcher.add(piece)
        }
    }
}

extension DaybookError {
    /// What stops a watched run once enough was seen; never shown.
    static var enoughSeen: DaybookError { .machine("enough-seen", "enough was seen") }
}

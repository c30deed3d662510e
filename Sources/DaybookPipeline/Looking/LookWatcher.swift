import DaybookCore

/// Learns what the rows of a run look like, until it has seen enough. Touched by the committing thread while the run lasts,
/// and read after it.
final class LookWatcher: RowWatcher, @unchecked Sendable {
    /// For sources that have no bytes to count.
    private static let mostRows = 5_000_000

    /// Nil when the rows are only counted.
    private let candidates: DateCandidates?
    /// How many bytes of a file are looked at.
    private let limit: Int
    private(set) var look: TableLook?
    private(set) var rows = 0

    init(_ candidates: DateCandidates?, limit: Int) {
        self.candidates = candidates
        self.limit = limit
    }

    /// What one batch looks like.
    struct Piece: Sendable {
        var look: TableLook?
        var rows: Int
        /// Where the morsel of the batch ends in its file.
        var end: Int
    }

    func begin(_ schema: Schema) { look = candidates.map { TableLook(schema, $0) } }

    func piece(of batch: Batch) -> Piece {
        var piece = Piece(look: nil, rows: batch.count, end: 0)
        if case .morsel(let morsel, _, _) = batch.origins { piece.end = morsel.offset + morsel.length }
        if let candidates {
            var look = TableLook(batch.schema, candidates)
            look.add(batch)
            piece.look = look
        }
        return piece
    }

    func add(_ piece: Piece) -> Bool {
        rows += piece.rows
        if let found = piece.look { look?.merge(found) }
        return piece.end < limit && rows < LookWatcher.mostRows
    }
}

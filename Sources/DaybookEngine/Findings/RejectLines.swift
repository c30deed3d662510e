/// Rejected rows of one stage and one morsel, and where the record of each stands in its morsel.
struct RejectRows: Sendable {
    /// The columns of a reject file: those that stages read, and what a replay needs beside them.
    static let schema = Schema(
        RejectColumns.schemaWithRule.fields + [
            Field("original_base64", .text), Field("first_source", .text), Field("first_line", .integer),
        ]
    )

    var batch: Batch
    /// Empty where no file takes the rows.
    var positions: [Int]
}

/// Writes rejects as NDJSON, by the writer of `export_json`. What most rejects do not have is left out of their lines.
struct RejectLineWriter: Sendable {
    private let writer: JSONRowWriter

    init() {
        var settings = JSONWriteSettings()
        settings.layout = .lines
        writer = JSONRowWriter(
            settings,
            RejectRows.schema,
            leavingOut: ["rule", "original_base64", "first_source", "first_line"]
        )
    }

    /// How many lines are written at a time, for buffers that can be used again.
    private static let rowsInPiece = 4_096

    /// The lines of several stages about one morsel, in the order of its records; for one record, in that of the stages.
    func lines(_ parts: [RejectRows]) -> [Bytes] {
        let rejects = RejectLineWriter.merged(parts)
        return stride(from: 0, to: rejects.count, by: Self.rowsInPiece).map { start in
            var findings = Findings()
            let rows = start..<min(start + Self.rowsInPiece, rejects.count)
            return writer.write(rejects, rows, reporting: &findings).bytes
        }
    }

    private static func merged(_ parts: [RejectRows]) -> Batch {
        if parts.count == 1 { return parts[0].batch }
        var order: [(position: Int, pick: RowPick)] = []
        for (part, rows) in parts.enumerated() {
            for (row, position) in rows.positions.enumerated() {
                order.append((position, RowPick(batch: part, row: row)))
            }
        }
        order.sort { ($0.position, $0.pick.batch, $0.pick.row) < ($1.position, $1.pick.batch, $1.pick.row) }
        return Batch.take(order.map(\.pick), from: parts.map(\.batch))
    }
}

/// Whether texts that are sorted byte by byte are numbers, whose order is another.
enum TextOrder {
    /// So many rows are looked at, and so many bytes of them: as many as any first range of a sort has, however many threads there are.
    private static let (most, mostBytes) = (1_000, 64 << 10)

    /// Warns once, at the first row whose number stands before a smaller one, where all texts of a key are numbers.
    ///
    /// - Parameters:
    ///   - batch: the first rows, in their order.
    ///   - packed: the same, packed.
    static func warn(of batch: Batch, _ packed: PackedRows, by: [SortKey], _ findings: inout Findings) {
        guard let key = by.first, case .text(let texts) = batch[key.column] else { return }
        var (before, wrong) = (-Double.infinity, (row: Int, value: String, smaller: String)?.none)
        var (last, rows, areNumbers) = ("", 0, true)
        for row in 0..<min(most, packed.count(within: mostBytes)) where areNumbers && !texts.missing.isMissing(row) {
            texts.withCell(row) { cell in
                guard var number = CellReading.decimal(cell) else {
                    areNumbers = false
                    return
                }
                let text = String(decoding: cell, as: UTF8.self)
                if key.order == .descending { number = -number }
                if rows > 0, number < before, wrong == nil { wrong = (row, last, text) }
                (before, last, rows) = (number, text, rows + 1)
            }
        }
        guard areNumbers, let wrong else { return }
        let kind = Finding.Kind("sorted-as-text", "numbers are sorted as text", severity: .warning)
        let told =
            "the texts of '\(key.column)' are numbers (\(Spoken.count(rows, "row")) looked at), and sorted as text '\(wrong.value)' stands before "
            + "'\(wrong.smaller)'; 'cast_columns: { \(key.column): decimal }' before makes numbers of them"
        findings.warn(wrong.row, findings.token(kind, in: key.column), saying: told)
    }
}

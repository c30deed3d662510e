/// How much text the rows of a batch point to. Where many rows point to one text, that is far more than the batch takes.
extension Batch {
    /// Whether `textBytes` may be above a limit. A quick look, for rows that came from their source within the limit.
    ///
    /// - Parameter isMultiplied: whether rows that share texts were made of them since, so that the texts have to be counted.
    package func mayHoldMuchText(_ limit: Int, isMultiplied: Bool) -> Bool {
        if isMultiplied { return textBytes > limit }
        var (total, last) = (0, nil as Bytes?)
        if case .morsel(let morsel, _, _) = provenance { last = morsel.bytes }
        for column in columns {
            guard let bytes = column.text?.bytes, bytes !== last else { continue }
            total += bytes.count
            last = bytes
        }
        return total > limit
    }

    /// Bytes of all texts, each counted for every row that points to it.
    package var textBytes: Int { columns.reduce(0) { $0 + ($1.text?.textBytes ?? 0) } }

    /// The rows in order, in pieces that point to at most so many bytes of text, unless one row has more. A single piece is not counted.
    package func cut(toText limit: Int) -> [(rows: Batch, textBytes: Int)] {
        guard count > 1 else { return [(self, 0)] }
        var lengths = [Int](repeating: 0, count: count)
        for case let column? in columns.map(\.text) {
            for row in 0..<count { lengths[row] += Int(column.views[row].length) }
        }
        var pieces: [(rows: Range<Int>, textBytes: Int)] = [(0..<0, 0)]
        for row in 0..<count {
            let last = pieces[pieces.count - 1]
            if !last.rows.isEmpty, last.textBytes + lengths[row] > limit { pieces.append((row..<row, 0)) }
            let first = pieces[pieces.count - 1].rows.lowerBound
            pieces[pieces.count - 1].rows = first..<row + 1
            pieces[pieces.count - 1].textBytes += lengths[row]
        }
        guard pieces.count > 1 else { return [(self, 0)] }
        return pieces.map { rows, textBytes in
            (keeping(rows.map { Int32(truncatingIfNeeded: $0) }), textBytes)
        }
    }
}

extension Column {
    /// The texts of a column of text or JSON.
    package var text: TextColumn? {
        switch self {
        case .text(let column), .json(let column): column
        case .integers, .decimals, .instants, .days, .flags: nil
        }
    }
}

extension TextColumn {
    /// Bytes of all texts, each counted for every row that points to it.
    package var textBytes: Int { views.reduce(0) { $0 &+ Int($1.length) } }
}

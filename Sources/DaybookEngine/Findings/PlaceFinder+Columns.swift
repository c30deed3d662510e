extension Array {
    /// Whether no element has a smaller number than the one before it.
    @inline(__always)
    fileprivate func areAscending(by number: (Element) -> UInt32) -> Bool {
        var falls = 0
        for place in stride(from: 1, to: count, by: 1) {
            falls |= number(self[place]) < number(self[place - 1]) ? 1 : 0
        }
        return falls == 0
    }
}

/// What is known of many findings without a look at the record of each.
extension PlaceFinder {
    /// Whether the rows of the batch stand in it in the order of the input.
    var isInOrder: Bool {
        switch rows {
        case .morsel: spans.areAscending(by: \.start)
        case .store: storeRows.areAscending(by: \.position)
        case .gathered, .made: true
        }
    }

    /// Whether the places of rows are lines and bytes of one file.
    var isPlain: Bool { home?.isPlain ?? false }

    /// The lines of rows, where each record stands on a line of its own; nil where that is not known.
    package func lines(of rows: [UInt32]) -> [Int64]? {
        switch self.rows {
        case .morsel: home?.lines(of: rows, spans, numbers)
        case .gathered: late.lines(of: rows)
        case .store, .made: nil
        }
    }

    /// The source of rows, where all have the same.
    package mutating func source(of rows: [UInt32]) -> Cell? {
        guard let first = rows.first else { return nil }
        switch self.rows {
        case .morsel: break
        case .gathered: guard rows.allSatisfy({ late[Int($0)].source == late[Int(first)].source }) else { return nil }
        case .store, .made: return nil
        }
        return index(ofSourceOf: Int(first)).map { source($0).path.filled }
    }

    /// Whether some rejected row has a value to blame inside that of its column.
    private var blamesInnerValues: Bool {
        findings.rejectedRows.indices.contains { !findings.inside(ofRejectedRow: $0).isEmpty }
    }

    /// The values of rejects, written to `bytes`; nil where some have to be looked for in the records.
    package func values(of rejects: Rejects, _ rows: [UInt32], in bytes: Bytes) -> TextColumn? {
        guard !readsSource, !blamesInnerValues else { return nil }
        if case .gathered = self.rows {
            // What is missing in a row that was gathered may still stand in its record.
            let hasGaps = columns.map { column in column.map { batch.columns[$0].missing != nil } ?? false }
            if zip(fields, hasGaps).contains(where: { $0 != nil && $1 }) { return nil }
        }
        return RejectValues(cells: cells, rows: rows).column(of: rejects, in: bytes) { row, subject in
            if let column = columns[subject] { batch.columns[column].appendValue(row, to: bytes) }
        }
    }
}

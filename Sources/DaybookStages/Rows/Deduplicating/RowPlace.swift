import DaybookCore

/// Where a row stands in the source, as far as a message about another row can tell it.
struct RowPlace: Sendable, BitwiseCopyable {
    /// -1 for a row that a stage made.
    var source: Int32
    /// The physical line, or -1 where the text is only a part of the file and its lines mean nothing there.
    var line: Int64
    /// From 0.
    var record: Int64

    /// The places of all rows of a batch.
    static func places(of batch: Batch) -> [RowPlace] {
        guard case .gathered(let origins) = batch.origins.gathered() else {
            return [RowPlace](repeating: RowPlace(source: -1, line: -1, record: -1), count: batch.count)
        }
        var isPart = false
        if case .morsel(let morsel, _, _) = batch.origins { isPart = morsel.holder != nil }
        return origins.map { RowPlace(source: $0.source, line: isPart ? -1 : $0.line, record: $0.record) }
    }

    /// Whether the line of this row does not set it apart from the row at `other`: records of one line, as encoders write
    /// them, are told apart by their number.
    private func needsRecord(beside other: RowPlace) -> Bool {
        line < 0 || (line == other.line && source == other.source)
    }

    /// `line 12`, `line 12 of week-2.csv`, or `record 3` where the line says nothing: how a message about the row at `other`
    /// names this one.
    func spoken(beside other: RowPlace, _ paths: [Int32: String]) -> String {
        guard source >= 0 else { return "another row" }
        let place = needsRecord(beside: other) ? "record \(record + 1)" : "line \(line)"
        if source == other.source { return place }
        return paths[source].map { "\(place) of \($0)" } ?? "\(place) of another file"
    }

    /// `the key`, with the number of this row's own record where only that sets it apart from the row at `other`.
    func spokenKey(beside other: RowPlace) -> String {
        source >= 0 && needsRecord(beside: other) ? "the key of record \(record + 1)" : "the key"
    }
}

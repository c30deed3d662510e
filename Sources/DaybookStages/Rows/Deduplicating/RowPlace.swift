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

    /// `line 12`, `line 12 of week-2.csv`, or `record 3` where the line says nothing: how a message about the row at `other`
    /// names this one.
    func spoken(beside other: RowPlace, _ paths: [Int32: String]) -> String {
        guard source >= 0 else { return "another row" }
        var place = "line \(line)"
        // Records of one line, as encoders write them, are told apart by their number.
        if line < 0 || (line == other.line && source == other.source) { place = "record \(record + 1)" }
        if source == other.source { return place }
        return paths[source].map { "\(place) of \($0)" } ?? "\(place) of another file"
    }
}

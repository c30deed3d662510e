/// Where a row stands in the source, as far as a message about another row can tell it.
package struct RowPlace: Sendable, BitwiseCopyable {
    /// A file in which rows stand.
    package struct Source: Sendable {
        package var path: String
        /// Whether the text that was read is only a part of the file, in which its lines mean nothing.
        package var isPart: Bool

        package init(path: String, isPart: Bool) { (self.path, self.isPart) = (path, isPart) }
    }

    /// -1 for a row that a stage made.
    var source: Int32
    /// The physical line, -1 where the text is only a part of the file and its lines mean nothing there, or 0 in a store.
    var line: Int64
    /// From 0; in a store the number by which the row is found again.
    var record: Int64

    /// The places of all rows of a batch.
    package static func places(of batch: Batch) -> [RowPlace] {
        guard case .gathered(let provenance) = batch.provenance.gathered() else {
            return [RowPlace](repeating: RowPlace(source: -1, line: -1, record: -1), count: batch.count)
        }
        var isPart = false
        if case .morsel(let morsel, _, _) = batch.provenance { isPart = morsel.holder != nil }
        return provenance.map { RowPlace(source: $0.source, line: isPart ? -1 : $0.line, record: $0.record) }
    }

    /// The place of one row; of one that a stage made when there is no origin.
    package init(_ origin: RowOrigin?, in sources: [Int32: Source]) {
        source = origin?.source ?? -1
        line = sources[source]?.isPart == true ? -1 : origin?.line ?? -1
        record = origin?.record ?? -1
    }

    private init(source: Int32, line: Int64, record: Int64) {
        (self.source, self.line, self.record) = (source, line, record)
    }

    private var origin: RowOrigin {
        RowOrigin(source: Int(source), offset: 0, length: 0, line: Int(line), record: Int(record))
    }

    /// Whether the row stands in a store, which has no lines.
    private var isStored: Bool { line == 0 }

    /// Whether the line of this row does not set it apart from the row at `other`: records of one line, as encoders write
    /// them, are told apart by their pointers.
    private func needsPointer(beside other: RowPlace) -> Bool {
        line <= 0 || (line == other.line && source == other.source)
    }

    /// `line 12`, `line 12 of week-2.csv`, or a mark for the pointer where the line says nothing: how a message about the row
    /// at `other` names this one. A row that the mark stands for is added to `named`.
    package func spoken(
        beside other: RowPlace,
        _ sources: [Int32: Source],
        naming named: inout [RowOrigin]
    ) -> String {
        guard source >= 0 else { return "another row" }
        var place = "line \(line)"
        if needsPointer(beside: other) {
            place = Findings.rowMark
            named.append(origin)
        }
        if source == other.source { return place }
        return sources[source].map { "\(place) of \($0.path)" } ?? "\(place) of another file"
    }

    /// `the key`, with a mark for the pointer to this row where only that sets it apart from the row at `other`. A row of a
    /// store has the pointer in its place already.
    package func spokenKey(beside other: RowPlace, naming named: inout [RowOrigin]) -> String {
        guard source >= 0, !isStored, needsPointer(beside: other) else { return "the key" }
        named.append(origin)
        return "the key of \(Findings.rowMark)"
    }
}

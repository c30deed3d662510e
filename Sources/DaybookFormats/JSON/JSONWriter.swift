/// Puts the pieces one behind the other, in brackets where they are an array.
public struct JSONWriter: SinkWriter {
    public private(set) var writtenRows = 0
    private let layout: JSONWriteSettings.Layout
    private let place: SourcePlace?
    /// What the rows come behind; nil for an output of their own.
    private let extended: (text: ExtendedText, keys: JSONRowKeys)?

    package init(
        _ layout: JSONWriteSettings.Layout,
        at place: SourcePlace?,
        extending extended: (text: ExtendedText, keys: JSONRowKeys)? = nil
    ) {
        self.layout = layout
        self.place = place
        self.extended = extended
    }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) {
        guard let (text, keys) = extended else { return }
        _ = try text.copy(to: out, endingLinesBy: [[0x0a]]) { (edges) throws(DaybookError) in try keys.check(edges) }
    }

    public mutating func append(_ piece: TextPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        guard piece.rows > 0 else { return }
        switch layout {
        case .array: try out.write(writtenRows == 0 ? "[\n" : ",\n")
        case .lines: break
        case .object: if writtenRows + piece.rows > 1 { throw notOneRow("more than one") }
        }
        try out.write(piece.bytes)
        writtenRows += piece.rows
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        switch layout {
        case .array: try out.write(writtenRows == 0 ? "[]\n" : "\n]\n")
        case .lines: break
        case .object:
            if writtenRows == 0 { throw notOneRow("none") }
            try out.write("\n")
        }
    }

    private func notOneRow(_ found: String) -> DaybookError {
        DaybookError(
            "not-one-row",
            "'layout: object' writes one row, and there is \(found)",
            at: place,
            hint: "'layout: array' writes any number of rows",
            blame: .data
        )
    }
}

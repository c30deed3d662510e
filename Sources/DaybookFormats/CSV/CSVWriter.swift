extension TextPiece {
    /// The piece in another encoding, without the rows that it cannot hold. `ends` tells behind which byte a row ends.
    package func encoded(_ encoding: TextEncoding, _ ends: [Int], _ findings: inout Findings) -> TextPiece {
        guard !encoding.isUTF8, let encoder = try? EncodingWriter(encoding) else { return self }
        let token = findings.token(.notInEncoding)
        let out = Bytes(capacity: bytes.count)
        var written = 0
        var start = 0
        for (row, end) in ends.enumerated() {
            var isWhole = true
            let before = out.count
            encoder.encode(bytes, start..<end, into: out) { _ in isWhole = false }
            if isWhole {
                written += 1
            } else {
                out.count = before
                findings.reject(row, token)
            }
            start = end
        }
        return TextPiece(bytes: out, rows: written)
    }
}

/// Puts the header and the pieces one behind the other.
public struct CSVWriter: SinkWriter {
    public private(set) var writtenRows = 0
    private let header: Bytes?
    private let encoding: TextEncoding

    package init(_ options: CSVWriteSettings, _ schema: Schema) {
        header = options.header ? CSVRowWriter(options).header(schema) : nil
        encoding = options.encoding
    }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) {
        let mark = Bytes()
        mark.append(encoding.mark)
        try out.write(mark)
        // Made even without a header, so that a machine without the encoding says so before a row is written.
        let encoder = try EncodingWriter(encoding)
        guard let header else { return }
        let bytes = Bytes(capacity: header.count)
        var isWhole = true
        encoder.encode(header, 0..<header.count, into: bytes) { _ in isWhole = false }
        guard isWhole else {
            throw DaybookError(
                "not-in-encoding",
                "a column name has a character that \(encoding.name) does not have",
                hint: "rename the column, or write another encoding"
            )
        }
        try out.write(bytes)
    }

    public mutating func append(_ piece: TextPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        writtenRows += piece.rows
        try out.write(piece.bytes)
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {}
}

extension Finding.Kind {
    static let notInEncoding = Finding.Kind(
        "not-in-encoding",
        "the row has a character that the encoding does not have"
    )
}

import DaybookContracts

extension Finding.Kind {
    static let notInPairs = Finding.Kind("not-in-pairs", "a semicolon or a line end cannot stand in a value")
    static let noPairs = Finding.Kind("no-pairs", "a row without a value would be an empty line, which is no record")
}

/// Writes rows as lines of `key=value;key=value`: the sink beside `ImportPairs`.
public struct ExportPairs: SinkStage, SinkOperator {
    public let output: PathText

    public init(reading options: inout OptionReader) {
        output = options.read("path", help: "File to write, or - for standard output.")
    }

    public static let description = StageDescription(
        name: "export_pairs",
        summary: "Write rows as lines of pairs of key and value.",
        examples: [
            StageExample(
                "a missing value is left out, and what the format cannot hold is rejected",
                options: "path: out.pairs",
                input: "name:text,colour:text\nAda,red\nBo,\n\"a;b\",red\n,",
                output: "name=Ada;colour=red\nname=Bo\n",
                findings: ["3 name not-in-pairs", "4 - no-pairs"]
            ),
            StageExample(
                "a column whose name cannot be a key is refused",
                options: "path: out.pairs",
                input: "a=b:text",
                refused: "the column 'a=b' cannot be a key of a pair"
            ),
        ]
    )

    public var target: SinkTarget { SinkTarget(output) }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        for field in inputs.schema.fields {
            try inputs.schema.requiring(ColumnName(field.name), .text)
            guard field.name.utf8.contains(where: { [0x3B, 0x3D, 0x0A, 0x0D].contains($0) }) else { continue }
            let message = "the column '\(field.name)' cannot be a key of a pair"
            throw DaybookError("bad-key", message, at: output.place, hint: "rename it with rename_columns")
        }
        return Binding(inputs.schema, .sink(self))
    }

    public func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> TextPiece {
        var piece = TextPiece(bytes: Bytes(), rows: 0)
        let columns = batch.schema.names.map { name in
            let column = ColumnName(name)
            return (
                key: Bytes(name + "="), texts: batch.text(in: column), token: findings.token(.notInPairs, in: column)
            )
        }
        let empty = findings.token(.noPairs)
        for row in 0..<batch.count {
            let start = piece.bytes.count
            var isWhole = true
            for (key, texts, token) in columns where isWhole && !texts.missing.isMissing(row) {
                if piece.bytes.count > start { piece.bytes.append(UInt8(ascii: ";")) }
                piece.bytes.append(key.filled)
                texts.withCell(row) { cell in
                    isWhole = !cell.contains { $0 == UInt8(ascii: ";") || $0 == 0x0A || $0 == 0x0D }
                    if isWhole { piece.bytes.append(cell) } else { findings.reject(row, token) }
                }
            }
            if isWhole, piece.bytes.count == start {
                findings.reject(row, empty)
            } else if isWhole {
                piece.bytes.append(UInt8(ascii: "\n"))
                piece.rows += 1
            } else {
                piece.bytes.count = start
            }
        }
        return piece
    }

    public func writer(in context: SinkContext) -> Writer { Writer() }

    /// Puts the pieces one behind the other.
    public struct Writer: SinkWriter {
        public private(set) var writtenRows = 0

        public mutating func begin(_ out: any ByteOutput) {}

        public mutating func append(_ piece: TextPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
            try out.write(piece.bytes)
            writtenRows += piece.rows
        }

        public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}
    }
}

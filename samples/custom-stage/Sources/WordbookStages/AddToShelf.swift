import DaybookContracts

extension Finding.Kind {
    static let noLine = Finding.Kind("no-line", "a shelf holds lines, and this is none or several")
}

/// Adds the texts of a column to a shelf: a sink whose rows go to a service, which takes part in the commit of the run.
public struct AddToShelf: SinkStage, SinkOperator {
    let address: PathText
    let word: ColumnName

    public init(reading options: inout OptionReader) {
        address = options.read("shelf", help: "The directory of the shelf, from where the command is started.")
        word = options.read("word", default: ColumnName("word"), help: "Column of texts to add.")
    }

    public static let description = StageDescription(
        name: "add_to_shelf",
        summary: "Add the texts of a column to a shelf.",
        examples: [
            StageExample(
                "a text of several lines is rejected, and a missing one too",
                options: "shelf: words\nword: note",
                input: "note:text\napple\n\n\"two\nlines\"",
                output: "",
                findings: ["2 note no-line", "3 note no-line"]
            )
        ]
    )

    public static var service: (any CommitService)? { Shelf.service }
    public var target: SinkTarget { SinkTarget(service: address) }

    public func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        try inputs.schema.requiring(word, .text)
        return Binding(inputs.schema, .sink(self)) { _ in ColumnSet(word) }
    }

    public struct Piece: Sendable {
        var lines = Bytes()
        var rows = 0
    }

    public func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> Piece {
        var piece = Piece()
        let token = findings.token(.noLine, in: word)
        let texts = batch.text(in: word)
        for row in 0..<batch.count {
            texts.withCell(row) { cell in
                if texts.missing.isMissing(row) || cell.contains(UInt8(ascii: "\n")) {
                    return findings.reject(row, token)
                }
                piece.lines.append(cell)
                piece.lines.append(UInt8(ascii: "\n"))
                piece.rows += 1
            }
        }
        return piece
    }

    public func writer(in context: SinkContext) throws(DaybookError) -> Writer {
        let addition = Shelf.Addition(to: address.text)
        try context.join(addition)
        return Writer(addition: addition)
    }

    public struct Writer: SinkWriter {
        let addition: Shelf.Addition
        public private(set) var writtenRows = 0

        public mutating func begin(_ out: any ByteOutput) {}

        public mutating func append(_ piece: Piece, input: Int, to out: any ByteOutput) {
            addition.add(piece.lines)
            writtenRows += piece.rows
        }

        public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}
    }
}

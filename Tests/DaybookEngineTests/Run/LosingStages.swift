@testable import DaybookContracts
@testable import DaybookDelimited
@testable import DaybookQuality
@testable import DaybookStages

// One faulty stage for each role, and one that makes rows up: each is a real stage around whose work a row gets lost.
// They exist to prove that the ledger notices.

extension Batch {
    /// All rows but the last.
    fileprivate var withoutLast: Batch { keeping(Array(Int32(0)..<Int32(max(0, count - 1)))) }
}

/// A source that sees a record and makes no row of it.
struct LoseRecord: TextSource {
    private let stage: ImportCSV

    init(reading options: inout OptionReader) { stage = ImportCSV(reading: &options) }

    static let description = StageDescription(name: "lose_record", summary: "Lose a record.", examples: [])

    var paths: [PathText] { stage.paths }
    var encoding: TextEncoding { stage.encoding }
    var declaredSchema: Schema { stage.declaredSchema }
    func format(of head: SourceHead) throws(DaybookError) -> CSVFormat { try stage.format(of: head) }
    func schema(of formats: [CSVFormat]) throws(DaybookError) -> Schema { try stage.schema(of: formats) }
    func reader(of format: CSVFormat, schema: Schema) -> any RecordReader {
        Reader(reader: stage.reader(of: format, schema: schema))
    }

    private struct Reader: RecordReader {
        let reader: any RecordReader

        var schema: Schema { reader.schema }
        func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
            reader.read(morsel, reporting: &findings).withoutLast
        }
        func finder(of field: String) -> FieldFinder? { reader.finder(of: field) }
    }
}

/// A transform that returns fewer rows than it was given, although it may have rejected others.
struct LoseRow: TransformStage {
    private let stage: ValidateHexColours

    init(reading options: inout OptionReader) { stage = ValidateHexColours(reading: &options) }

    static let description = StageDescription(name: "lose_row", summary: "Lose a row.", examples: [])

    func schema(after input: Schema) throws(DaybookError) -> Schema { try stage.schema(after: input) }
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        stage.process(batch, reporting: &findings).withoutLast
    }
}

/// A transform that returns a row twice.
struct RepeatRow: TransformStage {
    init(reading options: inout OptionReader) {}

    static let description = StageDescription(name: "repeat_row", summary: "Repeat a row.", examples: [])

    func schema(after input: Schema) throws(DaybookError) -> Schema { input }
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        batch.keeping(Array(Int32(0)..<Int32(batch.count)) + [0])
    }
}

/// A transform that makes two rows of each, and keeps back one of those that it says it made.
struct LoseMadeRow: TransformStage {
    init(reading options: inout OptionReader) {}

    static let description = StageDescription(name: "lose_made_row", summary: "Lose a made row.", examples: [])
    static let keepsRows = false

    func schema(after input: Schema) throws(DaybookError) -> Schema { input }
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        MakeTwins.twins(of: batch, reporting: &findings).withoutLast
    }
}

/// A transform that makes two rows of each but the first of a batch, of which it says nothing.
struct ForgetParent: TransformStage {
    init(reading options: inout OptionReader) {}

    static let description = StageDescription(name: "forget_parent", summary: "Forget a parent.", examples: [])
    static let keepsRows = false

    func schema(after input: Schema) throws(DaybookError) -> Schema { input }
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        MakeTwins.twins(of: batch.withoutLast, reporting: &findings)
    }
}

/// A transform that honestly makes two rows of each.
struct MakeTwins: TransformStage {
    init(reading options: inout OptionReader) {}

    static let description = StageDescription(name: "make_twins", summary: "Make two rows of each.", examples: [])
    static let keepsRows = false

    func schema(after input: Schema) throws(DaybookError) -> Schema { input }
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        MakeTwins.twins(of: batch, reporting: &findings)
    }

    static func twins(of batch: Batch, reporting findings: inout Findings) -> Batch {
        for _ in 0..<batch.count { findings.unfold(into: 2) }
        return batch.keeping((0..<Int32(batch.count)).flatMap { [$0, $0] })
    }
}

/// A fold that gives its rows back in the end, of which it drops those of an emotion and warns of the others.
struct DropAtTheEnd: FoldStage {
    private let stage: SortRows

    init(reading options: inout OptionReader) { stage = SortRows(reading: &options) }

    static let description = StageDescription(name: "drop_at_the_end", summary: "Drop at the end.", examples: [])
    static let keepsRows = true
    static let late = Finding.Kind("seen-late", "{value} was seen at the end", severity: .warning)

    func schema(after input: Schema) throws(DaybookError) -> Schema { try stage.schema(after: input) }
    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> SortRows.Partial {
        try stage.partial(of: batch, reporting: &findings)
    }
    func merge(
        _ later: SortRows.Partial,
        into earlier: inout SortRows.Partial,
        scratch: any DaybookContracts.Scratch
    ) throws(DaybookError) {
        try stage.merge(later, into: &earlier, scratch: scratch)
    }
    func finish(_ partial: SortRows.Partial?, _ output: FoldOutput) throws(DaybookError) {
        let rows = output.redirected { late throws(DaybookError) in
            let batch = try late.rows()
            var findings = Findings()
            let emotions = batch.text(in: ColumnName("emotion"))
            let late = findings.token(Self.late, in: ColumnName("emotion"))
            for row in 0..<batch.count {
                if emotions[row] == "심심해" { findings.drop(row, as: "bored") } else { findings.warn(row, late) }
            }
            try output.emit(batch, findings)
        }
        try stage.finish(partial, rows)
    }
}

/// A transform that loses a row of one batch and repeats one of the next, so that the sums come out right.
struct TradeRows: TransformStage {
    init(reading options: inout OptionReader) {}

    static let description = StageDescription(name: "trade_rows", summary: "Trade rows.", examples: [])

    func schema(after input: Schema) throws(DaybookError) -> Schema { input }
    func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let first = batch.days(in: ColumnName("date")).elements[0]
        return first.isMultiple(of: 2) ? batch.withoutLast : batch.keeping(Array(Int32(0)..<Int32(batch.count)) + [0])
    }
}

/// A fold that folds fewer rows than it was given.
struct LoseFoldedRow: FoldStage {
    private let stage: SummariseMonthlyEmotions

    init(reading options: inout OptionReader) { stage = SummariseMonthlyEmotions(reading: &options) }

    static let description = StageDescription(name: "lose_folded_row", summary: "Lose a folded row.", examples: [])

    func schema(after input: Schema) throws(DaybookError) -> Schema { try stage.schema(after: input) }
    func partial(
        of batch: Batch,
        reporting findings: inout Findings
    ) throws(DaybookError) -> SummariseMonthlyEmotions.Partial {
        try stage.partial(of: batch.withoutLast, reporting: &findings)
    }
    func merge(
        _ later: SummariseMonthlyEmotions.Partial,
        into earlier: inout SummariseMonthlyEmotions.Partial,
        scratch: any DaybookContracts.Scratch
    ) throws(DaybookError) {
        try stage.merge(later, into: &earlier, scratch: scratch)
    }
    func finish(_ partial: SummariseMonthlyEmotions.Partial?, _ output: FoldOutput) throws(DaybookError) {
        try stage.finish(partial, output)
    }
}

/// A fold that keeps rows, as sorting does, and gives back one fewer.
struct LoseSortedRow: FoldStage {
    private let stage: SortRows

    init(reading options: inout OptionReader) { stage = SortRows(reading: &options) }

    static let description = StageDescription(name: "lose_sorted_row", summary: "Lose a sorted row.", examples: [])
    static let keepsRows = true

    func schema(after input: Schema) throws(DaybookError) -> Schema { try stage.schema(after: input) }
    func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> SortRows.Partial {
        try stage.partial(of: batch, reporting: &findings)
    }
    func merge(
        _ later: SortRows.Partial,
        into earlier: inout SortRows.Partial,
        scratch: any DaybookContracts.Scratch
    ) throws(DaybookError) {
        try stage.merge(later, into: &earlier, scratch: scratch)
    }
    func finish(_ partial: SortRows.Partial?, _ output: FoldOutput) throws(DaybookError) {
        let rows = output.redirected { late throws(DaybookError) in
            try output.emit(try late.rows().withoutLast, late.findings)
        }
        try stage.finish(partial, rows)
    }
}

/// A sink that writes fewer rows than it was given.
struct LoseWrittenRow: SinkStage, SinkOperator {
    private let stage: ExportCSV

    init(reading options: inout OptionReader) { stage = ExportCSV(reading: &options) }

    static let description = StageDescription(name: "lose_written_row", summary: "Lose a written row.", examples: [])

    var target: SinkTarget { stage.target }
    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        _ = try stage.bind(inputs)
        return Binding(inputs.schema, .sink(self))
    }
    func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> TextPiece {
        stage.piece(of: batch.withoutLast, from: input, reporting: &findings)
    }
    func writer(in context: SinkContext) throws(DaybookError) -> CSVWriter { try stage.writer(in: context) }
}

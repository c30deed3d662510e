import DaybookEngine

/// Keeps all rows of the stages that a test expects rows of, in the place of outputs.
struct CollectRows: Sink, SinkOperator {
    static let takesSeveral = true

    let collection: RowCollection

    var target: SinkTarget { SinkTarget(nil) }

    func bind(_ inputs: StageInputs) -> Binding { Binding(inputs.schema, .sink(self)) }

    func piece(of batch: Batch, from _: Int, reporting findings: inout Findings) -> Batch { batch }

    func writer(in context: SinkContext) -> Writer {
        collection.begin(context.inputs.map(\.schema))
        return Writer(collection: collection)
    }

    struct Writer: SinkWriter {
        let collection: RowCollection
        var writtenRows = 0

        mutating func begin(_ out: any ByteOutput) {}

        mutating func append(_ piece: Batch, input: Int, to out: any ByteOutput) throws(DaybookError) {
            writtenRows += piece.count
            try collection.add(piece, input)
        }

        mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}
    }
}

/// The rows of a test by stage. Used by the committing thread during the run, and read after it.
final class RowCollection: @unchecked Sendable {
    struct Rows: Sendable {
        var schema: Schema
        var batches: [Batch] = []
    }

    /// False for stages that only run for their findings.
    var keepsRows = true
    private(set) var rows: [Rows] = []
    private var count = 0

    fileprivate func begin(_ schemas: [Schema]) { rows = schemas.map { Rows(schema: $0) } }

    fileprivate func add(_ batch: Batch, _ input: Int) throws(DaybookError) {
        guard keepsRows, batch.count > 0 else { return }
        count += batch.count
        guard count <= WrittenRows.limit else {
            let message = "the stages of the test give more than \(WrittenRows.limit) rows"
            throw DaybookError("too-many-rows", message, hint: "give it fewer rows")
        }
        rows[input].batches.append(batch)
    }
}

/// An output of a job in a test: checks its columns and its rows, and writes nothing.
struct OutputCheck: Sink {
    static let takesSeveral = true

    let sink: any Sink

    var target: SinkTarget { SinkTarget(nil) }

    func bind(_ inputs: StageInputs) throws(DaybookError) -> Binding {
        guard case .sink(let output) = try sink.bind(inputs).ready else {
            preconditionFailure("an output looks nothing up")
        }
        return Binding(inputs.schema, .sink(Operator(output: output)))
    }

    private struct Operator: SinkOperator {
        let output: any SinkOperator

        func piece(of batch: Batch, from input: Int, reporting findings: inout Findings) -> Int {
            _ = output.piece(of: batch, from: input, reporting: &findings)
            return findings.keptRows(of: batch.count)?.count ?? batch.count
        }

        func writer(in context: SinkContext) -> Writer { Writer() }
    }

    private struct Writer: SinkWriter {
        var writtenRows = 0

        mutating func begin(_ out: any ByteOutput) {}
        mutating func append(_ piece: Int, input: Int, to out: any ByteOutput) { writtenRows += piece }
        mutating func finish(_ run: RunSummary, _ out: any ByteOutput) {}
    }
}

/// Rows as texts, for comparison and drawing.
struct PlainRows: Sendable {
    var columns: [String]
    /// Whether each column holds numbers, which are aligned at the right.
    var isNumber: [Bool]
    /// Nil for a missing value.
    var rows: [[String?]]

    init(columns: [String], isNumber: [Bool]? = nil, rows: [[String?]]) {
        self.columns = columns
        self.isNumber = isNumber ?? columns.map { _ in false }
        self.rows = rows
    }

    /// The rows of a stage, in the columns `names`.
    init(_ collected: RowCollection.Rows, columns names: [String]) {
        let fields = names.compactMap { collected.schema[ColumnName($0)] }
        columns = fields.map(\.name)
        isNumber = fields.map { $0.kind == .integer || $0.kind == .decimal }
        rows = []
        for batch in collected.batches {
            let columns = fields.map { field in batch.schema.index(of: field.name).map { batch.columns[$0] } }
            rows += (0..<batch.count).map { row in columns.map { $0?.displayText(row) } }
        }
    }

    /// Findings or rules of a run as rows, in the columns `names`.
    init<Item>(_ items: [Item], columns names: [String], of table: TestColumns<Item>) {
        self.init(columns: names, rows: items.map { item in names.map { table.values[$0]?(item) } })
    }
}

/// The columns of findings or rules that a test can expect.
struct TestColumns<Item>: Sendable {
    /// All columns, in the order of messages.
    let names: [String]
    /// The columns for a test that names none.
    let usual: [String]
    let values: [String: @Sendable (Item) -> String?]

    init(usual: [String], _ columns: KeyValuePairs<String, @Sendable (Item) -> String?>) {
        (names, self.usual) = (columns.map(\.key), usual)
        values = Dictionary(uniqueKeysWithValues: columns.map { ($0, $1) })
    }
}

extension TestColumns<RuleOutcome> {
    static let ofRules = TestColumns(
        usual: ["rule", "verdict", "failing"],
        [
            "rule": { $0.rule.id }, "verdict": { $0.verdict.rawValue }, "failing": { String($0.failing) },
            "rows": { String($0.rows) }, "stage": { $0.stage }, "type": { $0.rule.type }, "message": { $0.message },
        ]
    )
}

extension TestColumns<RenderedFinding> {
    static let ofFindings = TestColumns(
        usual: ["severity", "code", "stage", "field", "value"],
        [
            "severity": { $0.severity.rawValue }, "code": { $0.code }, "message": { $0.message },
            "stage": { $0.stage }, "rule": { $0.rule }, "source": { $0.source }, "line": { $0.line.map(String.init) },
            "column": { $0.column.map(String.init) }, "pointer": { $0.pointer }, "field": { $0.field },
            "value": { $0.value },
        ]
    )
}

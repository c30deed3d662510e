import DaybookBytes
import DaybookDiscover
import DaybookEngine
import DaybookReports

/// The first rows of one stage of a job, from the job's own stages and engine, without any output.
///
/// The job is cut down to what the stage needs, without outputs and reject files, and the run stops after enough rows.
public struct Preview {
    /// The result of a preview.
    public struct Result: Sendable {
        public var rows: PreviewTable
        /// Findings and ledger of the part that was read.
        public var outcome: RunOutcome
        /// Whether the run ended by itself, without further rows.
        public var isWhole: Bool
    }

    private let job: Job
    private let watched: StageReference
    private let table: StageTable
    private let asOf: CalendarDay

    /// Cuts a job down to the stage `name`: an id, or `id.rejects` for the rejected rows of a stage.
    public init(of name: String, in plan: Plan, table: StageTable) throws(DaybookError) {
        let isRejects = name.hasSuffix(".rejects")
        let id = isRejects ? String(name.dropLast(8)) : name
        guard let stage = plan.stages.first(where: { $0.id == id }) else { throw plan.unknownStage(id) }
        asOf = plan.context.asOf
        self.table = table
        let wanted =
            isRejects ? PlannedStage.Input(stage: stage.index, port: .rejects) : Preview.giver(stage.index, plan)
        job = Preview.cut(plan, to: wanted)
        watched = Preview.reference(wanted, in: plan)
    }

    /// Runs until there are `rows` rows, or no more.
    public func run(rows: Int, threads: Int, isCancelled: @escaping @Sendable () -> Bool) throws(DaybookErrors)
        -> Result
    {
        let observed = ObservedJob(
            table: table,
            directory: JobFile.directory(of: job.file),
            threads: threads,
            morselSize: 64 << 10,
            isCancelled: isCancelled
        )
        let result = try observed.run(job, asOf: asOf, observing: watched, by: FirstRows(limit: rows))
        let table = PreviewTable(schema: result.schema, batches: result.seen, mask: SecretMask(job.secrets))
        return Result(rows: table, outcome: result.outcome, isWhole: result.isWhole)
    }

    /// The stage itself, or the input of an output, which passes its rows on.
    private static func giver(_ index: Int, _ plan: Plan) -> PlannedStage.Input {
        guard case .sink = plan.stages[index].role, let first = plan.stages[index].inputs.first else {
            return PlannedStage.Input(stage: index, port: .rows)
        }
        return first.port == .rejects ? first : giver(first.stage, plan)
    }

    private static func reference(_ input: PlannedStage.Input, in plan: Plan) -> StageReference {
        plan.reference(to: input, at: plan.stages[input.stage].place)
    }

    private static func cut(_ plan: Plan, to wanted: PlannedStage.Input) -> Job {
        var kept: [Int: [StageReference]] = [:]
        func keep(_ index: Int) {
            guard kept[index] == nil else { return }
            let inputs = plan.stages[index].inputs
            for input in inputs where input.isNamedByOptions { keep(input.stage) }
            let given = inputs.filter { !$0.isNamedByOptions }.map { $0.port == .rejects ? $0 : giver($0.stage, plan) }
            kept[index] = given.map { reference($0, in: plan) }
            for input in given { keep(input.stage) }
        }
        keep(wanted.stage)
        var job = plan.job
        job.rejects = nil
        job.redirect()
        job.stages = kept.keys.sorted().map { index in
            var stage = plan.job.stages[index]
            stage.rejects = nil
            stage.from = kept[index] ?? []
            return stage
        }
        return job
    }
}

/// Keeps the first rows of a run.
struct FirstRows: RowObserver {
    let limit: Int

    func nothing(_ schema: Schema) -> [Batch] { [] }
    func partial(of batch: Batch, reporting findings: inout Findings) -> [Batch] { batch.count > 0 ? [batch] : [] }

    func merge(_ later: [Batch], into earlier: inout [Batch], scratch: any Scratch) {
        var space = limit - earlier.reduce(0) { $0 + $1.count }
        for batch in later where space > 0 {
            earlier.append(batch.count <= space ? batch : batch.keeping((0..<Int32(space)).map { $0 }))
            space -= batch.count
        }
    }

    func isEnough(_ rows: [Batch]) -> Bool { rows.reduce(0) { $0 + $1.count } >= limit }
}

/// The rows of a preview in several forms.
public struct PreviewTable: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case table, csv, json
    }

    package let schema: Schema
    package let batches: [Batch]
    /// The secrets to mask.
    package let mask: SecretMask

    public var count: Int { batches.reduce(0) { $0 + $1.count } }

    public func text(as format: Format, style: TerminalStyle = .plain) -> String {
        switch format {
        case .table: table(style)
        case .csv: csv
        case .json: json
        }
    }

    /// Calls `body` with the column of each field and the row.
    private func forEachRow(_ body: ([Column], Int) -> Void) {
        for batch in batches {
            // By name, since batches may have another order.
            let columns = schema.fields.compactMap { field in
                batch.schema.index(of: field.name).map { batch.columns[$0] }
            }
            guard columns.count == schema.fields.count else {
                preconditionFailure("a batch has the columns of its plan")
            }
            for row in 0..<batch.count { body(columns, row) }
        }
    }

    /// A masked cell; nil for a missing one.
    private func shown(_ column: Column, _ row: Int) -> String? { column.displayText(row).map(mask.masking) }

    /// An aligned table with kinds. A missing value is `–` and an empty text `""`.
    private func table(_ style: TerminalStyle) -> String {
        let isNumber = schema.fields.map { $0.kind == .integer || $0.kind == .decimal }
        var rows = [schema.fields.map { PrintableText.of(mask.masking($0.name)) }, schema.fields.map(\.kind.rawValue)]
        forEachRow { columns, row in
            rows.append(
                columns.map { column in
                    guard let text = shown(column, row) else { return "–" }
                    return text.isEmpty ? "\"\"" : PrintableText.of(text.shortened(to: 60))
                }
            )
        }
        var lines = TextTable(isNumber.map { $0 ? .right : .left }, rows).lines(indent: "")
        lines[0] = style.bold(lines[0])
        lines[1] = style.faint(lines[1])
        return lines.joined(separator: "\n") + "\n"
    }

    private var csv: String {
        var lines = [schema.names.map { CSVSpelling.of(mask.masking($0)) }.joined(separator: ",")]
        forEachRow { columns, row in
            lines.append(columns.map { shown($0, row).map(CSVSpelling.of) ?? "" }.joined(separator: ","))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One object a line, with the columns in order.
    private var json: String {
        let out = Bytes()
        forEachRow { columns, row in
            out.append("{")
            for (index, column) in columns.enumerated() {
                if index > 0 { out.append(",") }
                out.append(jsonString: mask.masking(schema.fields[index].name))
                out.append(":")
                guard let plain = column.displayText(row) else {
                    out.append("null")
                    continue
                }
                let text = mask.masking(plain)
                // A masked number is text.
                switch text == plain ? column.kind : .text {
                case .integer, .flag, .json: out.append(text)
                // JSON has no infinite or undefined numbers.
                case .decimal where Double(text)?.isFinite == true: out.append(text)
                case .text, .day, .instant, .decimal: out.append(jsonString: text)
                }
            }
            out.append("}\n")
        }
        return out.text(0..<out.count)
    }
}

/// The spelling of a text in CSV, where an empty cell is a missing value.
enum CSVSpelling {
    static func of(_ text: String) -> String {
        text.isEmpty || text.unicodeScalars.contains { "\",\r\n".unicodeScalars.contains($0) } ? quoted(text) : text
    }

    static func quoted(_ text: String) -> String { "\"\(text.replacingScalars("\"", with: "\"\""))\"" }
}

/// The notes below the rows of a preview: whether there are more rows, and the findings.
public enum PreviewNotes {
    public static func text(_ result: Preview.Result, _ run: RunReport, style: TerminalStyle) -> String {
        let rows = DisplayText.count(result.rows.count, "row")
        var run = run
        run.outcome = result.outcome
        let findings = FindingText(run: run, style: style).lines()
        let rejected = result.outcome.ledger.reduce(0) { $0 + $1.rejected }
        var line = result.isWhole ? "\(rows), and there are no more" : "the first \(rows)"
        line += "; \(DisplayText.count(rejected)) rejected so far, nothing was written"
        return (findings + [line]).joined(separator: "\n") + "\n"
    }
}

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
        watched = plan.reference(to: wanted)
    }

    /// Runs until there are `rows` rows, or no more.
    public func run(rows: Int, threads: Int, isCancelled: @escaping @Sendable () -> Bool) throws(DaybookErrors)
        -> Result
    {
        let directory = JobFile.directory(of: job.file)
        var observed = ObservedJob(table: table, directory: directory, threads: threads, isCancelled: isCancelled)
        observed.morselSize = 64 << 10
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

    private static func cut(_ plan: Plan, to wanted: PlannedStage.Input) -> Job {
        var kept: [Int: [StageReference]] = [:]
        func keep(_ index: Int) {
            guard kept[index] == nil else { return }
            let inputs = plan.stages[index].inputs
            for input in inputs where input.isNamedByOptions { keep(input.stage) }
            let given = inputs.filter { !$0.isNamedByOptions }.map { $0.port == .rejects ? $0 : giver($0.stage, plan) }
            kept[index] = given.map { plan.reference(to: $0) }
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

    /// The cells of all rows; nil for missing ones.
    private var rows: [[String?]] {
        batches.flatMap { batch in
            // By name, since batches may have another order.
            let columns = schema.names.map { batch[ColumnName($0)] }
            return (0..<batch.count).map { row in columns.map { $0.displayText(row) } }
        }
    }

    /// An aligned table with kinds. A missing value is `–` and an empty text `""`.
    private func table(_ style: TerminalStyle) -> String {
        let isNumber = schema.fields.map { $0.kind == .integer || $0.kind == .decimal }
        let heads = [schema.fields.map { PrintableText.of(mask.masking($0.name)) }, schema.fields.map(\.kind.rawValue)]
        let cells = rows.map { $0.map { TableCell.of($0, mask) } }
        var lines = TextTable(isNumber.map { $0 ? .right : .left }, heads + cells).lines(indent: "")
        lines[0] = style.bold(lines[0])
        lines[1] = style.faint(lines[1])
        return lines.joined(separator: "\n") + "\n"
    }

    private var csv: String {
        ([schema.names] + rows).map { cells in
            cells.map { $0.map { CSVSpelling.of(mask.masking($0)) } ?? "" }.joined(separator: ",") + "\n"
        }.joined()
    }

    /// One object a line, with the columns in order.
    private var json: String {
        let out = Bytes()
        for row in rows {
            out.append("{")
            for (index, (field, cell)) in zip(schema.fields, row).enumerated() {
                if index > 0 { out.append(",") }
                out.append(jsonString: mask.masking(field.name))
                out.append(":")
                guard let cell else {
                    out.append("null")
                    continue
                }
                let text = mask.masking(cell)
                // A masked number is text.
                switch text == cell ? field.kind : .text {
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

/// A cell of a table for people: a missing value is `–`, and an empty text `""`.
enum TableCell {
    static func of(_ text: String?, _ mask: SecretMask) -> String {
        guard let text else { return "–" }
        return text.isEmpty ? "\"\"" : PrintableText.of(mask.masking(text).shortened(to: 60))
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

import DaybookBytes
import DaybookDiscover
import DaybookEngine
import DaybookReports

/// An explained plan: what each stage reads, which columns it gives, and what is written where.
///
/// Reads the beginnings of the inputs if they exist; otherwise only the declared columns are known.
public struct PlanExplanation: Sendable {
    package struct Column: Sendable {
        package var name: String
        package var kind: ColumnKind
        /// What it is, in the words of the job.
        package var description: String?
        /// For a column of an output: the steps that make it, the last one first.
        var steps: [ColumnOrigins.Step] = []
    }

    package struct Stage: Sendable {
        package var id: String
        package var type: String
        package var role: String
        /// The input stages, as `from` names them.
        package var reads: [String]
        /// For a source: its files.
        package var files: [String] = []
        /// For a source: why its files could not be read.
        var unseen: String?
        /// For a source: which of its files it reads; nil for all.
        var takes: String?
        /// For a source of new rows: the bound.
        var since: String?
        /// The columns that a later stage reads.
        package var columns: [Column]
        /// Whether the inputs may have further columns.
        var isOpen: Bool
        /// For a source: unused columns, which are not read.
        var skipped: [String] = []
        /// For a source: unused columns, which an export keeps with the records.
        var kept: [String] = []
        /// For a source: unused columns whose values are checked against the kind in the job.
        var checked: [Column] = []
        /// For a source: columns of numbers that look like dates.
        var likelyDates: [LikelyDates] = []
        /// Columns that it replaces.
        var replaced: [String] = []
        /// For a sink: the columns of its rows.
        var written: [Column] = []
        /// Columns that it describes and does not have.
        var wronglyDescribed: [String] = []
        /// For a sink: where it writes.
        package var output: String?
        /// The limit of its own gate; nil for the gate of the job.
        package var allow: Allowance?
        /// The file of its own rejects.
        package var rejects: String?
    }

    package struct Notified: Sendable {
        package var events: [String]
        package var target: String
        /// A remark about the notice.
        package var remark: String?

        var whom: String { target + (remark.map { ", \($0)" } ?? "") }
    }

    package let job: String
    package let asOf: CalendarDay
    package let timezone: String?
    package let params: [RunReport.Param]
    /// The limit of the gate of the job, for all stages without their own.
    package let allow: Allowance
    /// The file of rejects for stages without their own.
    package let rejects: String?
    /// What the stages are there for, where that is each of several places.
    package let repetition: String?
    /// The directory that the job publishes.
    package let publish: String?
    /// The state directory that the job names.
    package let state: String?
    /// How many runs are kept, as the job writes it.
    package let keep: String?
    /// Whether days without a run that passed are made up.
    package let catchesUp: Bool
    /// The jobs that must have passed for the day.
    package let predecessors: [String]
    /// The files that must have been delivered.
    package let awaited: [(path: String, until: String)]
    /// The notices: `on failed, recovered: webhook at https://hooks.example.com, signed`.
    package let notices: [Notified]
    package let stages: [Stage]

    /// Reads the beginnings of the inputs and resolves all columns, or throws the errors of the job.
    ///
    /// - Parameters:
    ///   - report: masks and shows paths as everywhere.
    ///   - marks: the incremental state of stores.
    public init(_ plan: Plan, _ report: RunReport, marks: [String: StagePosition] = [:]) throws(DaybookErrors) {
        var plan = plan
        var full = plan.declaredSchemas
        var heads: [Int: InputHeads] = [:]
        for stage in plan.stages {
            guard case .source(let source) = stage.role else { continue }
            let head = InputHeads(source, in: report.directory)
            heads[stage.index] = head
            if let schema = head.schema { full[stage.index] = schema }
        }
        try plan.resolve(full)
        job = report.mask.masking(report.job)
        asOf = plan.context.asOf
        timezone = plan.job.timezone
        params = report.params
        allow = plan.job.rejects?.allow ?? .count(0)
        let shown = { (path: String) in report.mask.masking(report.shown(path)) }
        rejects = plan.job.rejects?.path.map { shown($0.text) }
        repetition = plan.job.each.map { each in
            let patterns = DisplayText.list(each.patterns.map { "'\($0.text)'" })
            let which = each.values.first.map { ", shown for '\($0.path)'" } ?? ""
            return report.mask.masking("for each place of \(patterns), \(DisplayText.count(each.found)) today\(which)")
        }
        publish = plan.job.publish.map { shown($0.text) }
        state = plan.job.state.map { shown($0.text) }
        keep = plan.job.keep?.written
        catchesUp = plan.job.catchUp != nil
        predecessors = plan.job.predecessors.map(report.mask.masking)
        awaited = plan.job.awaited.map { (shown($0.path.text), $0.until.written) }
        notices = plan.job.notices.map {
            Notified(events: $0.events.map(\.rawValue), target: report.mask.masking($0.target), remark: $0.remark)
        }
        let origins = ColumnOrigins(plan)
        stages = plan.stages.map { stage in
            var told = PlanExplanation.stage(stage, plan, full[stage.index], heads[stage.index], report)
            told.describe(by: origins, stage, full[stage.index], plan, report.mask)
            told.since = stage.bound(after: marks).map { bound in
                let reason = bound.isInclusive ? ", as no run has passed yet" : ", which a run that passed has read"
                return report.mask.masking("'\(stage.since?.column ?? "")' \(bound.displayText)\(reason)")
            }
            return told
        }
    }

    private static func stage(
        _ stage: PlannedStage,
        _ plan: Plan,
        _ full: Schema?,
        _ heads: InputHeads?,
        _ report: RunReport
    ) -> Stage {
        let mask = report.mask.masking as (String) -> String
        let shown = { (path: String) in report.mask.masking(report.shown(path)) }
        let reads = stage.inputs.map { mask(plan.stages[$0.stage].id) + ($0.port == .rejects ? ".rejects" : "") }
        var told = Stage(
            id: mask(stage.id),
            type: stage.typeName,
            role: "transform",
            reads: reads,
            columns: stage.schema.selecting(stage.wanted).fields.map { Column(name: mask($0.name), kind: $0.kind) },
            isOpen: stage.schema.isOpen,
            allow: stage.policy.allow,
            rejects: stage.policy.path.map { shown($0.text) }
        )
        switch stage.role {
        case .source(let source):
            told.role = "source"
            told.files = heads?.names.map(shown) ?? []
            told.unseen = heads?.unseen.map(report.mask.masking)
            told.takes = PlanExplanation.takes(source.intake)
            told.likelyDates = LikelyDates.find(in: heads?.numbers, of: stage, plan).map { likely in
                var likely = likely
                likely.column = mask(likely.column)
                likely.addition = mask(likely.addition)
                return likely
            }
            let unread = full?.fields.filter { stage.schema.index(of: $0.name) == nil } ?? []
            let declared = checkedFields(of: source)
            told.checked = unread.filter { declared.contains($0.name) }
                .map { Column(name: mask($0.name), kind: $0.kind) }
            let unused = unread.filter { !declared.contains($0.name) }.map { mask($0.name) }
            let isKept = plan.stages.contains {
                $0.binding?.keepsRecords == true && plan.sources(of: $0.index).contains(stage.index)
            }
            if isKept { told.kept = unused } else { told.skipped = unused }
        case .sink:
            told.role = "sink"
            guard let target = stage.target else { break }
            if let service = target.service { told.output = mask(service.text) }
            guard let path = target.path?.text else { break }
            told.output = shown(target.isInParts ? PartedOutput.path(of: "*", in: path) : path)
        case .fold: told.role = "fold"
        case .transform(let transform):
            told.replaced = (transform as? any ColumnReplacing)?.replacedColumns.map { mask($0.text) } ?? []
        }
        return told
    }

    /// The columns whose values are always checked against a kind: the columns that the options name, unless any value is of
    /// that kind. A store gives only the columns that are read.
    private static func checkedFields(of source: SourceKind) -> Set<String> {
        guard let stage = source.fileStage else { return [] }
        let otherKind = type(of: stage).otherKind
        return Set(source.declaredSchema.fields.filter { $0.source != nil && $0.kind != otherKind }.map(\.name))
    }
}

/// What the beginnings of the files of a source show before a run.
struct InputHeads {
    /// The files, or the patterns of the job if none was found.
    private(set) var names: [String]
    private(set) var schema: Schema?
    /// The inferred columns of numbers.
    private(set) var numbers: TableInference?
    /// Why the files were not read.
    private(set) var unseen: String?

    private static let size = 256 << 10
    /// How many beginnings are searched for numbers that may be dates.
    private static let most = 64

    init(_ source: SourceKind, in directory: String) {
        names = source.address.map { [$0.text] } ?? source.paths.map(\.text)
        if let address = source.address {
            unseen = "'\(address.text)' is only asked by a run"
            return
        }
        do throws(DaybookError) {
            var files: [InputPath] = []
            for path in source.paths { files += try PathPattern(path.text, from: directory).expand() }
            names = files.map(\.name)
            // Reading a pipe would take its bytes from the run.
            if let stream = files.first(where: \.isReadOnce) {
                unseen = "\(stream.isStandardInput ? "standard input" : "'\(stream.shown)'") is only read by a run"
                return
            }
            if case .stores(let source) = source {
                schema = try StoreInputs.schema(of: files, source)
                return
            }
            guard let source = source.fileStage else { return }
            var inputs: [OpenInput] = []
            for file in files {
                var index = inputs.count
                let next = { (_: TextHolder?) -> Int in
                    defer { index += 1 }
                    return index
                }
                let opened = try OpenFile(file, of: source, at: index, isCancelled: { false }, index: next)
                inputs += opened.inputs
            }
            let texts = inputs
            var heads: [SourceHead] = []
            let opened = try source.open(texts.count) { text throws(DaybookError) in
                let head = try texts[text].head(InputHeads.size)
                if heads.count < InputHeads.most { heads.append(head) }
                return head
            }
            if let missing = opened.missing.first { throw missing }
            schema = opened.schema
            numbers = TableInference.ofNumbers(in: heads, opened)
        } catch { unseen = error.message }
    }
}

/// Notes about files of a plan that are no regular files, and so may delay a run.
public enum StreamNotes {
    /// One line for each file, such as `'out/pipe' is a named pipe: the run waits at its end until somebody reads it`.
    public static func lines(of plan: Plan, in directory: String, jobFile: String) -> [String] {
        var lines: [String] = []
        func add(_ path: String, _ pipe: String, _ other: String) {
            guard let status = try? FileStatus.of(FilePath.join(directory, path)), status.isStream else { return }
            let kind = status.isPipe ? "a named pipe" : status.isSocket ? "a socket" : "a device"
            let line = "'\(FilePath.shown(path, from: directory))' is \(kind), no file: \(status.isPipe ? pipe : other)"
            if !lines.contains(line) { lines.append(line) }
        }
        for input in plan.inputPaths(in: directory) where !input.isStandardInput {
            add(input.name, "the run waits for its writer, and reads it once", "the run reads it once, to its end")
        }
        for output in plan.outputPaths where output.text != "-" {
            let pipe = "the run waits at its end until somebody reads it, and takes nothing back"
            add(output.text, pipe, "the run writes to it at its end, and takes nothing back")
        }
        if let publish = plan.job.publish {
            let job = plan.job.name(in: jobFile)
            do throws(DaybookError) { try Publication.check(publish, from: directory, of: job) } catch {
                lines.append(error.message + (error.hint.map { "; \($0)" } ?? ""))
            }
        }
        return lines
    }
}

/// A column of numbers that looks like dates, and the option to read it.
struct LikelyDates: Sendable {
    var column: String
    /// The range in each unit.
    var evidence: String
    /// The text to add to the job.
    var addition: String

    /// `'savedDate' looks like dates: 31 values from 2026-08-31 to 2026-11-21 as apple_seconds`.
    var displayText: String { "'\(column)' looks like dates: \(evidence)" }

    /// The columns of a source that look like dates, and that no stage reads as dates.
    static func find(in numbers: TableInference?, of stage: PlannedStage, _ plan: Plan) -> [LikelyDates] {
        guard let numbers, case .source(.files(let source)) = stage.role else { return [] }
        // An option of the source is the shortest way.
        let takesDates = OptionReader.specs(of: type(of: source)).contains(where: \.namesDates)
        return numbers.columns.compactMap { column in
            guard stage.schema.index(of: column.name) != nil, !isRead(column.name, in: plan),
                let evidence = EpochEvidence(column.numbers, column: column.name), evidence.isClear
            else { return nil }
            let (name, unit) = (YAMLScalar.of(column.name), evidence.readings[0].unit.rawValue)
            let option = "dates: { \(YAMLScalar.key(column.name)): \(unit) }"
            let stage = "- normalise_dates: { column: \(name), formats: [\(unit)], to: instant }"
            let addition = takesDates ? option : stage
            return LikelyDates(column: column.name, evidence: evidence.displayText, addition: addition)
        }
    }

    /// Whether some stage makes days or instants from the column, under its own name or another.
    private static func isRead(_ column: String, in plan: Plan) -> Bool {
        plan.stages.contains { stage in
            let dates = stage.schema.fields.filter { $0.kind == .day || $0.kind == .instant }.map(\.name)
            if dates.contains(column) { return true }
            guard case .transform = stage.role, let binding = stage.binding else { return false }
            let given = plan.inputSchema(of: stage.index)
            // A date of the input comes from no other column.
            return dates.contains { date in
                guard given.index(of: date) == nil, case .some(let read) = binding.columns(neededFor: .some([date]))
                else { return false }
                return read.contains(column)
            }
        }
    }
}

extension TableInference {
    /// Infers the numbers in the beginnings of files, from their whole records.
    ///
    /// A document of one record may not end in its beginning; then there is nothing to infer.
    static func ofNumbers(in heads: [SourceHead], _ opened: OpenedSource) -> TableInference? {
        let schema = Schema(opened.schema.fields.filter { $0.kind == .integer || $0.kind == .decimal })
        guard !schema.fields.isEmpty else { return nil }
        // Numbers need no formats; dates without separators are not searched here.
        var look = TableInference(schema, DateCandidates.none)
        for (index, head) in heads.enumerated() {
            guard let morsel = morsel(of: head, opened.formats[index]) else { continue }
            var findings = Findings()
            look.add(opened.reader(index, schema).read(morsel, reporting: &findings))
        }
        return look.rows == 0 ? nil : look
    }

    private static func morsel(of head: SourceHead, _ format: any SourceFormat) -> Morsel? {
        defer { withExtendedLifetime(head.bytes) {} }
        let start = min(format.dataStart, head.bytes.count)
        let records = head.bytes.cell(start...)
        var cutter = format.makeCutter()
        // The run reports wrong records.
        guard let cut = try? cutter.cut(records, isLast: head.isWhole), cut.length > 0 else { return nil }
        let bytes = head.bytes.copy(start..<start + cut.length)
        return Morsel(source: head.source, bytes: bytes, offset: start, firstLine: 1, firstRecord: 0, notes: cut.notes)
    }
}

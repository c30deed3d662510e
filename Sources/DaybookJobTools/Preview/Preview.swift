import DaybookDiscover
import DaybookEngine

/// A look at the rows that one stage of a job gives: the job's own stages on the job's own engine, writing nothing.
///
/// The job is cut down to what the stage needs. Outputs and reject files are left out, and the run stops as soon as
/// enough rows have come.
public struct Preview {
    /// What a preview came to.
    public struct Result: Sendable {
        public var rows: PreviewTable
        /// Findings and ledger of the part of the input that was read.
        public var outcome: RunOutcome
        /// Whether the run ended by itself, so that there are no further rows.
        public var isWhole: Bool
    }

    private let job: Job
    private let watched: StageReference
    private let table: StageTable
    private let asOf: CalendarDay

    /// Cuts a job down to the stage `name`, which is an id or, for what a stage rejected, `id.rejects`.
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
        let observer = FirstRows(limit: rows)
        let result = try observed.run(job, asOf: asOf, observing: watched, by: observer)
        return Result(
            rows: PreviewTable(schema: result.schema, batches: result.seen, mask: SecretMask(job.secrets)),
            outcome: result.outcome,
            isWhole: result.isWhole
        )
    }

    /// What gives the rows of a stage: itself, or for an output, which passes its rows on, what it reads.
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
        var room = limit - earlier.reduce(0) { $0 + $1.count }
        for batch in later where room > 0 {
            earlier.append(batch.count <= room ? batch : batch.keeping((0..<Int32(room)).map { $0 }))
            room -= batch.count
        }
    }

    func isEnough(_ rows: [Batch]) -> Bool { rows.reduce(0) { $0 + $1.count } >= limit }
}

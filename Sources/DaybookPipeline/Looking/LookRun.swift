import DaybookCore
import Foundation

/// Runs a job whose outputs are looks: on the job's own engine, writing nothing.
struct LookRun {
    var table: StageTable
    /// The directory that the job's paths start from.
    var directory: String
    /// How many bytes of each file are looked at.
    var limit: Int
    var isCancelled: @Sendable () -> Bool

    /// What a run of a look came to.
    struct Result {
        var outcome: RunOutcome
        var look: TableLook?
        var rows: Int
        /// Whether there was more than was looked at.
        var isPartial: Bool
    }

    /// Runs the job in `text`, whose stages are a chain, and looks at what its last stage gives.
    func run(_ text: String, _ candidates: DateCandidates?) throws(DaybookErrors) -> Result {
        let capture = LookCapture(candidates, limit: limit)
        let plan: Plan
        do {
            plan = try LookRows.$capture.withValue(capture) { try self.plan(of: text, looking: true) }
        } catch { throw (error as? DaybookErrors) ?? DaybookErrors([]) }
        let state = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-look-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: state) }
        let settings = RunSettings(
            threads: 2,
            directory: directory,
            state: StateDirectory(state.path),
            isCancelled: isCancelled
        )
        var outcome = Runner(plan, settings).run()
        outcome.errors.removeAll { $0.code == "look-is-full" }
        guard outcome.errors.isEmpty else { throw DaybookErrors(outcome.errors) }
        return Result(outcome: outcome, look: capture.look, rows: capture.rows, isPartial: capture.isFull)
    }

    /// Checks the job in `text` as `validate` does.
    func check(_ text: String) throws(DaybookErrors) {
        var plan = try plan(of: text, looking: false)
        try plan.resolve(plan.declaredSchemas)
    }

    private func plan(of text: String, looking: Bool) throws(DaybookErrors) -> Plan {
        let table = StageTable(table.stages + (looking ? [LookRows.self] : []))
        var job = try JobParser(stageNames: table.names) { _ in nil }.job(Array(text.utf8), file: LookRun.file)
        if looking, let last = job.stages.last {
            // No id that a job can write holds a blank.
            job.stages.append(
                JobStage(
                    type: LookRows.description.name,
                    typePlace: last.typePlace,
                    options: [],
                    optionsPlace: last.optionsPlace,
                    id: "the look",
                    idPlace: nil,
                    from: [],
                    rejects: nil
                )
            )
        }
        return try Plan(job, table: table, asOf: CalendarDay(number: 0))
    }

    /// What messages would call the job; it is in no file yet.
    private static let file = "the guessed job"
}

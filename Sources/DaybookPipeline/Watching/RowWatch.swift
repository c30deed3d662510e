import DaybookCore
import Foundation

/// Runs a job whose outputs are a watcher: on the job's own engine, writing nothing.
struct RowWatch {
    var table: StageTable
    /// The directory that the job's paths start from.
    var directory: String
    var threads = 2
    var morselSize = RunSettings.standardMorselSize
    var isCancelled: @Sendable () -> Bool
    var onProgress: @Sendable (RunSettings.Progress) -> Void = { _ in }

    /// What a watched run came to.
    struct Result {
        /// Errors of it are those of a run; that enough was seen is none.
        var outcome: RunOutcome
        /// Whether the run ended by itself, so that there were no further rows.
        var isWhole: Bool
    }

    /// Runs the job, which has no outputs, and lets `watcher` see the rows of `input`: by default what its last stage gives.
    func run(
        _ job: Job,
        asOf: CalendarDay,
        watching input: StageReference? = nil,
        by watcher: any RowWatcher
    ) throws(DaybookErrors) -> Result {
        var job = job
        guard let last = job.stages.last else { preconditionFailure("a job without stages is watched") }
        job.stages.append(
            JobStage(
                type: WatchRows.description.name,
                typePlace: last.typePlace,
                options: [],
                optionsPlace: last.optionsPlace,
                // No id that a job can write holds a blank.
                id: "the watch",
                idPlace: nil,
                from: input.map { [$0] } ?? [],
                rejects: nil
            )
        )
        let plan: Plan
        do {
            plan = try WatchRows.$watcher.withValue(watcher) {
                try Plan(job, table: StageTable(table.stages + [WatchRows.self]), asOf: asOf)
            }
        } catch { throw (error as? DaybookErrors) ?? DaybookErrors([]) }
        let state = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-watch-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: state) }
        var settings = RunSettings(
            threads: threads,
            directory: directory,
            state: StateDirectory(state.path),
            morselSize: morselSize,
            isCancelled: isCancelled,
            onProgress: onProgress
        )
        settings.stopsAtFaults = true
        var outcome = Runner(plan, settings).run()
        let isFull = outcome.errors.contains { $0.code == "enough-seen" }
        outcome.errors.removeAll { $0.code == "enough-seen" }
        return Result(outcome: outcome, isWhole: !isFull)
    }
}

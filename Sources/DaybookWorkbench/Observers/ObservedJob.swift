import Foundation

/// Runs a job whose outputs are an observer: on the job's own engine, writing nothing.
struct ObservedJob {
    var table: StageTable
    /// The directory that the job's paths start from.
    var directory: String
    var threads = 2
    var morselSize = RunSettings.standardMorselSize
    var isCancelled: @Sendable () -> Bool
    var onProgress: (@Sendable (RunSettings.Progress) -> Void)?

    /// What an observed run came to.
    package struct Result<Seen> {
        /// What the observer saw.
        var seen: Seen
        /// The columns of the rows that it saw.
        var schema: Schema
        /// Errors of it are those of a run; that enough was seen is none.
        var outcome: RunOutcome
        /// Whether the run ended by itself, so that there were no further rows.
        var isWhole: Bool
    }

    /// Runs the job, which has no outputs, and lets `observer` see the rows of `input`: by default what its last stage gives.
    func run<Observer: RowObserver>(
        _ job: Job,
        asOf: CalendarDay,
        observing input: StageReference? = nil,
        by observer: Observer
    ) throws(DaybookErrors) -> Result<Observer.Partial> {
        var job = job
        guard let last = job.stages.last else { preconditionFailure("a job without stages is observed") }
        // No id that a job can write holds a blank.
        let id = "the observer"
        job.stages.append(
            JobStage(
                type: "observe rows",
                typePlace: last.typePlace,
                options: [],
                optionsPlace: last.optionsPlace,
                id: id,
                idPlace: nil,
                from: input.map { [$0] } ?? [],
                rejects: nil
            )
        )
        let observation = Observation(observer)
        let plan = try Plan(job, table: table, asOf: asOf, nodes: [id: .sink(ObserveRows(observation: observation))])
        let state = FileManager.default.temporaryDirectory.appendingPathComponent(
            "daybook-observe-\(UUID().uuidString)"
        )
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
        return Result(seen: observation.seen, schema: observation.schema, outcome: outcome, isWhole: !isFull)
    }
}

import DaybookEngine
import Foundation

/// Runs a job whose outputs are an observer: on the job's own engine, writing nothing.
package struct ObservedJob {
    var table: StageTable
    /// The directory that the job's paths start from.
    var directory: String
    var threads = 2
    var morselSize = RunSettings.standardMorselSize
    var isCancelled: @Sendable () -> Bool
    var onProgress: (@Sendable (RunSettings.Progress) -> Void)?

    package init(
        table: StageTable,
        directory: String,
        threads: Int = 2,
        morselSize: Int = RunSettings.standardMorselSize,
        isCancelled: @escaping @Sendable () -> Bool,
        onProgress: (@Sendable (RunSettings.Progress) -> Void)? = nil
    ) {
        self.table = table
        self.directory = directory
        self.threads = threads
        self.morselSize = morselSize
        self.isCancelled = isCancelled
        self.onProgress = onProgress
    }

    /// What an observed run came to.
    package struct Result<Seen> {
        /// What the observer saw.
        package var seen: Seen
        /// The columns of the rows that it saw.
        package var schema: Schema
        /// Errors of it are those of a run; that enough was seen is none.
        package var outcome: RunOutcome
        /// Whether the run ended by itself, so that there were no further rows.
        package var isWhole: Bool
    }

    /// Runs the job, which has no outputs, and lets `observer` see the rows of `input`: by default what its last stage gives.
    package func run<Observer: RowObserver>(
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
            isCancelled: { [isCancelled] in observation.isEnough.load(ordering: .relaxed) || isCancelled() },
            onProgress: onProgress
        )
        settings.stopsAtFaults = true
        var outcome = Runner(plan, settings).run()
        let isEnough = observation.isEnough.load(ordering: .relaxed)
        if isEnough { outcome.errors.removeAll { $0.code == DaybookError.interrupted.code } }
        return Result(seen: observation.seen, schema: observation.schema, outcome: outcome, isWhole: !isEnough)
    }
}

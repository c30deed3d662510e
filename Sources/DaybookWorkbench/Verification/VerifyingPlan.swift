/// A job as a verification runs it: with all that it writes in a directory of its own.
struct VerifyingPlan {
    var plan: Plan
    /// The path that the job writes, by the one in its place.
    private var written: [String: String] = [:]
    private let directory: String

    /// - Parameter directory: where outputs go, from the root.
    init(_ plan: Plan, _ table: StageTable, into directory: String) throws(DaybookErrors) {
        (self.plan, self.directory) = (plan, directory)
        var job = plan.job
        job.redirect()
        if let path = job.rejects?.path { job.rejects?.path = place(of: path) }
        for index in job.stages.indices {
            if let path = job.stages[index].rejects?.path { job.stages[index].rejects?.path = place(of: path) }
        }
        self.plan = try Plan(job, table: table, asOf: plan.context.asOf)
        for stage in plan.stages {
            guard case .sink(let sink) = stage.role else { continue }
            guard !sink.isInParts else {
                throw DaybookErrors([
                    DaybookError(
                        "nothing-to-verify",
                        "'\(stage.id)' writes a part for each shard, and a verification has none",
                        at: stage.place
                    )
                ])
            }
            self.plan.replaceRole(of: stage.index, by: .sink(sink.redirected(to: place(of: sink.output))))
        }
    }

    private mutating func place(of path: PathText) -> PathText {
        let name = path.isStandardStream ? "stream" : FilePath.name(of: path.text)
        let place = FilePath.join(directory, "\(written.count)-\(name)")
        written[place] = path.text
        return PathText(place, at: path.place)
    }

    /// The path that the job writes for an output of this run.
    func path(of output: String) -> String { written[output] ?? output }
}

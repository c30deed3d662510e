import DaybookBytes
import DaybookEngine

/// A job as a verification runs it: with all that it writes in a directory of its own.
struct VerifyingPlan {
    var plan: Plan
    /// The path that the job writes, by the one in its place.
    private var written: [String: String] = [:]
    /// The other way round, for stages that share an output.
    private var places: [String: String] = [:]
    private let directory: String

    /// - Parameters:
    ///   - inputs: what the run read, masked. What an output would start from and is none of them did not exist.
    ///   - directory: where outputs go, from the root.
    init(
        _ plan: Plan,
        _ table: StageTable,
        reading inputs: Set<String>,
        _ mask: SecretMask,
        into directory: String
    ) throws(DaybookErrors) {
        (self.plan, self.directory) = (plan, directory)
        var job = plan.job
        job.redirect()
        if let path = job.rejects?.path { job.rejects?.path = place(of: path) }
        for index in job.stages.indices {
            if let path = job.stages[index].rejects?.path { job.stages[index].rejects?.path = place(of: path) }
        }
        self.plan = try Plan(job, table: table, asOf: plan.context.asOf)
        for stage in plan.stages {
            guard let target = stage.target else { continue }
            if let service = target.service {
                throw DaybookErrors([
                    DaybookError(
                        "nothing-to-verify",
                        "'\(stage.id)' writes to '\(service.text)', and a verification writes to no service",
                        at: stage.place,
                        hint:
                            "read from there what the run wrote, and compare that with a run of the job without this stage"
                    )
                ])
            }
            guard let path = target.path else { continue }
            guard !target.isInParts else {
                throw DaybookErrors([
                    DaybookError(
                        "nothing-to-verify",
                        "'\(stage.id)' writes a part for each shard, and a verification has none",
                        at: stage.place
                    )
                ])
            }
            let startsAnew = target.base.map { !inputs.contains(mask.masking($0.path.text)) } ?? false
            self.plan.redirect(stage.index, to: place(of: path), startsAnew: startsAnew)
        }
    }

    private mutating func place(of path: PathText) -> PathText {
        let tidied = FilePath.tidied(path.text)
        if !path.isStandardStream, let place = places[tidied] { return PathText(place, at: path.place) }
        let name = path.isStandardStream ? "stream" : FilePath.name(of: path.text)
        let place = FilePath.join(directory, "\(written.count)-\(name)")
        written[place] = path.text
        places[tidied] = place
        return PathText(place, at: path.place)
    }

    /// The path that the job writes for an output of this run.
    func path(of output: String) -> String { written[output] ?? output }
}

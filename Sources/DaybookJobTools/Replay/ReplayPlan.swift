import DaybookBytes
import DaybookEngine

/// A job as a replay runs it: from the corrected records of a reject file to outputs in a directory of their own.
public struct ReplayPlan {
    public private(set) var plan: Plan
    /// How many lines are replayed, and how many of other stages are passed over.
    public let count: Int
    public let passedOver: Int

    /// - Parameters:
    ///   - rejects: the reject file, as the command line names it.
    ///   - plan: that of the whole job.
    ///   - directory: of the job.
    ///   - into: where the outputs go.
    ///   - only: the ids of the stages whose rejects are replayed; empty for all.
    public init(
        _ rejects: String,
        of plan: Plan,
        _ table: StageTable,
        from directory: String,
        into: String,
        only: [String],
        isCancelled: () -> Bool
    ) throws(DaybookErrors) {
        self.plan = plan
        let file: RejectFile
        var stages: Set<Int> = []
        do throws(DaybookError) {
            file = try RejectFile(rejects, from: directory)
            for id in only {
                guard let stage = plan.stages.first(where: { $0.id == id }) else { throw plan.unknownStage(id) }
                stages.insert(stage.index)
            }
        } catch { throw DaybookErrors([error]) }
        let scan = try RejectScan(file, of: plan, only: stages, from: directory, isCancelled: isCancelled)
        count = scan.count
        passedOver = scan.passedOver
        do throws(DaybookError) {
            guard !scan.groups.isEmpty else {
                throw DaybookError(
                    "nothing-to-replay",
                    only.isEmpty
                        ? "'\(rejects)' holds no rejects"
                        : "'\(rejects)' holds no rejects of \(Spoken.list(only.map { "'\($0)'" }))"
                )
            }
            let cut = try ReplayCut(scan.groups, of: plan)
            var job = cut.job
            let targets = try ReplayPlan.redirect(&job, plan, from: directory, into: into)
            let nodes = ReplayPlan.sources(of: job, plan, file, scan, silent: cut.silent)
            do { self.plan = try Plan(job, table: table, asOf: plan.context.asOf, nodes: nodes) } catch {
                throw error.errors.first ?? DaybookError("bad-job", "the job cannot be replayed")
            }
            self.plan.readSomeRows(because: "a replay sees some rows of the table only")
            try redirectOutputs(to: targets, directory)
        } catch { throw DaybookErrors([error]) }
    }

    /// Sends the reject files of a job elsewhere, and finds out where its outputs go.
    private static func redirect(
        _ job: inout Job,
        _ plan: Plan,
        from directory: String,
        into: String
    ) throws(DaybookError) -> ReplayTargets {
        let kept = Set(job.stages.map(\.id))
        var paths = job.stages.compactMap { $0.rejects?.path } + [job.rejects?.path].compactMap { $0 }
        for stage in plan.stages where kept.contains(stage.id) {
            if let path = stage.target?.path { paths.append(path) }
        }
        let targets = ReplayTargets(paths, of: plan.job, from: directory, into: into)
        job.redirect()
        for index in job.stages.indices {
            if let path = job.stages[index].rejects?.path {
                job.stages[index].rejects?.path = targets.target(of: path)
            }
        }
        // What still fails is never only told: it has a file even where the job has none.
        let path =
            job.rejects?.path.map(targets.target)
            ?? PathText(FilePath.join(FilePath.relative(into, from: directory), "rejects.ndjson"))
        job.rejects = RejectPolicy(
            path: path,
            allow: job.rejects?.allow,
            place: job.rejects?.place ?? plan.stages[0].place
        )
        for path in job.stages.compactMap({ $0.rejects?.path }) + [path] { try targets.check(path, from: directory) }
        return targets
    }

    /// The corrected records, in the place of the files that they came from.
    private static func sources(
        of job: Job,
        _ whole: Plan,
        _ file: RejectFile,
        _ scan: RejectScan,
        silent: Set<Int>
    ) -> [String: StageRole] {
        let replayed = Set(scan.groups.map(\.source)).union(silent)
        let kept = Set(job.stages.map(\.id))
        var nodes: [String: StageRole] = [:]
        for stage in whole.stages where kept.contains(stage.id) && replayed.contains(stage.index) {
            guard case .source(let source) = stage.role, let source = source.fileStage else { continue }
            let index = stage.index
            let held = ReplaySource(
                file: file,
                source: source,
                inputs: scan.inputs[index] ?? [],
                mask: SecretMask(whole.job.secrets)
            ) { record in
                guard let group = scan.group(of: record) else { return false }
                return group.source == index && scan.groups.contains(group)
            }
            nodes[stage.id] = .source(.given(held))
        }
        return nodes
    }

    /// Puts the directory of the replay in the place of outputs.
    private mutating func redirectOutputs(to targets: ReplayTargets, _ directory: String) throws(DaybookError) {
        for stage in plan.stages {
            guard let target = stage.target else { continue }
            if let service = target.service {
                throw DaybookError(
                    "replay-to-service",
                    "'\(stage.id)' writes to '\(service.text)', and a replay writes to its own directory alone",
                    at: stage.place,
                    hint: "correct the rows where they stand, and run the job again"
                )
            }
            guard let path = target.path else { continue }
            let output = targets.target(of: path)
            try targets.check(output, from: directory)
            // What grows begins anew: the output holds the replayed rows alone. A file that has to be there is no such rows.
            plan.redirect(stage.index, to: output, startsAnew: target.base?.mustExist == false)
        }
    }
}

import DaybookBytes
import DaybookEngine

/// The job of a replay: from the corrected records of a reject file to outputs in their own directory.
public struct ReplayPlan {
    public private(set) var plan: Plan
    /// What the lines do not tell by themselves: how many are replayed, and which rows come again.
    public private(set) var remarks: [String] = []

    /// - Parameters:
    ///   - rejects: the reject file on the command line.
    ///   - plan: the plan of the whole job.
    ///   - directory: the directory of the job.
    ///   - into: the directory for the outputs.
    ///   - only: the ids of stages whose rejects are replayed; empty for all.
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
            if let error = OutputName.foreignPlace(into, "'--into'") { throw error }
            file = try RejectFile(rejects, from: directory)
            for id in only {
                guard let stage = plan.stages.first(where: { $0.id == id }) else { throw plan.unknownStage(id) }
                stages.insert(stage.index)
            }
        } catch { throw DaybookErrors(error) }
        let scan = try RejectScan(file, of: plan, only: stages, from: directory, isCancelled: isCancelled)
        do throws(DaybookError) {
            guard !scan.groups.isEmpty else {
                let names = only.isEmpty ? "" : " of \(DisplayText.list(only.map { "'\($0)'" }))"
                throw DaybookError("nothing-to-replay", "'\(rejects)' holds no rejects\(names)")
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
        } catch { throw DaybookErrors(error) }
        remarks = ReplayPlan.remarks(on: scan, of: plan)
    }

    private static func remarks(on scan: RejectScan, of plan: Plan) -> [String] {
        var remarks: [String] = []
        if scan.passedOver > 0 {
            let lines = DisplayText.count(scan.count, "line is", "lines are")
            remarks.append("\(lines) replayed, \(DisplayText.count(scan.passedOver)) of other stages are not")
        }
        if !scan.repeats.isEmpty {
            let lines = DisplayText.count(scan.repeats.count, "line is", "lines are")
            remarks.append("\(lines) about records of lines above, and each record is replayed once")
        }
        let stages = Set(scan.groups.map(\.stage))
        let lookups = plan.stages.filter { stage in
            stage.inputs.contains { side in
                side.isBuildSide && stages.contains { plan.below($0).contains(side.stage) }
            }
        }
        if !lookups.isEmpty {
            let names = DisplayText.list(lookups.map { "'\($0.id)'" })
            let look =
                lookups.count == 1 ? "looks things up in these rows, and is" : "look things up in these rows, and are"
            remarks.append("\(names) \(look) not run again")
        }
        let sharing = Set(scan.groups.map(\.stage)).sorted().filter { scan.sharesRecords[$0] }
        if !sharing.isEmpty {
            let names = DisplayText.list(sharing.map { "'\(plan.stages[$0].id)'" })
            remarks.append("a record may reach \(names) as several rows; those that passed before come again")
        }
        return remarks
    }

    /// Redirects the reject files of a job, and returns the targets of its outputs.
    private static func redirect(
        _ job: inout Job,
        _ plan: Plan,
        from directory: String,
        into: String
    ) throws(DaybookError) -> ReplayTargets {
        let kept = Set(job.stages.map(\.id))
        let outputs = plan.stages.filter { kept.contains($0.id) }.map { $0.target?.path }
        let paths = (job.stages.map { $0.rejects?.path } + [job.rejects?.path] + outputs).compactMap(\.self)
        let targets = ReplayTargets(paths, of: plan.job, from: directory, into: into)
        job.redirect()
        for index in job.stages.indices {
            if let path = job.stages[index].rejects?.path { job.stages[index].rejects?.path = targets.target(of: path) }
        }
        // Rejects of the replay always go to a file, even if the job has none.
        let path =
            job.rejects?.path.map(targets.target)
            ?? PathText(FilePath.join(FilePath.relative(into, from: directory), "rejects.ndjson"))
        let place = job.rejects?.place ?? plan.stages[0].place
        job.rejects = RejectPolicy(path: path, allow: job.rejects?.allow, place: place)
        for path in job.stages.compactMap({ $0.rejects?.path }) + [path] { try targets.check(path, from: directory) }
        return targets
    }

    /// Sources with the corrected records, in the place of files.
    private static func sources(
        of job: Job,
        _ whole: Plan,
        _ file: RejectFile,
        _ scan: RejectScan,
        silent: Set<Int>
    ) -> [String: StageRole] {
        var resolved = whole
        try? resolved.resolve(whole.declaredSchemas)
        let looksAtRecords = resolved.stages.contains { $0.binding?.readsRecords == true }
        let replayed = Set(scan.groups.map(\.source)).union(silent)
        let kept = Set(job.stages.map(\.id))
        var nodes: [String: StageRole] = [:]
        for stage in whole.stages where kept.contains(stage.id) && replayed.contains(stage.index) {
            guard case .source(let source) = stage.role, let source = source.fileStage else { continue }
            let index = stage.index
            let inputs = scan.inputs[index] ?? []
            let mask = SecretMask(whole.job.secrets)
            let held = ReplaySource(
                file: file,
                source: source,
                inputs: inputs,
                mask: mask,
                isOneByOne: looksAtRecords
            ) { record in
                guard let group = scan.group(of: record) else { return false }
                return group.source == index && scan.groups.contains(group) && !scan.repeats.contains(record.number)
            }
            nodes[stage.id] = .source(.given(held))
        }
        return nodes
    }

    /// Redirects the outputs.
    private mutating func redirectOutputs(to targets: ReplayTargets, _ directory: String) throws(DaybookError) {
        for stage in plan.stages {
            guard let target = stage.target else { continue }
            if let service = target.service {
                let message =
                    "'\(stage.id)' writes to '\(service.text)', and a replay writes to its own directory alone"
                let hint = "correct the rows where they stand, and run the job again"
                throw DaybookError("replay-to-service", message, at: stage.place, hint: hint)
            }
            guard let path = target.path else { continue }
            let output = targets.target(of: path)
            try targets.check(output, from: directory)
            // An output with a base begins anew with the replayed rows alone, unless the base must exist.
            plan.redirect(stage.index, to: output, from: target.base?.mustExist == false ? nil : target.base)
        }
    }
}

/// The targets of the outputs of a replay, in one directory, with as many subdirectories as keep them apart.
struct ReplayTargets {
    private var targets: [String: String] = [:]

    /// - Parameters:
    ///   - paths: the outputs of the job.
    ///   - job: its published directory is known by its link.
    ///   - directory: the directory of the job.
    ///   - into: the target directory on the command line.
    init(_ paths: [PathText], of job: Job, from directory: String, into: String) {
        let files = paths.map(\.text).filter { $0 != "-" }
        let places = files.map { file in
            let place =
                Publication.visible(file, in: job.publish, from: directory)
                ?? FilePath.canonical(FilePath.join(directory, file))
            return place.split(separator: "/")
        }
        var shared = places.first.map { $0.count - 1 } ?? 0
        for place in places {
            shared = min(shared, zip(place.dropLast(), places[0].dropLast()).prefix { $0 == $1 }.count)
        }
        let target = FilePath.relative(into, from: directory)
        for (file, place) in zip(files, places) {
            targets[file] = FilePath.join(target, place[shared...].joined(separator: "/"))
        }
    }

    /// The target of an output; `-` stays standard output.
    func target(of path: PathText) -> PathText { PathText(targets[path.text] ?? path.text, at: path.place) }

    /// Refuses an existing file, which may hold rows that are nowhere else.
    func check(_ path: PathText, from directory: String) throws(DaybookError) {
        guard path.text != "-" else { return }
        let place = FilePath.join(directory, path.text)
        let found: FileStatus?
        do { found = try FileStatus.of(place, followingLinks: false) } catch { throw .cannotWrite(place, error) }
        guard found != nil else { return }
        let shown = FilePath.shown(path.text, from: directory)
        let message = "there is a file '\(shown)' already, and a replay replaces none"
        throw DaybookError("output-exists", message, hint: "name another directory with '--into'")
    }
}

/// The stages of a replay.
///
/// A record goes again from its import to the rejecting stage, and from there to all later stages. Earlier branches had the
/// record the first time, and must not get it twice.
struct ReplayCut {
    /// The stages on the way of replayed rows.
    private(set) var kept: Set<Int> = []
    /// The stages of build sides, which are read completely.
    private(set) var sides: Set<Int> = []
    /// The stages that give columns but no rows, to a stage that reads several in turn.
    private(set) var silent: Set<Int> = []
    private let plan: Plan
    private let groups: [RejectScan.Group]

    init(_ groups: Set<RejectScan.Group>, of plan: Plan) throws(DaybookError) {
        self.plan = plan
        self.groups = groups.sorted { ($0.stage, $0.source) < ($1.stage, $1.source) }
        let below = self.groups.reduce(into: Set<Int>()) { $0.formUnion(plan.below($1.stage)) }
        for group in self.groups {
            // An output before the rejecting stage has written the record already.
            kept.formUnion(allowed(group).filter { !isOutput($0) || below.contains($0) })
        }
        for group in self.groups { try check(group) }
        keepSilent()
        for group in self.groups { try checkSilent(group) }
        try keepBuildSides()
    }

    private func isOutput(_ index: Int) -> Bool { if case .sink = plan.stages[index].role { true } else { false } }

    /// The stages from the import to the rejecting stage.
    private func way(_ group: RejectScan.Group) -> Set<Int> {
        plan.above(group.stage).intersection(plan.below(group.source)).union([group.source, group.stage])
    }

    /// The stages that rows of a group may reach: on their way, after the rejecting stage, and after the rejects of a stage on
    /// the way.
    private func allowed(_ group: RejectScan.Group) -> Set<Int> {
        let way = way(group)
        var allowed = way.union(plan.below(group.stage))
        for stage in plan.stages where stage.inputs.contains(where: { $0.port == .rejects && way.contains($0.stage) }) {
            allowed.formUnion(plan.below(stage.index))
        }
        return allowed
    }

    /// Refuses a mixture in which rows of one stage would go where they were before.
    private func check(_ group: RejectScan.Group) throws(DaybookError) {
        let behind = plan.below(group.stage)
        let allowed = allowed(group).filter { !isOutput($0) || behind.contains($0) || !way(group).contains($0) }
        guard let again = reached(from: group.source).subtracting(allowed).min() else { return }
        let other =
            groups.first {
                $0.stage != group.stage && (plan.below($0.stage).contains(again) || way($0).contains(again))
            }?.stage ?? again
        let names = [group.stage, other, again].map { plan.stages[$0].id }
        throw DaybookError(
            "mixed-rejects",
            "rows that '\(names[1])' rejected go on to '\(names[2])', where those that '\(names[0])' rejected have been already",
            hint: "replay them one stage after the other: '--stage \(names[1])', then '--stage \(names[0])'"
        )
    }

    /// Refuses records that would also come by a branch which had them the first time.
    private func checkSilent(_ group: RejectScan.Group) throws(DaybookError) {
        let others = silent.intersection(plan.below(group.source)).subtracting(allowed(group))
        guard let other = others.max() else { return }
        let (id, origin) = (plan.stages[other].id, plan.stages[group.source].id)
        throw refusal(other, "rows of '\(origin)' also come by '\(id)', which had them the first time")
    }

    /// The kept stages that rows of a source reach.
    private func reached(from source: Int) -> Set<Int> {
        var found: Set<Int> = [source]
        for index in kept.sorted() where inputs(of: index).contains(where: { found.contains($0.stage) }) {
            found.insert(index)
        }
        return found
    }

    private mutating func keepSilent() {
        for index in kept where plan.stages[index].readsInTurn {
            for input in plan.stages[index].inputs where !input.isBuildSide {
                silent.formUnion(all(above: input.stage).subtracting(kept))
            }
        }
    }

    private mutating func keepBuildSides() throws(DaybookError) {
        let replayed = Set(groups.map(\.source)).union(silent)
        for reader in kept.union(silent).sorted() {
            for side in plan.stages[reader].inputs where side.isBuildSide { sides.formUnion(all(above: side.stage)) }
            guard replayed.isDisjoint(with: sides) else {
                let id = plan.stages[reader].id
                throw refusal(reader, "'\(id)' looks things up in rows that come from the files that are replayed")
            }
        }
        if let store = silent.sorted().first(where: plan.isStore) {
            let rows = "the rows of '\(plan.stages[store].id)', which come beside those that are replayed"
            throw refusal(store, "\(rows), stand in a database")
        }
    }

    private func refusal(_ stage: Int, _ message: String) -> DaybookError {
        let hint = "mend the records where they stand, and run the job again"
        return DaybookError("cannot-replay", message, at: plan.stages[stage].place, hint: hint)
    }

    /// A stage and everything that it needs.
    private func all(above index: Int) -> Set<Int> {
        var found: Set<Int> = [index]
        for stage in plan.stages[...index].reversed() where found.contains(stage.index) {
            found.formUnion(stage.inputs.map(\.stage))
        }
        return found
    }

    /// The inputs of a kept stage, without the outputs in between that are left out.
    private func inputs(of index: Int) -> [PlannedStage.Input] {
        plan.stages[index].inputs.compactMap { input in
            if input.isNamedByOptions { return nil }
            var input = input
            while !isRun(input.stage) {
                guard isOutput(input.stage), input.port == .rows, let next = plan.stages[input.stage].inputs.first
                else { return nil }
                input.stage = next.stage
                input.port = next.port
            }
            // A stage on the way of replayed rows gets no other rows.
            let isForeign = sides.contains(input.stage) && !kept.contains(input.stage) && !input.isBuildSide
            return kept.contains(index) && isForeign ? nil : input
        }
    }

    private func isRun(_ index: Int) -> Bool { kept.contains(index) || sides.contains(index) || silent.contains(index) }

    /// The job of the kept stages.
    var job: Job {
        var job = plan.job
        job.tests = []
        job.stages = kept.union(sides).union(silent).sorted().map { index in
            var stage = plan.job.stages[index]
            stage.id = plan.stages[index].id
            stage.from = inputs(of: index).map { plan.reference(to: $0, at: plan.stages[index].place) }
            return stage
        }
        return job
    }
}

import DaybookBytes

/// Files of a run: found, opened to read their heads, and ready to be read.
package struct RunInputs {
    /// File in the manifest.
    package struct File {
        package let path: InputPath
        /// Summary of the input, called after its last byte: a file that is opened twice has another text by then.
        package let summary: () throws(DaybookError) -> RunOutcome.Input
        /// State of the service; nil for a file.
        let version: InputVersion?

        package init(
            path: InputPath,
            version: InputVersion? = nil,
            summary: @escaping () throws(DaybookError) -> RunOutcome.Input
        ) {
            (self.path, self.version, self.summary) = (path, version, summary)
        }

        /// Digest of the file's ends, which identifies the file without a full read.
        func ends() throws(DaybookError) -> String {
            if let version { version.text } else { try path.endsDigest() }
        }
    }

    /// Inputs of each source stage that could be opened.
    private var opened: [Int: any OpenedInputs] = [:]
    /// Files in the order of reading by the stages.
    package private(set) var files: [File] = []
    package private(set) var warnings: [(stage: Int, finding: RenderedFinding)] = []
    /// Intake of each import that need not read all of its files.
    private(set) var intakes: [RunOutcome.Intake] = []
    /// The days that each import which names days reads.
    private(set) var days: [Int: Set<CalendarDay>] = [:]
    let settings: RunSettings
    package let registry: SourceRegistry
    /// Errors of files that could not be opened; the stages that read them have no columns.
    private(set) var faults: [DaybookError] = []
    /// Stage of each source, by its index in the registry.
    private var owners: [Int] = []
    /// Files whose rows are read, without companion files.
    private var read: [InputPath] = []
    /// Paths and patterns of the files.
    private var patterns: [PathText] = []
    /// Whether some rows do not come from the files of a job.
    private var isGiven = false

    /// No inputs yet.
    init(_ settings: RunSettings, registry: SourceRegistry = SourceRegistry()) {
        (self.settings, self.registry) = (settings, registry)
    }

    /// - Parameter scansDays: whether the days of files whose rows have them are learnt, by reading what is new.
    package init(
        _ plan: Plan,
        _ settings: RunSettings,
        registry: SourceRegistry = SourceRegistry(),
        scansDays: Bool = true
    ) throws(DaybookError) {
        self.init(settings, registry: registry)
        if let each = plan.job.each {
            if let failure = each.failure { throw failure }
            // Each place has its own inputs and outputs, which are open together.
            Descriptor.raiseLimit()
        }
        let mask = SecretMask(plan.job.secrets)
        let (found, scanned) = try find(plan, scansDays: scansDays)
        for stage in plan.stages {
            guard case .source(let source) = stage.role else { continue }
            if case .given = source { isGiven = true }
            patterns += source.patterns.filter { !$0.isStandardStream }
            let firstText = registry.count
            defer { owners += [Int](repeating: stage.index, count: registry.count - firstText) }
            if case .service(let service) = source {
                try open(service, of: stage)
                continue
            }
            var paths: [InputPath] = []
            do throws(DaybookError) {
                guard let found = try found[stage.index]?.get() else { continue }
                paths = found.read
                if source.intake.day != nil { days[stage.index] = found.days }
                warnings += found.warnings.map { (stage.index, RenderedFinding($0)) }
                note(found, of: stage, source.intake.isNewOnly, nil)
                let inputs = try open(source, found, since: stage.bound(after: settings.positions))
                if var since = inputs.since {
                    since.origin = stage.sinceOrigin(in: plan.job)
                    try plan.checkChanged(since, of: stage)
                    note(found, of: stage, false, since)
                }
                opened[stage.index] = inputs
                read += paths
                files += inputs.files.map { $0.holding(found.days(of: $0.path), as: scanned[$0.path]) }
                warnings += inputs.warnings(of: stage).map { (stage.index, $0) }
            } catch {
                let error = error.withoutPartsOfSecrets(mask)
                // A fault of one file does not prevent judging the rules about others.
                guard error.blame == .data else { throw error }
                faults.append(error)
                files += paths.map(RunInputs.unread)
            }
        }
        if let redo = settings.redo, !settings.mayRedoNothing, days.values.allSatisfy(\.isEmpty), faults.isEmpty {
            let name =
                redo.range.lowerBound == redo.range.upperBound
                ? "\(redo.range.lowerBound)" : "the days from \(redo.range.lowerBound) to \(redo.range.upperBound)"
            throw .data(
                "no-such-day",
                "no file belongs to \(name)",
                hint: "'daybook explain' lists the files that the job finds"
            )
        }
    }

    /// The files of each source stage. A run reads all files of each of its days, of every import that names days.
    private func find(
        _ plan: Plan,
        scansDays: Bool
    ) throws(DaybookError) -> (found: [Int: Result<FoundInputs, DaybookError>], scanned: [InputPath: InputIdentity]) {
        var found: [Int: Result<FoundInputs, DaybookError>] = [:]
        var scanned: [InputPath: InputIdentity] = [:]
        for stage in plan.stages {
            guard case .source(let source) = stage.role, source.address == nil else { continue }
            let scan = { (path: InputPath) throws(DaybookError) in
                scanned[path] = (try? path.identity()) ?? nil
                return try RunInputs(settings).days(of: path, stage, plan)
            }
            found[stage.index] = Result { () throws(DaybookError) in
                try FoundInputs(
                    source,
                    besides: plan.stages.compactMap { $0.index == stage.index ? nil : $0.source },
                    settings,
                    asOf: plan.context.asOf,
                    made: plan.outputPaths.map { FilePath.directory(of: FilePath.tidied($0.text)) },
                    hasRows: { path throws(DaybookError) in try RunInputs(settings).hasRows(path, source) },
                    scan: scansDays ? scan : nil
                )
            }
        }
        var days = found.values.reduce(into: Set()) { $0.formUnion((try? $1.get().days) ?? []) }
        var count = -1
        while count != days.count {
            count = days.count
            days = found.values.reduce(days) { (try? $1.get().reach(of: $0)) ?? $0 }
        }
        let taken = found.mapValues { found in
            Result { () throws(DaybookError) in
                var found = try found.get()
                try found.take(days)
                return found
            }
        }
        return (taken, scanned)
    }

    /// Whether a file of an import has rows.
    private func hasRows(_ path: InputPath, _ source: SourceKind) throws(DaybookError) -> Bool {
        let opened = try open(source, [path])
        let feed = try opened.feed(opened.schema, morselSize: settings.morselSize, registry)
        var findings = Findings()
        while let item = try feed.next() { if item.read(reporting: &findings).count > 0 { return true } }
        return false
    }

    /// First value of each column that gave the column several kinds.
    var mixedValues: [(stage: Int, finding: RenderedFinding)] { warnings.filter { $0.finding.code == "mixed-kinds" } }

    /// Columns with values of several kinds, by the stage that reads them.
    package var mixed: [Int: Set<String>] {
        Dictionary(grouping: mixedValues, by: \.stage).mapValues { Set($0.compactMap(\.finding.field)) }
    }

    /// Whether a text is longer than its head.
    var areLong: Bool { opened.values.contains(where: \.isLong) }

    /// Whether all inputs can be read again.
    var canBeReadAgain: Bool { !files.contains { $0.path.isReadOnce } }

    /// Total bytes of the files whose rows are read; nil if unknown.
    var bytesToRead: Int? { isGiven ? nil : read.totalSize }

    /// Paths of the files as commits name them.
    var targets: [String] {
        files.compactMap { $0.version == nil && !$0.path.isStandardInput ? $0.path.canonical : nil }
    }

    private mutating func open(_ service: any ServiceSource, of stage: PlannedStage) throws(DaybookError) {
        isGiven = true
        let inputs = try ServiceInputs(service, registry, settings)
        let isKnown = settings.ingested?.holds(inputs.version, of: service.address.text) ?? false
        let isTaken = service.intake.isNewOnly && isKnown
        opened[stage.index] = isTaken ? UnreadInputs(columnsOf: inputs) : inputs
        guard !isTaken else {
            intakes.append(RunOutcome.Intake(stage: stage.id, isNewOnly: true, absent: [], files: 1, taken: 1))
            return
        }
        files += inputs.files
    }

    private func open(
        _ source: SourceKind,
        _ found: FoundInputs,
        since: SinceBound?
    ) throws(DaybookError) -> any OpenedInputs {
        guard found.isEmpty else { return try open(source, found.read, since: since) }
        guard let last = found.taken.last else { return UnreadInputs(declaredBy: source) }
        return UnreadInputs(columnsOf: try open(source, [last]))
    }

    /// Notes which inputs of an import are read, if it need not read all.
    private mutating func note(_ found: FoundInputs, of stage: PlannedStage, _ isNewOnly: Bool, _ since: SinceReading?)
    {
        intakes.removeAll { $0.stage == stage.id }
        guard isNewOnly || since != nil || !found.absent.isEmpty else { return }
        intakes.append(
            RunOutcome.Intake(
                stage: stage.id,
                isNewOnly: isNewOnly && since == nil,
                absent: found.absent,
                files: found.read.count + found.taken.count,
                taken: found.taken.count,
                leftOut: found.leftOut,
                days: found.days.sorted(),
                dayOfFile: found.dayOfFile,
                remarks: found.remarks,
                copies: found.copies,
                reasons: found.reasons,
                since: since
            )
        )
    }

    func open(
        _ source: SourceKind,
        _ paths: [InputPath],
        since: SinceBound? = nil
    ) throws(DaybookError) -> any OpenedInputs {
        switch source {
        case .given(let source): return try source.open(registry, settings)
        case .service(let source): return try ServiceInputs(source, registry, settings)
        case .stores(let source):
            return try StoreInputs(paths, source, settings, since: since) {
                registry.add(SourceRegistry.Entry(path: $0.name))
            }
        case .files(let source):
            var texts: [OpenInput] = []
            var files: [File] = []
            for path in paths {
                let file = try OpenFile(
                    path,
                    of: source,
                    at: self.files.count + files.count,
                    sha256: settings.sha256,
                    isCancelled: settings.isCancelled
                ) {
                    registry.add(SourceRegistry.Entry(path: path.name, holder: $0))
                }
                files.append(RunInputs.file(path, file))
                texts += file.inputs
            }
            let whole =
                settings.learnsAll ? try WholeTexts(paths, of: source, isCancelled: settings.isCancelled) : nil
            return try TextInputs(texts, of: source, files: files, learningFrom: whole)
        }
    }

    /// Whether a stage found no file at all, so that only its options give its columns.
    func isAbsent(_ stage: Int) -> Bool { (opened[stage] as? UnreadInputs)?.isAbsent == true }

    /// Missing columns: the options of a stage name them and its files do not have them.
    package func missing(from stage: Int) -> [DaybookError] { opened[stage]?.missing ?? [] }

    /// Place of the column names in the first file of a stage.
    package func header(of stage: Int) -> SourcePlace? { opened[stage]?.header }

    /// Stage that reads a source, by the number of the source or by its name.
    func owner(of source: Int) -> Int? { owners.indices.contains(source) ? owners[source] : nil }
    func owner(of name: String) -> Int? { owners.indices.first { registry[$0].path == name }.map { owners[$0] } }

    package var schemas: [Int: Schema] { opened.mapValues(\.schema) }

    /// Feed of a stage that reads files, or of some parts of these; nil if they could not be opened.
    package func feed(
        of stage: PlannedStage,
        parts: [InputPart]? = nil,
        morselSize: Int
    ) throws(DaybookError) -> (any SourceItemFeed)? {
        guard let inputs = opened[stage.index] else { return nil }
        if let parts, let texts = inputs as? TextInputs {
            return texts.feed(stage.schema, of: parts, morselSize: morselSize, registry)
        }
        let all = try inputs.feed(stage.schema, morselSize: morselSize, registry)
        return parts?.isEmpty == true ? StoreFeed([], batchSize: morselSize) : all
    }

    /// Parts of a stage's files; reads the files to the end.
    func parts(of stage: PlannedStage, size: Int) throws(DaybookError) -> [InputPart] {
        try opened[stage.index]?.parts(of: size, registry) ?? []
    }

    /// Refuses an output that would replace the job, or a file that the run reads: the next run would read its own
    /// result.
    ///
    /// - Parameter isExtended: whether the output keeps its previous content, so that the run may read it.
    func refuse(_ path: PathText, isExtended: Bool = false) throws(DaybookError) {
        let target = FilePath.canonical(FilePath.join(settings.directory, path.text))
        if settings.state.holds(target) { throw OutputName.inState(path.text, at: path.place) }
        let job = settings.jobFile.flatMap { $0 == "-" ? FilePath.standardInput : FilePath.canonical($0) }
        if job == target {
            let message = "'\(path.text)' is the job file itself"
            throw DaybookError("output-is-job", message, at: path.place, hint: "write to another path")
        }
        let input = files.first { $0.path.canonical == target }
        let pattern = patterns.first {
            let pattern = PathPattern($0.text, from: settings.directory, in: settings.origin)
            return pattern.wouldFind(target, unlessNamed: isExtended)
        }
        if let pattern { throw .outputIsRead(path.text, by: pattern.text) }
        guard let input, !isExtended else { return }
        throw DaybookError(
            "output-is-input",
            "'\(path.text)' is also read, as '\(input.path.name)'",
            at: path.place,
            hint: "write to another path, and keep what patterns read apart from what is written"
        )
    }

    /// Refuses inputs in the directory that the run publishes, in any spelling of the path.
    func refuseInputs(in publish: PathText) throws(DaybookError) {
        let directory = FilePath.canonical(Publication.link(of: publish, from: settings.directory)) + "/"
        let input = files.first { !$0.path.isStandardInput && $0.path.canonical?.hasPrefix(directory) == true }
        guard let input else { return }
        throw .published(input.path.name, in: publish)
    }

    private static func file(_ path: InputPath, _ opened: OpenFile) -> File {
        File(path: path) {
            RunOutcome.Input(
                path: path.name,
                bytes: opened.text.rawByteCount,
                digest: opened.text.digest.finish(),
                recognised: opened.recognised,
                encoding: opened.text.encoding
            )
        }
    }

    /// File that was not read to its end.
    private static func unread(_ path: InputPath) -> File {
        File(path: path) { RunOutcome.Input(path: path.name, bytes: path.size ?? 0) }
    }
}

/// Base file of an output, found and hashed before the run begins.
struct BaseInput {
    /// Nil if there is no base file yet.
    let file: BaseFile?
    let input: RunOutcome.Input?
    private let name: String
    private let path: String
    private let status: FileStatus?

    /// Size limit of a base in memory, in bytes.
    private static let limit = 1 << 30

    /// Finds the base. The result has no file if the base is optional and missing.
    static func find(_ base: SinkBase, in directory: String, _ sha256: SHA256Policy) throws(DaybookError) -> BaseInput {
        do throws(DaybookError) {
            let found = try find(base.path.text, in: directory, sha256)
            guard found.file == nil, base.mustExist else { return found }
            throw InputNotFound(base.path.text, from: directory, isPattern: false).error
        } catch { throw error.located(at: base.path.place) }
    }

    private static func find(_ name: String, in directory: String, _ sha256: SHA256Policy) throws(DaybookError)
        -> BaseInput
    {
        let path = FilePath.join(directory, name)
        do throws(SystemFailure) {
            guard let status = try FileStatus.of(path) else {
                return BaseInput(file: nil, input: nil, name: name, path: path, status: nil)
            }
            guard status.isRegularFile else { throw SystemFailure(EINVAL) }
            let opened = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
            let input = RunOutcome.Input(path: name, bytes: status.size, digest: try FileDigest.of(opened, sha256))
            let file = BaseFile(
                path: path,
                open: { Descriptor.handle(of: path) },
                content: { () throws(DaybookError) in try whole(path, name) }
            )
            return BaseInput(file: file, input: input, name: name, path: path, status: status)
        } catch { throw .cannotRead(name, error) }
    }

    /// Refuses to overwrite changes that another run or program has made since the run began.
    func checkUnchanged(_ state: StateDirectory) throws(DaybookError) {
        let now: FileStatus?
        do { now = try FileStatus.of(path) } catch { throw .cannotRead(name, error) }
        guard now != status else { return }
        let writer = now.flatMap { _ in state.lastWriter(of: path) }
        throw .machine(
            "input-changed",
            "'\(name)' \(now == nil ? "was removed" : status == nil ? "was made" : "changed") while the run went on, "
                + (writer.map { "by \($0), " } ?? "") + "and what changed would be lost",
            hint: "nothing was written; run again"
                + (writer == nil ? " when nothing writes to it any more" : ", which adds to what is there now")
        )
    }

    private static func whole(_ path: String, _ name: String) throws(DaybookError) -> Bytes {
        let bytes: Bytes?
        do { bytes = try WholeFile.read(FilePath.canonical(path), limit: limit) } catch {
            throw .cannotRead(name, error)
        }
        guard let bytes else { throw .cannotRead(name, SystemFailure(ENOENT)) }
        return bytes
    }
}

import DaybookCore

/// The files of a run: found, opened for a look at their beginnings, and ready to be read.
package struct RunInputs {
    /// A file as the manifest lists it.
    package struct File {
        package let path: InputPath
        /// What was read of it. Called when all of it was; a file that is read twice is then another one.
        package let summary: () throws(DaybookError) -> RunOutcome.Input

        package init(path: InputPath, summary: @escaping () throws(DaybookError) -> RunOutcome.Input) {
            self.path = path
            self.summary = summary
        }
    }

    /// The texts of each source stage: its files, or what these hold.
    package private(set) var texts: [Int: [OpenInput]] = [:]
    /// The stores of each stage whose files a library opens.
    private var stores: [Int: StoreInputs] = [:]
    /// In the order in which the stages read them.
    package private(set) var files: [File] = []
    private var opened: [Int: OpenedSource] = [:]
    /// What is at hand of stages whose files are not read.
    private var atHand: [Int: any InputAtHand] = [:]
    package private(set) var warnings: [(stage: Int, finding: RenderedFinding)] = []
    /// Whether there is more of some text than was looked at.
    private(set) var areLong = false
    package let archive: SourceArchive
    /// What is wrong with files that could not be opened for it; the stages that read them have no columns.
    private(set) var faults: [DaybookError] = []
    /// The stage of each source, by its place in the archive.
    private var owners: [Int] = []

    /// How much of a file is looked at to learn its columns, in bytes; less when there are very many files.
    private static func headSize(files: Int) -> Int { min(1 << 20, max(64 << 10, (64 << 20) / max(1, files))) }

    package init(_ plan: Plan, _ settings: RunSettings, archive: SourceArchive) throws(DaybookError) {
        self.archive = archive
        for stage in plan.stages {
            guard case .source(let source) = stage.role else { continue }
            let (firstText, firstFile) = (archive.count, files.count)
            var paths: [InputPath] = []
            do throws(DaybookError) {
                if !(source is any SourceAtHand) { paths = try find(source, settings) }
                try open(stage, source, paths, settings)
            } catch {
                // What is wrong with one file need not keep the rules about others from being judged.
                guard error.blame == .data else { throw error }
                faults.append(error)
                files.removeSubrange(firstFile...)
                files += paths.map(RunInputs.unread)
            }
            owners += [Int](repeating: stage.index, count: archive.count - firstText)
        }
    }

    private mutating func open(
        _ stage: PlannedStage,
        _ source: any ReadingNode,
        _ paths: [InputPath],
        _ settings: RunSettings
    ) throws(DaybookError) {
        if let source = source as? any SourceAtHand {
            let input = try source.open(archive, settings)
            atHand[stage.index] = input
            files += input.files
            warnings += input.warnings(of: stage).map { (stage.index, $0) }
            return
        }
        if let source = source as? any StoreNode {
            let opened = try StoreInputs(paths, source, settings) {
                archive.add(SourceArchive.Entry(path: $0.name))
            }
            stores[stage.index] = opened
            files += opened.files
            warnings += opened.warnings(of: stage).map { (stage.index, $0) }
        }
        guard let source = source as? any SourceNode else { return }
        var inputs: [OpenInput] = []
        for path in paths {
            let file = try OpenFile(
                path,
                of: source,
                at: files.count,
                sha256: settings.sha256,
                isCancelled: settings.isCancelled
            ) {
                archive.add(SourceArchive.Entry(path: path.name, holder: $0))
            }
            files.append(RunInputs.file(path, file))
            inputs += file.inputs
        }
        let texts = inputs
        var areLong = areLong
        let opened = try source.open(texts.count) { file throws(DaybookError) in
            let head = try texts[file].head(RunInputs.headSize(files: texts.count))
            if !head.isWhole { areLong = true }
            return head
        }
        self.areLong = areLong
        for (input, format) in zip(texts, opened.formats) { input.format = format }
        self.texts[stage.index] = texts
        self.opened[stage.index] = opened
        for input in texts { warnings += RunInputs.warnings(of: input, stage).map { (stage.index, $0) } }
    }

    /// The columns that the options of a stage name and its files do not have.
    package func missing(from stage: Int) -> [DaybookError] {
        opened[stage]?.missing ?? stores[stage]?.missing ?? atHand[stage]?.missing ?? []
    }

    /// Where the files of a stage name their columns; that of the first file.
    package func header(of stage: Int) -> SourcePlace? {
        texts[stage]?.first?.header ?? stores[stage]?.header ?? atHand[stage]?.header
    }

    /// The stage that reads a source, by the number of the source or by its name.
    func owner(of source: Int) -> Int? { owners.indices.contains(source) ? owners[source] : nil }
    func owner(of name: String) -> Int? { owners.indices.first { archive[$0].path == name }.map { owners[$0] } }

    package var schemas: [Int: Schema] {
        opened.mapValues(\.schema).merging(stores.mapValues(\.schema)) { first, _ in first }
            .merging(atHand.mapValues(\.schema)) { first, _ in first }
    }

    /// What gives the rows of a stage that reads files.
    package func feed(of stage: PlannedStage, morselSize: Int) -> any SourceItemFeed {
        atHand[stage.index]?.feed(morselSize: morselSize) ?? stores[stage.index]?.feed(morselSize)
            ?? SourceFeed(texts[stage.index] ?? [], morselSize: morselSize)
    }

    /// Refuses an output that would take the place of the job, or of a file that the run reads: the next run would
    /// read its own result.
    func refuse(_ path: PathText, _ settings: RunSettings) throws(DaybookError) {
        let target = FilePath.canonical(FilePath.join(settings.directory, path.text))
        if settings.state.holds(target) { throw OutputName.inState(path.text, at: path.place) }
        let job = settings.jobFile.flatMap { $0 == "-" ? FilePath.standardInput : FilePath.canonical($0) }
        if job == target {
            throw DaybookError(
                "output-is-job",
                "'\(path.text)' is the job file itself",
                at: path.place,
                hint: "write to another path"
            )
        }
        let input = files.first { input in
            (input.path.isStandardInput ? FilePath.standardInput : FilePath.canonical(input.path.path)) == target
        }
        guard let input else { return }
        throw DaybookError(
            "output-is-input",
            "'\(path.text)' is also read, as '\(input.path.name)'",
            at: path.place,
            hint: "write to another path, and keep what patterns read apart from what is written"
        )
    }

    /// Refuses inputs in the directory that the run publishes: the next run would no longer find them there.
    func refuseInputs(in publish: PathText, _ settings: RunSettings) throws(DaybookError) {
        let directory = FilePath.canonical(Publication.link(of: publish, from: settings.directory)) + "/"
        let input = files.first { !$0.path.isStandardInput && FilePath.canonical($0.path.path).hasPrefix(directory) }
        guard let input else { return }
        throw DaybookError(
            "output-is-input",
            "'\(input.path.name)' is read from '\(publish.text)', which the job publishes anew",
            at: publish.place,
            hint: "keep what is read apart from what is written"
        )
    }

    /// Makes the readers, once the columns that are needed are known.
    package func makeReaders(_ plan: Plan) throws(DaybookError) {
        for (stage, input) in atHand { try input.makeReaders(for: plan.stages[stage].schema, archive) }
        for (stage, inputs) in stores { try inputs.makeRows(plan.stages[stage], archive) }
        for (stage, inputs) in texts {
            guard let source = opened[stage] else { continue }
            for (index, input) in inputs.enumerated() {
                input.reader = source.reader(index, plan.stages[stage].schema)
                archive.setReader(input.reader, input.format.lineEnd, of: input.name.index)
                if let again = input.recordAgain { archive.setAgain(again, of: input.name.index) }
            }
        }
    }

    private func find(_ source: any ReadingNode, _ settings: RunSettings) throws(DaybookError) -> [InputPath] {
        var inputs: [InputPath] = []
        var seen: [String: InputPath] = [:]
        for path in source.paths {
            let found: [InputPath]
            do {
                found = try PathPattern(path.text, from: settings.directory).expand()
            } catch {
                throw error.located(at: path.place)
            }
            for input in found {
                // Every row of a file that is read twice would count twice, and nobody means that.
                if let other = seen.updateValue(input, forKey: FilePath.canonical(input.path)) {
                    let both = other.name == input.name ? "twice" : "as '\(other.name)' and as '\(input.name)'"
                    throw DaybookError(
                        "input-twice",
                        "one file is read \(both)",
                        at: path.place,
                        hint: "name it once; patterns may overlap"
                    )
                }
                inputs.append(input)
            }
        }
        return inputs
    }

    private static func file(_ path: InputPath, _ opened: OpenFile) -> File {
        File(path: path) {
            RunOutcome.Input(
                path: path.name,
                bytes: opened.text.rawByteCount,
                digest: opened.text.digest.finish(),
                recognised: opened.recognised
            )
        }
    }

    /// A file that was not read to its end.
    private static func unread(_ path: InputPath) -> File {
        File(path: path) {
            let status = path.isStandardInput ? nil : try? FileStatus.of(path.path)
            return RunOutcome.Input(path: path.name, bytes: status?.size ?? 0, digest: nil)
        }
    }

    /// What is odd about a text as a whole, as its container and its format say.
    package static func warnings(of input: OpenInput, _ stage: PlannedStage) -> [RenderedFinding] {
        let ofContainer = input.warnings.map { SourceWarning($0, at: 0, of: Cell(start: nil, count: 0)) }
        return (ofContainer + input.format.warnings).map { finding($0, input, stage) }
    }

    private static func finding(_ warning: SourceWarning, _ input: OpenInput, _ stage: PlannedStage) -> RenderedFinding
    {
        RenderedFinding(
            severity: warning.kind.severity,
            code: warning.kind.code,
            message: warning.kind.message,
            stage: stage.id,
            jobPlace: stage.place,
            source: input.path.name,
            line: input.holder.map(\.line) ?? warning.line,
            column: input.holder.map(\.column) ?? warning.column,
            byte: input.holder.map { $0.byte.map { $0 + warning.at } } ?? warning.at,
            pointer: input.holder?.pointer,
            field: nil,
            value: nil
        )
    }
}

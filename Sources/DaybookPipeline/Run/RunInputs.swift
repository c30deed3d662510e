import DaybookCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files of a run: found, opened for a look at their beginnings, and ready to be read.
struct RunInputs {
    /// The files of each source stage.
    private(set) var files: [Int: [OpenInput]] = [:]
    /// The stores of each stage whose files a library opens.
    private var stores: [Int: StoreInputs] = [:]
    private var opened: [Int: OpenedSource] = [:]
    private(set) var warnings: [(stage: Int, finding: RenderedFinding)] = []
    let archive: SourceArchive

    /// How much of a file is looked at to learn its columns, in bytes; less when there are very many files.
    private static func headSize(files: Int) -> Int { min(1 << 20, max(64 << 10, (64 << 20) / max(1, files))) }

    init(_ plan: Plan, _ settings: RunSettings, archive: SourceArchive) throws(DaybookError) {
        self.archive = archive
        for stage in plan.stages {
            guard case .source(let source) = stage.role else { continue }
            let found = try find(source, settings)
            if let source = source as? any StoreNode {
                stores[stage.index] = try StoreInputs(found, source, settings)
                continue
            }
            guard let source = source as? any SourceNode else { continue }
            let encoding = source.encoding
            let inputs = found.map {
                OpenInput($0.path, index: $0.index, encoding: encoding, isCancelled: settings.isCancelled)
            }
            files[stage.index] = inputs
            var warned: [RenderedFinding] = []
            let opened = try source.open(inputs.count) { file throws(DaybookError) in
                try inputs[file].head(RunInputs.headSize(files: inputs.count))
            }
            for (input, format) in zip(inputs, opened.formats) {
                input.format = format
                for warning in format.warnings { warned.append(RunInputs.finding(warning, input, stage)) }
            }
            self.opened[stage.index] = opened
            warnings += warned.map { (stage.index, $0) }
        }
    }

    var schemas: [Int: Schema] {
        opened.mapValues(\.schema).merging(stores.mapValues(\.schema)) { first, _ in first }
    }

    /// Every file that is read: by what name, and where it is.
    private var paths: [(name: String, path: String?)] {
        files.values.joined().map {
            ($0.path.name, $0.path.isStandardInput ? FilePath.standardInput : FilePath.canonical($0.path.path))
        } + stores.values.flatMap(\.paths)
    }

    /// What gives the rows of a stage that reads files.
    func feed(of stage: PlannedStage, _ settings: RunSettings) -> any SourceItemFeed {
        stores[stage.index]?.feed() ?? SourceFeed(files[stage.index] ?? [], morselSize: settings.morselSize)
    }

    /// What was read, in the order of the stages. Called when all of it was.
    func summaries() throws(DaybookError) -> [RunOutcome.Input] {
        var summaries: [RunOutcome.Input] = []
        for stage in Set(files.keys).union(stores.keys).sorted() {
            summaries += (files[stage] ?? []).map {
                RunOutcome.Input(path: $0.path.name, bytes: $0.text.rawByteCount, sha256: $0.text.digest.finish())
            }
            summaries += try stores[stage]?.summaries() ?? []
        }
        return summaries
    }

    /// Refuses an output that would take the place of the job, or of a file that the run reads: the next run would
    /// read its own result.
    func refuse(_ path: PathText, _ settings: RunSettings) throws(DaybookError) {
        let target = FilePath.canonical(FilePath.join(settings.directory, path.text))
        let job = settings.jobFile.flatMap { $0 == "-" ? FilePath.standardInput : FilePath.canonical($0) }
        if job == target {
            throw DaybookError(
                "output-is-job",
                "'\(path.text)' is the job file itself",
                at: path.place,
                hint: "write to another path"
            )
        }
        let input = paths.first { $0.path == target }
        guard let input else { return }
        throw DaybookError(
            "output-is-input",
            "'\(path.text)' is also read, as '\(input.name)'",
            at: path.place,
            hint: "write to another path, and keep what patterns read apart from what is written"
        )
    }

    /// Makes the readers, once the columns that are needed are known.
    func makeReaders(_ plan: Plan) throws(DaybookError) {
        for (stage, inputs) in stores { try inputs.makeRows(plan.stages[stage], archive) }
        for (stage, inputs) in files {
            guard let source = opened[stage] else { continue }
            for (index, input) in inputs.enumerated() {
                input.reader = source.reader(index, plan.stages[stage].schema)
                archive.setReader(input.reader, of: input.name.index)
                if input.isPlainFile { archive.setRecord(RecordAgain.of(input), of: input.name.index) }
            }
        }
    }

    private func find(
        _ source: any ReadingNode,
        _ settings: RunSettings
    ) throws(DaybookError) -> [(path: InputPath, index: Int)] {
        var inputs: [(path: InputPath, index: Int)] = []
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
                let index = archive.add(SourceArchive.Entry(path: input.name, record: nil, reader: nil))
                inputs.append((input, index))
            }
        }
        return inputs
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
            line: warning.line,
            column: warning.column,
            byte: warning.at,
            pointer: nil,
            field: nil,
            value: nil
        )
    }
}

/// Reads single records of a plain file once more, for findings about rows whose morsels are gone.
enum RecordAgain {
    static func of(_ input: OpenInput) -> @Sendable (RowOrigin) -> Bytes? {
        let path = input.path.path
        return { origin in
            // A finding that cannot show the record still tells its line, so a failure here is no error.
            guard let file = try? Descriptor(opening: path, O_RDONLY) else { return nil }
            let bytes = Bytes(capacity: Int(origin.length))
            let got = pread(file.number, bytes.mutableBase, Int(origin.length), off_t(origin.offset))
            guard got == Int(origin.length) else { return nil }
            bytes.count = got
            return bytes
        }
    }
}

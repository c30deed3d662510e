import DaybookBytes

/// Stores that one stage reads: found, and opened by the stage.
package final class StoreInputs: OpenedInputs, @unchecked Sendable {
    private let contexts: [InputContext]
    private let opened: OpenedStores

    package var schema: Schema { opened.schema }
    package var missing: [DaybookError] { opened.missing }
    package var since: SinceReading? { opened.since }
    /// A store has no lines, so the place is its beginning.
    package var header: SourcePlace? { contexts.first.map { SourcePlace(file: $0.input.shown, line: 1, column: 1) } }
    /// Stores and their companion files.
    package var files: [RunInputs.File] { zip(contexts, opened.recognised).flatMap { $0.files(recognised: $1) } }

    /// `index` returns the index of each store among the inputs of the run.
    ///
    /// - Parameter since: the requested rows; nil for all.
    package init(
        _ paths: [InputPath],
        _ source: any StoreSource,
        _ settings: RunSettings,
        since: SinceBound? = nil,
        index: (InputPath) -> Int
    ) throws(DaybookError) {
        if since != nil, paths.count > 1 {
            throw DaybookError(
                "since-of-several",
                "'since' reads one database, and there are \(DisplayText.count(paths.count)): "
                    + "'\(paths[0].shown)', '\(paths[1].shown)'\(paths.count > 2 ? ", …" : "")",
                at: source.paths.first?.place,
                hint: "read each by an import of its own, for one value cannot tell what is new in several"
            )
        }
        contexts = try paths.map { path throws(DaybookError) in
            try InputContext(
                path,
                index: index(path),
                companions: type(of: source).companions,
                sha256: settings.sha256,
                isCancelled: settings.isCancelled
            )
        }
        opened = try StoreInputs.open(contexts, source, since: since)
    }

    private static func open(
        _ contexts: [InputContext],
        _ source: any StoreSource,
        since: SinceBound? = nil
    ) throws(DaybookError) -> OpenedStores {
        do throws(DaybookError) {
            return try source.open(contexts.count) { file throws(DaybookError) in
                do throws(DaybookError) { return try contexts[file].file(since: since) } catch {
                    throw error.about(contexts[file].input.shown)
                }
            }
        } catch {
            // Of several stores, only the stage knows which one the error is about.
            throw contexts.count == 1 ? error.about(contexts[0].input.shown) : error
        }
    }

    /// Columns of the stores at `paths`, with the least reading.
    package static func schema(of paths: [InputPath], _ source: any StoreSource) throws(DaybookError) -> Schema {
        let contexts = try paths.map { path throws(DaybookError) in
            try InputContext(path, index: 0, companions: type(of: source).companions, isCancelled: { false })
        }
        let opened = try open(contexts, source)
        if let missing = opened.missing.first { throw missing }
        return opened.schema
    }

    /// Warnings about the stores as a whole.
    package func warnings(of stage: PlannedStage) -> [RenderedFinding] {
        zip(contexts, opened.warnings).flatMap { context, warnings in
            warnings.map { kind in
                RenderedFinding(
                    severity: kind.severity,
                    code: kind.code,
                    message: kind.message,
                    stage: stage.id,
                    jobPlace: stage.place,
                    source: context.input.name
                )
            }
        }
    }

    package func feed(
        _ schema: Schema,
        morselSize: Int,
        _ registry: SourceRegistry
    ) throws(DaybookError) -> any SourceItemFeed {
        let stores = try contexts.enumerated().map { file, context throws(DaybookError) in
            let rows = try opened.rows(file, schema)
            registry.setRows(rows, of: context.source.index)
            return (rows, context.byteCount)
        }
        return StoreFeed(stores, batchSize: morselSize)
    }
}

/// Result of opening all stores of a stage.
private struct OpenedStores: Sendable {
    var schema: Schema
    /// Missing columns: the options name them and no store has them.
    var missing: [DaybookError]
    /// Detected format and content of each store.
    var recognised: [[String]]
    /// Warnings about each store.
    var warnings: [[Finding.Kind]]
    /// Result of the request for new rows.
    var since: SinceReading?
    /// Makes the row reader for the store with that index and the needed columns.
    var rows: @Sendable (_ file: Int, _ schema: Schema) throws(DaybookError) -> any StoreRows
}

extension StoreSource {
    /// Opens all files one after another.
    fileprivate func open(
        _ count: Int,
        file: (Int) throws(DaybookError) -> StoreFile
    ) throws(DaybookError) -> OpenedStores {
        let stores = try (0..<count).map { index throws(DaybookError) in try open(try file(index)) }
        let schema = try schemaWithFile(of: stores)
        return OpenedStores(
            schema: schema,
            missing: missing(from: stores),
            recognised: stores.map(\.recognised),
            warnings: stores.map(\.warnings),
            since: stores.first?.since
        ) { [self, stores] file, schema throws(DaybookError) in
            try rowsWithFile(of: stores[file], schema: schema)
        }
    }
}

/// Supplies the batches of stores, one store after another.
package final class StoreFeed: SourceItemFeed {
    private let stores: [(rows: any StoreRows, byteCount: Int)]
    private var current = 0
    package private(set) var byteCount = 0
    /// Number of bytes of the current store that are already counted.
    private var told = 0

    private let batchSize: Int

    package init(_ stores: [(rows: any StoreRows, byteCount: Int)], batchSize: Int) {
        self.stores = stores
        self.batchSize = batchSize
    }

    package func next() throws(DaybookError) -> SourceItem? {
        while current < stores.count {
            let store = stores[current]
            let clock = Stopwatch()
            var findings = Findings()
            if let batch = try store.rows.next(batchSize, reporting: &findings) {
                let done = Int(Double(store.byteCount) * min(1, max(0, store.rows.share)))
                var item = SourceItem(batch, findings, byteCount: count(upTo: done))
                item.nanoseconds = clock.elapsed
                return item
            }
            _ = count(upTo: store.byteCount)
            current += 1
            told = 0
        }
        return nil
    }

    /// Counts the bytes of the current store up to `done` as read, and returns the number of new ones.
    private func count(upTo done: Int) -> Int {
        let new = max(0, done - told)
        told += new
        byteCount += new
        return new
    }
}

/// Incremental state of a stage: its mark in a store.
public struct StagePosition: Sendable {
    public var column: String
    public var value: StoreValue
    /// Number of rows up to the mark; nil if unknown.
    public var rows: Int?
    /// Rows of the overlap, as read; nil if they were not stored.
    public var overlap: [OverlapRow]?
    /// For a repeated run, the rows up to the mark that the original run read; nil for other runs.
    public var reread: [StoreValue]?

    public init(column: String, value: StoreValue, rows: Int? = nil, overlap: [OverlapRow]? = nil) {
        (self.column, self.value, self.rows, self.overlap) = (column, value, rows, overlap)
    }
}

extension PlannedStage {
    /// Column by which the stage recognises new rows of a store; nil if the stage reads all.
    package var since: SinceColumn? {
        if case .source(.stores(let source)) = role { source.since } else { nil }
    }

    /// What an import with `since` reads, as the job names it: its paths, and the table or query. Nil for other stages, and where
    /// a path names the day: the file of another day is no other origin.
    package func sinceOrigin(in job: Job) -> String? {
        guard case .source(.stores(let source)) = role, let since = source.since,
            !source.paths.contains(where: { $0.place.map(job.dated.contains) == true })
        else { return nil }
        return (source.paths.map { FilePath.tidied($0.text) } + [since.subject]).joined(separator: "\n")
    }

    /// Rows of a store to request after the `marks` of earlier runs; nil for all.
    package func bound(after marks: [String: StagePosition]) -> SinceBound? {
        guard let since else { return nil }
        guard let known = marks[id], known.column == since.column else {
            var bound = SinceBound(since.start, isInclusive: true)
            bound.overlap = since.overlap
            return bound
        }
        var bound = SinceBound(known.value, isInclusive: false)
        (bound.known, bound.overlap, bound.kept) = (known.rows, since.overlap, known.overlap)
        bound.reread = known.reread
        return bound
    }
}

extension Plan {
    /// Refuses to add changed rows again to outputs that do not overwrite them by key.
    func checkChanged(_ since: SinceReading, of stage: PlannedStage) throws(DaybookError) {
        guard let changed = since.overlap?.changed, changed > 0 else { return }
        var (reached, waiting) = (Set<Int>(), [stage.index])
        while let next = waiting.popLast() {
            guard reached.insert(next).inserted else { continue }
            waiting += (stages[next].consumers + stages[next].rejectConsumers).map(\.stage)
        }
        for stage in stages where reached.contains(stage.index) {
            guard let target = stage.target, let path = target.path, target.growth?.replacesByKey == false else {
                continue
            }
            throw .data(
                "row-changed",
                "\(DisplayText.count(changed, "row")) of those that were read before \(changed == 1 ? "has" : "have") changed in the database, and '\(path.text)' "
                    + "would hold \(changed == 1 ? "it" : "them") twice",
                at: path.place,
                hint:
                    "write over rows by key, with 'upsert' of export_sqlite; or read all with '--full-refresh', into an output that is removed first"
            )
        }
    }
}

/// Service that one stage reads, open at one state of its data.
final class ServiceInputs: OpenedInputs, Sendable {
    private let address: String
    private let source: SourceName
    private let opened: any OpenedService

    var schema: Schema { opened.schema.withSources }
    var version: InputVersion { opened.version }

    init(_ service: any ServiceSource, _ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) {
        address = service.address.text
        source = SourceName(index: registry.add(SourceRegistry.Entry(path: address)), path: address)
        do throws(DaybookError) {
            opened = try service.open(Context(source: source, cancelled: settings.isCancelled))
        } catch { throw error.about(address) }
    }

    var files: [RunInputs.File] {
        [
            RunInputs.File(path: InputPath(name: address, path: address), version: version) { [address, version] in
                RunOutcome.Input(path: address, bytes: 0, digest: version.digest, version: version)
            }
        ]
    }

    func feed(
        _ schema: Schema,
        morselSize: Int,
        _ registry: SourceRegistry
    ) throws(DaybookError) -> any SourceItemFeed {
        do throws(DaybookError) {
            let rows = try opened.rows(schema)
            registry.setRows(rows, of: source.index)
            return StoreFeed([(rows, 0)], batchSize: morselSize)
        } catch { throw error.about(address) }
    }

    private struct Context: ServiceContext {
        let source: SourceName
        let cancelled: @Sendable () -> Bool

        var isCancelled: Bool { cancelled() }

        func makeFile() throws(DaybookError) -> any ScratchFile { try ScratchDirectory.unnamedFile() }
    }
}

extension InputVersion {
    /// Digest of the service's state, which replaces the digest of a file in comparisons of inputs.
    package var digest: FileDigest {
        let digester = FileDigester(.never)
        digester.update(Bytes(text))
        return digester.finish()
    }
}

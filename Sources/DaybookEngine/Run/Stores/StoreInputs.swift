import DaybookCore

/// The stores that one stage reads: found, opened by the stage, and ready to give their rows.
package final class StoreInputs: @unchecked Sendable {
    private let rooms: [InputRoom]
    private let opened: OpenedStores
    private var rows: [any StoreRows] = []

    package var schema: Schema { opened.schema }
    package var missing: [DaybookError] { opened.missing }
    /// A store has no lines, so it is its beginning.
    package var header: SourcePlace? { rooms.first.map { SourcePlace(file: $0.shown, line: 1, column: 1) } }

    /// `index` gives each store its place among the inputs of the run.
    package init(
        _ paths: [InputPath],
        _ source: any StoreNode,
        _ settings: RunSettings,
        index: (InputPath) -> Int
    ) throws(DaybookError) {
        var rooms: [InputRoom] = []
        for path in paths {
            rooms.append(
                try InputRoom(
                    path,
                    index: index(path),
                    companions: source.companions,
                    sha256: settings.sha256,
                    isCancelled: settings.isCancelled
                )
            )
        }
        self.rooms = rooms
        opened = try StoreInputs.open(rooms, source)
    }

    private static func open(
        _ rooms: [InputRoom],
        _ source: any StoreNode
    ) throws(DaybookError) -> OpenedStores {
        do throws(DaybookError) {
            return try source.open(rooms.count) { file throws(DaybookError) in
                do throws(DaybookError) { return try rooms[file].file() } catch { throw error.about(rooms[file].shown) }
            }
        } catch {
            // Of several stores the stage alone knows which it is about.
            throw rooms.count == 1 ? error.about(rooms[0].shown) : error
        }
    }

    /// The columns of the stores at `paths`, without reading more of them than that takes.
    package static func schema(of paths: [InputPath], _ source: any StoreNode) throws(DaybookError) -> Schema {
        var rooms: [InputRoom] = []
        for path in paths {
            rooms.append(try InputRoom(path, index: 0, companions: source.companions, isCancelled: { false }))
        }
        let opened = try open(rooms, source)
        if let missing = opened.missing.first { throw missing }
        return opened.schema
    }

    /// The stores and the files that belong to them, as the manifest lists them.
    package var files: [RunInputs.File] { zip(rooms, opened.recognised).flatMap { $0.files(recognised: $1) } }

    /// What is odd about the stores as a whole.
    package func warnings(of stage: PlannedStage) -> [RenderedFinding] {
        zip(rooms, opened.warnings).flatMap { room, warnings in
            warnings.map { kind in
                RenderedFinding(
                    severity: kind.severity,
                    code: kind.code,
                    message: kind.message,
                    stage: stage.id,
                    jobPlace: stage.place,
                    source: room.name
                )
            }
        }
    }

    /// Makes what gives the rows, once the columns that are needed are known.
    func makeRows(_ stage: PlannedStage, _ archive: SourceArchive) throws(DaybookError) {
        for (file, room) in rooms.enumerated() {
            let made = try opened.rows(file, stage.schema)
            rows.append(made)
            archive.setRows(made, of: room.source.index)
        }
    }

    package func feed(_ batchSize: Int) -> StoreFeed {
        StoreFeed(zip(rows, rooms).map { ($0, $1.byteCount) }, batchSize: batchSize)
    }
}

/// A batch of a store and what was found in it.
struct StoreItem: SourceItem {
    var batch: Batch
    var findings: Findings
    var byteCount: Int
    var nanoseconds: UInt64

    var records: Morsel? { nil }

    func read(reporting findings: inout Findings) -> Batch {
        findings = self.findings
        return batch
    }

    func settle() {}
}

/// Draws the batches of stores, one store after the other.
package final class StoreFeed: SourceItemFeed {
    private let stores: [(rows: any StoreRows, byteCount: Int)]
    private var current = 0
    /// How many bytes of the current store count as read.
    private var told = 0

    private let batchSize: Int

    package init(_ stores: [(rows: any StoreRows, byteCount: Int)], batchSize: Int) {
        self.stores = stores
        self.batchSize = batchSize
    }

    package func next() throws(DaybookError) -> (any SourceItem)? {
        while current < stores.count {
            let store = stores[current]
            let clock = Stopwatch()
            var findings = Findings()
            if let batch = try store.rows.next(batchSize, reporting: &findings) {
                let done = Int(Double(store.byteCount) * min(1, max(0, store.rows.share)))
                defer { told = max(told, done) }
                return StoreItem(
                    batch: batch,
                    findings: findings,
                    byteCount: max(0, done - told),
                    nanoseconds: clock.elapsed
                )
            }
            current += 1
            told = 0
        }
        return nil
    }
}

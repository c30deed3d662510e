import DaybookCore

/// The stores that one stage reads: found, opened by the stage, and ready to give their rows.
final class StoreInputs: @unchecked Sendable {
    private let rooms: [InputRoom]
    private let opened: OpenedStores
    private var rows: [any StoreRows] = []

    var schema: Schema { opened.schema }

    init(
        _ found: [(path: InputPath, index: Int)],
        _ source: any StoreNode,
        _ settings: RunSettings
    ) throws(DaybookError) {
        let companions = source.companions
        let (rooms, opened) = try StoreInputs.open(
            found,
            source,
            batchSize: settings.morselSize,
            isCancelled: settings.isCancelled
        ) { path, index throws(DaybookError) in
            try InputRoom(path, index: index, companions: companions, isCancelled: settings.isCancelled)
        }
        (self.rooms, self.opened) = (rooms, opened)
    }

    private static func open(
        _ found: [(path: InputPath, index: Int)],
        _ source: any StoreNode,
        batchSize: Int,
        isCancelled: @escaping @Sendable () -> Bool,
        room: (InputPath, Int) throws(DaybookError) -> InputRoom
    ) throws(DaybookError) -> ([InputRoom], OpenedStores) {
        var rooms: [InputRoom] = []
        let opened = try source.open(found.count) { file throws(DaybookError) in
            let made = try room(found[file].path, found[file].index)
            rooms.append(made)
            return try made.file(batchSize: batchSize)
        }
        return (rooms, opened)
    }

    /// The columns of the stores at `paths`, without reading more of them than that takes.
    static func schema(of paths: [InputPath], _ source: any StoreNode) throws(DaybookError) -> Schema {
        let companions = source.companions
        return try open(paths.map { ($0, 0) }, source, batchSize: 64 << 10, isCancelled: { false }) {
            path, index throws(DaybookError) in
            try InputRoom(path, index: index, companions: companions, isCancelled: { false })
        }.1.schema
    }

    /// The stores and the files that belong to them, by name and place.
    var paths: [(name: String, path: String?)] { rooms.flatMap(\.paths) }

    /// Makes what gives the rows, once the columns that are needed are known.
    func makeRows(_ stage: PlannedStage, _ archive: SourceArchive) throws(DaybookError) {
        for (file, room) in rooms.enumerated() {
            let made = try opened.rows(file, stage.schema)
            rows.append(made)
            archive.setRows(made, of: room.source.index)
        }
    }

    func feed() -> StoreFeed { StoreFeed(zip(rows, rooms).map { ($0, $1.byteCount) }) }

    func summaries() throws(DaybookError) -> [RunOutcome.Input] {
        var summaries: [RunOutcome.Input] = []
        for (room, recognised) in zip(rooms, opened.recognised) {
            summaries += try room.summaries(recognised: recognised)
        }
        return summaries
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
final class StoreFeed: SourceItemFeed {
    private let stores: [(rows: any StoreRows, byteCount: Int)]
    private var current = 0
    /// How many bytes of the current store count as read.
    private var told = 0

    init(_ stores: [(rows: any StoreRows, byteCount: Int)]) { self.stores = stores }

    func next() throws(DaybookError) -> (any SourceItem)? {
        while current < stores.count {
            let store = stores[current]
            let clock = Stopwatch()
            var findings = Findings()
            if let batch = try store.rows.next(reporting: &findings) {
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

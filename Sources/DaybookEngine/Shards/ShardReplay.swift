import DaybookBytes

/// Supplies the shards' results to a run, in place of reading the rows.
final class ShardReplay {
    let steps: ShardSteps
    let coding: ShardCoding
    private let readers: [ShardFileReader]
    private let settled: [ShardFileReader]
    private let plan: ReadShardPlan
    /// Path of a source by its number; nil for an unknown number.
    private let path: (Int) -> String?

    init(_ set: ShardSet, _ plan: Plan, _ registry: SourceRegistry = SourceRegistry()) {
        readers = set.files.map(ShardFileReader.init)
        settled = set.settled.map(ShardFileReader.init)
        coding = ShardCoding(plan.stages, plan: set.shards.digest)
        (self.plan, steps) = (set.shards, ShardSteps(plan))
        path = { plan.shownPath(of: $0, registry) }
    }

    /// Whether the shards have done a step.
    func has(_ place: Int) -> Bool { steps.shared.indices.contains(place) }

    /// Passes on the results of all shards for a step, in the order of the input.
    ///
    /// - Parameters:
    ///   - wordsAll: whether every finding needs its message.
    ///   - commit: receives the result of some rows.
    func replay(
        _ step: Int,
        wordsAll: Bool,
        commit: (WorkResult) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        _ = try records(
            of: step,
            result: { result throws(DaybookError) in
                let found = result.findings.tallies.reduce(0) { $0 + $1.count }
                guard !wordsAll || found == result.findings.samples.count else { throw Self.cut(found) }
                try commit(WorkResult(entries: [WorkResult.Entry(result: result)]))
            },
            product: { record throws(DaybookError) in
                if record.kind == .rejects {
                    try commit(WorkResult(rejectLines: [(record.stage, RejectLines(record.bytes))]))
                } else {
                    try commit(WorkResult(entries: [try self.coding.product(record)]))
                }
            }
        )
    }

    private static func cut(_ found: Int) -> DaybookError {
        .data(
            "findings-cut",
            "a shard found \(DisplayText.count(found, "finding")) of one stage and kept the first of them in words, but a baseline has "
                + "to know each",
            at: nil,
            hint:
                "plan the shards again with '--max-findings' at that number or above, or compare with a baseline in a run of one process"
        )
    }

    /// Passes on the records of a step: for each file the results of stages, then their products.
    ///
    /// - Returns: number of records that all files have read, by source number; nil if no file has the step.
    func records(
        of step: Int,
        result: (StageResult) throws(DaybookError) -> Void,
        product: (ShardFile.Record) throws(DaybookError) -> Void
    ) throws(DaybookError) -> [Int: Int]? {
        var read: [Int: Int]?
        for reader in readers {
            var before: [String: Int] = [:]
            do throws(DaybookError) {
                let isThere = try reader.records(of: step) { (record) throws(DaybookError) in
                    switch record.kind {
                    case .records:
                        guard let path = path(record.stage) else { throw ByteReader.damaged }
                        before[path] = read?[record.stage] ?? 0
                        read = (read ?? [:]).merging([record.stage: try self.coding.count(record)], uniquingKeysWith: +)
                    case .result:
                        var made = try self.coding.result(record)
                        made.findings.countRecords(from: before)
                        try result(made)
                    default: try product(record)
                    }
                }
                if isThere { read = read ?? [:] }
            } catch {
                guard error.code == ByteReader.damaged.code else { throw error }
                throw WholeShardFile.refusal(reader.file.path, "is damaged")
            }
        }
        return read
    }

    /// Keys of the shards, by the pass that settles them: step by step the keys of all shards, in the order of the
    /// input.
    func keysByPass() throws(DaybookError) -> [Int: [KeyPlace]] {
        var places: [KeyPlace] = []
        for reader in readers {
            places += try reader.keys().map { KeyPlace(step: $0.step, reader: reader, record: $0.record) }
        }
        var passes: [Int: [KeyPlace]] = [:]
        for step in steps.shared.indices {
            for place in places where place.step == step { passes[place.record.input, default: []].append(place) }
        }
        return passes
    }

    /// Passes on the keys that were settled among all shards, by the number of their stage, after a step was replayed.
    /// Empty except after the last shared step.
    func settledKeys(
        after step: Int,
        _ body: (Int, any PartialKeys) throws(DaybookError) -> Void
    ) throws(DaybookError) {
        guard step == steps.shared.indices.last else { return }
        for reader in settled {
            for (_, record) in try reader.keys() {
                let place = KeyPlace(step: step, reader: reader, record: record)
                try body(record.stage, try keys(at: place))
            }
        }
    }

    func keys(at place: KeyPlace) throws(DaybookError) -> any PartialKeys {
        do throws(DaybookError) {
            return try coding.keys(try place.reader.record(place.record))
        } catch {
            guard error.code == ByteReader.damaged.code else { throw error }
            throw WholeShardFile.refusal(place.reader.file.path, "is damaged")
        }
    }

    /// Inputs according to the plan.
    func inputs(_ files: [RunInputs.File]) throws(DaybookError) -> [RunOutcome.Input] {
        try zip(plan.plan.inputs, files).map { input, file throws(DaybookError) in
            let found = try file.summary()
            return RunOutcome.Input(
                path: input.path,
                bytes: input.bytes,
                digest: input.xxh128.map { FileDigest(xxh128: $0, sha256: input.sha256) },
                recognised: found.recognised,
                encoding: found.encoding
            )
        }
    }
}

/// Place of a stage's keys.
struct KeyPlace {
    let step: Int
    let reader: ShardFileReader
    let record: RecordHead
}

/// Settles one partition of the keys of all shards, so that a merge needs less memory for keys.
public struct ShardExchange {
    private let set: ShardSet
    private let partition: Int
    private let plan: Plan
    private let settings: RunSettings

    /// - Parameter set: the files of the partition.
    public init(_ set: ShardSet, partition: Int, _ plan: Plan, _ settings: RunSettings) {
        (self.set, self.partition, self.plan, self.settings) = (set, partition, plan, settings)
    }

    /// Merges the keys pass by pass, in the order of the input, settles them, writes the file to `directory`, and
    /// returns its path.
    public func settle(into directory: String) throws(DaybookError) -> String {
        Allocation.keepBuffers(threads: settings.threads)
        let file = try ShardFileWriter(.settled(partition), of: set.range, plan: set.shards, into: directory)
        let replay = ShardReplay(set, plan)
        let scratch = ScratchDirectory(memoryLimit: settings.foldBytes, threads: settings.threads)
        try file.append(.step)
        for (pass, places) in try replay.keysByPass().sorted(by: { $0.key < $1.key }) {
            for (stage, keys) in try gather(places, replay, scratch).sorted(by: { $0.key < $1.key }) {
                var keys = keys
                try keys.settle(scratch: scratch)
                try replay.coding.write(keys, of: stage, pass: pass, to: file)
            }
        }
        return try file.finish()
    }

    /// Keys at some places, by the number of their stage.
    private func gather(
        _ places: [KeyPlace],
        _ replay: ShardReplay,
        _ scratch: any Scratch
    ) throws(DaybookError) -> [Int: any PartialKeys] {
        var gathered: [Int: any PartialKeys] = [:]
        for place in places {
            if settings.isCancelled() { throw .interrupted }
            let keys = try replay.keys(at: place)
            // Removed first, to avoid a copy.
            guard var earlier = gathered.removeValue(forKey: place.record.stage) else {
                gathered[place.record.stage] = keys
                continue
            }
            try earlier.append(erased: keys, scratch: scratch)
            gathered[place.record.stage] = earlier
        }
        return gathered
    }
}

/// Files of the shards of a plan, verified, with each shard exactly once.
public struct ShardSet: Sendable {
    public let shards: ReadShardPlan
    /// Files in the order of their shards.
    let files: [WholeShardFile]

    /// Range of the shards.
    var range: Range<Int> { (files.first?.shards.lowerBound ?? 0)..<(files.last?.shards.upperBound ?? 0) }

    /// Settled keys of all shards by partition, if the plan exchanges keys.
    let settled: [WholeShardFile]

    /// Finds the files in directories, and takes files named directly.
    ///
    /// - Parameter partly: whether some neighbouring shards suffice, from the first found to the last.
    public init(_ shards: ReadShardPlan, in places: [String], partly: Bool = false) throws(DaybookError) {
        self.shards = shards
        let found = try ShardSet.files(.shard, of: shards, in: places)
        let all = shards.plan.shards.indices
        let first = found.keys.map(\.lowerBound).min() ?? all.lowerBound
        let last = found.keys.map(\.upperBound).max() ?? all.upperBound
        files = try ShardSet.chain(of: found, over: partly ? first..<last : all, shards)
        guard !partly, let exchange = shards.plan.exchange else {
            settled = []
            return
        }
        settled = try (0..<exchange.partitions).map { partition throws(DaybookError) in
            if let file = try ShardSet.files(.settled(partition), of: shards, in: places)[all] { return file }
            throw .machine(
                "missing-partition",
                "partition \(partition) of the keys is missing",
                hint: "run 'daybook exchange \(shards.file)#\(partition)', and name the directory of its file"
            )
        }
    }

    /// Files of one partition of the keys of all shards.
    public init(_ shards: ReadShardPlan, keysOf partition: Int, in places: [String]) throws(DaybookError) {
        self.shards = shards
        let found = try ShardSet.files(.keys(partition), of: shards, in: places)
        files = try ShardSet.chain(of: found, over: shards.plan.shards.indices, shards)
        settled = []
    }

    /// Files with a given content, by their shards.
    private static func files(
        _ content: ShardFile.Content,
        of shards: ReadShardPlan,
        in places: [String]
    ) throws(DaybookError) -> [Range<Int>: WholeShardFile] {
        var found: [Range<Int>: WholeShardFile] = [:]
        for place in places {
            for path in try ShardSet.paths(in: place, content) {
                let file = try WholeShardFile(path, plan: shards)
                // Two runs of the same shard give the same result.
                if file.content == content, found[file.shards] == nil { found[file.shards] = file }
            }
        }
        return found
    }

    private static func chain(
        of found: [Range<Int>: WholeShardFile],
        over wanted: Range<Int>,
        _ shards: ReadShardPlan
    ) throws(DaybookError) -> [WholeShardFile] {
        let held = Set(found.keys.joined())
        let missing = wanted.filter { !held.contains($0) }
        guard missing.isEmpty else {
            let names = DisplayText.first(10, of: missing.map(String.init))
            throw .machine(
                "missing-shard",
                missing.count == 1 ? "shard \(names) is missing" : "shards \(names) are missing",
                hint: "run 'daybook run --shard \(shards.file)#\(missing[0])', and name the directory of its file"
            )
        }
        guard let files = chain(of: found, over: wanted) else {
            throw .machine(
                "overlapping-shards",
                "no choice of the files holds each shard once",
                hint: "name only the files that belong together"
            )
        }
        return files
    }

    /// Consecutive files that cover each shard of a range once; nil if there are none.
    private static func chain(of found: [Range<Int>: WholeShardFile], over wanted: Range<Int>) -> [WholeShardFile]? {
        let starts = Dictionary(grouping: found.values) { $0.shards.lowerBound }
        // From the end: for each shard the longest file after which the rest is complete.
        var next: [Int: WholeShardFile] = [:]
        for shard in wanted.reversed() {
            next[shard] = starts[shard]?.filter { file in
                file.shards.upperBound == wanted.upperBound || next[file.shards.upperBound] != nil
            }.max { $0.shards.count < $1.shards.count }
        }
        var chain: [WholeShardFile] = []
        var shard = wanted.lowerBound
        while shard < wanted.upperBound {
            guard let file = next[shard] else { return nil }
            chain.append(file)
            shard = file.shards.upperBound
        }
        return chain
    }

    private static func paths(in place: String, _ content: ShardFile.Content) throws(DaybookError) -> [String] {
        do throws(SystemFailure) {
            guard try FileStatus.of(place)?.isDirectory == true else { return [place] }
            let names = try DirectoryListing.entries(in: place).map(\.name)
            return names.filter { $0.hasSuffix(content.suffix) && !$0.hasPrefix(".") }.sorted().map {
                FilePath.join(place, $0)
            }
        } catch { throw .cannotRead(place, error) }
    }
}

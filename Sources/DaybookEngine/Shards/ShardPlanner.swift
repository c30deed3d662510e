import DaybookBytes
import Foundation

/// Makes the plan that shares one run among processes.
public struct ShardPlanner {
    /// Number of shards, or their size.
    public enum Cut: Sendable {
        case count(Int)
        case size(Int)
    }

    /// Limit of shards in a plan.
    public static let mostShards = 100_000

    private var plan: Plan
    private let settings: RunSettings
    private let exchange: Int?

    /// - Parameter exchange: number of partitions for the exchange of keys; nil if the merge collects all keys.
    public init(_ plan: Plan, _ settings: RunSettings, exchange: Int? = nil) {
        (self.plan, self.settings, self.exchange) = (plan, settings, exchange)
    }

    /// Reads all inputs once, cuts them at record ends, and assigns the parts to shards in order.
    ///
    /// The caller adds the job and its params to the plan.
    public mutating func make(_ cut: Cut) throws(DaybookErrors) -> ShardPlan {
        do throws(DaybookError) {
            try refuseStreams()
            try refuseNewOnly()
            try refuseIdleExchange()
        } catch { throw DaybookErrors(error) }
        let inputs = try plan.opened(settings)
        do throws(DaybookError) {
            try refusePieces()
            let (count, size) =
                switch cut {
                case .count(let count):
                    (count as Int?, (inputs.files.reduce(count - 1) { $0 + ($1.path.size ?? 0) }) / count)
                case .size(let size): (nil, size)
                }
            let target = max(1, size)
            let steps = ShardSteps(plan)
            var shards = Shards(count: count, size: target)
            for step in plan.steps {
                guard case .read(let index) = step else { continue }
                let stage = plan.stages[index]
                // Unshared inputs are read here too, for the digests of their files. Parts of equal size fill shards
                // evenly.
                let parts = try inputs.parts(of: stage, size: target / max(1, target / (32 << 20)))
                guard steps.shared.contains(step) else { continue }
                for part in parts { shards.add(part, of: stage.id, first: steps.lookedUp.contains(index)) }
            }
            let files = try inputs.files.map { file throws(DaybookError) in
                let read = try file.summary()
                return ShardPlan.Input(
                    path: read.path,
                    bytes: read.bytes,
                    xxh128: read.digest?.xxh128,
                    sha256: read.digest?.sha256,
                    ends: try file.ends()
                )
            }
            return ShardPlan(
                daybook: "",
                job: ShardPlan.JobFile(file: "", sha256: ""),
                asOf: "\(plan.context.asOf)",
                params: [:],
                set: [],
                seed: HashSeed.text,
                maxFindings: settings.maxFindings,
                exchange: exchange.map {
                    ShardPlan.Exchange(partitions: $0, size: files.reduce(0) { $0 + $1.bytes })
                },
                inputs: files,
                shards: shards.all
            )
        } catch { throw DaybookErrors(error) }
    }

    private func refuseStreams() throws(DaybookError) {
        for input in plan.inputPaths(in: settings.directory) where input.isReadOnce {
            throw DaybookError(
                "stream-in-shards",
                "'\(input.shown)' can be read only once, so it cannot be shared among processes",
                hint: "write it to a file first"
            )
        }
    }

    private func refusePieces() throws(DaybookError) {
        for stage in plan.stages {
            if case .sink(let sink) = stage.operation, !sink.piecesTravel {
                throw DaybookError(
                    "stage-stays-here",
                    "what \(stage.typeName) makes of rows cannot go to another process",
                    at: stage.place,
                    hint: "its 'Piece' has to be Codable"
                )
            }
        }
    }

    /// Refuses imports of new files: each process would need the history from the time of the plan.
    private func refuseNewOnly() throws(DaybookError) {
        for stage in plan.stages where stage.since != nil || stage.source?.intake.isNewOnly == true {
            throw DaybookError(
                "new-only-in-shards",
                "'\(stage.id)' reads only \(stage.since == nil ? "files" : "rows") that are new, which the history tells and processes do not share",
                at: stage.place,
                hint: stage.since == nil
                    ? "leave 'new_only' out and let the paths name the files, as by ${as_of:yyyy/MM/dd}"
                    : "leave 'since' out and let a 'query' name the rows"
            )
        }
    }

    private func refuseIdleExchange() throws(DaybookError) {
        guard exchange == nil || !ShardSteps(plan).keyed.isEmpty else {
            throw DaybookError(
                "nothing-to-exchange",
                "no stage of the job gathers keys that could be exchanged, of rows that all come in shards",
                hint: "leave '--exchange' out; 'merge --tree' helps where there is much else to merge"
            )
        }
    }

}

/// Parts assigned to shards one after another.
private struct Shards {
    /// Number of shards; nil for as many as needed.
    let count: Int?
    let size: Int
    private var slices: [[ShardPlan.Slice]] = [[]]
    private var filled = 0

    init(count: Int?, size: Int) { (self.count, self.size) = (count, size) }

    /// Adds a part; to the first shard if every shard needs its rows.
    mutating func add(_ part: InputPart, of stage: String, first: Bool) {
        let slice = ShardPlan.Slice(stage: stage, part)
        if first { return slices[0].append(slice) }
        let mayOpen = slices.count < count ?? ShardPlanner.mostShards
        if filled > 0, mayOpen, filled + part.bytes / 2 > size {
            slices.append([])
            filled = 0
        }
        filled += part.bytes
        // Adjacent parts of one text become one slice.
        var last = slices.removeLast()
        if let index = last.indices.last, last[index].isContinued(by: slice) {
            last[index].bytes += slice.bytes
            last[index].isLast = slice.isLast
        } else {
            last.append(slice)
        }
        slices.append(last)
    }

    var all: [ShardPlan.Shard] {
        let empty = max(0, (count ?? 0) - slices.count)
        return (slices + [[ShardPlan.Slice]](repeating: [], count: empty)).enumerated().map {
            ShardPlan.Shard(number: $0, slices: $1)
        }
    }
}

extension ShardPlan.Slice {
    fileprivate init(stage: String, _ part: InputPart) {
        (self.stage, text, bytes) = (stage, part.text, part.bytes)
        guard let part = part.part else { return }
        (offset, line, column, record, isLast) = (part.offset, part.line, part.column, part.record, part.isLast)
    }

    fileprivate func isContinued(by next: ShardPlan.Slice) -> Bool {
        guard let offset, let start = next.offset else { return false }
        return next.stage == stage && next.text == text && start == offset + bytes
    }

    /// Part of the input that the slice covers.
    var part: InputPart {
        var part = InputPart(text: text, bytes: bytes)
        if let offset, let line, let column, let record, let isLast {
            part.part = TextPart(
                offset: offset,
                length: bytes,
                line: line,
                column: column,
                record: record,
                isLast: isLast
            )
        }
        return part
    }
}

extension PlannedStage {
    /// Type of the keys that the stage collects; nil for a stage without keys.
    var keys: (any PartialKeys.Type)? { if case .fold(let fold) = role { fold.keys } else { nil } }
}

extension SinkOperator {
    /// Whether its pieces can be encoded as bytes.
    fileprivate var piecesTravel: Bool { Piece.self is any Codable.Type }
}

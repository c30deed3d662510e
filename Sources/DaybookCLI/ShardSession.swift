import ArgumentParser
import DaybookEngine
import DaybookReports
import Foundation

/// A part of a plan's work as the command line names it: `plan.json#7`, or `plan.json#env` for a number that a scheduler puts into the
/// environment.
struct PlannedPart {
    let shards: ReadShardPlan
    let number: Int

    /// What the number counts.
    struct Kind {
        let noun: String
        let badName: DaybookError.Code
        let missing: DaybookError.Code
        /// Whether their count may stand behind the number.
        let mayTellCount: Bool
        /// How many a plan has.
        let count: @Sendable (ShardPlan) -> Int

        static let shard = Kind(
            noun: "shard",
            badName: "bad-shard-name",
            missing: "no-such-shard",
            mayTellCount: false
        ) { $0.shards.count }

        /// A partition of keys. Behind it their count may stand: `plan.json#2/4`.
        static let partition = Kind(
            noun: "partition",
            badName: "bad-partition-name",
            missing: "no-such-partition",
            mayTellCount: true
        ) { $0.exchange?.partitions ?? 0 }
    }

    /// Where schedulers say which task of an array this is.
    private static let variables = ["DAYBOOK_SHARD", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"]

    init(_ text: String, of kind: Kind) throws {
        let (file, digits, asked) = try PlannedPart.parts(of: text, kind)
        number = try PlannedPart.number(digits, kind)
        shards = try ReadShardPlan(seeding: file)
        let count = kind.count(shards.plan)
        guard number < count, asked ?? count == count else {
            let there = count == 0 ? "no \(kind.noun)" : "\(DisplayText.count(count, kind.noun)), numbered from 0"
            throw DaybookError(kind.missing, "'\(file)' has \(there), found '#\(digits)'")
        }
    }

    private static func parts(
        of text: String,
        _ kind: Kind
    ) throws(DaybookError) -> (file: String, digits: String, count: Int?) {
        guard let mark = text.lastIndex(of: "#"), mark > text.startIndex else {
            let message = "expected a plan and the number of a \(kind.noun) such as plan.json#7, found '\(text)'"
            throw DaybookError(kind.badName, message)
        }
        let fields = text[text.index(after: mark)...].split(separator: "/", omittingEmptySubsequences: false)
        let count = fields.count == 2 && kind.mayTellCount ? Int(fields[1]) : nil
        guard fields.count == 1 || count != nil else {
            throw PlannedPart.refusal(of: String(text[text.index(after: mark)...]), kind)
        }
        return (String(text[..<mark]), String(fields[0]), count)
    }

    private static func number(_ text: String, _ kind: Kind) throws(DaybookError) -> Int {
        if let number = Int(text), number >= 0 { return number }
        guard text == "env" else { throw refusal(of: text, kind) }
        let known = variables.compactMap { name in Terminal.variable(name).map { (name, $0) } }
        if let number = known.lazy.compactMap({ Int($0.1) }).first, number >= 0 { return number }
        let message = known.first.map { "'\($0)' of the environment is no number of a \(kind.noun), found '\($1)'" }
        let hint = "set \(variables.joined(separator: ", or "))"
        throw DaybookError(
            kind.badName,
            message ?? "the environment has no number of a \(kind.noun)",
            hint: message == nil ? hint : "numbers of \(kind.noun)s begin with 0"
        )
    }

    private static func refusal(of text: String, _ kind: Kind) -> DaybookError {
        DaybookError(kind.badName, "expected the number of a \(kind.noun), or 'env', behind '#', found '\(text)'")
    }
}

extension WorkOptions {
    /// Does one shard.
    func run(_ part: PlannedPart, in state: StateOption, into directory: String) throws {
        try work(on: part.shards, in: state, into: directory) { plan, settings in
            var runner = ShardRunner(part.shards, number: part.number, plan, settings)
            let done = try runner.run(into: directory)
            let rows = DisplayText.count(done.rowsRead, "row")
            return
                "shard \(part.number): read \(rows), \(DisplayText.count(done.rejected)) rejected; wrote \(done.path)"
        }
    }

    /// Settles a partition of the keys of all shards.
    func exchange(_ part: PlannedPart, _ places: [String], in state: StateOption, into directory: String) throws {
        try work(on: part.shards, in: state, into: directory) { plan, settings in
            let set = try ShardSet(part.shards, keysOf: part.number, in: places)
            let exchange = ShardExchange(set, partition: part.number, plan, settings)
            return "partition \(part.number): wrote \(try exchange.settle(into: directory))"
        }
    }

    /// Puts shards that follow one another into one file.
    func merge(_ places: [String], of shards: ReadShardPlan, in state: StateOption, into directory: String) throws {
        try work(on: shards, in: state, into: directory) { plan, settings in
            var tree = ShardTree(try ShardSet(shards, in: places, partly: true), plan, settings)
            let done = try tree.merge(into: directory)
            return "shards \(done.shards.lowerBound) to \(done.shards.upperBound - 1): wrote \(done.path)"
        }
    }

    /// Does a part of a plan's work that commits nothing, and says what was done; or says what is wrong and ends the command.
    private func work(
        on shards: ReadShardPlan,
        in state: StateOption,
        into directory: String,
        _ body: (Plan, RunSettings) throws -> String
    ) throws {
        let plan = shards.plan
        let reading = JobReading(plan.job.file, try JobOptions(plan), readsRows: true, repeats: true)
        let job = try reading.planOrExit()
        try reading.orExit {
            if let error = OutputName.foreignPlace(directory, "the directory of parts") { throw error }
            try shards.check(job: reading)
            var settings = RunSettings(reading, in: state.directory(of: reading), threads: threadCount)
            (settings.maxFindings, settings.sha256) = (plan.maxFindings, .never)
            let done = try body(job, settings)
            if quiet == nil { Terminal.remark(done) }
        }
    }
}

extension JobOptions {
    /// The day and the params that a plan has fixed.
    init(_ plan: ShardPlan) throws {
        let params = plan.params.sorted { $0.key < $1.key }.map { "--set=\($0.key)=\($0.value)" }
        self = try JobOptions.parse(["--as-of", plan.asOf] + params)
    }
}

extension ReadShardPlan {
    /// Reads a plan and takes its seed for the hashes of this process.
    init(seeding file: String) throws(DaybookError) {
        try self.init(file: file, version: DaybookVersion.text)
        try adoptSeed()
    }

    /// Makes sure that the job is the one that was planned.
    func check(job reading: JobReading) throws(DaybookError) {
        guard SHA256Digest.of(reading.bytes) == plan.job.sha256 else {
            let hint = "make the plan anew with 'daybook plan'"
            throw .machine("job-changed", "'\(plan.job.file)' is not the job that '\(file)' was made for", hint: hint)
        }
    }
}

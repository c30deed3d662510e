import ArgumentParser
import Foundation

/// One shard of a plan from the command line.
struct ShardSession {
    private let shards: ReadShardPlan
    private let number: Int
    private let directory: String
    private let options: SessionOptions

    /// - Parameter shard: `plan.json#7`, or `plan.json#env` for a number that a scheduler puts into the environment.
    init(_ shard: String, into directory: String, _ options: SessionOptions) throws {
        (self.directory, self.options) = (directory, options)
        let file: String
        do throws(DaybookError) { (file, number) = try ShardSession.parts(of: shard) } catch {
            throw Terminal.ending(with: [error])
        }
        shards = try ReadShardPlan.orExit(file)
        let last = shards.plan.shards.count - 1
        guard number <= last else {
            throw Terminal.ending(with: [DaybookError("no-such-shard", "the last shard of '\(file)' is \(last)")])
        }
    }

    /// Where schedulers say which task of an array this is.
    private static let variables = ["DAYBOOK_SHARD", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"]

    private static func parts(of shard: String) throws(DaybookError) -> (file: String, number: Int) {
        guard let mark = shard.lastIndex(of: "#"), mark > shard.startIndex else {
            throw DaybookError(
                "bad-shard-name",
                "expected a plan and the number of a shard such as plan.json#7, found '\(shard)'"
            )
        }
        let (file, text) = (String(shard[..<mark]), String(shard[shard.index(after: mark)...]))
        if let number = Int(text), number >= 0 { return (file, number) }
        guard text == "env" else {
            throw DaybookError(
                "bad-shard-name",
                "expected the number of a shard, or 'env', behind '#', found '\(text)'"
            )
        }
        let values = variables.compactMap { name in getenv(name).map { String(cString: $0) } }
        guard let number = values.compactMap({ Int($0) }).first, number >= 0 else {
            throw DaybookError(
                "bad-shard-name",
                "the environment has no number of a shard",
                hint: "set \(variables.joined(separator: ", or "))"
            )
        }
        return (file, number)
    }

    /// Runs to the end.
    func run() throws {
        Interruption.listen()
        try options.work(on: shards) { (plan, settings) throws(DaybookErrors) in
            var runner = ShardRunner(shards, number: number, plan, settings)
            let done = try runner.run(into: directory)
            let rows = Spoken.count(done.rowsRead, "row")
            return "shard \(number): read \(rows), \(Spoken.count(done.rejected)) rejected; wrote \(done.path)"
        }
    }
}

extension SessionOptions {
    /// Puts shards that follow one another into one file.
    func merge(_ places: [String], of shards: ReadShardPlan, into directory: String) throws {
        try work(on: shards) { (plan, settings) throws(DaybookErrors) in
            let set: ShardSet
            do throws(DaybookError) { set = try ShardSet(shards, in: places, partly: true) } catch {
                throw DaybookErrors([error])
            }
            var tree = ShardTree(set, plan, settings)
            let done = try tree.merge(into: directory)
            return "shards \(done.shards.lowerBound) to \(done.shards.upperBound - 1): wrote \(done.path)"
        }
    }

    /// Does a part of a plan's work that commits nothing, and says what was done; or says what is wrong and ends the command.
    fileprivate func work(
        on shards: ReadShardPlan,
        _ body: (Plan, RunSettings) throws(DaybookErrors) -> String
    ) throws {
        let plan = shards.plan
        let reading = JobReading(plan.job.file, try JobOptions(plan), readsRows: true)
        let job = try reading.planOrExit()
        do throws(DaybookErrors) {
            do throws(DaybookError) { try shards.check(job: reading) } catch { throw DaybookErrors([error]) }
            let settings = RunSettings(
                threads: threads ?? ProcessInfo.processInfo.activeProcessorCount,
                directory: reading.directory,
                state: state.directory(of: plan.job.file),
                jobFile: plan.job.file,
                maxFindings: plan.maxFindings,
                sha256: .never,
                isCancelled: { Interruption.isRequested }
            )
            let done = try body(job, settings)
            if quiet == nil { Terminal.note(done) }
        } catch {
            throw reading.exit(with: error.errors)
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
    /// Reads a plan and takes its seed; or tells what is wrong and ends the command.
    static func orExit(_ file: String) throws -> ReadShardPlan {
        do throws(DaybookError) {
            let plan = try ReadShardPlan(file: file, version: DaybookVersion.text)
            try plan.adoptSeed()
            return plan
        } catch {
            throw Terminal.ending(with: [error])
        }
    }

    /// Makes sure that the job is the one that was planned.
    func check(job reading: JobReading) throws(DaybookError) {
        guard SHA256Digest.of(reading.bytes) == plan.job.sha256 else {
            throw .machine(
                "job-changed",
                "'\(plan.job.file)' is not the job that '\(file)' was made for",
                hint: "make the plan anew with 'daybook plan'"
            )
        }
    }
}

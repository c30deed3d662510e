import DaybookStandard
import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookEngine

/// Invented jobs, each done by one process and in shards: every byte, finding and ledger line is the same.
@Suite struct ShardPropertyTests {
    private struct Result: Equatable {
        var exitCode: Int32
        var errors: [String]
        var files: [String]
        var ledger: [LedgerLine]
        var findings: [RenderedFinding]
        var tallies: [String]
        var rules: [String]
        var inputs: [String]
    }

    private func plan(_ job: String) throws -> Plan {
        let job = try JobParser { _ in nil }.job(Array(job.utf8), file: "job.yaml")
        return try Plan(job, table: .builtIn, asOf: CalendarDay(iso: "2026-11-21")!)
    }

    private func settings(_ place: TemporaryDirectory, _ random: inout SeededGenerator) -> RunSettings {
        RunSettings(
            threads: [1, 2, 3].randomElement(using: &random)!,
            directory: place.url.path,
            state: StateDirectory(place.url.appendingPathComponent("state").path),
            morselSize: [300, 4_096, 1 << 20].randomElement(using: &random)!,
            maxFindings: [3, 1_000].randomElement(using: &random)!
        )
    }

    private func result(_ outcome: RunOutcome, _ invented: InventedJob, _ place: TemporaryDirectory) -> Result {
        var files: [String] = []
        for output in invented.outputs {
            let file = place.url.appendingPathComponent(output)
            let bytes = try? Data(contentsOf: file)
            files += ["\(output): \(bytes?.count ?? -1) bytes"]
            files += bytes.map { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) } ?? []
            try? FileManager.default.removeItem(at: file)
        }
        let ledger = outcome.ledger.map { line in
            var line = line
            line.nanoseconds = 0
            return line
        }
        return Result(
            exitCode: outcome.exitCode,
            errors: outcome.errors.map(\.message),
            files: files,
            ledger: outcome.errors.isEmpty ? ledger : [],
            findings: outcome.findings,
            tallies: outcome.tallies.map { "\($0)" },
            rules: outcome.rules.map { "\($0.message) \($0.verdict)" },
            inputs: outcome.inputs.map { "\($0.path) \($0.bytes) \($0.digest?.xxh128 ?? "")" }
        )
    }

    /// What the shards come to, done in any order and some of them twice; nil where the plan or a shard refuses, with the error.
    private func inShards(
        _ invented: InventedJob,
        _ place: TemporaryDirectory,
        _ settings: RunSettings,
        _ random: inout SeededGenerator
    ) throws -> (outcome: RunOutcome?, errors: [String]) {
        do {
            let gathersKeys = try !ShardSteps(plan(invented.job)).keyed.isEmpty
            let exchange = gathersKeys ? [nil, 1, 3, 256].randomElement(using: &random)! : nil
            var planner = ShardPlanner(try plan(invented.job), settings, exchange: exchange)
            var made = try planner.make(.count([1, 3, 17, 64].randomElement(using: &random)!))
            made.daybook = "1"
            made.exchange?.passes = [1, 256 / (exchange ?? 256)].randomElement(using: &random)!
            let file = place.url.appendingPathComponent("plan.json").path
            try WholeFile.write(try made.bytes(), to: file)
            let shards = try ReadShardPlan(file: file, version: "1")
            try shards.adoptSeed()
            let parts = place.url.appendingPathComponent("parts").path
            var order = Array(made.shards.indices).shuffled(using: &random)
            order.append(order[0])
            for number in order {
                var runner = ShardRunner(shards, number: number, try plan(invented.job), settings)
                _ = try runner.run(into: parts)
            }
            for partition in (0..<(exchange ?? 0)).shuffled(using: &random) {
                let keys = try ShardSet(shards, keysOf: partition, in: [parts])
                let exchange = ShardExchange(keys, partition: partition, try plan(invented.job), settings)
                _ = try exchange.settle(into: parts)
            }
            // Some are put together before, and some of these again.
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let first = made.shards.indices.randomElement(using: &random)!
                let last = Int.random(in: first..<made.shards.count, using: &random)
                let names = try FileManager.default.contentsOfDirectory(atPath: parts).map { "\(parts)/\($0)" }
                let files = try names.filter {
                    let file = try WholeShardFile($0, plan: shards)
                    let held = file.shards
                    return file.content == .shard && held.lowerBound >= first && held.upperBound <= last + 1
                }
                let set = try ShardSet(shards, in: files, partly: true)
                var tree = ShardTree(set, try plan(invented.job), settings)
                #expect(try tree.merge(into: parts).shards == first..<last + 1)
            }
            let runner = Runner(try plan(invented.job), settings, merging: try ShardSet(shards, in: [parts]))
            return (runner.run(), [])
        } catch let errors as DaybookErrors {
            return (nil, errors.errors.map(\.message))
        }
    }

    @Test("a job gives the same in shards", arguments: TestSize.seeds(60, of: 500))
    func isTheSame(_ seed: UInt64) throws {
        let invented = InventedJob(seed: seed)
        let place = try TemporaryDirectory()
        for (name, bytes) in invented.files { try place.write(bytes, to: name) }
        var random = SeededGenerator(seed: seed &* 31)
        let settings = settings(place, &random)
        let whole = result(Runner(try plan(invented.job), settings).run(), invented, place)
        let (outcome, errors) = try inShards(invented, place, settings, &random)
        guard let outcome else {
            #expect(whole.errors == errors, "\(invented.job)")
            return
        }
        let merged = result(outcome, invented, place)
        if merged != whole { Issue.record("\(difference(merged, whole))\n\(invented.job)") }
    }

    /// The first part of a result in which two differ.
    private func difference(_ found: Result, _ expected: Result) -> String {
        for (one, other) in zip(Mirror(reflecting: found).children, Mirror(reflecting: expected).children) {
            let parts = zip(Mirror(reflecting: one.value).children, Mirror(reflecting: other.value).children)
            let first = parts.first { "\($0.value)" != "\($1.value)" }
            if let first { return "\(one.label ?? ""): found \(first.0.value)\nexpected \(first.1.value)" }
            if "\(one.value)" != "\(other.value)" {
                return "\(one.label ?? ""): found \(one.value)\nexpected \(other.value)"
            }
        }
        return "nothing differs"
    }

    /// Else the jobs would show little.
    @Test func jobsAreOfManyKinds() {
        let jobs = (1...60 as ClosedRange<UInt64>).map { InventedJob(seed: $0).job }
        for word in ["import_json", "import_csv", "join_rows", "union_rows", "unique", "sort_rows", "deduplicate_rows"]
        {
            #expect(jobs.contains { $0.contains(word) }, "\(word)")
        }
    }
}

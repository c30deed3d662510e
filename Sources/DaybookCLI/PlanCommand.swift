import ArgumentParser
import DaybookEngine
import DaybookReports
import Foundation

/// `daybook plan JOB`.
struct PlanCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "plan",
            abstract: "Cut the rows of a job into shards, for several processes or machines.",
            discussion: """
                Reads all inputs once and cuts them where records end. 'run --shard' does one
                shard, and 'merge' puts them together: outputs, rejects, findings and the
                ledger are those of one run, byte for byte. All processes have to see the
                same job and the same files under the same paths.

                The plan is a JSON file; its list 'shards' has an entry for each task.

                Examples:
                  \(name) plan nightly.yaml --shards 3 -o plan.json
                  for n in 0 1 2; do \(name) run --shard plan.json#$n --into parts; done
                  \(name) merge plan.json parts
                """
        )
    }

    @Argument(help: "The job file.", completion: .file(extensions: ["yaml", "yml"]))
    var job: String

    @OptionGroup var options: JobOptions

    @Option(help: ArgumentHelp("How many shards to make.", valueName: "n"))
    var shards: Int?

    @Option(
        name: .customLong("shard-size"),
        help: ArgumentHelp("Make as many shards as have about that size, such as 256MiB.", valueName: "size")
    )
    var shardSize: String?

    @Option(
        help: ArgumentHelp(
            "Lay keys in so many partitions, which 'exchange' settles before the merge.",
            valueName: "n"
        )
    )
    var exchange: Int?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Where the plan goes.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var output: String

    @OptionGroup var limit: FindingLimit
    @OptionGroup var digest: DigestOption
    @OptionGroup var state: StateOption

    /// What a shard is at least worth, in bytes: less costs more to start than to read.
    private static let leastSize = 1 << 10

    mutating func validate() throws {
        if (shards == nil) == (shardSize == nil) { throw ValidationError("give '--shards' or '--shard-size'") }
        if let shards, !(1...ShardPlanner.mostShards).contains(shards) {
            throw ValidationError("'--shards' is between 1 and \(ShardPlanner.mostShards), found '\(shards)'")
        }
        if let shardSize, (ByteSize.bytes(of: shardSize) ?? 0) < PlanCommand.leastSize {
            throw ValidationError("'--shard-size' is a size of at least 1KiB such as 256MiB, found '\(shardSize)'")
        }
        if let exchange, !(1...ShardPlan.Exchange.most).contains(exchange) {
            throw ValidationError("'--exchange' is between 1 and \(ShardPlan.Exchange.most), found '\(exchange)'")
        }
        if job == "-" { throw ValidationError("a job that is shared among processes is a file, found '-'") }
    }

    mutating func run() throws {
        Interruption.listen()
        let reading = JobReading(job, options, readsRows: true)
        let plan = try reading.planOrExit()
        if !reading.warnings.isEmpty { Terminal.note(reading.rendered(reading.warnings)) }
        let state = state.directory(of: job)
        let settings = RunSettings(
            threads: 1,
            directory: reading.directory,
            state: state,
            jobFile: job,
            maxFindings: limit.maxFindings,
            sha256: digest.sha256,
            isCancelled: { Interruption.isRequested }
        )
        var planner = ShardPlanner(plan, settings, exchange: exchange)
        do throws(DaybookErrors) {
            var made = try planner.make(cut)
            do throws(DaybookError) {
                made.daybook = DaybookVersion.text
                made.job = ShardPlan.JobFile(file: job, sha256: SHA256Digest.of(reading.bytes))
                let past = try plan.past(in: state, jobFile: job)
                if !past.isEmpty { made.past = past }
                let secret = plan.job.params.filter(\.isSecret).map(\.name)
                if let setting = try options.params().first(where: { secret.contains($0.name) }) {
                    throw DaybookError(
                        "secret-in-plan",
                        "the param '\(setting.name)' is a secret, and a plan is read by many",
                        hint: "let the job take it from the environment of each process"
                    )
                }
                for param in plan.job.params where !param.isSecret { made.params[param.name] = param.value }
                made.set = plan.job.params.filter { $0.isSet && !$0.isSecret }.map(\.name).sorted()
                try ReportFile.write(try made.bytes(), to: output) { Interruption.isRequested }
            } catch { throw DaybookErrors([error]) }
            let count = DisplayText.count(made.shards.count, "shard")
            let bytes = made.shards.reduce(0) { $0 + $1.slices.reduce(0) { $0 + $1.bytes } }
            Terminal.remark("planned \(count) of \(DisplayText.count(bytes, "byte")) in \(output)")
        } catch {
            throw reading.exit(with: error.errors)
        }
    }

    private var cut: ShardPlanner.Cut {
        if let shards { return .count(shards) }
        return .size(shardSize.flatMap(ByteSize.bytes) ?? PlanCommand.leastSize)
    }
}

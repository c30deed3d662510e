import ArgumentParser
import DaybookEngine
import DaybookReports
import Foundation

/// `daybook plan JOB`.
struct PlanCommand: Subcommand {
    static let outline = CommandOutline("plan", "Cut the rows of a job into shards, for several processes or machines.")
    { name in
        """
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
    }

    @Argument(help: "The job file.", completion: .job)
    var job: String

    @OptionGroup var options: JobOptions

    @Option(help: .value("n", "How many shards to make."))
    var shards: Int?

    @Option(help: .value("size", "Make as many shards as have about that size, such as 256MiB."))
    var shardSize: String?

    @Option(help: .value("n", "Lay keys in so many partitions, which 'exchange' settles before the merge."))
    var exchange: Int?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .value("file", "Where the plan goes."),
        completion: .json
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
        let reading = JobReading(job, options, readsRows: true, repeats: true)
        let plan = try reading.planOrExit()
        if !reading.warnings.isEmpty { Terminal.note(reading.rendered(reading.warnings)) }
        let state = state.directory(of: reading)
        var settings = RunSettings(reading, in: state, threads: 1)
        (settings.maxFindings, settings.sha256) = (limit.maxFindings, digest.sha256)
        var planner = ShardPlanner(plan, settings, exchange: exchange)
        try reading.orExit {
            let file = SideFile(option: "--output", path: output)
            if let refused = SideFile.refused([file], plan.job, plan, jobFile: job).first { throw refused.error }
            var made = try planner.make(cut)
            made.daybook = DaybookVersion.text
            made.job = ShardPlan.JobFile(file: job, sha256: SHA256Digest.of(reading.bytes))
            let past = try plan.past(in: state, jobFile: job)
            if !past.isEmpty { made.past = past }
            let secret = plan.job.params.filter(\.isSecret).map(\.name)
            if let setting = try options.params().first(where: { secret.contains($0.name) }) {
                let message = "the param '\(setting.name)' is a secret, and a plan is read by many"
                let hint = "let the job take it from the environment of each process"
                throw DaybookError("secret-in-plan", message, hint: hint)
            }
            for param in plan.job.params where !param.isSecret { made.params[param.name] = param.value }
            made.set = plan.job.params.filter { $0.isSet && !$0.isSecret }.map(\.name).sorted()
            let bytes = try made.bytes()
            if output == "-" {
                Terminal.print(String(decoding: bytes.filled, as: UTF8.self), as: .json)
            } else {
                try ReportFile.write(bytes, to: output) { Interruption.isRequested }
            }
            let count = DisplayText.count(made.shards.count, "shard")
            let read = made.shards.reduce(0) { $0 + $1.slices.reduce(0) { $0 + $1.bytes } }
            let place = output == "-" ? "" : " in \(output)"
            Terminal.remark("planned \(count) of \(DisplayText.count(read, "byte"))\(place)")
        }
    }

    private var cut: ShardPlanner.Cut {
        if let shards { return .count(shards) }
        return .size(shardSize.flatMap(ByteSize.bytes) ?? PlanCommand.leastSize)
    }
}

/// `daybook exchange PLAN#N DIR…`.
struct ExchangeCommand: Subcommand {
    static let outline = CommandOutline("exchange", "Settle a partition of the keys that shards have gathered.") {
        name in
        """
        For keys that are too many for one merge: those of unique, deduplicate_rows,
        summarise_rows and count_streaks. After 'plan --exchange 4' every shard lays
        its keys in four partitions, equal keys in the same one. An exchange reads
        one partition of all shards, and leaves what the merge needs to know of it.

        Examples:
          \(name) plan nightly.yaml --shards 8 --exchange 4 -o plan.json
          for n in $(seq 0 7); do \(name) run --shard plan.json#$n --into parts; done
          for p in $(seq 0 3); do \(name) exchange plan.json#$p parts --into keys; done
          \(name) merge plan.json parts keys
        """
    }

    @Argument(
        help: .value(
            "plan#partition",
            "The plan and the number of the partition, from 0; #env takes it from the environment."
        ),
        completion: .json
    )
    var partition: String

    @Argument(help: "Directories with the files of shards, or files with keys.", completion: .directory)
    var places: [String]

    @Option(help: .value("directory", "Where the result goes, for 'merge'."), completion: .directory)
    var into: String

    @OptionGroup var work: WorkOptions
    @OptionGroup var state: StateOption

    mutating func run() throws {
        Interruption.listen()
        try work.exchange(PlannedPart(partition, of: .partition), places, in: state, into: into)
    }
}

/// `daybook merge PLAN DIR…`.
struct MergeCommand: Subcommand {
    static let outline = CommandOutline("merge", "Put the shards of a plan together, and all outputs in place or none.")
    { name in
        """
        Every shard has to be there, of this plan and unharmed; else the command ends
        with 3, names the shard, and writes nothing. Gates are judged here, and reports
        and the ledger are those of one run. A shard that was done twice counts once.

        Where a merge of all is too much for one process, '--tree' first puts shards
        that follow one another into one file, which then stands for them.

        Examples:
          \(name) merge plan.json parts
          \(name) merge plan.json host1/parts --tree merged
          \(name) merge plan.json host1/parts host2/parts --report html=findings.html
        """
    }

    @Argument(help: "The plan that 'plan' has made.", completion: .json)
    var plan: String

    @Argument(help: "Directories with the files of shards, or such files.", completion: .directory)
    var places: [String]

    @Option(help: .value("file", "Let findings pass that this file knows; only new ones count."), completion: .json)
    var baseline: String?

    @Option(
        help: .value("dir", "Only put the shards found, all neighbours, into one file in this directory."),
        completion: .directory
    )
    var tree: String?

    @OptionGroup var work: WorkOptions
    @OptionGroup var state: StateOption
    @OptionGroup var digest: DigestOption
    @OptionGroup var sessionOptions: SessionOptions

    mutating func validate() throws {
        if tree != nil, baseline != nil {
            throw ValidationError("'--tree' judges no findings, so it takes no '--baseline'")
        }
        if tree != nil { try sessionOptions.refuseForPart() }
    }

    mutating func run() throws {
        Interruption.listen()
        let plan = try ReadShardPlan(seeding: plan)
        if let tree { return try work.merge(places, of: plan, in: state, into: tree) }
        var session = try sessionOptions.session(
            of: plan.plan.job.file,
            try JobOptions(plan.plan),
            work,
            state,
            digest,
            maxFindings: plan.plan.maxFindings
        )
        session.baseline = baseline.map { ($0, false) }
        session.shards = (plan, places)
        session.reads = [(plan.file, "the plan")]
        throw ExitCode(session.run())
    }
}

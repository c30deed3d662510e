import ArgumentParser
import DaybookEngine
import Foundation

/// `daybook merge PLAN DIR…`.
struct MergeCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "merge",
            abstract: "Put the shards of a plan together, and all outputs in place or none.",
            discussion: """
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
        )
    }

    @Argument(help: "The plan that 'plan' has made.", completion: .file(extensions: ["json"]))
    var plan: String

    @Argument(help: "Directories with the files of shards, or such files.", completion: .directory)
    var places: [String]

    @Option(
        help: ArgumentHelp("Let findings pass that this file knows; only new ones count.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "Only put the shards found, all neighbours, into one file in this directory.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var tree: String?

    @OptionGroup var sessionOptions: SessionOptions

    mutating func validate() throws {
        if tree != nil, baseline != nil {
            throw ValidationError("'--tree' judges no findings, so it takes no '--baseline'")
        }
        if tree != nil { try sessionOptions.refuseForPart() }
    }

    mutating func run() throws {
        Interruption.listen()
        let plan = try ReadShardPlan.orExit(plan)
        if let tree { return try sessionOptions.work.merge(places, of: plan, into: tree) }
        var session = try sessionOptions.session(
            of: plan.plan.job.file,
            try JobOptions(plan.plan),
            maxFindings: plan.plan.maxFindings
        )
        session.baseline = baseline.map { ($0, false) }
        session.shards = (plan, places)
        throw ExitCode(session.run())
    }
}

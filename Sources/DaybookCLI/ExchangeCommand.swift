import ArgumentParser

/// `daybook exchange PLAN#N DIR…`.
struct ExchangeCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "exchange",
            abstract: "Settle a partition of the keys that shards have gathered.",
            discussion: """
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
        )
    }

    @Argument(
        help: ArgumentHelp(
            "The plan and the number of the partition, from 0; #env takes it from the environment.",
            valueName: "plan#partition"
        ),
        completion: .file(extensions: ["json"])
    )
    var partition: String

    @Argument(help: "Directories with the files of shards, or files with keys.", completion: .directory)
    var places: [String]

    @Option(
        help: ArgumentHelp("Where the result goes, for 'merge'.", valueName: "directory"),
        completion: .directory
    )
    var into: String

    @OptionGroup var work: WorkOptions

    mutating func run() throws {
        Interruption.listen()
        try work.exchange(.partition(partition), places, into: into)
    }
}

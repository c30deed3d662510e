import ArgumentParser
import DaybookReports

/// The command without a subcommand: only help and the version.
struct RootCommand: ParsableCommand {
    static let subcommands: [any ParsableCommand.Type] = [
        RunCommand.self, ValidateCommand.self, ExplainCommand.self, PreviewCommand.self, TestCommand.self,
        ReplayCommand.self, HistoryCommand.self, SiteCommand.self, VerifyCommand.self, NotifyCommand.self,
        GuessCommand.self, ProfileCommand.self, PlanCommand.self, ExchangeCommand.self, MergeCommand.self,
        StagesCommand.self, SchemaCommand.self,
    ]

    /// The names of the subcommands.
    static var names: [String] { subcommands.compactMap { $0.configuration.commandName } }

    /// Whether a subcommand has that name. Each makes its help to tell its name, so no more of them are asked than need be.
    static func has(_ name: String) -> Bool { subcommands.contains { $0.configuration.commandName == name } }

    private static let exitCodes = ExitMeaning.allCases.map { "  \($0.rawValue)  \($0.meaning)" }
        .joined(separator: "\n")

    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: name,
            abstract: "Run jobs over batches of rows, with every row accounted for.",
            discussion: """
                A job is one YAML file that chains stages: import, check, count, export.
                '\(name) help job' tells how to write one.

                Examples:
                  \(name) validate pipelines/nightly-report.yaml
                  \(name) run pipelines/nightly-report.yaml --as-of 2026-11-21
                  \(name) stages import_csv

                Completion of commands and options, for your shell:
                  \(name) --generate-completion-script bash|zsh|fish

                Exit codes:
                \(exitCodes)
                """,
            version: DaybookVersion.text,
            subcommands: subcommands
        )
    }
}

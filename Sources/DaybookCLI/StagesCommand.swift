import ArgumentParser
import DaybookJobTools

extension StagePages.Format: ExpressibleByArgument {}

/// `daybook stages [NAME]`.
struct StagesCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "stages",
            abstract: "List the stages, or show the options and examples of one.",
            discussion: """
                Examples:
                  \(name) stages
                  \(name) stages import_csv
                  \(name) stages --format markdown > stages.md
                """
        )
    }

    @Argument(
        help: "The stage to show.",
        completion: .custom { _, _, _ in CommandContext.current.table.names.sorted() }
    )
    var name: String?

    @Option(help: "How to print it.") var format = StagePages.Format.text

    mutating func run() throws {
        let style = format == .text ? Terminal.outputStyle : .plain
        let pages = StagePages(CommandContext.current.table, style: style)
        let text = try name.map { name throws(DaybookError) in try pages.page(name, format) } ?? pages.list(format)
        Terminal.print(text, as: format == .json ? .json : .prose)
    }
}

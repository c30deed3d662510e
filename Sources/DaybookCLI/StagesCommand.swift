import ArgumentParser
import DaybookJobTools

extension StagePages.Format: ExpressibleByArgument {}

/// `daybook stages [NAME]`.
struct StagesCommand: Subcommand {
    static let outline = CommandOutline("stages", "List the stages, or show the options and examples of one.") { name in
        """
        Examples:
          \(name) stages
          \(name) stages import_csv
          \(name) stages --format markdown > stages.md
        """
    }

    @Argument(
        help: "The stage to show.",
        completion: .custom { _, _, _ in CommandContext.current.table.names.sorted() }
    )
    var name: String?

    @Option(help: "How to print it.") var format = StagePages.Format.text

    mutating func run() throws {
        try Terminal.print(in: format) { style in
            let pages = StagePages(CommandContext.current.table, style: style)
            return try name.map { name throws(DaybookError) in try pages.page(name, format) } ?? pages.list(format)
        }
    }
}

/// `daybook schema`.
struct SchemaCommand: Subcommand {
    static let outline = CommandOutline("schema", "Print the JSON Schema of job files, for editors.") { name in
        """
        An editor that knows the schema completes stages and options while a job
        is written. For editors with yaml-language-server, begin the job with
          # yaml-language-server: $schema=daybook.schema.json

        Examples:
          \(name) schema > daybook.schema.json
        """
    }

    mutating func run() { Terminal.print(JobSchema(CommandContext.current.table).text, as: .json) }
}

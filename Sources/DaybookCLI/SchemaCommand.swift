import ArgumentParser
import DaybookJobTools

/// `daybook schema`.
struct SchemaCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let name = CommandContext.current.name
        return CommandConfiguration(
            commandName: "schema",
            abstract: "Print the JSON Schema of job files, for editors.",
            discussion: """
                An editor that knows the schema completes stages and options while a job
                is written. For editors with yaml-language-server, begin the job with
                  # yaml-language-server: $schema=daybook.schema.json

                Examples:
                  \(name) schema > daybook.schema.json
                """
        )
    }

    mutating func run() { Terminal.print(JobSchema(CommandContext.current.table).text, as: .json) }
}

import ArgumentParser

struct SchemaCommand: ParsableCommand {
    static var configuration: CommandConfiguration { CommandConfiguration(commandName: "schema", abstract: "To come.") }
}

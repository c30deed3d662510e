import ArgumentParser

struct ExplainCommand: ParsableCommand {
    static var configuration: CommandConfiguration { CommandConfiguration(commandName: "explain", abstract: "To come.") }
}

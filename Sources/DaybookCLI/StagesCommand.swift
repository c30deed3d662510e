import ArgumentParser

struct StagesCommand: ParsableCommand {
    static var configuration: CommandConfiguration { CommandConfiguration(commandName: "stages", abstract: "To come.") }
}

import ArgumentParser

struct PreviewCommand: ParsableCommand {
    static var configuration: CommandConfiguration { CommandConfiguration(commandName: "preview", abstract: "To come.") }
}

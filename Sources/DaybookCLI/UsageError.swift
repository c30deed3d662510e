import ArgumentParser
import Foundation

/// Words for what ArgumentParser found wrong.
enum UsageError {
    static func of(_ message: String, _ arguments: [String]) -> DaybookError {
        // Further lines hold suggestions such as "Did you mean '--set'?".
        let lines = message.split(separator: "\n").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " ")) }
            .filter { !$0.isEmpty }
        let first = lines.first ?? "the command line cannot be read"
        let command = names(arguments).map { " \($0)" }.joined()
        let help = "see '\(CommandContext.current.name)\(command) --help'"
        if let text = reworded(first, command, arguments) { return DaybookError("usage", text, hint: help) }
        var text = first.loweredFirst
        if text.hasSuffix(".") { text.removeLast() }
        var hints = lines.dropFirst().map(\.loweredFirst)
        if let question = text.range(of: ". Did you mean") {
            hints.insert(String(text[text.index(question.lowerBound, offsetBy: 2)...]).loweredFirst, at: 0)
            text = String(text[..<question.lowerBound])
        }
        return DaybookError("usage", text, hint: (hints + [help]).joined(separator: " "))
    }

    /// The command that is meant, such as `history`, `diff`.
    private static func names(_ arguments: [String]) -> [String] {
        var (names, commands): ([String], [any ParsableCommand.Type]) = ([], RootCommand.subcommands)
        for argument in arguments {
            guard let command = commands.first(where: { $0.configuration.commandName == argument }) else { break }
            names.append(argument)
            commands = command.configuration.subcommands
        }
        return names
    }

    /// What was expected and what was found, for the messages that can be taken apart; nil for any other.
    private static func reworded(_ message: String, _ command: String, _ arguments: [String]) -> String? {
        if let match = message.wholeMatch(of: /Missing expected argument '<([^>]+)>.*'/) {
            let name = ["jobs": "job", "files": "file"][match.1] ?? match.1
            return "expected <\(name)> after '\(command.dropFirst())', found nothing"
        }
        if let match = message.wholeMatch(of: /Missing value for '(-[^ ]+) <(.+)>'/) {
            // What begins with a dash is taken for an option, also where it is a number.
            let found = Array(zip(arguments, arguments.dropFirst())).last { $0 == match.1 && $1.hasPrefix("-") }?.1
            let expected = match.2 == "n" ? "a whole number without a sign" : "<\(match.2)>"
            return "expected \(expected) after '\(match.1)', found \(found.map { "'\($0)'" } ?? "nothing")"
        }
        if let match = message.wholeMatch(of: /The value '(.*)' is invalid for '(-[^ ]+)[^']*'(.*)/) {
            // Options without a list of words are all counts.
            let words = match.3.matches(of: /'([^']+)'/).map { String($0.1) }
            let isTooLarge = match.1.count > 18 && match.1.allSatisfy { ("0"..."9").contains($0) }
            let number = isTooLarge ? "a smaller number" : "a whole number"
            let expected = words.isEmpty ? number : Spoken.list(words, "or")
            return "expected \(expected) after '\(match.2)', found '\(match.1)'"
        }
        return nil
    }
}

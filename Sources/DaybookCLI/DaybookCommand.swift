import ArgumentParser
import DaybookBytes
import DaybookEngine
import DaybookNotify
import DaybookReports
import DaybookStandard
import Foundation

/// The command line of Daybook: the entry point of `daybook`, and of any command with a longer table.
///
/// ```swift
/// DaybookCommand.main(StageTable(StageTable.builtIn.stages + [MyStage.self]), name: "my-daybook")
/// ```
public enum DaybookCommand {
    /// Runs the command that the arguments of the process name, and ends the process.
    ///
    /// - Parameters:
    ///   - table: The stages that jobs may use.
    ///   - name: What help calls the command.
    ///   - reporters: The forms of report that `--report` knows.
    public static func main(
        _ table: StageTable = .builtIn,
        name: String = "daybook",
        reporters: ReporterTable = .builtIn
    ) -> Never {
        // A reader that has seen enough is no failure; writes then say so by themselves.
        signal(SIGPIPE, SIG_IGN)
        // A file that reaches its limit is an error of the write, and not the end of the process.
        signal(SIGXFSZ, SIG_IGN)
        Terminal.occupyClosedStreams()
        // Even the name of the command is an argument. Without this a job would not run, and nobody would be told.
        guard let arguments = SystemPath.arguments else {
            Terminal.complain(
                .machine(
                    "no-arguments",
                    "the arguments of the command cannot be read",
                    hint: "mount /proc, from which they come"
                )
            )
            exit(3)
        }
        CommandContext.current = CommandContext(
            table: table,
            name: name,
            reporters: reporters,
            tellsHelp: arguments.isEmpty || arguments.contains(where: mayAskForHelp)
        )
        exit(run(arguments))
    }

    /// Whether an argument may be one of those by which ArgumentParser prints help, completions or all it knows.
    private static func mayAskForHelp(_ argument: String) -> Bool {
        argument == "-h" || ["help", "--generate", "--experimental"].contains(where: argument.contains)
    }

    /// Runs one command and gives its exit code: 0 done, 1 the data failed its gate, 2 the job or the command line is
    /// wrong, 3 the machine failed.
    static func run(_ arguments: [String]) -> Int32 {
        let arguments = Quiet.spelledOut(in: arguments)
        do {
            if arguments == ["help", "job"] {
                Terminal.print(JobHelp.text)
                return 0
            }
            try refuseUnknownCommand(arguments)
            try refuseSecondDays(arguments)
            var command = try command(of: arguments)
            try command.run()
            return 0
        } catch let code as ExitCode { return code.rawValue } catch let error as DaybookError {
            return complain(error, arguments)
        } catch let errors as DaybookErrors { return Terminal.ending(with: errors.errors).rawValue } catch {
            // Help, the version and completion scripts come as errors that mean success.
            guard RootCommand.exitCode(for: error) != .success else {
                Terminal.print(RootCommand.fullMessage(for: error))
                return 0
            }
            return complain(UsageError.of(RootCommand.message(for: error), arguments), arguments)
        }
    }

    /// The command that the arguments name, with its options.
    ///
    /// ArgumentParser takes each argument for the name of a command first. So a command without further ones is read by itself;
    /// help and mistakes go through all of them, since their text names the whole way to the command.
    private static func command(of arguments: [String]) throws -> any ParsableCommand {
        if let named = arguments.first.flatMap(RootCommand.subcommand), named.configuration.subcommands.isEmpty,
            let command = try? named.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == named
        {
            return command
        }
        return try RootCommand.parseAsRoot(arguments)
    }

    private static func complain(_ error: DaybookError, _ arguments: [String]) -> Int32 {
        Terminal.complain(error)
        let code: Int32 = error.blame == .machine ? 3 : 2
        UnstartedRun(arguments)?.end(with: error, exitCode: code)
        return code
    }

    /// ArgumentParser would take the last of several, and days that were asked for would not be made.
    private static func refuseSecondDays(_ arguments: [String]) throws(DaybookError) {
        let arguments = arguments.prefix { $0 != "--" }
        for option in ["--redo", "--as-of"] {
            let places = arguments.indices.filter { arguments[$0] == option || arguments[$0].hasPrefix(option + "=") }
            guard places.count > 1 else { continue }
            throw DaybookError(
                "usage",
                "'\(option)' is given \(DisplayText.count(places.count, "time"))",
                hint: option == "--redo"
                    ? "several days are 2026-10-01..2026-10-10; days apart are made by a run each" : "a run has one day"
            )
        }
    }

    /// ArgumentParser would call the name of an unknown command an unexpected argument.
    private static func refuseUnknownCommand(_ arguments: [String]) throws(DaybookError) {
        let named = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        guard let first = named, !first.hasPrefix("-"), first != "help" else { return }
        guard RootCommand.subcommand(first) == nil else { return }
        let names = RootCommand.names
        let isJob = first.hasSuffix(".yaml") || first.hasSuffix(".yml")
        throw DaybookError(
            "unknown-command",
            "no command named '\(first)'",
            hint: isJob
                ? "did you mean '\(CommandContext.current.name) run \(first)'?"
                : CommandContext.current.table.names.contains(first)
                    ? "it is a stage, of which '\(CommandContext.current.name) stages \(first)' tells"
                    : NearestName.hint(for: first, among: names) ?? "the commands are \(names.joined(separator: ", "))"
        )
    }
}

/// What every command knows: the table of stages, the name of the program, and the forms of report.
///
/// A global, because ArgumentParser makes the commands and asks for their configuration itself.
struct CommandContext: Sendable {
    var table: StageTable
    var name: String
    var reporters: ReporterTable
    /// Whether a command may be asked for its help, whose text every command would else make at each start.
    var tellsHelp = true

    /// Set by `DaybookCommand.main` before any command is made, while the process has one thread, and only read afterwards.
    nonisolated(unsafe) static var current = CommandContext(table: .builtIn, name: "daybook", reporters: .builtIn)
}

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
            let expected = words.isEmpty ? number : DisplayText.list(words, "or")
            return "expected \(expected) after '\(match.2)', found '\(match.1)'"
        }
        return nil
    }
}

/// The command without a subcommand: only help and the version.
struct RootCommand: ParsableCommand {
    static let subcommands: [any ParsableCommand.Type] = [
        RunCommand.self, BackfillCommand.self, ValidateCommand.self, ExplainCommand.self, PreviewCommand.self,
        TestCommand.self, ReplayCommand.self, HistoryCommand.self, SiteCommand.self, VerifyCommand.self,
        NotifyCommand.self, GuessCommand.self, ProfileCommand.self, DiffCommand.self, ContractCommand.self,
        PlanCommand.self, ExchangeCommand.self, MergeCommand.self, ModelCommand.self, StagesCommand.self,
        SchemaCommand.self,
    ]

    /// The names of the subcommands.
    static var names: [String] { subcommands.compactMap { $0.configuration.commandName } }

    /// The subcommand of a name. No more of them are asked for their names than need be.
    static func subcommand(_ name: String?) -> (any ParsableCommand.Type)? {
        subcommands.first { $0.configuration.commandName == name }
    }

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

/// A command below that of the program.
protocol Subcommand: ParsableCommand {
    static var outline: CommandOutline { get }
}

extension Subcommand {
    static var configuration: CommandConfiguration { outline.configuration }
}

/// What is said of a subcommand, whose help calls the program by its name.
struct CommandOutline: Sendable {
    private let name: String
    private let abstract: String
    private let help: @Sendable (_ program: String) -> String

    init(_ name: String, _ abstract: String, help: @escaping @Sendable (_ program: String) -> String) {
        (self.name, self.abstract, self.help) = (name, abstract, help)
    }

    var configuration: CommandConfiguration {
        let context = CommandContext.current
        let discussion = context.tellsHelp ? help(context.name) : ""
        return CommandConfiguration(commandName: name, abstract: abstract, discussion: discussion)
    }
}

extension ArgumentHelp {
    /// Describes an option, whose value help calls by a name.
    static func value(_ name: String, _ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: name) }
}

extension CompletionKind {
    static var job: CompletionKind { .file(extensions: ["yaml", "yml"]) }
    static var json: CompletionKind { .file(extensions: ["json"]) }
}

/// A `run` whose command line is wrong: it leaves a manifest too, where the line still tells of which job.
struct UnstartedRun {
    private static let withValue: Set<String> = [
        "--as-of", "--set", "--threads", "--state", "--manifest", "--report", "--max-findings", "--baseline",
    ]

    private var job = ""
    private var state: String?
    private var params: [String] = []
    private var allowsCommands = false
    private var keepsHistory = true

    /// Nil when the arguments are not those of a run of one job that is there, and for a dry run, which tells nobody.
    init?(_ arguments: [String]) {
        guard arguments.first == "run" else { return nil }
        var jobs: [String] = []
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if UnstartedRun.withValue.contains(parts[0]) {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else { continue }
                if parts[0] == "--state" { state = value }
                if parts[0] == "--set" { params += ["--set", value] }
            } else if argument == "--dry-run" {
                return nil
            } else if argument == "--no-history" {
                keepsHistory = false
            } else if argument == "--allow-commands" {
                allowsCommands = true
            } else if !argument.hasPrefix("-") {
                jobs.append(argument)
            }
        }
        // The value of an unknown option may stand among them, but is no file.
        jobs.removeAll { path in
            var isDirectory: ObjCBool = false
            return !FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) || isDirectory.boolValue
        }
        guard jobs.count == 1 else { return nil }
        job = jobs[0]
    }

    /// Keeps the manifest, and tells those whom the job names; that it cannot be kept is not worth a second error.
    func end(with error: DaybookError, exitCode: Int32) {
        guard let options = try? JobOptions.parse(params) else { return }
        let reading = JobReading(job, options)
        var report = RunReport(reading, threads: 1)
        report.outcome =
            reading.plan.map { RunOutcome([error], of: $0, in: reading.directory) } ?? RunOutcome(errors: [error])
        report.exitCode = exitCode
        var place = StateOption()
        place.state = state
        if keepsHistory, !place.isUnknown(for: reading) {
            let manifest = JSONDocument.bytes(of: Manifest(report).value)
            _ = try? place.directory(of: reading).keepManifest(manifest, ofJob: report.job)
        }
        let sender = NoticeSender(
            NoticeFacts(report, events: report.events(earlierFailed: false), run: nil),
            allowsCommands: allowsCommands || RunSession.environmentAllowsCommands
        )
        Terminal.warn(of: sender.send(reading.job?.notices ?? []), reading.mask)
    }
}

import ArgumentParser
import DaybookBytes
import DaybookReports
import DaybookStandard

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
        guard CommandLine.argc > 0 else {
            Terminal.complain(
                .machine(
                    "no-arguments",
                    "the arguments of the command cannot be read",
                    hint: "mount /proc, from which they come"
                )
            )
            exit(3)
        }
        let context = CommandContext(table: table, name: name, reporters: reporters)
        let code = CommandContext.$current.withValue(context) { run(SystemPath.arguments) }
        exit(code)
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
            var command = try RootCommand.parseAsRoot(arguments)
            try command.run()
            return 0
        } catch let code as ExitCode {
            return code.rawValue
        } catch let error as DaybookError {
            return complain(error, arguments)
        } catch {
            // Help, the version and completion scripts come as errors that mean success.
            guard RootCommand.exitCode(for: error) != .success else {
                Terminal.print(RootCommand.fullMessage(for: error))
                return 0
            }
            return complain(UsageError.of(RootCommand.message(for: error), arguments), arguments)
        }
    }

    private static func complain(_ error: DaybookError, _ arguments: [String]) -> Int32 {
        Terminal.complain(error)
        let code: Int32 = error.blame == .machine ? 3 : 2
        UnstartedRun(arguments)?.keepManifest(of: error, exitCode: code)
        return code
    }

    /// ArgumentParser would call the name of an unknown command an unexpected argument.
    private static func refuseUnknownCommand(_ arguments: [String]) throws(DaybookError) {
        let named = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
        guard let first = named, !first.hasPrefix("-"), first != "help" else { return }
        guard !RootCommand.has(first) else { return }
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

/// What one command line knows: handed in at the entry point, asked for by every command.
///
/// Bound to the call rather than kept in a global, because ArgumentParser makes the commands itself.
struct CommandContext: Sendable {
    var table: StageTable
    var name: String
    var reporters: ReporterTable

    @TaskLocal static var current = CommandContext(table: .builtIn, name: "daybook", reporters: .builtIn)
}

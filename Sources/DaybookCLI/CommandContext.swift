import DaybookCore
import DaybookPipeline
import DaybookStages

/// What one command line knows: handed in at the entry point, asked for by every command.
///
/// Bound to the call rather than kept in a global, because ArgumentParser makes the commands itself.
struct CommandContext: Sendable {
    var table: StageTable
    var name: String
    var reporters: ReporterTable

    @TaskLocal static var current = CommandContext(table: .builtIn, name: "daybook", reporters: .builtIn)
}

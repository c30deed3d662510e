import ArgumentParser
import DaybookCore
import DaybookPipeline

/// `--state DIR`, of every command that opens the state directory of a job.
struct StateOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Where runs keep their state. (default: .daybook beside the job)", valueName: "directory"),
        completion: .directory
    )
    var state: String?

    /// The state directory of a job.
    func directory(of job: String) -> StateDirectory {
        var directory = state.map(StateDirectory.init) ?? .beside(job: job)
        directory.isCancelled = { Interruption.isRequested }
        return directory
    }

    /// Finishes the commit of a run that was killed, so that what is looked at is all of one run.
    ///
    /// That it cannot be finished is told, and hinders no command that only looks.
    func recover(job: String) {
        do throws(DaybookError) {
            try directory(of: job).recoverWhereAllowed()
        } catch {
            Terminal.note(ErrorRenderer(source: nil, hasColour: Terminal.hasColour).render(error))
        }
    }
}

import DaybookBytes
import DaybookEngine

extension ScratchPlace {
    /// A state directory in it, for runs of which nothing is kept.
    var state: StateDirectory {
        var state = StateDirectory(FilePath.join(path, "state"))
        state.isCancelled = { Interruption.isRequested }
        return state
    }
}

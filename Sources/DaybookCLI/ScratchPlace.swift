import DaybookBytes
import DaybookEngine
import Foundation

/// A directory for the time of one command.
struct ScratchPlace {
    let path: String

    /// Only its name is made; `make` makes it.
    init() {
        path = FilePath.join(FilePath.canonical(NSTemporaryDirectory()), "daybook-\(UUID().uuidString)")
    }

    func make() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// A state directory in it, for runs of which nothing is kept.
    var state: StateDirectory {
        var state = StateDirectory(FilePath.join(path, "state"))
        state.isCancelled = { Interruption.isRequested }
        return state
    }
}

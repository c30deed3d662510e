/// Keeps what every run came to.
///
/// A run hands its entry over in the commit of its outputs: the journal of the commit has its text until `keep` has returned, so that a
/// run whose outputs are in place is in the history as well, whenever it is killed.
public protocol RunRecorder: Sendable {
    /// What is kept of a run that ends so. Called when its outputs are on the disk and none of them is in place.
    func entry(of run: RunID, _ outcome: RunOutcome) -> RunEntry
}

/// What is kept of a run.
public struct RunEntry {
    /// All of it, from which another command can keep it later.
    let text: String
    /// Keeps it, for good or for later.
    let keep: () -> Void

    public init(text: String, keep: @escaping () -> Void) { (self.text, self.keep) = (text, keep) }
}

extension StateDirectory {
    /// Where entries wait that no recorder has kept yet: those of commits that were interrupted, and those that could not be kept.
    package var entries: String { FilePath.join(path, "entries") }

    /// Leaves an entry for the next command that opens the history; false where it could not be written. Nothing else depends on it.
    @discardableResult
    package func keepForLater(_ entry: String, of run: RunID) -> Bool {
        mkdir(entries.systemPath, 0o777)
        return (try? WholeFile.write(Bytes(entry), to: FilePath.join(entries, "\(run).json"))) != nil
    }
}

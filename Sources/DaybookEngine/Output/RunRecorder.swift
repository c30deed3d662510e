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
    /// Keeps it, for good or for later; false where neither could be done.
    let keep: () -> Bool

    public init(text: String, keep: @escaping () -> Bool) { (self.text, self.keep) = (text, keep) }
}

extension StateDirectory {
    /// Where entries wait that no recorder has kept yet: those of commits that were interrupted, and those that could not be kept.
    package var entries: String { FilePath.join(path, "entries") }

    /// Leaves an entry for the next command that opens the history.
    package func keepForLater(_ entry: String, of run: RunID) throws(SystemFailure) {
        mkdir(entries.systemPath, 0o777)
        let path = FilePath.join(entries, "\(run).json")
        try WholeFile.replace(path, with: Bytes(entry), by: path + ".new")
    }
}

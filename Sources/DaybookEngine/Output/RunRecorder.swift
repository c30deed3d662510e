/// Keeps what every run came to.
///
/// A run hands its entry over in the commit of its outputs: the journal of the commit has it until `keep` has returned, so that a run
/// whose outputs are in place is in the history as well, whenever it is killed.
public protocol RunRecorder: Sendable {
    /// What is kept of a run that ends so, as one text. Called when its outputs are on the disk and none of them is in place.
    func entry(of run: RunID, _ outcome: RunOutcome) -> String

    /// Keeps an entry for good; false where that has to be done later, for which the recorder has its reasons to tell.
    func keep(_ entry: String) -> Bool
}

extension StateDirectory {
    /// Where entries wait that no recorder has kept yet: those of commits that were interrupted, and those that could not be kept.
    package var entries: String { FilePath.join(path, "entries") }

    /// Leaves an entry for the next command that opens the history. Nothing else depends on it, so no failure stops anything.
    package func keepForLater(_ entry: String, of run: RunID) {
        mkdir(entries, 0o777)
        try? WholeFile.write(Bytes(entry), to: FilePath.join(entries, "\(run).json"))
    }
}

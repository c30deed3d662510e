/// What is true of the outputs of a run, also of one that failed.
public enum OutputState: Sendable, Equatable {
    /// Every file is as it was before the run.
    case old
    /// So many files of all are new, and the others old until the next command puts them in place.
    case mixed(new: Int, of: Int)
    /// Every file is new.
    case new
}

/// What takes part in the commit of a run beside its files: a database, a bucket of objects.
///
/// All outputs of a run become new together or none does, also where it is killed. That is a two-phase commit whose record is the journal of
/// the run, with at most one participant that cannot prepare: its own commit is the decision (the last resource of Gray and Reuter,
/// Transaction Processing, 1993, section 10).
public protocol CommitParticipant: Sendable {
    /// By which another command finds it again.
    var reference: ParticipantReference { get }

    /// Brings what was written to where only the commit is missing. Nothing is new before.
    func prepare() throws(DaybookError)
    /// Commits. Called once, and never where the outputs of the run are discarded.
    func commit() -> ParticipantOutcome
    /// Takes back what was written, where the run fails before its decision.
    func rollBack()
}

/// A participant as the run file and the journal name it.
public struct ParticipantReference: Sendable, Hashable {
    public enum Role: String, Sendable {
        /// Its commit can be repeated, so it follows the decision: renames in a bucket, an upload of many parts.
        case durable
        /// Its commit is the decision of the run. There is at most one.
        case deciding
    }

    /// The name of the service, by which a command finds what can ask it.
    public let service: String
    public let role: Role
    /// Where it is, without secrets, as messages name it.
    public let address: String
    /// What the service knows of this run by.
    public let token: String

    public init(service: String, role: Role, address: String, token: String) {
        (self.service, self.role, self.address, self.token) = (service, role, address, token)
    }
}

/// What became of a commit.
public enum ParticipantOutcome: Sendable, Equatable {
    case done
    /// It did not happen, and never will.
    case failed(String)
    /// Nobody can tell: there is no answer, or one that may change.
    case unknown(String)
}

/// A kind of service, as another command than the run finds it: after a kill it is asked what became of a commit.
public protocol CommitService: Sendable {
    /// What `ParticipantReference.service` says.
    var name: String { get }

    /// What became of the commit of a deciding participant. `failed` only once it can never happen: a transaction that may still live is ended
    /// before.
    func outcome(of participant: ParticipantReference) -> ParticipantOutcome
    /// Commits what a durable participant has prepared, also where that was done before.
    func commit(_ participant: ParticipantReference) -> ParticipantOutcome
    /// Takes back what was written, also where that was done before or nothing was.
    func rollBack(_ participant: ParticipantReference) -> ParticipantOutcome
}

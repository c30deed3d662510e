/// A participant in the commit of a run other than its files: a database, a bucket of objects.
///
/// All outputs of a run become new together or none does, even after a kill. That is a two-phase commit whose record is
/// the journal of the run, with at most one participant that cannot prepare: its own commit is the decision (the last
/// resource of Gray and Reuter, Transaction Processing, 1993, section 10).
public protocol CommitParticipant: Sendable {
    /// By which another command finds it again.
    var reference: ParticipantReference { get }

    /// Prepares the written data, so that only the commit is missing. Nothing is new before the commit.
    func prepare() throws(DaybookError)
    /// Commits. Called once, and never where the outputs of the run are discarded. A durable participant answers
    /// `unknown` to an error that may pass: the next command repeats its commit.
    func commit() -> ParticipantOutcome
    /// Rolls back the written data, if the run fails before its decision.
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

    /// The name of the service, by which commands find its `CommitService`.
    public let service: String
    public let role: Role
    /// Where it is, without secrets, as messages name it.
    public let address: String
    /// The service's identifier of this run.
    public let token: String

    public init(service: String, role: Role, address: String, token: String) {
        (self.service, self.role, self.address, self.token) = (service, role, address, token)
    }
}

/// The outcome of a commit.
public enum ParticipantOutcome: Sendable, Equatable {
    case done
    /// It did not happen, and never will.
    case failed(String)
    /// The outcome cannot be known: there is no answer, or one that may change.
    case unknown(String)
}

/// A kind of service, for commands other than the run: after a kill it reports the outcome of a commit.
public protocol CommitService: Sendable {
    /// The name in `ParticipantReference.service`.
    var name: String { get }

    /// The outcome of a deciding participant's commit. `failed` only once the commit can never happen: a transaction
    /// that may still live is ended before. A service without deciding participants is never asked, and answers
    /// `unknown`.
    func outcome(of participant: ParticipantReference) -> ParticipantOutcome
    /// Commits the prepared data of a durable participant, even if that was done before.
    func commit(_ participant: ParticipantReference) -> ParticipantOutcome
    /// Rolls back the written data, even if that was done before or nothing was written.
    func rollBack(_ participant: ParticipantReference) -> ParticipantOutcome
}

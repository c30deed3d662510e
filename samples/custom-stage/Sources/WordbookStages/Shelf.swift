import DaybookContracts
import Foundation

/// A directory that stands in for a server of your own: each commit adds one file of lines to it.
///
/// What a run adds is hidden behind a dot until it commits, by one rename. That rename cannot be made twice, so it decides the run.
struct Shelf: CommitService {
    static let service = Shelf()

    let name = "shelf"

    /// The files of a shelf, in the order in which they were begun.
    static func files(of address: String) throws(DaybookError) -> [URL] {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: address).filter { !$0.hasPrefix(".") }
            return names.sorted().map { URL(filePath: address).appending(path: $0) }
        } catch {
            throw .machine("no-shelf", "cannot read the shelf '\(address)'", hint: "make the directory first")
        }
    }

    private static func paths(of participant: ParticipantReference) -> (hidden: String, shown: String) {
        ("\(participant.address)/.\(participant.token)", "\(participant.address)/\(participant.token)")
    }

    /// Asked after a kill. Nothing can commit any more once the hidden file is gone.
    func outcome(of participant: ParticipantReference) -> ParticipantOutcome {
        // A shelf that is not there, such as one on a disk that is not mounted, has said nothing.
        guard FileManager.default.fileExists(atPath: participant.address) else {
            return .unknown("there is no directory '\(participant.address)'")
        }
        let paths = Shelf.paths(of: participant)
        if FileManager.default.fileExists(atPath: paths.shown) { return .done }
        return switch rollBack(participant) {
        case .done: .failed("it was not committed")
        case let other: other
        }
    }

    func commit(_ participant: ParticipantReference) -> ParticipantOutcome {
        let paths = Shelf.paths(of: participant)
        if rename(paths.hidden, paths.shown) == 0 { return .done }
        return .failed(String(cString: strerror(errno)))
    }

    func rollBack(_ participant: ParticipantReference) -> ParticipantOutcome {
        if unlink(Shelf.paths(of: participant).hidden) == 0 || errno == ENOENT { return .done }
        return .unknown(String(cString: strerror(errno)))
    }

    /// What one run adds to a shelf.
    final class Addition: CommitParticipant {
        let reference: ParticipantReference
        private let lines = Bytes()

        init(to address: String) {
            // Another command may be started elsewhere.
            let address = URL(filePath: address).standardizedFileURL.path
            let token = "\(Date.now.ISO8601Format())-\(UUID().uuidString)"
            reference = ParticipantReference(service: "shelf", role: .deciding, address: address, token: token)
        }

        func add(_ more: Bytes) { lines.append(0..<more.count, of: more) }

        func prepare() throws(DaybookError) {
            do { try Data(lines.filled).write(to: URL(filePath: Shelf.paths(of: reference).hidden)) } catch {
                throw .machine(
                    "no-shelf",
                    "cannot add to the shelf '\(reference.address)'",
                    hint: "make the directory first"
                )
            }
        }

        func commit() -> ParticipantOutcome { Shelf.service.commit(reference) }
        func rollBack() { _ = Shelf.service.rollBack(reference) }
    }
}

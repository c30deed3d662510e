import DaybookTestSupport
import Foundation
import Synchronization
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

/// A directory that plays a database: what is prepared and what is committed are files in it. It commits, dies, answers late or never.
private struct FileDatabase: CommitService {
    /// What its commit does.
    enum Commit: CaseIterable {
        case commits, refuses
        /// The connection is lost before the commit comes, or before its answer does.
        case lostBefore, lostAfter
    }

    let directory: String
    var name: String { "files" }

    var isDown: Bool { access("\(directory)/down", F_OK) == 0 }

    func down(_ isDown: Bool) {
        if isDown {
            _ = FileManager.default.createFile(atPath: "\(directory)/down", contents: nil)
        } else {
            unlink("\(directory)/down")
        }
    }

    func path(_ state: String, _ token: String) -> String { "\(directory)/\(state)-\(token)" }

    func has(_ state: String, _ token: String) -> Bool { access(path(state, token), F_OK) == 0 }

    private func answer(_ body: () -> ParticipantOutcome) -> ParticipantOutcome {
        isDown ? .unknown("it does not answer") : body()
    }

    func outcome(of participant: ParticipantReference) -> ParticipantOutcome {
        answer {
            if has("committed", participant.token) { return .done }
            // Ends what may still live, so that the answer stays true.
            unlink(path("prepared", participant.token))
            return .failed("it was never committed")
        }
    }

    func commit(_ participant: ParticipantReference) -> ParticipantOutcome {
        answer {
            rename(path("prepared", participant.token), path("committed", participant.token))
            return has("committed", participant.token) ? .done : .failed("nothing was prepared")
        }
    }

    func rollBack(_ participant: ParticipantReference) -> ParticipantOutcome {
        answer {
            unlink(path("prepared", participant.token))
            return .done
        }
    }
}

private struct FileParticipant: CommitParticipant {
    let database: FileDatabase
    let reference: ParticipantReference
    let commitment: FileDatabase.Commit
    /// What happens while its commit is waited for.
    var meanwhile: @Sendable () -> Void = {}

    init(_ database: FileDatabase, _ role: ParticipantReference.Role, _ token: String, _ commit: FileDatabase.Commit) {
        (self.database, commitment) = (database, commit)
        reference = ParticipantReference(service: "files", role: role, address: "files://\(token)", token: token)
    }

    func prepare() {
        _ = FileManager.default.createFile(atPath: database.path("prepared", reference.token), contents: nil)
    }

    func commit() -> ParticipantOutcome {
        meanwhile()
        switch commitment {
        case .commits: return database.commit(reference)
        case .refuses:
            unlink(database.path("prepared", reference.token))
            return .failed("a row breaks a constraint")
        case .lostBefore: return .unknown("the connection was lost")
        case .lostAfter:
            _ = database.commit(reference)
            return .unknown("the connection was lost")
        }
    }

    func rollBack() { _ = database.rollBack(reference) }
}

/// Runs whose commit a service takes part in: all outputs are new or all old, whatever is killed and whoever does not answer.
@Suite struct ParticipantTests {
    private let scratch = Scratch()
    private var state: StateDirectory {
        var state = StateDirectory(scratch["state"])
        state.services = { [database] in [database] }
        return state
    }
    private var database: FileDatabase { FileDatabase(directory: scratch["db"]) }
    private var files: [String?] { ["a", "b"].map { scratch.read("out/\($0)") } }

    init() throws { try FileManager.default.createDirectory(atPath: scratch["db"], withIntermediateDirectories: true) }

    /// A run of two files and some participants, killed after a step.
    private func run(
        _ participants: [(role: ParticipantReference.Role, commit: FileDatabase.Commit)],
        killed: CommitStep? = nil,
        content: String = "new"
    ) throws(DaybookError) {
        let run = try state.beginRun()
        run.job = "orders"
        for (number, one) in participants.enumerated() {
            try run.join(FileParticipant(database, one.role, "\(content)-\(number)", one.commit))
        }
        for name in ["a", "b"] { try run.open("out/\(name)", from: scratch.path).write(Bytes(content)) }
        run.isKilled = { $0 == killed }
        try run.commit()
    }

    @Test func `a commit that all take part in makes everything new`() throws {
        try run([(.durable, .commits), (.deciding, .commits)])
        #expect(files == ["new", "new"])
        #expect(database.has("committed", "new-0") && database.has("committed", "new-1"))
        #expect(scratch.everything(under: "state/runs").isEmpty)
    }

    @Test func `a service that refuses takes everything back`() throws {
        let error = #expect(throws: DaybookError.self) { try run([(.durable, .commits), (.deciding, .refuses)]) }
        #expect(error?.message == "'files://new-1' did not commit: a row breaks a constraint")
        #expect(files == [nil, nil])
        #expect(!database.has("prepared", "new-0") && !database.has("committed", "new-0"))
        #expect(scratch.everything(under: "state/runs").isEmpty)
    }

    @Test("an answer that is lost keeps the job waiting, and no other", arguments: [true, false])
    func lostAnswer(committed: Bool) throws {
        database.down(false)
        let error = #expect(throws: DaybookError.self) { try run([(.deciding, committed ? .lostAfter : .lostBefore)]) }
        #expect(error?.code == "undecided-commit")
        database.down(true)
        let waiting = try state.recover()
        #expect(files == [nil, nil])
        #expect(throws: DaybookError.self) { try waiting.refuse([], of: "orders") }
        #expect(throws: DaybookError.self) { try waiting.refuse([scratch["out/a"]], of: "another") }
        try waiting.refuse([scratch["out/c"]], of: "another")
        // Another job that writes beside them goes on.
        let other = try state.beginRun()
        other.job = "another"
        try other.open("out/c", from: scratch.path).write(Bytes("c"))
        try other.commit()
        #expect(scratch.read("out/c") == "c")
        // One that writes over them does not, and takes nothing away.
        let third = try state.beginRun()
        third.job = "third"
        try third.open("out/a", from: scratch.path).write(Bytes("other"))
        let refused = #expect(throws: DaybookError.self) { try third.commit() }
        #expect(refused?.code == "undecided-commit")
        database.down(false)
        let settled = try state.recover()
        #expect(settled.undecided.isEmpty)
        #expect(files == (committed ? ["new", "new"] : [nil, nil]))
        #expect(scratch.everything(under: "state/runs").isEmpty)
    }

    @Test func `while a service is waited for, others write beside the outputs and not over them`() throws {
        let codes = Mutex<[String]>([])
        let run = try state.beginRun()
        run.job = "orders"
        var participant = FileParticipant(database, .deciding, "slow", .commits)
        participant.meanwhile = { [state, path = scratch.path] in
            for (job, file) in [("beside", "out/c"), ("over", "out/a")] {
                do throws(DaybookError) {
                    let other = try state.beginRun()
                    other.job = job
                    try other.open(file, from: path).write(Bytes(job))
                    try other.commit()
                    codes.withLock { $0.append("done") }
                } catch { codes.withLock { $0.append(error.code.rawValue) } }
            }
        }
        try run.join(participant)
        try run.open("out/a", from: scratch.path).write(Bytes("new"))
        try run.commit()
        #expect(codes.withLock { $0 } == ["done", "undecided-commit"])
        #expect(scratch.read("out/a") == "new" && scratch.read("out/c") == "beside")
        #expect(scratch.everything(under: "state/runs").isEmpty)
    }

    @Test func `what was decided stays so though the service forgets it`() throws {
        #expect(throws: DaybookError.self) { try run([(.deciding, .commits)], killed: .decided) }
        unlink(database.path("committed", "new-0"))
        _ = try state.recover()
        #expect(files == ["new", "new"])
    }

    @Test func `a command that only looks asks nobody`() throws {
        #expect(throws: DaybookError.self) { try run([(.deciding, .commits)], killed: .committed) }
        #expect(try state.recoverWhereAllowed().undecided.count == 1)
        #expect(files == [nil, nil])
        _ = try state.recover()
        #expect(files == ["new", "new"])
    }

    @Test func `what may have become new is not read, unless the run that writes it lives`() throws {
        #expect(throws: DaybookError.self) { try run([(.deciding, .commits)], killed: .committed) }
        let waiting = try state.recoverWhereAllowed()
        let refused = #expect(throws: DaybookError.self) { try waiting.refuse(inputs: [scratch["out/a"]]) }
        #expect(refused?.code == "undecided-commit")
        try waiting.refuse(inputs: [scratch["out/c"]])
        _ = try state.recover()
        let alive = try state.beginRun()
        var participant = FileParticipant(database, .deciding, "slow", .commits)
        participant.meanwhile = { [state, path = scratch["out/a"]] in
            do {
                let living = try state.recover()
                #expect(living.undecided.count == 1)
                try living.refuse(inputs: [path])
            } catch { Issue.record(error) }
        }
        try alive.join(participant)
        try alive.open("out/a", from: scratch.path).write(Bytes("newer"))
        try alive.commit()
        #expect(scratch.read("out/a") == "newer")
    }

    @Test func `two that decide are refused, and so is a stream beside one`() throws {
        let two = #expect(throws: DaybookError.self) { try run([(.deciding, .commits), (.deciding, .commits)]) }
        #expect(two?.code == "two-deciding")
        let other = try state.beginRun()
        try other.join(FileParticipant(database, .deciding, "t", .commits))
        let stream = #expect(throws: DaybookError.self) { try other.open("-", from: scratch.path) }
        #expect(stream?.code == "stream-beside-service")
    }

    @Test("killed at each step, with each outcome, and late answers", arguments: 0..<20)
    func everyWay(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for number in 0..<50 {
            let content = "run-\(seed)-\(number)"
            let before = files
            var participants = (0..<Int.random(in: 0...2, using: &random)).map { _ in
                (
                    role: ParticipantReference.Role.durable,
                    commit: [FileDatabase.Commit.commits, .lostBefore, .lostAfter].randomElement(using: &random)!
                )
            }
            let decides = participants.isEmpty || Bool.random(using: &random)
            if decides {
                let commit = FileDatabase.Commit.allCases.randomElement(using: &random)!
                participants.insert((.deciding, commit), at: Int.random(in: 0...participants.count, using: &random))
            }
            let steps: [CommitStep?] =
                [nil, .prepared, .flushed, .journalled, .committed, .decided, .renamed(0), .renamed(1)]
                + participants.indices.map { .followed($0) }
            let killed = steps.randomElement(using: &random)!
            do { try run(participants, killed: killed, content: content) } catch {}
            // Nobody answers for a while.
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                database.down(true)
                let recovery = try state.recover()
                for path in ["a", "b"] where !recovery.undecided.isEmpty {
                    #expect(throws: DaybookError.self) { try recovery.refuse([scratch["out/\(path)"]], of: "x") }
                }
                database.down(false)
            }
            let recovery = try state.recover()
            #expect(recovery.undecided.isEmpty)
            let isNew = files == [content, content]
            #expect(isNew || files == before, "\(files) after \(String(describing: killed)), \(participants)")
            for index in participants.indices {
                #expect(
                    database.has("committed", "\(content)-\(index)") == isNew,
                    "\(participants) killed \(String(describing: killed))"
                )
                #expect(!database.has("prepared", "\(content)-\(index)"))
            }
            #expect(scratch.everything(under: "state/runs").isEmpty)
        }
    }
}

import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct RecoveryTests {
    let scratch = Scratch()
    var state: StateDirectory { StateDirectory(scratch["state"]) }
    var outputs: [String?] { ["a", "b", "c"].map { scratch.read("out/\($0)") } }

    /// Three outputs, two of which are there already, and a kill after `step`.
    private func kill(after step: CommitStep) throws {
        scratch.write("out/a", "old")
        scratch.write("out/b", "old")
        let run = try state.beginRun()
        for name in ["a", "b", "c"] { try run.open("out/\(name)", from: scratch.path).write("new") }
        run.isKilled = { $0 == step }
        #expect(throws: DaybookError.self) { try run.commit() }
    }

    @Test func aKillBeforeTheJournalLeavesTheOldOutputs() throws {
        try kill(after: .flushed)
        #expect(scratch.everything(under: "out").count == 5)
        let recovery = try state.recover()
        #expect(recovery.finished.isEmpty)
        #expect(recovery.cleared.count == 3)
        #expect(outputs == ["old", "old", nil])
        #expect(scratch.everything(under: "out") == ["out/a", "out/b"])
        #expect(scratch.everything(under: "state/runs").isEmpty)
    }

    @Test(arguments: [CommitStep.journalled, .renamed(0), .renamed(1), .renamed(2)])
    func aKillAfterTheJournalIsFinished(step: CommitStep) throws {
        try kill(after: step)
        let recovery = try state.recover()
        let left = if case .renamed(let index) = step { 2 - index } else { 3 }
        #expect(recovery.finished == ["a", "b", "c"].suffix(left).map { scratch["out/\($0)"] })
        #expect(outputs == ["new", "new", "new"])
        #expect(scratch.everything(under: "out") == ["out/a", "out/b", "out/c"])
        #expect(scratch.everything(under: "state/runs").isEmpty)
        #expect(try state.recover() == Recovery())
    }

    @Test(.enabled(if: TestSize.isPatient, "only under CI")) func aRunFileOfAnyLengthIsRead() throws {
        try kill(after: .flushed)
        let name = try #require(scratch.everything(under: "state/runs").first { $0.hasSuffix(".open") })
        #expect(truncate(scratch[name], 65 << 20) == 0)
        #expect(try state.recover().cleared.count == 3)
    }

    @Test func twoOutputsHaveAJournalAsWell() throws {
        let run = try state.beginRun()
        for name in ["a", "b"] { try run.open("out/\(name)", from: scratch.path).write("new") }
        run.isKilled = { $0 == .renamed(0) }
        #expect(throws: DaybookError.self) { try run.commit() }
        #expect(try state.recover().finished == [scratch["out/b"]])
        #expect(outputs == ["new", "new", nil])
    }

    @Test(arguments: [(CommitStep.flushed, false), (.journalled, true), (.renamed(0), true)])
    func theEntryOfTheHistoryGoesWithTheOutputs(step: CommitStep, isKept: Bool) throws {
        let run = try state.beginRun()
        try run.open("out/a", from: scratch.path).write("new")
        run.makeEntry = { RunEntry(text: "{\"of\":\t\"100 %\"}\n") { true } }
        run.isKilled = { $0 == step }
        #expect(throws: DaybookError.self) { try run.commit() }
        try state.recover()
        #expect(scratch.read("out/a") == (isKept ? "new" : nil))
        #expect(scratch.read("state/entries/\(run.run).json") == (isKept ? "{\"of\":\t\"100 %\"}\n" : nil))
        #expect(scratch.everything(under: "state/runs").isEmpty)
    }

    @Test func anEntryIsKeptOnceTheOutputsAreInPlace() throws {
        let run = try state.beginRun()
        try run.open("out/a", from: scratch.path).write("new")
        var kept = 0
        run.makeEntry = {
            RunEntry(text: "entry") { [scratch] in
                #expect(scratch.read("out/a") == "new")
                #expect(scratch.read("state/runs/\(run.run).journal")?.contains("entry") == true)
                kept += 1
                return true
            }
        }
        try run.commit()
        #expect(kept == 1)
        #expect(scratch.everything(under: "state/runs").isEmpty)
    }

    @Test func anEntryForWhichThereIsNoRoomWaitsInTheJournal() throws {
        let run = try state.beginRun()
        try run.open("out/a", from: scratch.path).write("new")
        run.makeEntry = { RunEntry(text: "entry") { false } }
        try run.commit()
        #expect(run.outputState == .new && scratch.read("out/a") == "new")
        // As long as there is none, no other run may begin, which would not know of this one.
        scratch.write("state/entries", "in the way")
        #expect(throws: DaybookError.self) { try state.recover() }
        scratch.remove("state/entries")
        try state.recover()
        #expect(scratch.read("state/entries/\(run.run).json") == "entry")
        #expect(scratch.everything(under: "state/runs").isEmpty)
    }

    @Test func aJournalThatWasChangedIsNone() {
        let run = RunID()
        let rename = Journal.Rename(temporary: "/out/" + run.temporaryName(0), target: "/out/a")
        let text = Journal(run: run, renames: [rename]).text
        #expect(Journal(text, of: run) != nil)
        #expect(Journal(text.replacing("/out/a", with: "/out/b"), of: run) == nil)
    }

    @Test func aLaterCommitFinishesTheInterruptedOneFirst() throws {
        // The second run began before the first was killed, so its command's own recovery found nothing.
        let second = try state.beginRun()
        try kill(after: .renamed(0))
        for name in ["a", "b", "c"] { try second.open("out/\(name)", from: scratch.path).write("newest") }
        try second.commit()
        try state.recover()
        #expect(outputs == ["newest", "newest", "newest"])
    }

    @Test func aLiveRunIsLeftAlone() throws {
        let run = try state.beginRun()
        try run.open(scratch["a"]).write("new")
        #expect(try state.recover() == Recovery())
        try run.commit()
        #expect(scratch.read("a") == "new")
    }

    @Test func directoriesOfADeadRunAreRemovedWhenTheyAreEmpty() throws {
        let run = try state.beginRun()
        try run.open(scratch["new/er/a"]).write("x")
        try run.open(scratch["other/b"]).write("x")
        run.isKilled = { _ in true }
        #expect(throws: DaybookError.self) { try run.commit() }
        scratch.write("other/mine", "kept")
        try state.recover()
        #expect(scratch.everything().filter { !$0.hasPrefix("state") } == ["other", "other/mine"])
    }

    @Test func nothingIsMadeWhereNothingWasRun() throws {
        #expect(try state.recover() == Recovery())
        #expect(scratch.everything().isEmpty)
    }

    @Test func aDamagedJournalIsAnErrorThatNamesIt() throws {
        try kill(after: .journalled)
        let name = try #require(scratch.everything(under: "state/runs").first { $0.hasSuffix(".journal") })
        let text = try #require(scratch.read(name))
        let shorter = String(text.dropLast(20))
        for damaged in ["", "garbage", "\n", text + "x", shorter, text.replacingFirst("out", with: "tmp")] {
            scratch.write(name, damaged)
            let error = refusal { () throws(DaybookError) in try state.recover() }
            #expect(error.code == "damaged-journal")
            #expect(
                error.message == "cannot finish an interrupted run: its journal '\(scratch[name])' is damaged"
            )
            #expect(error.blame == .machine)
            #expect(outputs == ["old", "old", nil])
        }
        unlink(scratch[name])
        try state.recover()
        #expect(outputs == ["old", "old", nil])
        #expect(scratch.everything(under: "out") == ["out/a", "out/b"])
    }

    @Test func aForgedJournalMovesNothing() throws {
        scratch.write("mine", "precious")
        scratch.write("other/target", "precious too")
        let run = RunID()
        let forged = [
            Journal.Rename(temporary: scratch["mine"], target: scratch["taken"]),
            Journal.Rename(temporary: scratch[run.temporaryName(0)], target: scratch["other/target"]),
            Journal.Rename(temporary: scratch["x/../" + run.temporaryName(0)], target: scratch["target"]),
            Journal.Rename(temporary: run.temporaryName(0), target: "target"),
            Journal.Rename(temporary: scratch[RunID().temporaryName(0)], target: scratch["target"]),
            Journal.Rename(temporary: scratch[run.temporaryName(0)], target: scratch[".."]),
        ]
        for rename in forged {
            scratch.write("state/runs/\(run).journal", Journal(run: run, renames: [rename]).text)
            let error = refusal { () throws(DaybookError) in try state.recover() }
            #expect(error.code == "damaged-journal")
        }
        #expect(scratch.read("mine") == "precious")
        #expect(scratch.read("other/target") == "precious too")
    }

    @Test func aForgedRunFileRemovesNothing() throws {
        scratch.write("mine", "precious")
        mkdir(scratch["empty"], 0o777)
        let run = RunID()
        let lines = [
            "file\t" + scratch["mine"], "directory\t" + scratch["empty"], "file", "\t\t\t", "file\t%zz", "\u{0}",
            "file\t/" + String(repeating: "x", count: 100_000) + run.temporaryName(0),
        ]
        scratch.write("state/runs/\(run).open", lines.joined(separator: "\n"))
        scratch.write("state/runs/not-a-run.open", "file\t" + scratch["mine"])
        try state.recover()
        #expect(scratch.read("mine") == "precious")
        #expect(scratch.everything().contains("empty"))
        #expect(scratch.everything(under: "state/runs") == ["state/runs/not-a-run.open"])
    }

    @Test func aLinkInPlaceOfATemporaryFileIsNotFollowed() throws {
        try kill(after: .journalled)
        scratch.write("mine", "precious")
        let temporary = try #require(scratch.everything(under: "out").first { $0.contains(".daybook-") })
        unlink(scratch[temporary])
        symlink(scratch["mine"], scratch[temporary])
        let error = refusal { () throws(DaybookError) in try state.recover() }
        #expect(error.code == "unfinished-commit")
        #expect(
            error.hint?.hasPrefix(
                "some outputs may be new and others old; mend that and run again, which finishes the rest; or "
            ) == true
        )
        #expect(scratch.read("mine") == "precious")
    }

    @Test func journalsCarryAnyPath() throws {
        let run = RunID()
        let names = ["plain", "tab\tand\nbreak", "100%", "한글.csv", "quote\"'", "\u{7f}"]
        let renames = names.map { Journal.Rename(temporary: "/x y/" + run.temporaryName(7), target: "/x y/" + $0) }
        let journal = Journal(run: run, renames: renames)
        #expect(Journal(journal.text, of: run) == journal)
        #expect(Journal(journal.text, of: RunID()) == nil)
    }

    @Test(
        "a journal whose path would end in its middle is none",
        arguments: ["a\u{0}.csv", "a%00.csv", "a%0.csv", "%"]
    )
    func journalsCarryNoHalfPath(_ target: String) {
        let run = RunID()
        let lines = "daybook-journal 1 \(run)\nrename\t/x/\(run.temporaryName(7))\t/x/\(target)\n"
        #expect(Journal(lines + "sha256 \(SHA256Digest.of(lines))\n", of: run) == nil)
    }
}

extension String {
    fileprivate func replacingFirst(_ part: String, with other: String) -> String {
        let parts = split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
        return parts.joined(separator: other)
    }
}

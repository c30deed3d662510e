import DaybookTestSupport
import Foundation
import Testing

/// One run of a job at a time: the second waits, or is told who is at it.
@Suite struct JobLockTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        let stages = "stages:\n  - import_csv: { path: \"${rows}\" }\n  - export_csv: { path: \"${out}\" }\n"
        for name in ["copy", "other"] {
            try place.write(
                "daybook: 1\njob: \(name)\nparams: { rows: \"-\", out: \(name).csv }\n" + stages,
                to: "\(name).yaml"
            )
        }
        try place.write("a\n2\n", to: "in.csv")
    }

    /// A run that waits for its rows, and holds the lock.
    private func start() throws -> (Process, Pipe) {
        let pipe = Pipe()
        let (process, _, _) = try command.start(["run", "copy.yaml"], input: pipe)
        pipe.fileHandleForWriting.write(Data(("a\n" + String(repeating: "1\n", count: 1_000_000)).utf8))
        wait { !names(in: ".daybook/runs").isEmpty }
        return (process, pipe)
    }

    private func end(_ process: Process, _ pipe: Pipe) throws {
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Waits for a minute at most.
    private func wait(until isDone: () -> Bool) { for _ in 0..<6000 where !isDone() { usleep(10_000) } }

    private func names(in directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: place.url.appendingPathComponent(directory).path)) ?? []
    }

    @Test func aSecondRunIsTurnedAway() throws {
        let (first, pipe) = try start()
        let second = try command.run("run", "copy.yaml", "--set", "rows=in.csv", "--manifest", "second.json")
        #expect(second.status == 3)
        let told = second.errors.replacing(/since [0-9TZ:.-]+/, with: "since then")
        #expect(
            told == """
                error: another run of 'copy' is going on: process \(first.processIdentifier), since then [already-running]
                  hint: wait for its end with '--wait'; runs that may go on side by side need a state directory each \
                ('--state DIR')

                next: run it again when that run is over; this one wrote nothing

                """
        )
        #expect(place.text("copy.csv") == nil)
        // It leaves the manifest of the job to the run that goes on.
        #expect(place.text(".daybook/manifests/copy.json") == nil)
        #expect(place.text("second.json")?.contains("already-running") == true)
        // A night that did not happen is in the history, for somebody may have been told of it.
        let kept = try command.run("history", "copy.yaml", "--format", "csv").output.split(separator: "\n")
        #expect(kept.count == 2, "\(kept)")
        // Another job, and this one with a state of its own, are not in the way.
        let other = try command.run("run", "other.yaml", "--set", "rows=in.csv", "--quiet")
        #expect(other.status == 0, "\(other.errors)")
        let apart = try command.run(
            "run",
            "copy.yaml",
            "--set",
            "rows=in.csv",
            "--set",
            "out=apart.csv",
            "--state",
            "apart"
        )
        #expect(apart.status == 0, "\(apart.errors)")
        try end(first, pipe)
        #expect(first.terminationStatus == 0)
        #expect(try command.run("run", "copy.yaml", "--set", "rows=in.csv").status == 0)
        #expect(place.text("copy.csv") == "a\n2\n")
    }

    @Test func aRunThatWaitsComesAfterTheOther() throws {
        let (first, pipe) = try start()
        let (second, _, errors) = try command.start(["run", "copy.yaml", "--set", "rows=in.csv", "--wait"])
        wait {
            ((try? String(contentsOf: errors, encoding: .utf8)) ?? "").contains("waiting for another run of 'copy': ")
        }
        #expect(second.isRunning)
        try end(first, pipe)
        second.waitUntilExit()
        #expect(first.terminationStatus == 0)
        #expect(second.terminationStatus == 0)
        #expect(place.text("copy.csv") == "a\n2\n")
    }

    @Test func aRunThatWaitsCanBeStopped() throws {
        let (first, pipe) = try start()
        let (second, _, errors) = try command.start(["run", "copy.yaml", "--set", "rows=in.csv", "--wait"])
        wait { ((try? String(contentsOf: errors, encoding: .utf8)) ?? "").contains("waiting for") }
        kill(second.processIdentifier, SIGTERM)
        wait { !second.isRunning }
        #expect(!second.isRunning)
        #expect(second.terminationStatus == 3)
        #expect(try String(contentsOf: errors, encoding: .utf8).contains("error: the run was stopped [interrupted]"))
        try end(first, pipe)
    }

    @Test func theLockOfADeadProcessIsNoLock() throws {
        let (first, pipe) = try start()
        kill(first.processIdentifier, SIGKILL)
        first.waitUntilExit()
        withExtendedLifetime(pipe) {}
        let second = try command.run("run", "copy.yaml", "--set", "rows=in.csv", "--quiet")
        #expect(second.status == 0, "\(second.errors)")
        #expect(place.text("copy.csv") == "a\n2\n")
        #expect(names(in: ".daybook/runs").isEmpty)
    }
}

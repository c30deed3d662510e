import DaybookTestSupport
import Foundation
import Testing

/// A run that is told to stop leaves everything as it was.
@Suite struct InterruptionTests {
    let place: TemporaryDirectory

    init() throws {
        // What a shell starts in the background ignores some of these, and so would the runs that it starts.
        for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] { signal(number, SIG_DFL) }
        place = try TemporaryDirectory()
        try place.write("yesterday\n", to: "out/copy.csv")
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: \"-\" }\n  - export_csv: { path: out/copy.csv }\n",
            to: "copy.yaml"
        )
    }

    /// Starts a run that waits for rows, and waits until its output is open.
    func start() throws -> (Process, Pipe, errors: URL) {
        let pipe = Pipe()
        let (process, _, errors) = try CommandTrial(in: place.url).start(["run", "copy.yaml"], input: pipe)
        pipe.fileHandleForWriting.write(Data(("a,b\n" + String(repeating: "1,2\n", count: 500_000)).utf8))
        for _ in 0..<1000 where names(in: "out").count < 2 { usleep(10_000) }
        return (process, pipe, errors)
    }

    /// Waits for a minute at most: a run that cannot be stopped must not stop the tests.
    func wait(for process: Process) {
        for _ in 0..<6000 where process.isRunning { usleep(10_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    func names(in directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: place.url.appendingPathComponent(directory).path)) ?? []
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
    func aSignalStopsARunCleanly(_ signal: Int32) throws {
        let (process, pipe, errors) = try start()
        kill(process.processIdentifier, signal)
        wait(for: process)
        withExtendedLifetime(pipe) {}
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 3)
        let said = try String(contentsOf: errors, encoding: .utf8)
        #expect(said.contains("error: the run was stopped [interrupted]"))
        #expect(
            said.hasSuffix(
                "next: run it again when you like; nothing was written, the old outputs are as they were\n"
            )
        )
        #expect(place.text("out/copy.csv") == "yesterday\n")
        #expect(names(in: "out") == ["copy.csv"])
        #expect(names(in: ".daybook/runs").isEmpty)
        #expect(place.text(".daybook/manifests/copy.json")?.contains("\"exit_code\" : 3") == true)
    }

    /// As `timeout` sends them, to the process and to its group.
    @Test func twoSignalsAtOnceAreOne() throws {
        let (process, pipe, errors) = try start()
        // Standing still, it meets both signals before it can act on the first.
        kill(process.processIdentifier, SIGSTOP)
        kill(process.processIdentifier, SIGINT)
        kill(process.processIdentifier, SIGTERM)
        kill(process.processIdentifier, SIGCONT)
        wait(for: process)
        withExtendedLifetime(pipe) {}
        #expect(process.terminationStatus == 3)
        #expect(try String(contentsOf: errors, encoding: .utf8).contains("error: the run was stopped [interrupted]"))
        #expect(place.text("out/copy.csv") == "yesterday\n")
        #expect(names(in: "out") == ["copy.csv"] && names(in: ".daybook/runs").isEmpty)
    }
}

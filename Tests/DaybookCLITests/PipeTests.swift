import DaybookTestSupport
import Foundation
import Testing

/// Pipes that nobody reads or writes: a run waits for them, says so, and can be stopped.
@Suite struct PipeTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("a\n1\n", to: "in.csv")
        try place.write("yesterday\n", to: "out.csv")
        mkfifo(place.url.appendingPathComponent("pipe").path, 0o666)
        try place.write(
            """
            daybook: 1
            params: { rows: in.csv, first: pipe }
            stages:
              - import_csv: { path: "${rows}" }
              - export_csv: { path: "${first}" }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
    }

    /// Waits for a minute at most, and ends what cannot be stopped.
    private func wait(for process: Process) {
        for _ in 0..<6000 where process.isRunning { usleep(10_000) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    private func wait(for text: String, in file: URL) {
        for _ in 0..<6000 where !((try? String(contentsOf: file, encoding: .utf8)) ?? "").contains(text) {
            usleep(10_000)
        }
    }

    @Test func aRunThatWaitsForTheReaderOfAPipeCanBeStopped() throws {
        let (process, _, errors) = try command.start(["run", "job.yaml"])
        wait(for: "waiting for somebody to read 'pipe'\n", in: errors)
        kill(process.processIdentifier, SIGTERM)
        wait(for: process)
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 3)
        let said = try String(contentsOf: errors, encoding: .utf8)
        #expect(
            said.hasSuffix("next: run it again when you like; nothing was written, the old outputs are as they were\n")
        )
        #expect(place.text("out.csv") == "yesterday\n")
    }

    @Test func aReaderThatComesLateGetsAllRows() throws {
        let (process, _, errors) = try command.start(["run", "job.yaml"])
        wait(for: "waiting for somebody to read 'pipe'\n", in: errors)
        let rows = try command.shell("timeout 60 cat pipe").output
        wait(for: process)
        #expect(process.terminationStatus == 0)
        #expect(rows == "a\n1\n")
        #expect(place.text("out.csv") == "a\n1\n")
    }

    /// A reader that has stopped reading: what went out is told of.
    @Test func whatAPipeHasGotIsTold() throws {
        try place.write("a\n" + String(repeating: "12345678\n", count: 100_000), to: "in.csv")
        let outcome = try command.shell(
            """
            exec 3<>pipe
            $DAYBOOK run job.yaml & run=$!
            # The pipe holds 64 KiB, and then the run waits.
            while [[ $(head -c 1 <&3) != a ]]; do :; done
            kill -TERM $run
            wait $run
            """
        )
        #expect(outcome.status == 3)
        #expect(
            outcome.errors.hasSuffix(
                "next: run it again when you like; rows went to 'pipe', no file was written, the old outputs are as they were\n"
            ),
            "\(outcome.errors)"
        )
        #expect(outcome.errors.contains("hint: the old files are as they were; 'pipe' got a part of the rows"))
        #expect(place.text("out.csv") == "yesterday\n")
    }

    @Test func aStandardOutputThatNobodyReadsCanBeGivenUp() throws {
        try place.write("a\n" + String(repeating: "12345678\n", count: 100_000), to: "in.csv")
        let outcome = try command.shell(
            """
            exec 3<>pipe
            $DAYBOOK run job.yaml --set first=- >pipe & run=$!
            while [[ $(head -c 1 <&3) != a ]]; do :; done
            kill -TERM $run
            wait $run
            """
        )
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("; rows went to standard output, no file was written, "), "\(outcome.errors)")
        #expect(place.text("out.csv") == "yesterday\n")
    }

    @Test(arguments: [
        ["run", "job.yaml", "--set", "first=first.csv", "--set", "rows=pipe"],
        ["run", "pipe"],
        ["run", "job.yaml", "--set", "first=first.csv", "--report", "json=pipe"],
    ])
    func everyWaitForAPipeCanBeEnded(_ arguments: [String]) throws {
        let (process, _, errors) = try command.start(arguments)
        // A moment for the run to come to its pipe; a signal that is earlier stops it too.
        usleep(500_000)
        kill(process.processIdentifier, SIGTERM)
        wait(for: process)
        #expect(process.terminationReason == .exit || arguments == ["run", "pipe"])
        let said = try String(contentsOf: errors, encoding: .utf8)
        #expect(process.terminationStatus == 3, "\(said)")
    }

    @Test func validateSaysWhatIsNoFile() throws {
        let outcome = try command.run("validate", "job.yaml", "--set", "rows=/dev/null")
        #expect(outcome.status == 0)
        #expect(outcome.output == "job.yaml: good, 3 stages\n")
        #expect(
            outcome.errors == """
                job.yaml: note: '/dev/null' is a device, no file: the run reads it once, to its end
                job.yaml: note: 'pipe' is a named pipe, no file: the run waits at its end until somebody reads it, \
                and takes nothing back

                """
        )
        #expect(try command.run("validate", "job.yaml", "--set", "first=b.csv").errors == "")
    }

    /// To look at a pipe would take from it what a run wants to read.
    @Test func explainTakesNothingFromAPipe() throws {
        let outcome = try command.run("explain", "job.yaml", "--set", "rows=pipe", "--set", "first=b.csv")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("unseen   'pipe' is only read by a run\n"))
    }
}

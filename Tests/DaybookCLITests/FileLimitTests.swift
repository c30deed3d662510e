import DaybookTestSupport
import Foundation
import Testing

/// What the system allows a process and calls its files, where that is unusual.
@Suite struct FileLimitTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("a\n" + String(repeating: "12345678\n", count: 10_000), to: "in.csv")
        try place.write(
            "daybook: 1\njob: copy\nstages:\n  - import_csv: { path: in.csv }\n  - export_csv: { path: out/copy.csv }\n",
            to: "job.yaml"
        )
    }

    @Test func aLimitOnTheSizeOfFilesEndsTheRunAndNotTheProcess() throws {
        try place.write("yesterday\n", to: "out/copy.csv")
        let outcome = try command.shell("ulimit -f 16; LLVM_PROFILE_FILE=/dev/null $DAYBOOK run job.yaml")
        #expect(outcome.status == 3)
        #expect(
            outcome.errors.hasSuffix(
                """
                error: cannot write 'out/copy.csv': the file would be larger than the file system or the limit on file \
                sizes allows [cannot-write]
                  hint: raise the limit (ulimit -f), or write to another disk

                next: mend the error above, then run again; nothing was written, the old outputs are as they were

                """
            ),
            "\(outcome.errors)"
        )
        #expect(place.text("out/copy.csv") == "yesterday\n")
    }

    /// Rows that never end come to their end when the CPU time that is allowed has gone.
    @Test func aLimitOnTheTimeOfTheProcessorStopsTheRun() throws {
        try place.write("yesterday\n", to: "out/copy.csv")
        let outcome = try command.shell(
            "sed -i 's/in.csv/\"-\"/' job.yaml; { echo n; yes 12345678 2>/dev/null; } | (ulimit -S -t 1; exec $DAYBOOK run job.yaml --threads 1)"
        )
        #expect(outcome.status == 3)
        #expect(
            outcome.errors.hasSuffix(
                "next: run it again when you like; nothing was written, the old outputs are as they were\n"
            ),
            "\(outcome.errors)"
        )
        #expect(place.text("out/copy.csv") == "yesterday\n")
    }

    #if os(Linux)
        /// A directory whose name is no UTF-8 is a directory like any other, whether a path names it or a command stands in it.
        @Test(arguments: [
            "$DAYBOOK run $'x\\xffy/job.yaml' --quiet", "cd $'x\\xffy' && $DAYBOOK run job.yaml --quiet",
            "$DAYBOOK run \"$PWD\"/$'x\\xffy'/job.yaml --quiet --manifest $'x\\xffy/run.json'",
        ])
        func pathsNeedNotBeUTF8(_ line: String) throws {
            let made = try command.shell("mkdir $'x\\xffy' && mv in.csv job.yaml $'x\\xffy'")
            #expect(made.status == 0)
            for _ in 0..<2 {
                let outcome = try command.shell(line)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.errors.isEmpty)
            }
            let found = try command.shell(
                "ls -A; cd $'x\\xffy' && ls -A . out .daybook/manifests && cmp in.csv out/copy.csv"
            )
            let manifest = line.contains("run.json") ? "run.json\n" : ""
            #expect(
                found.output.replacing("x\u{FFFD}y", with: "x?y") == """
                    x?y
                    .:
                    .daybook
                    in.csv
                    job.yaml
                    out
                    \(manifest)
                    .daybook/manifests:
                    copy.json

                    out:
                    copy.csv

                    """
            )
            #expect(found.status == 0)
        }

        @Test func aNameThatIsNoUTF8IsShownAsOne() throws {
            let outcome = try command.shell("$DAYBOOK run $'x\\xffy/job.yaml'")
            #expect(outcome.status == 2)
            #expect(outcome.errors.hasPrefix("error: there is no job file 'x\u{FFFD}y/job.yaml' [job-not-found]\n"))
        }
    #endif
}

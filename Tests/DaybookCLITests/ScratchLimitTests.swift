import DaybookTestSupport
import Foundation
import Testing

/// What becomes of a run whose rows do not fit into memory, nor on the disk for temporary files.
@Suite struct ScratchLimitTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        let rows = (0..<120_000).map { "\(($0 &* 7_919) % 120_000),\(String(repeating: "x", count: 40))\n" }
        try place.write("id,note\n" + rows.joined(), to: "in.csv")
        try place.write(("id,note\n" + rows.joined()).replacing("note", with: "text"), to: "others.csv")
        try place.write("yesterday\n", to: "out/copy.csv")
        try FileManager.default.createDirectory(
            at: place.url.appendingPathComponent("scratch"),
            withIntermediateDirectories: true
        )
    }

    /// A file may not grow beyond 1 MiB here, as on a disk that is full.
    @Test(arguments: [
        "sort_rows: { by: id, memory_mebibytes: 1 }", "deduplicate_rows: { by: [id, note], memory_mebibytes: 1 }",
        "join_rows: { by: id, memory_mebibytes: 1 }\n    from: [rows, others]",
    ])
    func `a disk without room ends the run and leaves nothing behind`(_ stage: String) throws {
        try place.write(
            """
            daybook: 1
            job: large
            stages:
              - import_csv: { path: others.csv }
                id: others
              - import_csv: { path: in.csv }
                id: rows
              - \(stage)
              - filter_rows: { where: id = '1' }
              - export_csv: { path: out/copy.csv }

            """,
            to: "job.yaml"
        )
        let outcome = try command.shell(
            "ulimit -f 1024; TMPDIR=$PWD/scratch LLVM_PROFILE_FILE=/dev/null $DAYBOOK run job.yaml"
        )
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.errors.contains("[scratch-failed]"), "\(outcome.errors)")
        #expect(outcome.errors.contains("hint: set TMPDIR to a directory with room"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("nothing was written, the old outputs are as they were\n"))
        #expect(place.text("out/copy.csv") == "yesterday\n")
        let left = { (path: String) in
            try FileManager.default.contentsOfDirectory(atPath: place.url.appendingPathComponent(path).path)
        }
        #expect(try left("scratch") == [] && left("out") == ["copy.csv"])
        // With room the same job comes to its end.
        #expect(try command.run("run", "job.yaml").status == 0)
    }

    @Test(arguments: ["diff a.csv b.csv", "guess a.csv", "profile a.csv"])
    func `a command without a job tells that there is no place for temporary files`(_ line: String) throws {
        try place.write("id,n\n1,2\n", to: "a.csv")
        try place.write("id,n\n1,3\n", to: "b.csv")
        let outcome = try command.shell("TMPDIR=$PWD/none LLVM_PROFILE_FILE=/dev/null $DAYBOOK \(line)")
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("cannot make a directory for temporary files in '\(place.url.path)/none': ")
                && outcome.errors.contains("[scratch-failed]\n  hint: set TMPDIR to a directory with room"),
            "\(outcome.errors)"
        )
        #expect(place.text("none") == nil)
    }
}

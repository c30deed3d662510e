import DaybookTestSupport
import Foundation
import Testing

/// Where a job reads and writes, only its author and who starts it decide: never the data.
@Suite struct PathTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,name\n1,../../evil\n", to: "jobs/in.csv")
    }

    private func write(_ output: String, params: String = "", job: String = "j") throws {
        try place.write(
            """
            daybook: 1
            job: "\(job)"
            params: { \(params) }
            stages:
              - import_csv: { path: in.csv, file_column: file }
                id: source
              - export_csv: { path: "\(output)" }

            """,
            to: "jobs/job.yaml"
        )
    }

    @Test("no path is made of data", arguments: ["${source.name}", "${name}", "${file}", "${env:source.name}"])
    func dataAreInNoPath(_ reference: String) throws {
        try write("out/\(reference).csv")
        let outcome = try command.run("validate", "jobs/job.yaml")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("jobs/job.yaml:7:30: error: "), "\(outcome.errors)")
        #expect(try command.run("run", "jobs/job.yaml").status == 2)
        #expect(!FileManager.default.fileExists(atPath: place.url.appendingPathComponent("jobs/out").path))
    }

    @Test func bracesOfATemplateAreAName() throws {
        try write("out/{name}.csv")
        #expect(try command.run("run", "jobs/job.yaml").status == 0)
        #expect(place.text("jobs/out/{name}.csv") == "id,name,file\n1,../../evil,in.csv\n")
    }

    @Test func whoStartsAJobMayWriteWhereTheyMayWrite() throws {
        try write("out/${name}.csv", params: "name: { default: a }")
        #expect(try command.run("run", "jobs/job.yaml", "--set", "name=../../beside").status == 0)
        #expect(place.text("beside.csv") != nil)
        // It is shown before anything is written.
        let explained = try command.run("explain", "jobs/job.yaml", "--set", "name=../../other")
        #expect(explained.output.contains("writes   other.csv\n"))
    }

    @Test func theNameOfAJobStaysInTheStateDirectory() throws {
        try write("out.csv", job: "../../evil")
        #expect(try command.run("run", "jobs/job.yaml").status == 0)
        let kept = try FileManager.default.contentsOfDirectory(
            atPath: place.url.appendingPathComponent("jobs/.daybook/manifests").path
        )
        #expect(kept == ["------evil~0fbfd372a48342dc.json"])
    }

    @Test func aRejectFileNamesOnlyWhatTheJobReads() throws {
        try write("out.csv")
        try place.write("secret\n", to: "other.csv")
        let line =
            "{\"stage\":\"source\",\"code\":\"x\",\"message\":\"x\",\"source\":\"../other.csv\",\"line\":1,"
            + "\"original\":\"1,a\"}\n"
        try place.write(line, to: "rejects.ndjson")
        let outcome = try command.run("replay", "rejects.ndjson", "--job", "jobs/job.yaml", "--into", "again")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("'../other.csv' is none of the files that 'source' reads now [foreign-reject]"))
        #expect(!FileManager.default.fileExists(atPath: place.url.appendingPathComponent("again").path))
    }
}

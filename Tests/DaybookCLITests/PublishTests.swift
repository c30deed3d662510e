import DaybookTestSupport
import Foundation
import Testing

/// A job that publishes a directory: readers see all of one run or all of another.
@Suite struct PublishTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id,colour\n1,#EC007F\n", to: "in.csv")
        try job()
    }

    private func job(rejects: String = "rejects.ndjson", output: String = "out/a.csv", publish: String = "out") throws {
        try place.write(
            """
            daybook: 1
            job: j
            params: { rows: in.csv }
            rejects: { path: \(rejects), allow: 1 }
            publish: { directory: \(publish) }
            stages:
              - import_csv: { path: "${rows}" }
              - validate_hex_colours: { column: colour }
              - export_csv: { path: \(output) }
              - export_csv: { path: out/deep/b.csv }

            """,
            to: "job.yaml"
        )
    }

    private func run(_ arguments: String..., status: Int32 = 0) throws -> String {
        let outcome = try command.run(["run", "job.yaml"] + arguments)
        #expect(outcome.status == status, "\(outcome.errors)")
        return outcome.errors
    }

    private var link: String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: place.url.appendingPathComponent("out").path)
    }

    /// The directories that runs have made.
    private var directories: [String] { names(".").filter { $0.hasPrefix(".out.") }.sorted() }

    private func names(_ directory: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: place.url.appendingPathComponent(directory).path)) ?? [])
            .sorted()
    }

    @Test func theDirectoryIsALinkToTheOutputsOfTheRun() throws {
        let said = try run()
        #expect(
            Expectation.withoutTimes(said).hasSuffix(
                "done: wrote rejects.ndjson, out/a.csv and out/deep/b.csv, in 0.00 s\n"
            )
        )
        let link = try #require(link)
        #expect(link.wholeMatch(of: /\.out\.\d{8}T\d{6}Z-[0-9a-f]{8}/) != nil)
        #expect(names("out") == [".daybook-outputs", "a.csv", "deep"])
        #expect(place.text("out/deep/b.csv") == "id,colour\n1,#EC007F\n")
        #expect(place.text("rejects.ndjson") == "")
        let manifest = place.text(".daybook/manifests/j.json") ?? ""
        #expect(manifest.contains("\"published\" : {\n    \"directory\" : \"\(link)\",\n    \"link\" : \"out\"\n  }"))
        #expect(manifest.contains("\"path\" : \"out/a.csv\""))
    }

    @Test func theDirectoryBeforeStaysForItsReadersUntilTheNextRun() throws {
        _ = try run()
        let first = try #require(link)
        chmod(place.url.appendingPathComponent("out/a.csv").path, 0o640)
        try place.write("id,colour\n2,#000000\n", to: "in.csv")
        _ = try run()
        let second = try #require(link)
        #expect(directories == [first, second].sorted())
        #expect(place.text("\(first)/a.csv") == "id,colour\n1,#EC007F\n")
        #expect(place.text("out/a.csv") == "id,colour\n2,#000000\n")
        // An output keeps the permissions of the one before.
        let attributes = try FileManager.default.attributesOfItem(
            atPath: place.url.appendingPathComponent("out/a.csv").path
        )
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        _ = try run()
        #expect(directories == [second, try #require(link)].sorted())
    }

    @Test func whatOthersPutThereStays() throws {
        _ = try run()
        let first = try #require(link)
        try place.write("mine", to: "\(first)/deep/notes.txt")
        try place.write("precious", to: "elsewhere/a.csv")
        try place.write(
            "../elsewhere/a.csv\n/etc/hostname\nlinked/a.csv\na.csv\ndeep/b.csv\n",
            to: "\(first)/.daybook-outputs"
        )
        try FileManager.default.createSymbolicLink(
            at: place.url.appendingPathComponent("\(first)/linked"),
            withDestinationURL: place.url.appendingPathComponent("elsewhere")
        )
        for _ in 0..<2 { _ = try run() }
        #expect(place.text("\(first)/deep/notes.txt") == "mine")
        #expect(place.text("elsewhere/a.csv") == "precious")
        #expect(place.text("\(first)/a.csv") == nil)
        #expect(directories.count == 3)
    }

    @Test func aFailedGateSwitchesNothingAndStillWritesRejects() throws {
        _ = try run()
        let before = try #require(link)
        try place.write("id,colour\n1,red\n2,pink\n", to: "in.csv")
        let said = try run(status: 1)
        #expect(said.hasSuffix("; the old outputs are as they were\n"), "\(said)")
        #expect(link == before)
        #expect(directories == [before])
        #expect(place.text("out/a.csv") == "id,colour\n1,#EC007F\n")
        #expect(place.text("rejects.ndjson")?.split(separator: "\n").count == 2)
    }

    @Test func whatIsNoLinkOfARunIsNotReplaced() throws {
        try place.write("yesterday\n", to: "out/a.csv")
        let directory = try run(status: 3)
        #expect(
            directory.hasPrefix(
                """
                job.yaml:5:23: error: cannot publish 'out': it is a directory, and 'publish' makes it a link that each run \
                switches [cannot-publish]
                    5 | publish: { directory: out }
                      |                       ^^^
                  hint: move it away first, as in 'mv out out.before', or name another directory

                """
            ),
            "\(directory)"
        )
        #expect(place.text("out/a.csv") == "yesterday\n")
        let validated = try command.run("validate", "job.yaml")
        #expect(validated.status == 0)
        #expect(validated.errors.hasPrefix("job.yaml: note: cannot publish 'out': it is a directory, "))
        try FileManager.default.moveItem(
            at: place.url.appendingPathComponent("out"),
            to: place.url.appendingPathComponent("elsewhere")
        )
        try FileManager.default.createSymbolicLink(
            atPath: place.url.appendingPathComponent("out").path,
            withDestinationPath: "elsewhere"
        )
        let other = try run(status: 3)
        #expect(
            other.contains(
                "error: cannot publish 'out': it is a link to 'elsewhere', which no run has made [cannot-publish]"
            )
        )
        #expect(link == "elsewhere")
        #expect(directories == [])
    }

    @Test func anotherJobDoesNotPublishThere() throws {
        _ = try run()
        let before = link
        let text = try #require(place.text("job.yaml"))
        try place.write(text.replacing("job: j", with: "job: k"), to: "other.yaml")
        let other = try command.run(["run", "other.yaml"])
        #expect(other.status == 3, "\(other.errors)")
        #expect(
            other.errors.contains(
                "cannot publish 'out': it was published by job 'j', and this is 'k' [cannot-publish]"
            ),
            "\(other.errors)"
        )
        #expect(link == before)
        #expect(try command.run("validate", "other.yaml").errors.contains("it was published by job 'j'"))
        // Older versions did not note the job.
        try place.write("a.csv\ndeep/b.csv\n", to: "out/.daybook-outputs")
        let later = try command.run(["run", "other.yaml"])
        #expect(later.status == 0, "\(later.errors)")
        #expect(link != before)
    }

    @Test func emptyDirectoriesOfKilledRunsGo() throws {
        let left = ".out.20261121T054700Z-8f3a91c2"
        let mine = ".out.20261121T054700Z-8f3a91c3"
        try FileManager.default.createDirectory(
            at: place.url.appendingPathComponent(left),
            withIntermediateDirectories: false
        )
        try place.write("mine", to: "\(mine)/notes.txt")
        _ = try run()
        #expect(directories == [mine, try #require(link)].sorted())
    }

    /// A run that was killed while it removed a directory has removed the innermost first.
    @Test func directoriesThatWereRemovedInPartGo() throws {
        let text = try #require(place.text("job.yaml"))
        try place.write(text.replacing("out/deep/b.csv", with: "out/deep/er/still/b.csv"), to: "job.yaml")
        _ = try run()
        let first = try #require(link)
        _ = try run()
        let second = try #require(link)
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("\(first)/deep/er/still"))
        _ = try run()
        #expect(directories == [second, try #require(link)].sorted())
    }

    @Test func reportsAreNotWrittenThere() throws {
        for _ in 0..<2 {
            let said = try run("--manifest", "out/run.json", status: 2)
            #expect(
                said.contains(
                    "error: '--manifest' would write 'out/run.json' into 'out', which the job publishes anew [output-inside]"
                )
            )
            _ = try run("--manifest", "run.json", "--report", "html=outside/page.html")
        }
    }

    @Test func reportsAreNotWrittenWhereRunsKeepTheirs() throws {
        let state = try run("--manifest", ".daybook/manifests/q.json", status: 2)
        #expect(state.contains("error: '.daybook/manifests/q.json' lies in the state directory"), "\(state)")
        let home = try run("--report", "html=~/page.html", status: 2)
        #expect(home.contains("error: '~/page.html' is no path here, and the file of '--report"), "\(home)")
    }

    @Test func explainTellsOfIt() throws {
        let text = try command.run("explain", "job.yaml").output
        #expect(text.hasSuffix("\nPublishes\n  out, a link that each run switches\n"))
        #expect(try command.run("explain", "job.yaml", "--format", "json").output.contains("\"publish\" : \"out\""))
    }

    @Test func inputsAreNotReadFromThere() throws {
        _ = try run()
        try place.write("id,colour\n1,#EC007F\n", to: "out/extra.csv")
        let said = try run("--set", "rows=out/extra.csv", status: 2)
        #expect(
            said.contains("error: 'out/extra.csv' is read from 'out', which the job publishes anew [output-is-input]")
        )
        let same = try run("--set", "rows=out/a.csv", status: 2)
        #expect(same.contains("[output-is-input]"))
    }

    @Test func aReplayPublishesNothing() throws {
        try place.write("id,colour\n1,#EC007F\n2,red\n", to: "in.csv")
        _ = try run()
        let before = link
        try place.write(
            (place.text("rejects.ndjson") ?? "").replacing("2,red", with: "2,#FF0000"),
            to: "rejects.ndjson"
        )
        let outcome = try command.run("replay", "rejects.ndjson", "--job", "job.yaml", "--into", "again")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(link == before)
        #expect(place.text("again/out/a.csv") == "id,colour\n2,#FF0000\n")
        #expect(names("again") == ["out", "rejects.ndjson"])
    }

    /// A reader who follows the link once, as a program that opens the directory does, never finds a mix.
    @Test func readersSeeOneRun() throws {
        let outcome = try command.shell(
            """
            $DAYBOOK run job.yaml --quiet || exit 9
            (for n in {1..8}; do
                printf 'id,colour\\n%d,#000000\\n' $n >new.csv; mv new.csv in.csv; $DAYBOOK run job.yaml --quiet || exit 9
             done) & writer=$!
            read=0
            while kill -0 $writer 2>/dev/null; do
                (cd -P out && cmp -s a.csv deep/b.csv) || { echo mixed; break; }
                read=$((read + 1))
            done
            wait $writer || exit 9
            ((read > 0)) && cat out/a.csv
            """
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "id,colour\n8,#000000\n")
    }
}

import DaybookBytes
import DaybookTestSupport
import Foundation
import Testing

/// What a job takes of files that come one by one, and what it adds to outputs that grow.
@Suite struct IncrementTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("", to: "inbox/.keep")
        try place.write(
            """
            daybook: 1
            job: nightly
            rejects: { allow: 0 }
            stages:
              - import_csv: { path: "inbox/*.csv", new_only: true, optional: true, columns: { id: integer } }
              - check_rows: { rules: [{ not_missing: id }] }
              - export_csv: { path: out/all.csv, append: true }
              - export_json: { path: out/all.ndjson, layout: lines, append: true }

            """,
            to: "job.yaml"
        )
    }

    @discardableResult
    private func run(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        try command.run(["run", "job.yaml"] + arguments, ending: code).errors
    }

    private func files(_ arguments: String...) throws -> [String: Any]? {
        let outcome = try command.run(["run", "job.yaml", "--report", "json=run.json"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let report = try JSONSerialization.jsonObject(with: Data(try #require(place.text("run.json")).utf8))
        let run = try #require((report as? [String: Any])?["run"] as? [String: Any])
        return (run["stages"] as? [[String: Any]])?.first?["files"] as? [String: Any]
    }

    @Test func `a directory that is not there is no quiet night`() throws {
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("inbox"))
        #expect(
            try run(ending: 3).contains("the directory 'inbox', in which 'inbox/*.csv' is looked for, is not there")
        )
        #expect(place.text("out/all.csv") == nil)
        try place.write("", to: "inbox/.keep")
        try run()
    }

    /// One run waits for the reader of a pipe while another adds to the same file, from a state directory of its own.
    @Test func `of two runs that add to one file at once, none is lost`() throws {
        for name in ["a", "b"] {
            let pipe = name == "a" ? "\n  - export_csv: { path: pipe }" : ""
            try place.write(
                "daybook: 1\nstages:\n  - import_csv: { path: \(name).csv }\n  - export_csv: { path: all.csv, append: true }\(pipe)\n",
                to: "\(name).yaml"
            )
            try place.write("id\n\(name)\n", to: "\(name).csv")
        }
        try place.write("id\n0\n", to: "all.csv")
        let said = try command.shell(
            """
            mkfifo pipe
            "$DAYBOOK" run a.yaml --state sa 2> a.log & a=$!
            for i in $(seq 1200); do grep -q waiting a.log && break; sleep 0.05; done
            "$DAYBOOK" run b.yaml --state sb 2> b.log & b=$!
            for i in $(seq 1200); do grep -q "waiting for another run" b.log && break; sleep 0.05; done
            cat pipe > /dev/null
            wait $a; echo $?; wait $b; echo $?
            """
        )
        let added = zip(said.output.split(separator: "\n"), ["a", "b"]).filter { $0.0 == "0" }.map(\.1)
        #expect(added == ["a"] && said.output.hasSuffix("\n3\n"), "\(said)")
        #expect(place.text("all.csv") == "id\n0\na\n")
        #expect(place.text("b.log")?.contains("'all.csv' changed while the run went on") == true)
    }

    @Test func `each file is taken once, by a run that passed`() throws {
        let first = try run()
        #expect(first.contains("import_csv found no file 'inbox/*.csv', which is optional"), "\(first)")
        #expect(place.text("out/all.csv") == "id\n" && place.text("out/all.ndjson")?.isEmpty == true)

        try place.write("id\n1\n2\n", to: "inbox/a.csv")
        try run()
        try place.write("id\n3\n", to: "inbox/b.csv")
        let third = try run()
        #expect(third.contains("import_csv left out 1 of 2 files, taken before"), "\(third)")
        #expect(place.text("out/all.csv") == "id\n1\n2\n3\n")
        #expect(place.text("out/all.ndjson") == "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n")

        let fourth = try run()
        #expect(fourth.contains("import_csv found nothing new: 2 files, all taken before"), "\(fourth)")
        #expect(place.text("out/all.csv") == "id\n1\n2\n3\n")
        // Old bytes under a new name are left out, and other bytes under an old name are for a person to decide.
        try place.write("id\n1\n2\n", to: "inbox/c.csv")
        try place.write("id\n5\n", to: "inbox/d.csv")
        let told = try files()
        #expect(told?["found"] as? Int == 4 && told?["taken_before"] as? Int == 3)
        #expect(
            (told?["left_out"] as? [String])?.first?.hasPrefix(
                "left out 'inbox/c.csv': its bytes are those of 'inbox/a.csv', which run "
            ) == true,
            "\(told ?? [:])"
        )
        #expect(place.text("out/all.csv") == "id\n1\n2\n3\n5\n")
        try place.write("id\n4\n", to: "inbox/b.csv")
        #expect(try run(ending: 1).contains("'inbox/b.csv' has other bytes than when run "))
        #expect(place.text("out/all.csv") == "id\n1\n2\n3\n5\n")
    }

    @Test func `the job of the guide adds what is new`() throws {
        let guide = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../docs/guides/nightly.md")
        let parts = try String(contentsOf: guide.standardizedFileURL, encoding: .utf8).components(separatedBy: "```")
        let job = try #require(parts.first { $0.hasPrefix("yaml\ndaybook: 1\njob: increments\n") })
        try place.write(String(job.dropFirst(5)), to: "job.yaml")
        try run()
        try place.write("id,amount\n1,2.5\n", to: "inbox/orders-1.csv")
        try run()
        try place.write("amount,id\n3,1\n4,2\n", to: "inbox/orders-2.csv")
        try run()
        #expect(place.text("out/orders.csv") == "id,amount\n1,2.5\n1,3\n2,4\n")
        let file = place.url.appendingPathComponent("out/orders.sqlite").path
        let rows = try SQLiteDatabase(file, .readOnly).rows("SELECT id || ' ' || amount FROM orders") { $0.text(0) }
        #expect(rows == ["1 3.0", "2 4.0"])
    }

    @Test func `a run that fails has taken nothing`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        try place.write("id\n\"\"\n", to: "inbox/b.csv")
        for _ in 0..<2 {
            #expect(try run(ending: 1).contains("import_csv left out 1 of 2 files"))
            #expect(place.text("out/all.csv") == "id\n1\n")
        }
        try place.write("id\n2\n", to: "inbox/b.csv")
        try run()
        #expect(place.text("out/all.csv") == "id\n1\n2\n")
    }

    @Test func `all files are taken when that is asked for, and what was taken outlives its run`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        try place.write("id\n2\n", to: "inbox/b.csv")
        try run()
        #expect(try command.run("history", "prune", "--keep", "1", "--job", "job.yaml").status == 0)
        let told = try files()
        #expect(told?["found"] as? Int == 2 && told?["taken_before"] as? Int == 2)
        let shown = try command.run("history", "show", "last", "--job", "job.yaml", "--format", "json").output
        #expect(shown.contains("files taken before"), "\(shown)")
        let all = try files("--full-refresh")
        #expect(all?["taken_before"] as? Int == 0)
        #expect(place.text("out/all.csv") == "id\n1\n2\n1\n2\n")
    }

    @Test(arguments: [nil, "", "no database, but long enough to be taken for one"])
    func `without the history nothing is taken twice, however often it is tried`(left: String?) throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        let file = place.url.appendingPathComponent(".daybook/history.sqlite")
        let whole = try Data(contentsOf: file)
        try FileManager.default.removeItem(at: file)
        if let left { try Data(left.utf8).write(to: file) }
        for _ in 0..<2 {
            let said = try run(ending: 3)
            #expect(said.contains("[taken-unknown]") && said.contains("--full-refresh"), "\(said)")
            #expect(place.text("out/all.csv") == "id\n1\n")
        }
        // What the hint says: the history is brought back, or all is taken, and then the runs go on.
        let broken = try Data(contentsOf: file)
        try whole.write(to: file)
        #expect(try run().contains("found nothing new"))
        try broken.write(to: file)
        try run(ending: 3)
        try run("--full-refresh")
        #expect(place.text("out/all.csv") == "id\n1\n1\n")
        #expect(try run().contains("found nothing new"))
    }

    @Test func `where the whole state is gone, nothing is added twice`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        let state = place.url.appendingPathComponent(".daybook")
        let aside = place.url.appendingPathComponent("kept")
        try FileManager.default.moveItem(at: state, to: aside)
        // The run that is refused is itself a run of the job, and changes nothing for the next one.
        for _ in 0..<2 {
            let said = try run(ending: 3)
            #expect(said.contains("'out/all.csv' has rows, and") && said.contains("[taken-unknown]"), "\(said)")
            for way in ["--full-refresh", "--begin", "history adopt"] { #expect(said.contains(way), "\(said)") }
            #expect(place.text("out/all.csv") == "id\n1\n")
        }
        try FileManager.default.removeItem(at: state)
        try FileManager.default.moveItem(at: aside, to: state)
        #expect(try run().contains("found nothing new"))
        // A header alone is no row, and a file that is older than the job is asked for.
        try FileManager.default.removeItem(at: state)
        try place.write("id\n", to: "out/all.csv")
        try place.write("", to: "out/all.ndjson")
        try run()
        #expect(place.text("out/all.csv") == "id\n1\n")
        try FileManager.default.removeItem(at: state)
        try run("--begin")
        #expect(place.text("out/all.csv") == "id\n1\n1\n")
    }

    @Test func `rows that take each other's place by a key come again with a warning`() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: "inbox/*.csv", new_only: true, columns: { id: integer } }
              - export_sqlite: { path: all.sqlite, table: rows, upsert: [id] }

            """,
            to: "job.yaml"
        )
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        try FileManager.default.removeItem(at: place.url.appendingPathComponent(".daybook"))
        #expect(try run().contains("rows of one key take each other's place [taken-unknown]"))
        let file = place.url.appendingPathComponent("all.sqlite").path
        #expect(try SQLiteDatabase(file, .readOnly).rows("SELECT id FROM rows") { $0.integer(0) } == [1])
    }

    @Test func `a job that was renamed and moved goes on where it was`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        let job = try #require(place.text("job.yaml")).replacing("job: nightly", with: "job: evening")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("job.yaml"))
        try place.write(job, to: "new.yaml")
        let refused = try command.run("run", "new.yaml")
        #expect(refused.status == 3 && refused.errors.contains("history adopt"), "\(refused.errors)")
        #expect(try command.run("history", "adopt", "nobody", "new.yaml").errors.contains("[no-such-job]"))
        let adopted = try command.run("history", "adopt", "nightly", "new.yaml")
        #expect(adopted.status == 0 && adopted.errors.contains("'evening' has 2 runs now"), "\(adopted.errors)")
        try place.write("id\n2\n", to: "inbox/b.csv")
        let went = try command.run("run", "new.yaml")
        #expect(went.status == 0 && went.errors.contains("left out 1 of 2 files"), "\(went.errors)")
        #expect(place.text("out/all.csv") == "id\n1\n2\n")
        // The same by the path that the file had.
        try FileManager.default.createDirectory(
            at: place.url.appendingPathComponent("jobs"),
            withIntermediateDirectories: true
        )
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("new.yaml"))
        let moved = job.replacing("inbox/", with: "../inbox/").replacing("path: out/", with: "path: ../out/")
        try place.write(moved, to: "jobs/moved.yaml")
        #expect(try command.run("history", "adopt", "new.yaml", "jobs/moved.yaml", "--state", ".daybook").status == 0)
        let again = try command.run("run", "jobs/moved.yaml", "--state", ".daybook")
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test func `a history that breaks while a run is kept does not make the next one begin anew`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        let file = place.url.appendingPathComponent(".daybook/history.sqlite")
        let whole = try Data(contentsOf: file)
        // Read as ever, and refused once a run is added.
        try SQLiteDatabase(file.path, .readWrite).execute("DROP TABLE stages")
        try place.write("id\n2\n", to: "inbox/b.csv")
        #expect(try run().contains("was put aside"))
        for _ in 0..<2 { #expect(try run(ending: 3).contains("[taken-unknown]")) }
        #expect(place.text("out/all.csv") == "id\n1\n2\n")
        // That of the night before does not know what this one has taken.
        try whole.write(to: file)
        #expect(try run(ending: 3).contains("[taken-unknown]"))
        try run("--full-refresh")
        #expect(try run().contains("found nothing new"))
    }

    @Test func `a marker that cannot be written stops nothing`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        let markers = place.url.appendingPathComponent(".daybook/taken")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: markers.path).first)
        // A new one is made under this name first.
        try place.write("in the way\n", to: ".daybook/taken/\(name).new/file")
        for id in 2...5 {
            try place.write("id\n\(id)\n", to: "inbox/\(id).csv")
            try run()
        }
        #expect(place.text("out/all.csv") == "id\n1\n2\n3\n4\n5\n")
    }

    @Test func `a job whose file is renamed takes nothing twice`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        let job = place.url.appendingPathComponent("job.yaml")
        let renamed = place.url.appendingPathComponent("renamed.yaml")
        try FileManager.default.copyItem(at: job, to: renamed)
        // Beside the other it is a job of its own.
        #expect(try command.run("run", "renamed.yaml", "--set", "nothing=1").status == 2)
        try FileManager.default.removeItem(at: job)
        let outcome = try command.run("run", "renamed.yaml")
        #expect(outcome.status == 3 && outcome.errors.contains("job.yaml' when it last took"), "\(outcome.errors)")
        #expect(place.text("out/all.csv") == "id\n1\n")
        #expect(try command.run("run", "renamed.yaml", "--full-refresh").status == 0)
        // There and back, several times within a second: runs of one second are in order too.
        var (old, new) = (job, renamed)
        for _ in 0..<6 {
            #expect(try command.run("run", new.lastPathComponent).errors.contains("found nothing new"))
            try FileManager.default.moveItem(at: new, to: old)
            (old, new) = (new, old)
            let outcome = try command.run("run", new.lastPathComponent)
            let said = "\(old.lastPathComponent)' when it last took"
            #expect(outcome.status == 3 && outcome.errors.contains(said), "\(outcome.errors)")
            #expect(try command.run("run", new.lastPathComponent, "--full-refresh").status == 0)
        }
    }

    @Test func `a job that is given another name takes nothing twice`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        let text = try #require(place.text("job.yaml"))
        try place.write(text.replacing("job: nightly", with: "job: hourly"), to: "job.yaml")
        #expect(try run(ending: 3).contains("job 'hourly' was called 'nightly' when it last took what is new"))
        #expect(place.text("out/all.csv") == "id\n1\n")
        try place.write(text, to: "job.yaml")
        #expect(try run().contains("found nothing new"))
    }

    @Test func `a file whose name is made of params is several jobs, and each takes what is new`() throws {
        let text = try #require(place.text("job.yaml"))
        let made = text.replacing("job: nightly", with: "job: \"nightly-${shop}\"\nparams: { shop: a }")
        try place.write(made.replacing(/out\/all.(csv|ndjson)/) { "\"${shop}/all.\($0.1)\"" }, to: "job.yaml")
        for id in 1...2 {
            try place.write("id\n\(id)\n", to: "inbox/\(id).csv")
            for shop in ["a", "b"] {
                let said = try run("--set", "shop=\(shop)")
                // Told once: with the next delivery both names have taken files.
                let isTold = said.contains("everything is new to job 'nightly-b'") && said.contains("'nightly-a'")
                #expect(isTold == (id == 1 && shop == "b"), "\(said)")
                #expect(said.contains("[new-params]") == isTold)
            }
        }
        for shop in ["a", "b"] { #expect(place.text("\(shop)/all.csv") == "id\n1\n2\n") }
    }

    @Test func `a run that waits for the history keeps others from taking what it has`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        // As where the directory of the state is closed, and that of what waits is not.
        try place.write("{}", to: ".daybook/entries/20261121T054700Z-8f3a91c2.json")
        #expect(try run(ending: 3).contains("entries' that could not be brought into the history"))
        #expect(try run("--full-refresh").contains("id") == false)
        #expect(place.text("out/all.csv") == "id\n1\n1\n")
    }

    @Test func `a replay holds its rows alone, also where the output grows`() throws {
        let job = """
            daybook: 1
            rejects: { path: rejects.ndjson, allow: 100% }
            stages:
              - import_csv: { path: a.csv, columns: { id: integer } }
              - export_csv: { path: out/all.csv, append: true }
              - export_sqlite: { path: out/all.sqlite, table: rows, upsert: [id] }

            """
        try place.write(job, to: "job.yaml")
        try place.write("id\n1\nx\n", to: "a.csv")
        try run()
        let rejects = try #require(place.text("rejects.ndjson"))
        try place.write(rejects.replacing(#""original":"x""#, with: #""original":"2""#), to: "mended.ndjson")
        #expect(try command.run("replay", "mended.ndjson", "--job", "job.yaml", "--into", "more").status == 0)
        #expect(place.text("more/out/all.csv") == "id\n2\n")
        let database = try SQLiteDatabase(place.url.appendingPathComponent("more/out/all.sqlite").path, .readOnly)
        #expect(try database.rows("SELECT id FROM rows") { $0.integer(0) } == [2])
        #expect(place.text("out/all.csv") == "id\n1\n")
    }

    @Test func `standard input has no files that could be new`() throws {
        let text = try #require(place.text("job.yaml"))
        try place.write(text.replacing("\"inbox/*.csv\"", with: "'-'"), to: "job.yaml")
        #expect(try run(ending: 2).contains("'new_only' knows files by their paths, and standard input has none"))
    }

    @Test func `a job file that is a link is the same job whatever it leads to`() throws {
        let job = place.url.appendingPathComponent("job.yaml")
        let text = try String(contentsOf: job, encoding: .utf8)
        try FileManager.default.removeItem(at: job)
        try place.write("id\n1\n", to: "inbox/a.csv")
        for version in ["v1", "v2"] {
            try place.write(text, to: "\(version)/job.yaml")
            try? FileManager.default.removeItem(at: job)
            try FileManager.default.createSymbolicLink(atPath: job.path, withDestinationPath: "\(version)/job.yaml")
            try run()
        }
        #expect(place.text("out/all.csv") == "id\n1\n")
        #expect(try command.run("history", "job.yaml", "--format", "csv").output.split(separator: "\n").count == 3)
    }

    @Test func `a file is the same one however its path is spelled`() throws {
        try place.write(
            """
            daybook: 1
            params: { path: inbox/*.csv }
            stages:
              - import_csv: { path: "${path}", new_only: true }
              - export_csv: { path: out/all.csv, append: true }

            """,
            to: "job.yaml"
        )
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        let name = place.url.lastPathComponent
        for path in ["./inbox/*.csv", "inbox//*.csv", "../\(name)/inbox/[a-c].csv", "\(place.url.path)/inbox/a.csv"] {
            #expect(try run("--set", "path=\(path)").contains("found nothing new"))
        }
        #expect(place.text("out/all.csv") == "id\n1\n")
    }

    @Test func `what a job would do says that it takes new files alone`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        let told = "of these files, those that no run which passed has taken"
        for (format, text) in [("text", "takes    \(told)"), ("html", told), ("json", "\"new_only\" : true")] {
            let outcome = try command.run("explain", "job.yaml", "--format", format)
            #expect(outcome.output.contains(text), "\(outcome.output)")
        }
    }

    @Test func `what is new is not shared among processes`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        let outcome = try command.run("plan", "job.yaml", "--shards", "2", "-o", "plan.json")
        #expect(outcome.status == 2 && outcome.errors.contains("[new-only-in-shards]"), "\(outcome.errors)")
    }

    @Test func `a column that only a file would have is told where there is none`() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: in.csv, optional: true, columns: { id: integer } }
              - select_columns: { columns: [id, name] }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        let said = try run(ending: 1)
        #expect(
            said.contains("found no file, and has only the columns that its 'columns' declares: declare 'name' too"),
            "\(said)"
        )
        try place.write("id,name\n1,a\n", to: "in.csv")
        try run()
        #expect(place.text("out.csv") == "id,name\n1,a\n")
    }

    @Test func `files with other columns are put together by name`() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: "in/*.csv", columns_differ: union, columns: { count: integer } }
              - export_csv: { path: out.csv }

            """,
            to: "job.yaml"
        )
        try place.write("id,old\n1,x\n", to: "in/1.csv")
        try place.write("old,id\ny,2\n", to: "in/2.csv")
        try place.write("id,count\n3,7\n", to: "in/3.csv")
        try place.write("count,id,new\n8,4,n\n", to: "in/4.csv")
        let said = try run()
        #expect(place.text("out.csv") == "id,old,count,new\n1,x,,\n2,y,,\n3,,7,\n4,,8,n\n")
        #expect(
            said.contains(
                "the columns are not those of in/1.csv: 'old' is missing, 'count' is new; 1 more of 4 files differ too"
            ) && said.contains("in/3.csv:1:1"),
            "\(said)"
        )
        #expect(said.components(separatedBy: "columns-differ").count == 2, "\(said)")
    }

    @Test func `a file that grows keeps its header, and its old lines as they are`() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: in.csv }
              - export_csv: { path: out.csv, append: true }

            """,
            to: "job.yaml"
        )
        try place.write("id,name\n2,b\n", to: "in.csv")
        try place.write("id,name\n1,\"a\"", to: "out.csv")
        try run()
        #expect(place.text("out.csv") == "id,name\n1,\"a\"\n2,b\n")
        try place.write("name,id\nc,3\n", to: "in.csv")
        let said = try run(ending: 2)
        #expect(
            said.contains("begins with 'id,name', and the rows have 'name,id'") && said.contains("[columns-differ]"),
            "\(said)"
        )
        #expect(place.text("out.csv") == "id,name\n1,\"a\"\n2,b\n")
        let parted = try command.run("plan", "job.yaml", "--shards", "2", "-o", "plan.json")
        #expect(parted.status == 0, "\(parted.errors)")
    }

    @Test(arguments: [
        ("id,v\n6,\"a\nb\"\n7,\"line one\n", "ends within a quoted text"),
        ("id,v\n6,\"say \"\"hi\"\"\"\n7,\"\"\"\n", "ends within a quoted text"),
        ("id,v\n7", "has 1 cell in its last row, and the rows have 2"),
        ("id,v\n6,\"a\nb\"\n1,2,3\n\n", "has 3 cells in its last row, and the rows have 2"),
        ("id,v\n6,6\" tall\n7,5\" tall\n", "has a quote out of place in its last row"),
        ("id,v\r\n6,a\r\n", "its lines end in another way than those of this output"),
        ("\u{FEFF}id,v\n6,a\n", "it has a byte-order mark, and this output has none"),
    ])
    func `nothing is added to a file that does not end with a whole row`(old: String, reason: String) throws {
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: in.csv }\n  - export_csv: { path: out.csv, append: true }\n",
            to: "job.yaml"
        )
        try place.write("id,v\n9,new\n", to: "in.csv")
        try place.write(old, to: "out.csv")
        let said = try run(ending: 2)
        #expect(said.contains(reason), "\(said)")
        #expect(place.text("out.csv") == old)
    }

    @Test(arguments: [
        "id,v", "id,v\n\"6\",\"a\"\"\nb,\"\n", "id,v\n6,\"\"", "id,v\n6,6\" tall\n7,\"x\"\n\n",
    ])
    func `a row is added behind a whole one`(old: String) throws {
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: in.csv }\n  - export_csv: { path: out.csv, append: true }\n",
            to: "job.yaml"
        )
        try place.write("id,v\n9,new\n", to: "in.csv")
        try place.write(old, to: "out.csv")
        try run()
        #expect(place.text("out.csv") == (old.hasSuffix("\n") ? old : old + "\n") + "9,new\n")
    }

    @Test(arguments: ["1,2\"\n3,x\n", "\u{FEFF}\"1\",2\n3,x\n"])
    func `a quote opens a text only where a cell begins`(old: String) throws {
        let mark = old.hasPrefix("1") ? "utf-8" : "utf-8-bom"
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: in.csv }
              - export_csv: { path: out.csv, append: true, header: false, encoding: \(mark) }

            """,
            to: "job.yaml"
        )
        try place.write("id,v\n9,new\n", to: "in.csv")
        try place.write(old, to: "out.csv")
        try run()
        #expect(place.text("out.csv") == old + "9,new\n")
    }

    @Test func `a file may be read and added to, and is read as it was`() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: all.csv, columns: { id: integer } }
              - derive_columns: { replace: true, id: id + 10 }
              - export_csv: { path: all.csv, append: true }

            """,
            to: "job.yaml"
        )
        try place.write("id\n1\n2\n", to: "all.csv")
        try run()
        #expect(place.text("all.csv") == "id\n1\n2\n11\n12\n")
    }

    @Test func `rows of a table are written over by key, also of one that the job reads`() throws {
        let file = place.url.appendingPathComponent("orders.sqlite").path
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: in.csv, columns: { id: integer } }
              - export_sqlite: { path: orders.sqlite, table: orders, upsert: [id] }

            """,
            to: "job.yaml"
        )
        let rows = { () throws -> [String] in
            try SQLiteDatabase(file, .readOnly).rows("SELECT id || ' ' || state FROM orders ORDER BY id") { $0.text(0) }
        }
        try place.write("id,state\n1,open\n2,open\n", to: "in.csv")
        try run()
        try place.write("id,state\n2,paid\n3,open\n3,void\n", to: "in.csv")
        try run()
        #expect(try rows() == ["1 open", "2 paid", "3 void"])
        try place.write(
            """
            daybook: 1
            stages:
              - import_sqlite: { path: orders.sqlite, table: orders }
              - filter_rows: { where: "state = 'open'" }
              - derive_columns: { replace: true, state: "'late'" }
              - export_sqlite: { path: orders.sqlite, table: orders, upsert: [id] }

            """,
            to: "job.yaml"
        )
        try run()
        #expect(try rows() == ["1 late", "2 paid", "3 void"])
        try place.write("id,state\n1,open\n", to: "in.csv")
        do { try SQLiteDatabase(file, .readWrite).execute("CREATE TABLE free (id INTEGER, state TEXT)") }
        try place.write(
            """
            daybook: 1
            stages:
              - import_csv: { path: in.csv, columns: { id: integer } }
              - export_sqlite: { path: orders.sqlite, table: free, upsert: [id] }

            """,
            to: "job.yaml"
        )
        let said = try run(ending: 2)
        #expect(said.contains("[no-unique-key]") && said.contains("CREATE UNIQUE INDEX"), "\(said)")
    }

    private func union(_ options: String) throws -> (Int32, String) {
        try place.write(
            "daybook: 1\nstages: [{ \(options) }, { export_json: { path: out.ndjson, layout: lines } }]\n",
            to: "job.yaml"
        )
        let outcome = try command.run("run", "job.yaml")
        return (outcome.status, outcome.errors)
    }

    @Test func `JSON of several files has the keys of all of them, and says so when it is asked`() throws {
        try place.write("{\"id\":1,\"main\":{\"a\":1}}\n", to: "in/1.ndjson")
        try place.write("{\"id\":2,\"main\":{\"a\":2}}\n", to: "in/2.ndjson")
        try place.write("{\"id\":3,\"main\":{\"b\":5},\"note\":\"x\"}\n", to: "in/3.ndjson")
        try place.write("[{\"id\":4}]", to: "in/4.json")
        let rows = """
            {"id":1,"main.a":1,"main.b":null,"note":null}
            {"id":2,"main.a":2,"main.b":null,"note":null}
            {"id":3,"main.a":null,"main.b":5,"note":"x"}
            {"id":4,"main.a":null,"main.b":null,"note":null}

            """
        let silent = try union("import_json: { path: \"in/*\" }")
        #expect(silent.0 == 0 && !silent.1.contains("warning"), "\(silent.1)")
        #expect(place.text("out.ndjson") == rows)
        let told = try union("import_json: { path: \"in/*\", columns_differ: union }")
        #expect(told.0 == 0 && place.text("out.ndjson") == rows)
        #expect(
            told.1.contains(
                "in/3.ndjson:1:1: warning: the columns are not those of in/1.ndjson: 'main.a' is missing, 'main.b' is new, "
                    + "'note' is new; 1 more of 4 files differ too [columns-differ]"
            ),
            "\(told.1)"
        )
        let refused = try union("import_json: { path: \"in/*\", columns_differ: refuse }")
        #expect(
            refused.0 == 1 && refused.1.contains("the columns of in/3.ndjson are not those of in/1.ndjson"),
            "\(refused.1)"
        )
    }

    @Test func `columns that blanks tell are put together by name`() throws {
        try place.write("id  name\n1   ab\n", to: "in/1.txt")
        try place.write("REPORT\nname  sum\ncd     12\n", to: "in/2.txt")
        let options = "path: [in/1.txt, in/3.txt]"
        try place.write("name  sum\ncd     12\n", to: "in/3.txt")
        let refused = try union("import_fixed_width: { \(options) }")
        #expect(refused.0 == 1 && refused.1.contains("'columns_differ: union'"), "\(refused.1)")
        let told = try union("import_fixed_width: { \(options), columns: { sum: integer }, columns_differ: union }")
        #expect(told.0 == 0, "\(told.1)")
        #expect(
            told.1.contains(
                "in/3.txt:1:1: warning: the columns are not those of in/1.txt: 'id' is missing, 'sum' is new [columns-differ]"
            ),
            "\(told.1)"
        )
        let rows = "{\"id\":\"1\",\"name\":\"ab\",\"sum\":null}\n{\"id\":null,\"name\":\"cd\",\"sum\":12}\n"
        #expect(place.text("out.ndjson") == rows)
    }

    @Test(arguments: [
        (
            "{\"id\":1,\"extra\":2}\n",
            "the first record of the file that is there has 'extra', which the rows have not"
        ),
        (
            "{\"id\":1}\n{\"ID\":1}\n\n",
            "the last record of the file that is there has 'ID', which the rows have not, and lacks 'id', which the rows have"
        ),
        ("{\"id\":1}\n{\"id\":", "the last line of the file that is there is no whole record"),
        ("{\"id\":1}\n{\"id\":2}x\n", "the last line of the file that is there is no whole record"),
        ("{\"id\":\n1}\n", "the first line of the file that is there is no whole record"),
        ("[{\"id\":1}]\n", "does not begin with '{'"),
    ])
    func `records of other keys are added to nothing`(_ old: String, _ message: String) throws {
        try place.write("id\n7\n", to: "inbox/a.csv")
        try place.write(old, to: "out/all.ndjson")
        let said = try run("--begin", ending: 2)
        #expect(said.contains(message), "\(said)")
        #expect(place.text("out/all.ndjson") == old && place.text("out/all.csv") == nil)
    }

    @Test func `records that are like the rows are added to, however long the file is`() throws {
        try place.write("id\n7\n", to: "inbox/a.csv")
        let line = "{\"id\":123456789}\n"
        let old = String(repeating: line, count: 150_000) + "{\"id\":1}"
        try place.write(old, to: "out/all.ndjson")
        try run("--begin")
        #expect(place.text("out/all.ndjson") == old + "\n{\"id\":7}\n")
    }

    @Test func `keys that are left out need not be there`() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_json: { path: in.json, columns: { note: text } }
              - export_json: { path: all.ndjson, layout: lines, append: true, nest: true, missing: leave_out }

            """,
            to: "job.yaml"
        )
        try place.write("[{\"id\":1,\"main\":{\"a\":2}}]", to: "in.json")
        for _ in 0..<2 { try run() }
        try place.write("[{\"id\":2}]", to: "in.json")
        // Without a row that has it, nobody knows of 'main' any more.
        #expect(try run(ending: 2).contains("has 'main', which the rows have not"))
        let line = "{\"id\":1,\"main\":{\"a\":2}}\n"
        #expect(place.text("all.ndjson") == line + line)
    }

    @Test func `a field that every record of an app has is asked for in the old ones`() throws {
        try place.write(
            """
            daybook: 1
            stages:
              - import_json: { path: in.json }
              - export_json: { path: all.ndjson, layout: lines, append: true, fields: { id: integer, note: text? } }

            """,
            to: "job.yaml"
        )
        try place.write("[{\"id\":1,\"note\":\"x\"}]", to: "in.json")
        try place.write("{\"note\":\"y\"}\n", to: "all.ndjson")
        #expect(try run(ending: 2).contains("lacks 'id', which the rows have"))
        try place.write("{\"id\":0}\n", to: "all.ndjson")
        try run()
        #expect(place.text("all.ndjson") == "{\"id\":0}\n{\"id\":1,\"note\":\"x\"}\n")
    }

    @Test func `files are known by their bytes though the path in the job is another`() throws {
        try place.write("id\n1\n", to: "inbox/a.csv")
        try run()
        try FileManager.default.moveItem(
            at: place.url.appendingPathComponent("inbox"),
            to: place.url.appendingPathComponent("moved")
        )
        let job = try #require(place.text("job.yaml"))
        try place.write(job.replacing("inbox/*.csv", with: "moved/*.csv"), to: "job.yaml")
        try place.write("id\n2\n", to: "moved/b.csv")
        let told = try run()
        #expect(told.contains("left out 'moved/a.csv': its bytes are those of 'inbox/a.csv'"), "\(told)")
        #expect(place.text("out/all.csv") == "id\n1\n2\n")
        // What another import of the job reads is nobody's copy.
        try place.write(
            job.replacing(
                "  - check_rows",
                with: "  - import_csv: { path: \"moved/*.csv\", new_only: true }\n  - check_rows"
            ),
            to: "job.yaml"
        )
        try place.write("id\n2\n", to: "inbox/c.csv")
        #expect(try !run("--dry-run").contains("left out 'inbox/c.csv'"))
    }
}

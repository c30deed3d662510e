import DaybookTestSupport
import Foundation
import Testing

/// `daybook run --changed-since REF`, with `--rows changed`, and `--no-history`.
@Suite struct ChangedSinceTests {
    private let place: TemporaryDirectory
    private let repository: GitRepository
    private let trial: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        let url = place.url.appendingPathComponent("repo")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        (repository, trial) = (GitRepository(at: url), CommandTrial(in: url))
    }

    private func write(_ text: String, to path: String) throws { try place.write(text, to: "repo/\(path)") }

    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: place.url.appendingPathComponent("repo/\(path)").path)
    }

    private func gate(_ name: String, of path: String, _ rules: String) throws {
        try write(
            """
            daybook: 1
            job: \(name)
            stages:
              - import_csv: { path: "\(path)" }
              - check_rows: { rules: [\(rules)] }
            """,
            to: "gates/\(name).yaml"
        )
    }

    @Test func `rules compare with the figures of the files of a commit, or of the runs of another state directory`()
        throws
    {
        try write("id,n\n" + (1...40).map { "\($0),1\n" }.joined(), to: "data/a.csv")
        try gate(
            "a",
            of: "../data/a.csv",
            "{ row_count: { change: { max: 20% } } }, { sum: { column: n, change: { max: 500% } } }"
        )
        let job = try #require(place.text("repo/gates/a.yaml")).replacingOccurrences(
            of: "a.csv\"",
            with: "a.csv\", columns: { n: integer }"
        )
        try write(job, to: "gates/a.yaml")
        try repository.begin()
        // As CI would, without a history.
        let run = ["run", "gates/a.yaml", "--no-history", "--as-of", "2026-11-21"]
        let alone = try trial.run(run)
        #expect(alone.status == 0 && alone.errors.contains("2 not judged"), "\(alone.errors)")
        let same = try trial.run(run + ["--past", "main"])
        #expect(same.status == 0 && same.errors.contains("2 passed"), "\(same.errors)")
        // The rules have the same names in both, whether they are the job's own or not.
        #expect(!same.errors.contains("past-without-name"), "\(same.errors)")
        try write("id,n\n" + (1...20).map { "\($0),2\n" }.joined(), to: "data/a.csv")
        let half = try trial.run(run + ["--past", "main"])
        #expect(half.status == 1, "\(half.errors)")
        #expect(half.errors.contains("50 % less than 40, that of 2026-11-20 (commit "), "\(half.errors)")
        #expect(half.errors.contains("1 passed"), "the sum is the same\n\(half.errors)")
        #expect(!exists("gates/.daybook"))

        // The runs of another state directory, as of a cache or of the main branch.
        let kept = try trial.run("run", "gates/a.yaml", "--as-of", "2026-11-20", "--state", "kept")
        #expect(kept.status == 0, "\(kept.errors)")
        try write("id,n\n1,1\n", to: "data/a.csv")
        #expect(try trial.run(run + ["--past", "kept"]).status == 1)
        #expect(try trial.run(run + ["--past", "nowhere"]).status == 2)
        let empty = try trial.run(run + ["--past", "data"])
        #expect(empty.status == 3 && empty.errors.contains("there is no history at 'data/"), "\(empty.errors)")
        #expect(try trial.run(run + ["--past", "main", "--dry-run"]).status == 2)
    }

    @Test func `a job says how far its files may be from earlier ones`() throws {
        func job(_ diff: String) throws {
            try write(
                """
                daybook: 1
                diff: \(diff)
                stages:
                  - import_csv: { path: "../data/*.csv", columns: { n: integer } }
                  - check_rows: { rules: [{ between: { column: n, max: 5 } }] }
                  - export_csv: { path: ../out.csv }
                """,
                to: "gates/a.yaml"
            )
        }
        try write("id,n\n1,1\n2,2\n3,3\n", to: "data/a.csv")
        try write("id,n\n1,1\n", to: "data/b.csv")
        try job("{ against: main, fail_on: [columns-gone, \"rows-removed>1\", files-gone] }")
        try repository.begin()
        let same = try trial.run("run", "gates/a.yaml")
        #expect(same.status == 0 && exists("out.csv"), "\(same.errors)")

        // Rules are judged all the same, and nothing is written.
        let out = place.text("repo/out.csv")
        try write("id,n\n1,9\n", to: "data/a.csv")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("repo/data/b.csv"))
        let less = try trial.run("run", "gates/a.yaml")
        #expect(less.status == 1 && place.text("repo/out.csv") == out, "\(less.errors)")
        for words in [
            "gates/a.yaml:2:48: error: 2 rows went", "and the limit is 'rows-removed>1' [diff-limit]",
            "file data/b.csv is gone, and the limit is 'files-gone'", "diff --git main data' shows which",
            "rule failed 'between_n'",
        ] { #expect(less.errors.contains(words), "\(words)\n\(less.errors)") }
        let dry = try trial.run("run", "gates/a.yaml", "--dry-run")
        #expect(dry.status == 1 && dry.errors.contains("[diff-limit]"), "\(dry.errors)")

        // The commit of the command line, and earlier files.
        try job("{ append_only: true }")
        let since = try trial.run("run", "gates/a.yaml", "--past", "main")
        #expect(since.errors.contains("the limit is 'append-only'"), "\(since.errors)")
        #expect(try trial.run("run", "gates/a.yaml").errors.contains("[diff-not-judged]"))
        try write("id,n\n1,1\n2,2\n", to: "before/a.csv")
        try write("id,n\n2,2\n1,1\n3,3\n", to: "data/a.csv")
        try job("{ against: ../before, key: id, append_only: true }")
        #expect(try trial.run("run", "gates/a.yaml").status == 0)
        try write("id,n\n1,1\n", to: "before/b.csv")
        let gone = try trial.run("run", "gates/a.yaml")
        #expect(gone.status == 1 && gone.errors.contains("file b.csv is gone"), "\(gone.errors)")

        // Files are read as the job reads them, whatever they are called.
        try write("# old\nid;n\n1;1\n", to: "lists/c.txt")
        func list(_ path: String, _ diff: String) throws {
            try write(
                "daybook: 1\ndiff: \(diff)\nstages:\n  - import_csv: { path: \"\(path)\", delimiter: \";\", comment: \"#\" }\n",
                to: "gates/list.yaml"
            )
        }
        try list("../lists/c.txt", "{ against: main, key: id, append_only: true }")
        try repository.git("add", "-A")
        try repository.git("commit", "-qm", "lists")
        try write("# new\nid;n\n1;1\n2;2\n", to: "lists/c.txt")
        #expect(try trial.run("run", "gates/list.yaml").status == 0)
        try write("# new\nid;n\n", to: "lists/c.txt")
        let emptied = try trial.run("run", "gates/list.yaml", "--report", "badge=gate.svg")
        #expect(emptied.status == 1 && emptied.errors.contains("1 row went"), "\(emptied.errors)")
        #expect(place.text("repo/gate.svg")?.contains("failed its gate") == true)
        try list("-", "{ against: main, append_only: true }")
        #expect(try trial.run("run", "gates/list.yaml").status == 2)
        try write("id,n\n", to: "more/kr/o.csv")
        try write("id,n\n", to: "more/jp/o.csv")
        try write("id,n\n", to: "before/o.csv")
        try list("../more/*/o.csv", "{ against: ../before, append_only: true }")
        #expect(try trial.run("run", "gates/list.yaml").errors.contains("would both be compared with"))

        for (diff, words) in [
            ("{ against: main, fail_on: [] }", "'diff' names no limit"),
            ("{ key: [id, id], append_only: true }", "'key' names 'id' twice"),
            ("{ against: main }", "'diff' names no limit"),
            ("{ fail_on: rows-lost }", "'fail_on' has no limit 'rows-lost'"),
            ("{ fail_on: \"kind-changed>5%\" }", "'kind-changed' is counted, and has no share"),
            ("{ againts: main, append_only: true }", "diff has no key 'againts'"),
        ] {
            try job(diff)
            let refused = try trial.run("run", "gates/a.yaml")
            #expect(refused.status == 2 && refused.errors.contains(words), "\(refused.errors)")
        }
    }

    @Test func `only jobs that a change touches are run`() throws {
        for name in ["a", "b", "c", "gone"] { try write("id,n\n1,\n", to: "data/\(name).csv") }
        for name in ["a", "b", "c", "gone"] { try gate(name, of: "../data/\(name).csv", "{ not_missing: n }") }
        try gate("all", of: "../data/**/*.csv", "{ not_missing: n }")
        try repository.begin()
        let jobs = ["a", "b", "c", "gone"].map { "gates/\($0).yaml" }
        let nothing = try trial.run(["run"] + jobs + ["--changed-since", "main", "--report", "sarif=none.sarif"])
        #expect(nothing.status == 0 && nothing.errors == "4 jobs: 4 untouched by the change\n", "\(nothing.errors)")
        // A report says that nothing was found.
        #expect(place.text("repo/none.sarif")?.contains("\"runs\"") == true)
        let one = try trial.run("run", "gates/a.yaml", "--changed-since", "main", "--report", "html=none.html")
        #expect(one.status == 0 && !exists("none.html"), "\(one.errors)")

        try write("id,n\n1,\n2,\n", to: "data/a.csv")
        let page = try trial.run("run", "gates/a.yaml", "--changed-since", "main", "--report", "html=a.html")
        #expect(page.status == 1 && exists("a.html"), "\(page.errors)")
        let pages = try trial.run(["run"] + jobs + ["--changed-since", "main", "--report", "html=all.html"])
        #expect(pages.status == 2 && pages.errors.contains("is a page of one run"), "\(pages.errors)")
        try gate("b", of: "../data/b.csv", "{ not_missing: id }")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("repo/data/gone.csv"))
        let some = try trial.run(["run"] + jobs + ["--changed-since", "main"])
        #expect(some.status == 3, "\(some.errors)")
        #expect(some.errors.hasSuffix(", 1 untouched by the change\n"), "\(some.errors)")
        for name in ["a", "b", "gone"] { #expect(some.errors.contains("'gates/\(name).yaml'"), "\(some.errors)") }
        // A file that git does not know yet is a change too.
        try repository.commit("all")
        try write("id,n\n3,x\n", to: "data/deep/new.csv")
        let new = try trial.run(["run", "gates/all.yaml", "gates/c.yaml", "--changed-since", "main"])
        #expect(
            new.errors.contains("gates/all.yaml") && new.errors.contains("1 untouched by the change"),
            "\(new.errors)"
        )
        let unknown = try trial.run(["run", "gates/a.yaml", "--changed-since", "mian"])
        #expect(unknown.status == 2 && unknown.errors.contains("git does not know 'mian'"))
    }

    @Test func `of changed rows, only what is new counts`() throws {
        try write("id,n\n1,a\n2,\n3,c\n", to: "data/a.csv")
        try gate("g", of: "../data/a.csv", "{ not_missing: n }, { unique: id }, { row_count: { max: 4 } }")
        try repository.begin()
        try write("id,n\n0,z\n1,a\n2,\n3,c\n", to: "data/a.csv")
        let moved = try trial.run("run", "gates/g.yaml", "--changed-since", "main", "--rows", "changed")
        #expect(moved.status == 0, "\(moved.errors)")
        #expect(moved.errors.contains("1 of them in the baseline"), "\(moved.errors)")
        try write("id,n\n0,\n1,a\n2,\n3,c\n3,d\n", to: "data/a.csv")
        let added = try trial.run("run", "gates/g.yaml", "--changed-since", "main", "--rows", "changed")
        #expect(added.status == 1, "\(added.errors)")
        #expect(added.errors.contains("data/a.csv:2:3: error: the value is missing"), "\(added.errors)")
        #expect(!added.errors.contains("data/a.csv:4:"), "\(added.errors)")
        #expect(added.errors.contains("data/a.csv:6:1: error:"), "\(added.errors)")
        #expect(added.errors.contains("5 rows"), "\(added.errors)")
        // Earlier rows without the column of a rule hide nothing.
        try repository.git("checkout", "-q", "-b", "topic")
        try write("id,m\n2,\n", to: "data/a.csv")
        try gate("g", of: "../data/a.csv", "{ not_missing: m }")
        let other = try trial.run("run", "gates/g.yaml", "--changed-since", "main", "--rows", "changed")
        #expect(other.status == 1 && other.errors.contains("all rows count"), "\(other.errors)")
        let alone = try trial.run("run", "gates/g.yaml", "--rows", "changed")
        #expect(alone.status == 2 && alone.errors.contains("'--rows changed' needs '--changed-since REF'"))
    }

    @Test func `random changes count as the rows that are new`() throws {
        for seed in TestSize.seeds(12, of: 200) {
            var random = SeededGenerator(seed: seed)
            func rows() -> [String] {
                (0..<Int.random(in: 1..<30, using: &random)).map { _ in
                    "\(Int.random(in: 1..<4, using: &random)),\(["", "x"].randomElement(using: &random)!)"
                }
            }
            // Of several files, each may stay, change, come or go.
            let names = (0..<4).map { "s\(seed)/f\($0).csv" }
            var (old, new): ([String: [String]], [String: [String]]) = ([:], [:])
            for name in names {
                if Bool.random(using: &random) || name == names[0] { old[name] = rows() }
                if name == names[0] || (Bool.random(using: &random) && old[name] != nil) { new[name] = old[name] }
                if Int.random(in: 0..<3, using: &random) == 0 { new[name] = rows() }
            }
            try gate("s\(seed)", of: "../s\(seed)/*.csv", "{ not_missing: n }")
            for (name, rows) in old { try write("id,n\n" + rows.map { $0 + "\n" }.joined(), to: name) }
            if seed == TestSize.seeds(12, of: 200).first {
                try repository.begin()
            } else {
                try repository.commit("old")
            }
            for name in names where new[name] == nil {
                try? FileManager.default.removeItem(at: place.url.appendingPathComponent("repo/\(name)"))
            }
            for (name, rows) in new { try write("id,n\n" + rows.map { $0 + "\n" }.joined(), to: name) }
            func counts(_ files: [String: [String]], _ name: String) -> [String: Int] {
                (files[name] ?? []).filter { $0.hasSuffix(",") }.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            let expected = names.map { name in
                counts(new, name).map { max(0, $1 - counts(old, name)[$0, default: 0]) }.reduce(0, +)
            }.reduce(0, +)
            let options = ["--changed-since", "HEAD", "--rows", "changed", "--no-history", "--report", "json=-"]
            let run = try trial.run(["run", "gates/s\(seed).yaml"] + options)
            let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            let rules = (report?["run"] as? [String: Any])?["rules"] as? [[String: Any]]
            func count(_ key: String) -> Int { rules?.first?[key] as? Int ?? 0 }
            #expect(rules?.count == 1 || report?["runs"] != nil, "\(seed): \(run.output) \(run.errors)")
            let told = count("failing") - count("known")
            #expect(told == expected && run.status == (expected > 0 ? 1 : 0), "\(seed): \(expected) \(run.errors)")
            try repository.commit("new")
        }
    }

    @Test func `a run without history leaves nothing`() throws {
        try write("id,n\n1,a\n", to: "data/a.csv")
        try gate("g", of: "../data/a.csv", "{ not_missing: n }")
        let quiet = try trial.run("run", "gates/g.yaml", "--no-history")
        #expect(quiet.status == 0 && !exists("gates/.daybook"), "\(quiet.errors)")
        let job = """
            daybook: 1
            stages:
              - import_csv: { path: data/a.csv, new_only: true }
              - export_csv: { path: out.csv, append: true }
            """
        try write(job, to: "grow.yaml")
        let refused = try trial.run("run", "grow.yaml", "--no-history")
        #expect(refused.status == 2 && refused.errors.contains("[needs-history]"), "\(refused.errors)")
        try write(job.replacing(", new_only: true", with: "").replacing(", append: true", with: ""), to: "grow.yaml")
        let kept = try trial.run("run", "grow.yaml", "--no-history")
        #expect(kept.status == 0 && exists("out.csv"), "\(kept.errors)")
        #expect(!exists(".daybook/history.sqlite") && !exists(".daybook/manifests"))
    }

    @Test func `a link, and a file that git does not follow, are what the commit has of them`() throws {
        try write("n\n10\n20\n", to: "real/y.csv")
        try write("n\n1\n", to: "own.csv")
        try write("own.csv\n", to: ".gitignore")
        let url = place.url.appendingPathComponent("repo")
        try FileManager.default.createSymbolicLink(
            atPath: url.appendingPathComponent("x.csv").path,
            withDestinationPath: "real/y.csv"
        )
        for (name, path) in [("link", "x.csv"), ("ignored", "own.csv")] {
            try write(
                """
                daybook: 1
                job: \(name)
                stages:
                  - import_csv: { path: \(path), columns: { n: integer } }
                  - check_rows: { rules: [{ between: { column: n, max: 50 } }, { sum: { column: n, change: { max: 20%, first: fail } } }] }
                """,
                to: "\(name).yaml"
            )
        }
        try repository.begin()
        let past = ["run", "link.yaml", "--no-history", "--past", "main"]
        #expect(try trial.run(past).status == 0)
        try write("n\n10\n40\n", to: "real/y.csv")
        let other = try trial.run(past)
        #expect(other.status == 1 && other.errors.contains("more than 30"), "\(other.errors)")
        try write("n\n500\n", to: "own.csv")
        let ignored = try trial.run("run", "ignored.yaml", "--no-history", "--past", "main")
        #expect(ignored.errors.contains("there is no earlier run to compare it with"), "\(ignored.errors)")

        try write("n\n10\n2000\n", to: "real/y.csv")
        for options in [["--rows", "all"], ["--rows", "changed"]] {
            let outcome = try trial.run(["run", "link.yaml", "--no-history", "--changed-since", "main"] + options)
            #expect(outcome.status == 1 && outcome.errors.contains("x.csv:3:1: error: '2000'"), "\(outcome.errors)")
        }
    }

    @Test func `a file that comes does not make what stood in others new`() throws {
        try write("id,count\n1,3\n2,30\n", to: "data/a.csv")
        try write("id,count\n1,3\n", to: "data/b.csv")
        try gate("g", of: "../data/*.csv", "{ between: { column: count, max: 10 } }")
        let job = try #require(place.text("repo/gates/g.yaml"))
        try write(job.replacing("*.csv\"", with: "*.csv\", columns: { count: integer }"), to: "gates/g.yaml")
        try repository.begin()
        try write("id,count\n7,9\n", to: "data/new.csv")
        let run = ["run", "gates/g.yaml", "--no-history", "--changed-since", "main", "--rows", "changed"]
        let good = try trial.run(run)
        #expect(good.status == 0, "\(good.errors)")
        try write("id,count\n7,90\n", to: "data/new.csv")
        #expect(try trial.run(run).status == 1)
    }

    @Test func `files that no commit has are no past, and no change`() throws {
        try place.write("n\n100\n", to: "outside/a.csv")
        let outside = place.url.appendingPathComponent("outside/a.csv").path
        try write("n\n1\n", to: "in/a.csv")
        try write("n\n900\n", to: "in/ignored.csv")
        try write("in/ignored.csv\n", to: ".gitignore")
        for (name, path) in [("whole", outside), ("some", "in/*.csv")] {
            try write(
                """
                daybook: 1
                job: \(name)
                stages:
                  - import_csv: { path: "\(path)", columns: { n: integer } }
                  - check_rows: { rules: [{ between: { column: n, max: 50 } }, { row_count: { change: { max: 10% } }, warn: "> 5" }] }
                """,
                to: "\(name).yaml"
            )
        }
        try repository.begin()
        let whole = try trial.run("run", "whole.yaml", "--no-history", "--past", "main")
        #expect(whole.errors.contains("[no-earlier-rows]") && whole.errors.contains("1 not judged"), "\(whole.errors)")
        // An ignored file never counts as changed.
        try write("n\n2\n", to: "in/a.csv")
        let some = try trial.run("run", "some.yaml", "--no-history", "--changed-since", "main", "--rows", "changed")
        #expect(some.status == 0, "\(some.errors)")
    }

    @Test func `the gate of a job follows links`() throws {
        try write("id\n1\n2\n3\n", to: "data/a.csv")
        let url = place.url.appendingPathComponent("repo")
        try FileManager.default.createDirectory(at: url.appendingPathComponent("in"), withIntermediateDirectories: true)
        let link = url.appendingPathComponent("in/a.csv").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../data/a.csv")
        try write(
            "daybook: 1\nstages:\n  - import_csv: { path: \"in/*.csv\" }\ndiff: { append_only: true, key: [id] }\n",
            to: "gate.yaml"
        )
        try repository.begin()
        let run = ["run", "gate.yaml", "--no-history", "--changed-since", "main"]
        try write("id\n1\n", to: "data/a.csv")
        #expect(try trial.run(run).status == 1)
        try write("id\n1\n2\n3\n", to: "data/a.csv")
        try write("id\n1\n", to: "data/b.csv")
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../data/b.csv")
        let moved = try trial.run(run)
        #expect(moved.status == 1 && moved.errors.contains("[link-not-followed]"), "\(moved.errors)")
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// `daybook diff --git`: what is named has to be something that can be compared, and links are followed.
@Suite struct GitDiffTests {
    private let place: TemporaryDirectory
    private let repository: GitRepository

    init() throws {
        place = try TemporaryDirectory()
        repository = GitRepository(at: place.url.appendingPathComponent("repo"))
        try place.write("id,n\n1,a\n2,b\n", to: "repo/real/y.csv")
        try place.write("id,n\n1,a\n", to: "repo/real/z.csv")
        try place.write("old\n", to: "repo/data/t.dat")
        try place.write("id,n\n1,a\n", to: "repo/data/a.csv")
    }

    private func link(_ path: String, to target: String) throws {
        let path = place.url.appendingPathComponent("repo/\(path)").path
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    private func diff(
        _ arguments: String...,
        in directory: String = "",
        ending code: Int32 = 0
    ) throws -> String {
        let trial = CommandTrial(in: place.url.appendingPathComponent("repo").appendingPathComponent(directory))
        let outcome = try trial.run(["diff", "--git"] + arguments)
        #expect(outcome.status == code, "\(arguments): \(outcome.output)\(outcome.errors)")
        return outcome.output + outcome.errors
    }

    @Test func `a path that names nothing to compare is an error`() throws {
        try place.write("lost.csv\n", to: "repo/.gitignore")
        try repository.begin()
        try place.write("new\n", to: "repo/data/t.dat")
        try place.write("id\n1\n", to: "repo/lost.csv")
        for range in ["HEAD", "HEAD..HEAD"] {
            #expect(
                try diff(range, "data/zz*.csv", "--fail-on", "append-only", ending: 3).contains(
                    "no file matches 'data/zz*.csv', neither "
                )
            )
            for path in ["data/t.dat", "data/*.dat"] {
                let told = try diff(range, path, "--fail-on", "rows-removed", ending: 2)
                #expect(told.contains("are compared row by row [no-table]"), "\(told)")
                #expect(told.contains("'\(path)' is called otherwise"), "\(told)")
            }
            _ = try diff(range, "data/a*.csv", "data/a.csv", "real")
        }
        #expect(try diff("HEAD", "lost.csv", ending: 2).contains("git ignores 'lost.csv'"))
        #expect(try diff("HEAD", "data").contains("1 other file is not called like CSV or JSON, and not compared"))
        // A pattern finds what only the commit has, and files beside the working directory are compared too.
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("repo/real/z.csv"))
        #expect(
            try diff("HEAD", "real/z*.csv", "--fail-on", "append-only", ending: 1).contains("file real/z.csv is gone")
        )
        try place.write("id,n\n1,c\n", to: "repo/data/a.csv")
        #expect(
            try diff("HEAD", "../data/a.csv", in: "real").contains("rows of ../data/a.csv by id: 0 came, 0 went, 1 ")
        )
        #expect(try diff("HEAD", in: "real") == "file z.csv is gone\n")
    }

    @Test func `a link is followed to what it leads to, before and after`() throws {
        try link("x.csv", to: "real/y.csv")
        try link("data/inner.csv", to: "../real/y.csv")
        try link("latest", to: "real")
        try link("out.csv", to: "/nowhere/out.csv")
        try repository.begin()
        #expect(try diff("main", "x.csv", "latest", "latest/z.csv", "data") == "no table changed\n")
        try place.write("id,n\n1,a\n", to: "repo/real/y.csv")
        for path in ["x.csv", "data", "latest/y.csv", "latest", "data/inner.csv"] {
            let told = try diff("main", path, "--fail-on", "append-only", ending: 1)
            #expect(told.contains("by id: 0 came, 1 went, 0 changed, 1 as before"), "\(path): \(told)")
        }
        // Of the whole repository, the file itself is enough.
        #expect(try diff("main").components(separatedBy: "rows of ").count == 2)
        // Another target is another table, and so is a file in the place of a link.
        try link("x.csv", to: "real/z.csv")
        #expect(try diff("main", "x.csv", "--fail-on", "append-only", ending: 1).contains("rows of x.csv by "))
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("repo/x.csv"))
        try place.write("id,n\n1,a\n", to: "repo/x.csv")
        #expect(try diff("main", "x.csv", "--fail-on", "append-only", ending: 1).contains("1 went"))
        // Where a link cannot be followed, the one who names it hears of it.
        try link("latest", to: "data")
        #expect(try diff("main", "latest", ending: 2).contains("[link-not-followed]"))
        #expect(try diff("main").contains("link latest leads to no file of both that could be compared"))
        try repository.commit("later")
        let commits = try diff("HEAD~1..HEAD", "x.csv", "--fail-on", "append-only", ending: 1)
        #expect(commits.contains("rows of x.csv by id: 0 came, 1 went"), "\(commits)")
        #expect(try diff("HEAD~1..HEAD", "data/inner.csv").contains("rows of data/inner.csv by id: 0 came, 1 went"))
        try place.write("id,n\n1,a\n", to: "nowhere.csv")
        try link("out.csv", to: "../nowhere.csv")
        #expect(try diff("HEAD", "out.csv", ending: 2).contains("'out.csv' is a link that cannot be followed"))
    }

    @Test func `a submodule is told, and nothing in it is compared`() throws {
        let module = GitRepository(at: place.url.appendingPathComponent("module"))
        try place.write("id,n\n1,a\n", to: "module/s.csv")
        try module.begin()
        try repository.begin()
        let path = place.url.appendingPathComponent("module").path
        try repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", path, "sub")
        try place.write(
            "daybook: 1\nstages:\n  - import_csv: { path: sub/s.csv }\ndiff: { against: HEAD, append_only: true }\n",
            to: "repo/gate.yaml"
        )
        try repository.commit("submodule")
        let trial = CommandTrial(in: place.url.appendingPathComponent("repo"))
        #expect(try trial.run("run", "gate.yaml", "--no-history").status == 0)
        try place.write("id,n\n2,b\n", to: "repo/sub/s.csv")
        let words = "submodule sub changed; its files are those of another repository, and not compared"
        #expect(try diff("HEAD") == words + "\n")
        for path in ["sub", "sub/", "sub/s.csv"] {
            let told = try diff("HEAD", path, ending: 2)
            #expect(told.contains(path == "sub/s.csv" ? "is in the submodule 'sub'" : "is a submodule"), "\(told)")
            #expect(told.contains("[in-submodule]"), "\(told)")
        }
        let gate = try trial.run("run", "gate.yaml", "--no-history")
        #expect(gate.status == 1 && gate.errors.contains("[in-submodule]"), "\(gate.errors)")
        // A job that reads nothing of it is not concerned.
        let text = try #require(place.text("repo/gate.yaml"))
        try place.write(text.replacing("sub/s.csv", with: "real/y.csv"), to: "repo/gate.yaml")
        #expect(try trial.run("run", "gate.yaml", "--no-history").status == 0)
        try repository.git("commit", "-qam", "second", in: "sub")
        try repository.commit("moved")
        #expect(try diff("HEAD~1..HEAD").contains(words))
        #expect(try diff("HEAD~1..HEAD", "sub/s.csv", ending: 2).contains("[in-submodule]"))
    }
}

import DaybookTestSupport
import Foundation
import Testing

/// What `daybook diff` says of two tables, of directories and of a repository.
@Suite struct DiffCommandTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func diff(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        let outcome = try command.run(["diff"] + arguments)
        #expect(outcome.status == code, "\(outcome.output)\(outcome.errors)")
        return outcome.output + outcome.errors
    }

    private let before = "id,name,price,note\n1,ann,10,x\n2,bob,20,y\n3,cy,30,z\n4,di,40,q\n"
    private let after = "id,name,price,remark\n1,ann,1000,x\n2,Bob,2000,y\n4,di,4000,q\n5,ed,5,w\n"

    @Test func `a file without a header loses no row, and one with titles above is read as guess does`() throws {
        try place.write("7,AA,5,\\N\n8,BB,6,x\n9,CC,7,y\n", to: "a.csv")
        try place.write("7,AB,5,\\N\n8,BB,6,x\n9,CC,7,y\n", to: "b.csv")
        let rows = try diff("a.csv", "b.csv")
        #expect(rows.contains("1 changed, 2 ") && rows.contains("column_2: AA → AB  (line 1)"), "\(rows)")
        try place.write("{\"meta\": 1, \"data\": [{\"id\": 1, \"n\": 2}, {\"id\": 2, \"n\": 3}]}", to: "a.json")
        try place.write("{\"meta\": 2, \"data\": [{\"id\": 1, \"n\": 2}, {\"id\": 2, \"n\": 4}]}", to: "b.json")
        let records = try diff("a.json", "b.json")
        #expect(records.contains("n: 3 → 4"), "\(records)")
    }

    @Test func `a log may only grow, and a page shows what changed`() throws {
        try place.write("id,n\n1,a\n2,<b>\n", to: "a.csv")
        try place.write("id,n\n1,a\n2,<b>\n3,c\n", to: "longer.csv")
        try place.write("id,n\n1,a\n2,<i>\n", to: "other.csv")
        _ = try diff("a.csv", "longer.csv", "--fail-on", "append-only")
        let told = try diff("a.csv", "other.csv", "--fail-on", "append-only", ending: 1)
        #expect(told.contains("1 row changed, and the limit is 'append-only'"), "\(told)")
        let page = try diff("a.csv", "other.csv", "--format", "html")
        #expect(page.contains("&lt;b&gt;") && !page.contains("<i>") && page.contains("<h2"), "\(page)")
    }

    @Test func `columns, rows and cells are told with their lines`() throws {
        try place.write(before, to: "a.csv")
        try place.write(after, to: "b.csv")
        #expect(
            try diff("a.csv", "b.csv") == """
                rows of a.csv and b.csv by id: 1 came, 1 went, 3 changed, 0 the same in the columns of both
                  ~ column note is called remark
                  ~ cells: price 3 (each × 100), name 1 (only capitals)
                  + id=5 name=ed price=5  (line 5)
                  - id=3 name=cy price=30  (line 4 before)
                  ~ id=1  price: 10 → 1000  (line 2)
                  ~ id=2  name: bob → Bob, price: 20 → 2000  (line 3)
                  ~ id=4  price: 40 → 4000  (line 4, before 5)

                """
        )
        let json = try diff("a.csv", "b.csv", "--format", "json")
        #expect(json.contains("\"times\" : 100") && json.contains("\"line_before\" : 5"), "\(json)")
        let page = try diff("a.csv", "b.csv", "--format", "markdown")
        #expect(page.contains("| changed | 4 | id&#61;4 | price&#58; 40 → 4000 |"), "\(page)")
        #expect(try diff("a.csv", "a.csv") == "rows of a.csv by id: 0 came, 0 went, 0 changed, 4 as before\n")
    }

    @Test func `kinds, forms and the order of rows`() throws {
        try place.write("id,n,s,code\n1,1,a,007\n2,2,b,008\n3,,c,009\n", to: "a.csv")
        try place.write("id,n,s,code\n1,1.0,a ,007\n2,2.50,b,008\n3,,c,009\n", to: "b.csv")
        try place.write("id,n,s,code\n2,2,b,008\n1,1,a,007\n3,,c,009\n", to: "c.csv")
        let told = try diff("a.csv", "b.csv", "--fail-on", "breaking", ending: 1)
        #expect(told.contains("  ~ column n held integer and holds decimal\n"), "\(told)")
        #expect(told.contains("  ~ cells: n 2, s 1 (only blanks at the edges)\n"), "\(told)")
        #expect(
            told.hasSuffix(
                "error: column n held integer and holds decimal, and the limit is 'breaking' [diff-limit]\n"
            ),
            "\(told)"
        )
        // Who reads any numbers also reads whole ones.
        _ = try diff("b.csv", "a.csv", "--fail-on", "breaking")
        let turned = try diff("a.csv", "c.csv")
        #expect(turned == "rows of a.csv and c.csv by id: 0 came, 0 went, 0 changed, 3 as before, in another order\n")
    }

    @Test func `rows without a key meet by their order, or as wholes`() throws {
        try place.write("a,b\nx,1\nx,1\ny,2\n", to: "a.csv")
        try place.write("a,b\nx,1\nx,3\ny,2\n", to: "b.csv")
        try place.write("a,b\nx,1\ny,2\n", to: "c.csv")
        #expect(
            try diff("a.csv", "b.csv").contains(
                "by their order: 1 changed, 2 as before\n  ~ cells: b 1\n  ~ record 2:  b: 1 → 3  (line 3)\n"
            )
        )
        #expect(try diff("a.csv", "c.csv").contains(": 0 came, 1 went, 2 as before\n  - a=x b=1  (line 3 before)\n"))
        try place.write("a,b\ny,2\nx,1\nx,1\n", to: "d.csv")
        #expect(
            try diff("a.csv", "d.csv") == "rows of a.csv and d.csv: 0 came, 0 went, 3 as before, in another order\n"
        )
        // A column that is unique by chance is no key where no rows meet by it.
        try place.write("a,b\n1,p\n2,p\n3,p\n", to: "e.csv")
        try place.write("a,b\n4,p\n5,p\n6,p\n", to: "f.csv")
        #expect(try diff("e.csv", "f.csv").contains("by their order: 3 changed, 0 as before\n  ~ cells: a 3\n"))
        let twice = try diff("a.csv", "b.csv", "--key", "a", ending: 1)
        #expect(twice.contains("has the 'a' of a row before it [key-not-unique]"), "\(twice)")
        // A column that neither has is a slip, and one that a file lacks is a fault of its data.
        try place.write("a,c\n1,p\n", to: "g.csv")
        _ = try diff("a.csv", "g.csv", "--key", "b", ending: 1)
        try place.write("a", to: "a.dat")
        #expect(try diff("a.dat", "b.csv", ending: 2).contains("[no-table]"))
        let unknown = try diff("a.csv", "b.csv", "--key", "bb", ending: 2)
        #expect(unknown.contains("not both files have a column 'bb' [unknown-column]"), "\(unknown)")
    }

    @Test func `a key that one row in a hundred repeats tells the other changes all the same`() throws {
        let rows = (1...200).map { "\($0 / 4),\($0 % 4),\($0 % 9)\n" }
        try place.write("day,shop,sum\n" + rows.joined(), to: "a.csv")
        var later = rows
        later[9] = "2,2,-1\n"
        later.insert(later[20], at: 21)
        try place.write("day,shop,sum\n" + later.joined(), to: "b.csv")
        let told = try diff("a.csv", "b.csv")
        for words in [
            "by day, shop: 1 came, 0 went, 1 changed", "1 row has the day and shop of a row above", "sum: 1 → -1",
        ] {
            #expect(told.contains(words), "\(words)\n\(told)")
        }
        #expect(try diff("a.csv", "b.csv", "--key", "day", "--key", "shop") == told)
        for row in 30...40 { later.insert(later[row], at: row) }
        // What is called a key is one before two columns that happen to be unique.
        try place.write("id,a,b\n" + (1...300).map { "\($0),\($0 % 7),\($0 % 5)\n" }.joined(), to: "c.csv")
        try place.write("id,a,b\n" + (1...300).map { "\($0),\($0 % 9),\($0 % 5)\n" }.joined() + "4,8,4\n", to: "d.csv")
        #expect(try diff("c.csv", "d.csv").contains("by id: 1 came, 0 went, "))
        try place.write("day,shop,sum\n" + later.joined(), to: "b.csv")
        _ = try diff("a.csv", "b.csv", "--key", "day", "--key", "shop", ending: 1)
        let many = try diff("a.csv", "b.csv")
        #expect(!many.contains("by day, shop"), "\(many)")
    }

    @Test func `a file that holds nothing lost all its rows and columns`() throws {
        try place.write("id,v\n1,a\n2,b\n", to: "a.csv")
        try place.write("", to: "empty.csv")
        try place.write("[]", to: "none.json")
        try place.write("[{}]", to: "one.json")
        let emptied = try diff("a.csv", "empty.csv", "--fail-on", "breaking,columns-gone", ending: 1)
        #expect(emptied.contains("columns id, v are gone"), "\(emptied)")
        #expect(emptied.contains("  - columns id, v\n"), "\(emptied)")
        let values = try diff("a.csv", "empty.csv", "--format", "json").filter { !$0.isWhitespace }
        #expect(values.contains(#""columns_gone":["id","v"]"#), "\(values)")
        for file in ["none.json", "one.json"] {
            #expect(try diff("a.csv", file).contains("2 went"))
            #expect(try diff(file, "a.csv").contains("2 came"))
        }
        #expect(try diff("a.csv", "a.csv", "--fail-on", "append-only>3", ending: 2).contains("takes no number"))
    }

    @Test(arguments: [("[\n", ",\n", "\n]\n"), ("{\"data\": [", ",", "]}"), ("", "\n", "\n")])
    func `records of a large document are compared, however it holds them`(
        _ start: String,
        _ between: String,
        _ end: String
    ) throws {
        let records = (0..<6_000).map { "{\"id\": \($0), \"note\": \"\(String(repeating: "x", count: 90))\"}" }
        try place.write(start + records.joined(separator: between) + end, to: "a.json")
        var later = records
        later[7] = "{\"id\": 7, \"note\": \"y\"}"
        later[5_990] = "{\"id\": 5990, \"note\": \"z\"}"
        try place.write(start + later.joined(separator: between) + end, to: "b.json")
        let told = try diff("a.json", "b.json")
        #expect(told.contains("2 changed, 5,998 as before") && told.contains("→ y") && told.contains("→ z"), "\(told)")
    }

    @Test func `records that could not be read are told with their lines`() throws {
        let rows = (1...30).map { "\($0),n\($0),\($0 * 7)" }
        try place.write((["id,name,count"] + rows).joined(separator: "\n") + "\n", to: "a.csv")
        let cut = rows.map { $0 == "19,n19,133" ? "19,n19" : $0 }
        try place.write((["id,name,count"] + cut).joined(separator: "\n") + "\n", to: "b.csv")
        let told = try diff("a.csv", "b.csv")
        #expect(told.contains("! line 20 after could not be read: found 2 cells, expected 3"), "\(told)")
        for format in ["markdown", "html", "json"] {
            let told = try diff("a.csv", "b.csv", "--format", format)
            #expect(told.contains("found 2 cells, expected 3"), "\(told)")
        }
    }

    @Test func `rows of large files are told where they stand`() throws {
        // More than are read at once.
        let rows = (1...70_000).map { "\($0),\($0 % 7)" }
        try place.write("id,n\n" + rows.joined(separator: "\n") + "\n", to: "a.csv")
        var changed = rows
        (changed[39_999], changed[69_998]) = ("40000,x", "69999,y")
        changed.remove(at: 50_000)
        try place.write("id,n\n" + changed.joined(separator: "\n") + "\n", to: "b.csv")
        let expected = """
            rows of a.csv and b.csv by id: 0 came, 1 went, 2 changed, 69,997 as before
              ~ column n held integer and holds text
              ~ cells: n 2
              - id=50001 n=0  (line 50002 before)
              ~ id=40000  n: 2 → x  (line 40001)
              ~ id=69999  n: 6 → y  (line 69999, before 70000)

            """
        #expect(try diff("a.csv", "b.csv") == expected)
        // In another order, the same rows are told.
        let turned = changed.reversed().joined(separator: "\n")
        try place.write("id,n\n" + turned + "\n", to: "b.csv")
        #expect(try diff("a.csv", "b.csv").contains("by id: 0 came, 1 went, 2 changed, 69,997 as before\n"))
    }

    @Test func `limits make it a gate`() throws {
        try place.write(before, to: "a.csv")
        try place.write(after, to: "b.csv")
        for (limit, message) in [
            ("columns-gone", "column note is gone"), ("columns-new", "column remark is new"),
            ("breaking", "column note is gone"), ("rows-removed>0", "1 row went, 25.0 %"),
            ("rows-added>20%", "1 row came, 25.0 %"), ("rows-changed>2", "3 rows changed, 75.0 %"),
            ("cells-changed>30%", "4 cells changed, 33.3 %"),
        ] {
            let told = try diff("a.csv", "b.csv", "--fail-on", limit, ending: 1)
            #expect(told.hasSuffix("error: \(message), and the limit is '\(limit)' [diff-limit]\n"), "\(told)")
        }
        _ = try diff("a.csv", "b.csv", "--fail-on", "kind-changed,rows-removed>1", "--fail-on", "cells-changed>34%")
        try place.write("id,name,price,note\n1,ann,10\n", to: "broken.csv")
        let unread = try diff("a.csv", "broken.csv", "--fail-on", "columns-gone", ending: 1)
        #expect(unread.contains("error: 1 record of a.csv and broken.csv could not be read"), "\(unread)")
        for (limit, message) in [
            ("rows-rmoved", "did you mean 'rows-removed'?"), ("rows-removed>x", "has no number behind '>'"),
            ("columns-gone>5%", "'columns-gone' is counted, and has no share"), ("", "has no limit ''"),
        ] {
            let told = try diff("a.csv", "b.csv", "--fail-on", limit, ending: 2)
            #expect(told.contains(message), "\(told)")
        }
    }

    @Test func `the tables of directories meet by their paths`() throws {
        for (path, text) in [
            ("old/a.csv", "id\n1\n"), ("old/in/b.json", "[{\"id\": 1}]"), ("old/gone.csv", "id\n1\n"),
            ("old/x.txt", ""),
            ("new/a.csv", "id\n1\n2\n"), ("new/in/b.json", "[{\"id\": 1}]"), ("new/more.ndjson", "{}\n"),
        ] { try place.write(text, to: path) }
        #expect(
            try diff("old", "new", "--fail-on", "files-gone", ending: 1) == """
                file gone.csv is gone
                file more.ndjson is new
                1 other file is not called like CSV or JSON, and not compared
                rows of a.csv by id: 1 came, 0 went, 0 changed, 1 as before
                  + id=2  (line 3)
                rows of in/b.json by id: 0 came, 0 went, 0 changed, 1 as before
                error: file gone.csv is gone, and the limit is 'files-gone' [diff-limit]

                """
        )
        #expect(try diff("old", "new/a.csv", ending: 2).contains("'old' is several files, and 'new/a.csv' is one"))
        try FileManager.default.createSymbolicLink(
            atPath: place.url.appendingPathComponent("latest").path,
            withDestinationPath: "old"
        )
        #expect(try diff("latest", "old", "--fail-on", "rows-removed,files-gone").contains("rows of a.csv by "))
        let some = try diff("old/a*.csv", "./new/{a,b}*.csv")
        #expect(some.contains("rows of a.csv by "), "\(some)")
        #expect(try diff("old/*.csv", "new/x*.csv", ending: 3).contains("new/x*.csv"))
        for name in ["old/t.dat", "new/t.dat"] { try place.write("id\n1\n", to: name) }
        let none = try diff("old/*.dat", "new/*.dat", "--fail-on", "append-only", ending: 2)
        #expect(
            none.contains("no file of 'old/*.dat' and 'new/*.dat' is called so") && none.contains("[no-table]"),
            "\(none)"
        )
        #expect(try diff("old", ending: 2).contains("expected two files, two directories or two patterns, found 1"))
        #expect(try diff("old/a.csv", "nix.csv", ending: 3).contains("there is no 'nix.csv'"))
    }

    @Test func `tables without a common column are named, and links are followed`() throws {
        let repository = GitRepository(at: place.url.appendingPathComponent("repo"))
        for name in ["a", "b", "c"] { try place.write("id,n\n1,a\n", to: "repo/\(name).csv") }
        let link = place.url.appendingPathComponent("repo/link.csv").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.csv")
        try repository.begin()
        try place.write("x\n1\n", to: "repo/a.csv")
        try place.write("id,n\n1,b\n", to: "repo/b.csv")
        try place.write("y\n1\n", to: "repo/c.csv")
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "b.csv")
        let inside = CommandTrial(in: place.url.appendingPathComponent("repo"))
        var outcome = try inside.run("diff", "--git", "HEAD")
        #expect(outcome.status == 1)
        for (name, column) in [("a", "x"), ("c", "y")] {
            let told = "\(name).csv: no column is in both files: id, n in the earlier one, \(column) in the later one"
            #expect(outcome.errors.contains(told), "\(outcome.errors)")
        }
        outcome = try inside.run("diff", "--git", "HEAD", "b.csv", "link.csv")
        #expect(outcome.status == 0, "\(outcome.errors)")
        for name in ["b", "link"] { #expect(outcome.output.contains("rows of \(name).csv by "), "\(outcome.output)") }
        let table = place.url.appendingPathComponent("repo/b.csv").path
        try FileManager.default.removeItem(atPath: table)
        try FileManager.default.createSymbolicLink(atPath: table, withDestinationPath: "c.csv")
        outcome = try inside.run("diff", "--git", "HEAD", "b.csv", "--fail-on", "files-gone")
        #expect(outcome.status == 1 && outcome.errors.contains("no column is in both files"), "\(outcome.errors)")
    }

    @Test func `the working tree is compared with where it left a branch`() throws {
        let repository = GitRepository(at: place.url.appendingPathComponent("repo"))
        try place.write("id,n\n1,a\n2,b\n", to: "repo/data/a.csv")
        try place.write("id\n1\n", to: "repo/data/gone.csv")
        try repository.begin()
        try repository.git("checkout", "-q", "-b", "topic")
        try place.write("id,n\n1,a\n2,c\n", to: "repo/data/a.csv")
        try repository.git("commit", "-q", "-a", "-m", "topic")
        try repository.git("checkout", "-q", "main")
        try place.write("id,n\n7,z\n", to: "repo/data/a.csv")
        try repository.git("commit", "-q", "-a", "-m", "main goes on")
        try repository.git("checkout", "-q", "topic")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("repo/data/gone.csv"))
        try place.write("id\n1\n", to: "repo/data/new.csv")
        let inside = CommandTrial(in: place.url.appendingPathComponent("repo"))
        let outcome = try inside.run("diff", "--git", "main")
        #expect(
            outcome.output == """
                file data/gone.csv is gone
                file data/new.csv is new
                rows of data/a.csv by id: 0 came, 0 went, 1 changed, 1 as before
                  ~ cells: n 1
                  ~ id=2  n: b → c  (line 3)

                """,
            "\(outcome.output)\(outcome.errors)"
        )
        let lost = try inside.run("diff", "--git", "main", "nothing")
        #expect(lost.status == 3 && lost.errors.contains("there is no 'nothing', neither here nor in commit"))
        let unknown = try inside.run("diff", "--git", "mian")
        #expect(unknown.status == 2 && unknown.errors.contains("git does not know 'mian'"), "\(unknown.errors)")
        // Two commits are compared without a working tree.
        try repository.git("clone", "-q", "--bare", ".", "../bare.git")
        let bare = CommandTrial(in: place.url.appendingPathComponent("bare.git"))
        let head = "rows of data/a.csv by id: "
        for (range, told) in [
            ("main..topic", "2 came, 1 went, 0 changed, 0 as before"),
            ("main...topic", "0 came, 0 went, 1 changed, 1 as before"),
            ("topic..main", "1 came, 2 went, 0 changed, 0 as before"),
            ("main...", "0 came, 0 went, 1 changed, 1 as before"),
        ] {
            let outcome = try bare.run("diff", "--git", range, "--key", "id", "data")
            #expect(outcome.output.hasPrefix(head + told), "\(range): \(outcome.output)\(outcome.errors)")
        }
        let far = try bare.run("diff", "--git", "main..mian")
        #expect(far.status == 2 && far.errors.contains("git does not know 'mian'"), "\(far.errors)")
        let missing = try bare.run("diff", "--git", "main..topic", "nothing")
        #expect(
            missing.status == 3 && missing.errors.contains("there is no 'nothing', neither in commit"),
            "\(missing.errors)"
        )
        // In a clone of one commit, nothing tells where the branches meet.
        let url = place.url.appendingPathComponent("repo").path
        try repository.git("clone", "-q", "--depth", "1", "--branch", "topic", "file://\(url)", "../shallow")
        try repository.git("fetch", "-q", "--depth", "1", "origin", "main:main", in: "../shallow")
        let shallow = try CommandTrial(in: place.url.appendingPathComponent("shallow")).run("diff", "--git", "main")
        #expect(shallow.status == 3 && shallow.errors.contains("with 'fetch-depth: 0'"), "\(shallow.errors)")
    }

    @Test func `random lists of equal rows are told as counts of them tell`() throws {
        for seed in TestSize.seeds(20, of: 400) {
            var random = SeededGenerator(seed: seed)
            func list() -> [Int] {
                (0..<Int.random(in: 1..<40, using: &random)).map { _ in Int.random(in: 1..<6, using: &random) }
            }
            let (old, new) = (list() + [9, 9], list() + [9, 9, 9])
            guard old.count != new.count else { continue }
            for (rows, name) in [(old, "a.csv"), (new, "b.csv")] {
                try place.write("x\n" + rows.map { "r\($0)\n" }.joined(), to: name)
            }
            let told = try diff("a.csv", "b.csv")
            let counts = { (rows: [Int]) in Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +) }
            let (was, now) = (counts(old), counts(new))
            let same = was.reduce(0) { $0 + min($1.value, now[$1.key] ?? 0) }
            let expected = "\(new.count - same) came, \(old.count - same) went, \(same) as before\n"
            #expect(told.hasPrefix("rows of a.csv and b.csv: " + expected), "\(seed) \(told)")
        }
    }

    @Test func `random tables are told as a search of all rows tells them`() throws {
        for seed in TestSize.seeds(20, of: 400) {
            var random = SeededGenerator(seed: seed)
            func table() -> [Int: [String]] {
                let keys = (0..<Int.random(in: 2..<30, using: &random)).map { _ in
                    Int.random(in: 1..<40, using: &random)
                }
                return Dictionary(
                    keys.map {
                        ($0, (0..<3).map { _ in ["", "a", "b c", "\"q\"", "1"].randomElement(using: &random)! })
                    }
                ) { first, _ in first }
            }
            let (old, new) = (table(), table())
            func text(_ rows: [Int: [String]]) -> String {
                "id,x,y,z\n"
                    + rows.keys.shuffled(using: &random).map { key in
                        let cells = rows[key]!.map {
                            $0.contains("\"") ? "\"\($0.replacing("\"", with: "\"\""))\"" : $0
                        }
                        return "\(key),\(cells.joined(separator: ","))\n"
                    }.joined()
            }
            try place.write(text(old), to: "a.csv")
            try place.write(text(new), to: "b.csv")
            let outcome = try command.run("diff", "a.csv", "b.csv", "--key", "id", "--format", "json")
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            )
            let told = try #require((json["tables"] as? [[String: Any]])?.first)
            let both = old.keys.filter { new[$0] != nil }
            #expect(told["came"] as? Int == new.keys.count { old[$0] == nil }, "\(seed)")
            #expect(told["went"] as? Int == old.keys.count { new[$0] == nil }, "\(seed)")
            #expect(told["changed"] as? Int == both.count { old[$0] != new[$0] }, "\(seed)")
            let cells = (told["cells_changed"] as? [[String: Any]] ?? []).reduce(0) { $0 + ($1["cells"] as? Int ?? 0) }
            let changed = both.reduce(0) { sum, key in sum + (0..<3).count { old[key]![$0] != new[key]![$0] } }
            #expect(cells == changed, "\(seed)")
        }
    }
}

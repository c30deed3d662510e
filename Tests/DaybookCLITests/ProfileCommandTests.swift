import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `daybook profile`: what it tells, that it is the same for any number of threads, and that no file harms it.
@Suite struct ProfileCommandTests {
    static let snapshots = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Snapshots/profile"
    )

    let place: TemporaryDirectory
    let command: CommandTrial
    let samples = CommandTrial(in: GuessCommandTests.root)

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func check(_ text: String, _ name: String) throws {
        let file = ProfileCommandTests.snapshots.appendingPathComponent(name)
        #expect(try Expectation.failure(text, against: file) == nil)
    }

    @Test(
        "a gate that is proposed holds for its own file, however its days are written",
        arguments: [
            "2026-11-21", "21.11.2026", "11/21/2026", "2026년 11월 21일", "21-Nov-2026",
        ]
    )
    func daysOfEveryForm(_ form: String) throws {
        let rows = (10...29).map { "\($0),\(form.replacing("21", with: "\($0)"))\n" }.joined()
        try place.write("id,when\n" + rows, to: "days.csv")
        let made = try command.run("profile", "--rules", "days.csv", "-o", "gate.yaml")
        #expect(made.status == 0, "\(made.errors)")
        let outcome = try command.run("run", "gate.yaml", "--as-of", "2026-11-21")
        #expect(outcome.status == 0, "\(outcome.errors)\n\(place.text("gate.yaml") ?? "")")
    }

    /// The gate of a file, held against a later one.
    private func gate(_ file: String, of first: String, on second: String) throws -> CommandTrial.Outcome {
        try place.write(first, to: file)
        unlink(place.url.appendingPathComponent("gate.yaml").path)
        let made = try command.run("profile", "--rules", file, "-o", "gate.yaml")
        #expect(made.status == 0, "\(made.errors)")
        let held = try command.run("run", "gate.yaml", "--no-history")
        #expect(held.status == 0, "\(held.errors)\n\(place.text("gate.yaml") ?? "")")
        try place.write(second, to: file)
        return try command.run("run", "gate.yaml", "--no-history")
    }

    @Test func `a key of JSON that no record has any more fails the gate`() throws {
        func records(_ hasParent: (Int) -> Bool) -> String {
            let records = (0..<300).map {
                "{\"id\": \($0), \"name\": \"n\($0)\"\(hasParent($0) ? ", \"parent\": \($0 / 3)" : "")}"
            }
            return "[\(records.joined(separator: ",\n"))]"
        }
        let fewer = try gate("a.json", of: records { $0 % 3 == 0 }, on: records { $0 % 15 == 0 })
        #expect(fewer.status == 0, "\(fewer.errors)")
        let outcome = try gate("a.json", of: records { $0 % 3 == 0 }, on: records { _ in false })
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains("300 of 300 rows have no value in 'parent', and at most 96.7% should have none")
        )
    }

    @Test func `a column that is gone leaves the others to be judged`() throws {
        let rows = (1...60).map { [$0.description, "a\($0)", "b\($0)", "c\($0)"] }
        let whole = ([["id", "a", "b", "c"]] + rows).map { $0.joined(separator: ",") }.joined(separator: "\n")
        let without = ([["id", "a", "c"]] + rows.map { [$0[0], $0[0] == "7" ? "" : $0[1], $0[3]] })
            .map { $0.joined(separator: ",") }.joined(separator: "\n")
        let outcome = try gate("k.csv", of: whole, on: without)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.contains("k.csv:8:3: error: the value is missing [not_missing_id_a_b_c]"),
            "\(outcome.errors)"
        )
        #expect(outcome.errors.contains("rule not judged 'not_missing_id_a_b_c'"))
    }

    @Test func `a rule whose condition names a column that is gone is not judged`() throws {
        try place.write("a,c\n1,2\n,3\n", to: "k.csv")
        let job = """
            daybook: 1
            stages:
              - import_csv: { path: k.csv }
              - check_rows:
                  rules:
                    - columns: { are: [a, b, c], missing: warn }
                    - not_missing: [a, b]
                      where: "b = '1'"
                    - not_missing: [a, b]
                      where: "c = '3'"
            """
        try place.write(job, to: "job.yaml")
        let outcome = try command.run("run", "job.yaml", "--no-history")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("k.csv:3:1: error: the value is missing [not_missing_a_b_2]"),
            "\(outcome.errors)"
        )
        #expect(!outcome.errors.contains("the value is missing [not_missing_a_b]"))
    }

    @Test func `lists that differ are no keys`() throws {
        let lists = "[\((0..<600).map { "{\"a\": [\($0)]}" }.joined(separator: ",\n"))]"
        #expect(try gate("l.json", of: lists, on: lists).status == 0)
    }

    @Test(arguments: ["0.2806903038673412", "108.83371499999998", "10.7870"])
    func `numbers as programs write them are numbers`(_ number: String) throws {
        let rows = "id,x\n" + (1...100).map { "\($0),\($0).25\n" }.joined()
        let outcome = try gate("n.csv", of: rows + "101,\(number)\n", on: rows + "101,-\(number)\n")
        #expect(
            outcome.errors.contains("n.csv:102:5: error") && outcome.errors.contains("[between_x]"),
            "\(outcome.errors)"
        )
    }

    @Test func `limits of flaws grow with the file`() throws {
        func rows(_ count: Int) -> String {
            "id,name\n" + (1...count).map { "\($0),\($0 % 300 == 0 ? " x\($0)" : "x\($0)")\n" }.joined()
        }
        let outcome = try gate("f.csv", of: rows(900), on: rows(1_200))
        #expect(outcome.errors.contains("rule passed 'text_hygiene_name'"), "\(outcome.errors)")
    }

    // MARK: - Samples

    private static let diary = "samples/emotion-diary/entries-2026.csv"

    @Test(arguments: [("text", "txt"), ("json", "json"), ("html", "html")])
    func theDiaryIsTold(_ format: String, _ ending: String) throws {
        let outcome = try samples.run("profile", ProfileCommandTests.diary, "--format", format)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        try check(outcome.output, "diary.\(ending)")
    }

    @Test func filesOfOtherFormsAreTold() throws {
        let outcome = try samples.run(
            "profile",
            "samples/apps/everyday/EveryDay.sqlite",
            "samples/apps/anniversary-counter/preferences.plist",
            "samples/apps/todo-list/todos.json"
        )
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        try check(outcome.output, "others.txt")
    }

    @Test func jsonIsJSON() throws {
        let outcome = try samples.run("profile", "samples/colours/palette.csv", "--format", "json")
        let document = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let table = try #require((document?["tables"] as? [[String: Any]])?.first)
        #expect(table["rows"] as? Int == 42)
        #expect(
            (table["columns"] as? [[String: Any]])?.map { $0["name"] as? String } == ["name", "colour", "used_for"]
        )
    }

    @Test(arguments: TestSize.third(of: GuessCommandTests.samples(holdingRows: true)))
    func everySampleHasAProfile(_ sample: String) throws {
        for arguments in [[], ["--format", "html"], ["--rules"]] {
            let outcome = try samples.run(["profile", sample] + arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.contains(arguments.isEmpty ? "distinct" : sample.split(separator: "/").last!))
        }
    }

    @Test func noCellIsMarkup() throws {
        let hostile = [
            "<script>alert(1)</script>", "</title><script>x</script>", "\" onload=\"x", "' onmouseover='x",
            "<img src=x onerror=x>",
            "javascript:alert(1)", "&lt;b&gt;", "<!--", "]]>", "</style><b>", "{{7*7}}", "\u{202E}abc", "\u{1B}[31m",
            "`${x}`",
            "=1+1", "a\u{0}b",
        ]
        let cells = hostile.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        let rows = cells.map { "\($0),\($0)\n" }.joined()
        try place.write("\(cells[0]),\(cells[2])\n" + rows + rows, to: "<b>&\"'.csv")
        let outcome = try command.run("profile", "<b>&\"'.csv", "--format", "html")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let page = outcome.output
        let body = try #require(page.range(of: "</style>").map { String(page[$0.upperBound...]) })
        // Whatever is in pointed brackets was written by Daybook.
        let tags = Set(body.matches(of: /<\/?([a-zA-Z!]+)/).map { String($0.1) })
        #expect(
            tags.isDisjoint(with: [
                "script", "img", "b", "style", "!", "iframe", "object", "form", "base",
            ]),
            "\(tags)"
        )
        for match in body.matches(of: /<[a-z][^>]*>/) {
            #expect(!match.0.contains(/\son[a-z]+\s*=/) && !match.0.contains(/href="[^#]/), "\(match.0)")
        }
        #expect(page.ranges(of: "</style>").count == 1)
        #expect(body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
        let raw = page.unicodeScalars.filter {
            ($0.value < 32 && $0 != "\n") || (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}"
        }
        #expect(raw.isEmpty)
    }

    @Test func whatIsOddIsToldFirst() throws {
        var text = "id,always,never,amount,mixed,when,free\n"
        for row in 0..<200 {
            let amount = row == 7 ? "99999" : "\(100 + row % 30).5"
            let mixed = row % 3 == 0 ? "2026-01-0\(row % 9 + 1)" : "\(row)"
            text +=
                "\(row == 9 ? 8 : row),x,,\(amount),\(mixed),2026-\(row % 12 < 9 ? "0" : "")\(row % 12 + 1)-11,a\(row)\n"
        }
        try place.write(text, to: "odd.csv")
        let outcome = try command.run("profile", "odd.csv", "--format", "html")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let page = outcome.output
        let odd = try #require(page.firstMatch(of: /<ul class="odd">\n([\s\S]*?)<\/ul>/)).1
        let sentences = [
            "<a href=\"#t1-c2\" lang=\"\">always</a> is always &#39;x&#39;.",
            "<a href=\"#t1-c3\" lang=\"\">never</a> has no value in any of 200 rows.",
            "<a href=\"#t1-c5\" lang=\"\">mixed</a> holds values of several kinds: 133 integer and 67 day.",
            "<a href=\"#t1-c1\" lang=\"\">id</a> looks like a key that repeats: 199 of 200 values differ; &#39;8&#39; comes twice.",
        ]
        let places = sentences.map { odd.firstRange(of: $0)?.lowerBound }
        #expect(places.allSatisfy { $0 != nil }, "\(odd)")
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(odd.contains("amount</a> has 1 number far from all others (") && odd.contains("): the most is 99999."))
        #expect(
            page.contains("<td class=\"num bar\" style=\"--v:1.0;--m:1\">200<span class=\"words\">100 %</span></td>")
        )
        // Days and numbers stand upright over their axis; values that are all different are not drawn.
        func card(_ number: Int) throws -> Substring {
            let start = try #require(page.firstRange(of: "id=\"t1-c\(number)\""))
            return page[start.upperBound...].prefix { _ in true }.split(separator: "</article>")[0]
        }
        #expect(try card(6).contains("class=\"chart\"") && card(4).contains("class=\"chart\""))
        #expect(try !card(7).contains("<svg"))
    }

    @Test func idsAreNotDrawn() throws {
        try place.write("id,n\n" + (0..<60).map { "\($0),\($0 % 2)\n" }.joined(), to: "ids.csv")
        let text = try command.run("profile", "ids.csv").output
        let card = try #require(text.firstRange(of: "id  integer\n").map { text[$0.upperBound...] })
        let end = card.firstRange(of: "n  integer")?.lowerBound ?? card.endIndex
        #expect(!String(card[..<end]).contains("█"))
        #expect(card.contains("█"))
    }

    // MARK: - Rules

    @Test func rulesSayWhatIs() throws {
        for (file, name) in [
            (ProfileCommandTests.diary, "diary"), ("samples/emotion-diary/legacy-cp949.csv", "legacy"),
        ] {
            let outcome = try samples.run("profile", "--rules", file)
            #expect(outcome.status == 0, "\(outcome.errors)")
            try check(outcome.output, "\(name)-rules.yaml")
        }
    }

    @Test(arguments: TestSize.third(of: GuessCommandTests.samples(holdingRows: true), from: 1))
    func everySamplePassesItsOwnRules(_ sample: String) throws {
        let file = GuessCommandTests.root.appendingPathComponent(sample).path
        let made = try command.run("profile", "--rules", file, "-o", "gate.yaml")
        try #require(made.status == 0, "\(made.errors)")
        let run = try command.run("run", "gate.yaml", "--as-of", "2026-11-21")
        #expect(run.status == 0, "\(run.errors)\n\(place.text("gate.yaml") ?? "")")
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func inventedTablesPassTheirOwnRules(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 8...400, using: &random)
        let columns = (0..<8).map { column in
            let kind = Int.random(in: 0..<9, using: &random)
            let gaps = Int.random(in: 0..<3, using: &random) == 0
            let word = ["N/A", "-", "", "oops, \"no\""].randomElement(using: &random)!
            return ["c \(column)"]
                + (0..<count).map { row -> String in
                    if gaps, Int.random(in: 0..<60, using: &random) == 0 { return word }
                    return switch kind {
                    case 0: "\(row * 3 - 50)"
                    case 1: "\(Int.random(in: 0...5, using: &random))"
                    case 2: "\(Double(Int.random(in: -900...900, using: &random)) / 8)"
                    case 3: ["#EC007F", "#00ff00"].randomElement(using: &random)!
                    case 4: CalendarDay(number: Int32(20_000 + row % 300)).description
                    case 5: ["red", "a: b", "- x", "${no}", "true", "행복해"].randomElement(using: &random)!
                    case 6: "0\(10_000 + row)"
                    case 7: Bool.random(using: &random) ? "true" : "false"
                    default: "free text \(UInt16.random(in: 0...UInt16.max, using: &random))"
                    }
                }
        }
        let lines = (0...count).map { row in
            columns.map { "\"\($0[row].replacingOccurrences(of: "\"", with: "\"\""))\"" }.joined(separator: ",")
        }
        try place.write(lines.joined(separator: "\n") + "\n", to: "in.csv")
        let made = try command.run("profile", "--rules", "in.csv", "-o", "gate.yaml")
        try #require(made.status == 0, "\(made.errors)")
        let run = try command.run("run", "gate.yaml", "--as-of", "2026-11-21")
        #expect(run.status == 0, "\(random) \(run.errors)\n\(place.text("gate.yaml") ?? "")")
    }

    @Test(
        "numbers that people wrote are profiled as numbers, and get bounds and not keys",
        arguments: [".", "\u{202F}", ""]
    )
    func moneyHasBounds(_ thousands: String) throws {
        func written(_ cents: Int) -> String {
            let (euros, rest) = (cents / 100, "\(100 + cents % 100)".dropFirst())
            return (euros < 1000 ? "\(euros)" : "\(euros / 1000)\(thousands)\("\(1000 + euros % 1000)".dropFirst())")
                + ",\(rest)"
        }
        var random = SeededGenerator(seed: 7)
        let rows = (0..<200).map { row -> (net: String, gross: String) in
            let net = Int.random(in: 1_000...900_000, using: &random)
            return (row == 60 ? "-" : written(net), written(net + net / 5))
        }
        let text = "order;net;gross\n" + rows.enumerated().map { "A\($0);\($1.net);\($1.gross)\n" }.joined()
        try place.write(text, to: "money.csv")
        let told = try command.run("profile", "money.csv")
        #expect(told.output.contains("gross   decimal"), "\(told.output)")
        #expect(told.output.contains("numbers written as '\(rows[0].gross)' (line 2)"), "\(told.output)")
        let made = try command.run("profile", "--rules", "money.csv", "-o", "gate.yaml")
        let gate = try #require(place.text("gate.yaml"), "\(made.errors)")
        #expect(gate.contains("- between: { column: gross, min: ") && gate.contains("- between: { column: net, min: "))
        #expect(gate.contains("`net` <= `gross`"))
        #expect(!gate.contains("unique: gross") && !gate.contains("unique: net"))
        #expect(try command.run("run", "gate.yaml", "--as-of", "2026-11-21").status == 0)
        // A comma that was lost makes a hundredfold of each amount.
        try place.write(text.replacing(",", with: ""), to: "money.csv")
        #expect(try command.run("run", "gate.yaml", "--as-of", "2026-11-21").status == 1)
    }

    @Test func aRunCountsTheRulesThatTheGateWrites() throws {
        try place.write("id,word\n1,a\n2,b\n3,c\n", to: "few.csv")
        let made = try command.run("profile", "--rules", "few.csv", "-o", "gate.yaml")
        #expect(made.status == 0, "\(made.errors)")
        let rules = (place.text("gate.yaml") ?? "").split(separator: "\n").count { $0.hasPrefix("        - ") }
        let run = try command.run("run", "gate.yaml", "--as-of", "2026-11-21")
        #expect(run.errors.contains("  \(rules) rules: \(rules) passed\n"), "\(rules) are written\n\(run.errors)")
    }

    @Test func filesOfOneFormShareTheirRules() throws {
        try place.write("id,word\n" + (0..<60).map { "\($0),\($0 % 2 == 0 ? "a" : "b")\n" }.joined(), to: "one.csv")
        try place.write("id,word\n" + (0..<60).map { "\($0 + 30),c\n" }.joined(), to: "two.csv")
        let apart = try command.run("profile", "--rules", "one.csv")
        #expect(apart.output.contains("- unique: id "))
        let together = try command.run("profile", "--rules", "one.csv", "two.csv")
        #expect(together.output.components(separatedBy: "- check_rows:").count == 2)
        // What is unique in each file is not in both.
        #expect(!together.output.contains("unique: id "))
        #expect(together.output.contains("values: [c, a, b]"))
    }

    // MARK: - Where it goes

    @Test func aProfileTakesThePlaceOfAnOlderOneAndNeverOfItsInput() throws {
        try place.write("id,n\n1,2\n", to: "in.csv")
        try place.write("older", to: "out.html")
        let outcome = try command.run("profile", "in.csv", "--format", "html", "-o", "out.html")
        #expect(outcome.status == 0 && outcome.output.isEmpty)
        #expect(outcome.errors == "wrote out.html\n")
        #expect(place.text("out.html")?.hasPrefix("<!DOCTYPE html>\n") == true)
        let same = try command.run("profile", "in.csv", "-o", "./in.csv")
        #expect(same.status == 2)
        #expect(same.errors.hasPrefix("error: './in.csv' is also read [output-is-input]\n"))
        #expect(place.text("in.csv") == "id,n\n1,2\n")
        let rules = try command.run("profile", "in.csv", "--rules", "-o", "out.html")
        #expect(rules.status == 2 && rules.errors.contains("[file-exists]"))
    }

    @Test func pathsStartFromTheJob() throws {
        try place.write("id,n\n1,2\n", to: "exports/in.csv")
        try place.write("", to: "jobs/other")
        let outcome = try command.run("profile", "--rules", "exports/in.csv", "-o", "jobs/gate.yaml")
        #expect(outcome.errors == "wrote jobs/gate.yaml; next: daybook run jobs/gate.yaml\n")
        #expect(place.text("jobs/gate.yaml")?.contains("path: ../exports/in.csv\n") == true)
    }

    @Test func wrongOptionsAreRefused() throws {
        try place.write("id,n\n1,2\n", to: "in.csv")
        for (arguments, message) in [
            (
                ["in.csv", "--rules", "--format", "json"],
                "error: '--rules' prints a job, which has no '--format' [usage]\n"
            ),
            (["in.csv", "--threads", "0"], "error: '--threads' is between 1 and 1024, found '0' [usage]\n"),
            ([], "error: expected <file> after 'profile', found nothing [usage]\n"),
        ] {
            let outcome = try command.run(["profile"] + arguments)
            #expect(outcome.status == 2)
            #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
        }
    }

    // MARK: - Threads, and hostile files

    @Test func anyNumberOfThreadsGivesTheSameBytes() throws {
        var random = SeededGenerator(seed: 9)
        var text = "id,word,n,date,free\n"
        for row in 0..<48_000 {
            let n = Double.random(in: 0...1, using: &random) * 1_000
            text += "\(row),w\(Int.random(in: 0..<40, using: &random)),\(n),2026-0\(row % 9 + 1)-1\(row % 10),"
            text += "\(UInt64.random(in: 0...UInt64.max, using: &random) % 150_000)\n"
        }
        #expect(text.utf8.count > 2 << 20)
        try place.write(text, to: "large.csv")
        let one = try command.run("profile", "large.csv", "--format", "json", "--threads", "1")
        #expect(one.status == 0, "\(one.errors)")
        for threads in TestSize.most(of: ["7", "2"]) {
            let other = try command.run("profile", "large.csv", "--format", "json", "--threads", threads)
            #expect(other.output == one.output)
        }
    }

    @Test func whatIsNoTableIsRefused() throws {
        try place.write("", to: "empty.csv")
        try place.write("{\"a\": [1,", to: "cut.json")
        #expect(mkfifo(place.url.appendingPathComponent("pipe").path, 0o600) == 0)
        for (file, status, message) in [
            ("empty.csv", 1, "error: 'empty.csv' is empty, so there is nothing to look at [empty-file]\n"),
            ("cut.json", 1, "cut.json:1:10: error: the JSON text ends before its value does [not-json]\n"),
            ("pipe", 2, "error: 'pipe' is a pipe or a device, and a profile looks twice [not-a-file]\n"),
            ("-", 2, "error: standard input can be read only once, and a profile looks twice [not-a-file]\n"),
            ("missing.csv", 3, "error: there is no file 'missing.csv' [input-not-found]\n"),
        ] as [(String, Int32, String)] {
            let outcome = try command.run("profile", file)
            #expect(outcome.status == status, "\(file): \(outcome.errors)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
        }
    }

    @Test func recordsThatCannotBeReadAreNamedAndNotCounted() throws {
        try place.write("a,b\n1,2\n3\n4,5,6\n7,8\n", to: "in.csv")
        let outcome = try command.run("profile", "in.csv")
        #expect(outcome.status == 0)
        #expect(
            outcome.output.contains(
                "  2 rows, 2 columns, 20 bytes\n  2 records cannot be read and are not counted:\n    line 3, "
            )
        )
        let rules = try command.run("profile", "--rules", "in.csv")
        #expect(rules.output.contains("    rejects: { allow: 2 }"))
    }

    @Test func dataStaysData() throws {
        let evil = [
            "<script>alert(1)</script>", "\u{1B}[2J", "]]>\"'&", "${env:HOME}", "# - x: y", "a\u{2028}b", "tail",
        ]
        var text = evil.map { "\"\($0.replacingOccurrences(of: "\"", with: "\"\""))\"" }.joined(separator: ",") + "\n"
        for row in 0..<120 {
            text +=
                evil.indices.map { "\"\(evil[($0 + row) % 7].replacingOccurrences(of: "\"", with: "\"\""))\"" }
                .joined(separator: ",") + "\n"
        }
        try place.write(text, to: "in.csv")
        let shown = try command.run("profile", "in.csv")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(
            !shown.output.contains("\u{1B}") && !shown.output.contains("\u{2028}")
        )
        let page = try command.run("profile", "in.csv", "--format", "html")
        #expect(!page.output.contains("<script") && !page.output.contains("\u{1B}"))
        let rules = try command.run("profile", "in.csv", "--rules")
        #expect(rules.status == 0, "\(rules.errors)")
        #expect(rules.output.contains("$${env:HOME}"))
    }

    @Test func wideAndLongTablesAreBounded() throws {
        let names = (0..<3_000).map { "c\($0)" }.joined(separator: ",")
        let cells = (0..<3_000).map(String.init).joined(separator: ",")
        try place.write("\(names)\n\(cells)\n\(cells)\n", to: "wide.csv")
        let wide = try command.run("profile", "wide.csv")
        #expect(wide.status == 0)
        #expect(wide.output.contains("  only the first 1,000 columns were looked at\n"))
        try place.write("a,b\n1,\"\(String(repeating: "x\n", count: 400_000))\"\n2,y\n", to: "long.csv")
        let long = try command.run("profile", "long.csv")
        #expect(long.status == 0, "\(long.errors)")
        #expect(long.output.contains("1 to 800,000 characters"))
        #expect(long.output.utf8.count < 4_000)
    }
}

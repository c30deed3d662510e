import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// `daybook guess`: the job that it prints validates, runs, and says why it is as it is.
@Suite struct GuessCommandTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let snapshots = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Snapshots/guess"
    )

    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    // MARK: - Samples

    /// Files that hold no rows but programs, pages and jobs; and a store's log, which belongs to the store.
    private static let others: Set<String> = ["md", "py", "swift", "yaml", "gitattributes", "gitignore", "sqlite-wal"]

    /// The stages that recognise files of an ending, where it takes one of its own.
    private static let importers = ["plist": "import_user_defaults", "sqlite": "import_sqlite"]

    static func samples(holdingRows: Bool) -> [String] {
        // What building and running the samples leaves there is no sample.
        let madeHere = ["/.build/", "/.daybook/", "/out/"]
        let folder = root.appendingPathComponent("samples")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return (files?.compactMap { $0 as? URL } ?? []).filter { url in
            let name = url.lastPathComponent
            let ending = name.hasPrefix(".") ? String(name.dropFirst()) : url.pathExtension
            let inside = url.standardizedFileURL.path.dropFirst(folder.standardizedFileURL.path.count)
            return (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
                && (importers[ending].map { StageTable.builtIn[$0] is any FormatDetecting.Type } ?? true)
                && !madeHere.contains { inside.contains($0) } && others.contains(ending) != holdingRows
        }.map { String($0.standardizedFileURL.path.dropFirst(root.standardizedFileURL.path.count + 1)) }.sorted()
    }

    @Test(arguments: TestSize.third(of: samples(holdingRows: true), from: 2))
    func everySampleGivesAJobThatRuns(_ sample: String) throws {
        try FileManager.default.copyItem(
            at: GuessCommandTests.root.appendingPathComponent("samples"),
            to: place.url.appendingPathComponent("samples")
        )
        let guess = try command.run("guess", sample, "-o", "job.yaml")
        try #require(guess.status == 0, "\(guess.errors)")
        #expect(guess.output.isEmpty)
        let printed = try command.run("guess", sample)
        #expect(printed.output == place.text("job.yaml"))
        let check = try command.run("validate", "job.yaml")
        #expect(check.status == 0, "\(check.errors)")
        let run = try command.run("run", "job.yaml", "--as-of", "2026-11-21")
        #expect(run.status == 0, "\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: place.url.appendingPathComponent("out").path))
    }

    @Test(
        arguments: samples(holdingRows: false).filter { file in
            ["gitattributes", "gitignore", "sqlite-wal"].allSatisfy { !file.hasSuffix($0) }
        }
    )
    func whatHoldsNoRowsIsNotTakenForATable(_ file: String) throws {
        let outcome = try CommandTrial(in: GuessCommandTests.root).run("guess", file)
        #expect(outcome.status == 1, "\(outcome.output)")
        #expect(outcome.errors.contains("'\(file)' is nothing that can be imported"))
    }

    // MARK: - What the jobs say

    static let cases: [(name: String, file: String, text: String)] = [
        (
            "diary", "diary.csv",
            "id,date,mood,count,colour\n007,2026-11-21,행복해,3,#EC007F\n008,2026년 11월 22일,우울해,2,#000000\n009,2026-11-31,심심해,1,pink\n010,2026-11-23,행복해,N/A,#FFFFFF\n"
        ),
        (
            "doubtful", "doubtful.csv",
            "exported by a phone\nname;start;price;when\na;03/04/2024;1.50;786543210\nb;04/05/2024;12;786643210\nc;05/05/2024;-3.25\n"
        ),
        (
            "strays", "calls.csv",
            "id,note,place\n" + (1...9).map { "\($0),\"said, \($0)\",\"Seoul\"\n" }.joined() + "10,5\" wide,\"Busan\"\n"
        ),
        ("apostrophes", "sounds.csv", "id,file,kind\n1,'a, b.wav','x'\n2,'it''s.wav','y'\n3,'c.wav','x'\n"),
        (
            "titled", "meetings.csv",
            "Meetings held,,,\n,,,\nName,Date,Place,Cost\nKim,2026-01-02,Seoul,12\nLee,2026-01-03,,3\nPark,2026-02-03,Busan,\n"
        ),
        (
            "money", "bookings.csv",
            "id;text;amount;fee;rate;weight;share\n1;rent;-1.234,56 €;0,50;0.07;1.500;19 %\n2;lunch;12,50;1,5;0.19;2.250;7 %\n3;flight;(99,00 €);2.000;1.5;3.125;0,5 %\n"
        ),
        (
            "stacked", "report.csv",
            "id,name,count\n1,Kim,3\n2,Lee,4\n3,Park,5\n\nday,place\n2026-01-01,Seoul\n2026-01-02,Busan\n"
        ),
        ("no-header", "values.txt", "1\tx\t2026-11-21T05:00:00Z\n2\ty\t2026-11-21 06:00\n"),
        (
            "dump", "dump.json",
            "{\"version\": 2, \"DdayManager\": [{\"targetDate\": 786543210.125, \"dday\": 100}, {\"targetDate\": 756543210.5, \"dday\": 0}]}\n"
        ),
        (
            "lines", "events.ndjson",
            "{\"t\": 1700000000, \"serial\": 1700000001, \"due\": \"25/12/2026\"}\n{\"t\": 1700003600, \"serial\": 1700003611, \"due\": \"03/04/2026\"}\n"
        ),
    ]

    @Test(arguments: cases.map(\.name))
    func theJobSaysWhyItIsAsItIs(_ name: String) throws {
        let one = try #require(GuessCommandTests.cases.first { $0.name == name })
        try place.write(one.text, to: one.file)
        let outcome = try command.run("guess", one.file)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let said = outcome.output + "--- on standard error\n" + outcome.errors
        #expect(
            try Expectation.failure(said, against: GuessCommandTests.snapshots.appendingPathComponent("\(name).txt"))
                == nil
        )
        try place.write(outcome.output, to: "job.yaml")
        let run = try command.run("run", "job.yaml", "--as-of", "2026-11-21")
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test(arguments: [
        ("n\n9007199254740993\n9007199254740995\n", "n: integer  # all 2 values: 9007199254740993 to 9007199254740995"),
        ("n\n99\n12345678901234567\n12\n", "n: integer  # all 3 values: 12 to 12345678901234567"),
        ("n\n1000000000000000000\n2\n", "n: integer  # all 2 values: 2 to 1000000000000000000"),
        ("n\n1e3\n7\n-0.5\n", "n: decimal  # all 3 values: -0.5 to 1000; 1e3 becomes 1000"),
        ("n\n1.5\n9007199254740993\n", "'n' stays text: as a number, '9007199254740993' (line 3) would not come out"),
    ])
    func rangesNameNumbersOfTheRows(_ text: String, _ reason: String) throws {
        try place.write(text, to: "numbers.csv")
        let outcome = try command.run("guess", "numbers.csv")
        let said = outcome.output.replacing("\n# ", with: " ").replacing("\n  # ", with: " ")
        #expect(said.contains(reason), "\(outcome.output)")
    }

    private func said(of text: String) throws -> String {
        try place.write(text, to: "in.csv")
        let outcome = try command.run("guess", "in.csv")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.replacing(#/\n *# /#, with: " ")
    }

    @Test(arguments: [
        (["$1.50", "€2.50", "$3.00"], "'$' and '€', as '$1.50' (line 2)"),
        (["1.50 USD", "2.50 KRW", "3 KRW"], "'KRW' and 'USD', as '1.50 USD' (line 2)"),
        (["7", "C$1", "US$2", "$3"], "'$', 'C$' and 'US$', as 'C$1' (line 3)"),
        (["$1.234", "€2.500"], "'$' and '€', as '$1.234' (line 2)"),
        (["1 USD", "2 EUR", "3 CHF", "4 GBP", "5 KRW"], "many currencies, as '1 USD' (line 2)"),
    ])
    func amountsInSeveralCurrenciesStayText(_ amounts: [String], _ reason: String) throws {
        let said = try said(of: "id,amount\n" + amounts.map { "x,\($0)\n" }.joined())
        #expect(said.contains("'amount' stays text: its amounts are in \(reason), and a number would"), "\(said)")
        #expect(!said.contains("amount: ") && !said.contains("number_format:\n"), "\(said)")
    }

    @Test func eachColumnHasItsOwnCurrency() throws {
        let said = try said(of: "a,b,c\n$1.50,€2.50,7.5\n$2,€3,\"1,234.5\"\n")
        #expect(said.contains("currency: [\"$\"], columns: [a, c] }"), "\(said)")
        #expect(said.contains("currency: [\"€\"], columns: [b] }"), "\(said)")
    }

    @Test func aWordForAGapThatMayBeATextIsLeftToThePerson() throws {
        let said = try said(of: "country,score\nNA,1\nDE,2\nFR,-\nUS,NA\nKR,5\nNA,6\n")
        #expect(
            said.contains(
                "choose one: no value: '-' in 1 cell and 'NA' in 1 cell (and in 2 of 'country', which is text)\n"
                    + "      missing: [\"\", \"-\", NA] missing: [\"\", \"-\"]  # if 'NA' is a text; among numbers it is rejected then\n"
            ),
            "\(said)"
        )
        let alone = try self.said(of: "country,score\nDE,2\nFR,-\nUS,NA\nKR,5\n")
        #expect(
            alone.contains("missing: [\"\", \"-\", NA]  # no value: '-' in 1 cell and 'NA' in 1 cell\n"),
            "\(alone)"
        )
    }

    private static func isChoice(_ line: String) -> Bool {
        line.contains(#/^ +# (- )?[a-z_]+: ([^ {\[]+|"[^"]*"|[{\[].*[}\]])( +#.*)?$/#) && !line.contains("choose one")
            || line.contains(#/^ +# - [a-zA-Z/.]+ +#/#)
    }

    @Test(arguments: [
        ("defaults", "samples/apps/anniversary-counter/preferences.plist"),
        ("snapshots", "samples/apps/emotion-diary/snapshots/*.plist"),
        ("store", "samples/apps/everyday/EveryDay.sqlite"),
    ])
    func dumpsOfAppsAreTakenApart(_ name: String, _ path: String) throws {
        let outcome = try CommandTrial(in: GuessCommandTests.root).run("guess", path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let said = outcome.output + "--- on standard error\n" + outcome.errors
        let file = GuessCommandTests.snapshots.appendingPathComponent("\(name).txt")
        #expect(try Expectation.failure(said, against: file) == nil)
    }

    @Test func aLogIsToldFromItsDatabase() throws {
        let store = GuessCommandTests.root.appendingPathComponent("samples/apps/everyday/unflushed/EveryDay.sqlite-wal")
        try place.write(try Data(contentsOf: store), to: "EveryDay.sqlite-wal")
        let outcome = try command.run("guess", "EveryDay.sqlite-wal")
        #expect(outcome.status == 1)
        #expect(
            outcome.errors == """
                error: 'EveryDay.sqlite-wal' is the write-ahead log of 'EveryDay.sqlite' [log-of-a-database]
                  hint: name 'EveryDay.sqlite'; its log is read with it

                """
        )
    }

    @Test func tablesOfVirtualTablesAreLeftOut() throws {
        try SQLStore.write(
            "CREATE TABLE words (id INTEGER); INSERT INTO words VALUES (1); CREATE VIRTUAL TABLE ft USING fts5(a)",
            to: place.url.appendingPathComponent("store.sqlite")
        )
        let outcome = try command.run("guess", "store.sqlite")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("table: words"))
        #expect(!outcome.output.contains("table: ft_"))
        #expect(outcome.output.contains("Left out, for virtual tables keep them for themselves: 'ft_config'"))
    }

    @Test func brokenDumpsAreRefusedWithTheirPlace() throws {
        let samples = GuessCommandTests.root.appendingPathComponent("samples/apps")
        let list = try Data(contentsOf: samples.appendingPathComponent("anniversary-counter/preferences.plist"))
        let store = try Data(contentsOf: samples.appendingPathComponent("everyday/EveryDay.sqlite"))
        try place.write(list.dropLast(100), to: "cut.plist")
        try place.write("<?xml version=\"1.0\"?>\n<plist><dict><key>a</key>\n", to: "cut-xml.plist")
        try place.write(store.prefix(5_000), to: "cut.sqlite")
        for file in ["cut.plist", "cut-xml.plist", "cut.sqlite"] {
            let outcome = try command.run("guess", file)
            #expect(outcome.status == 1 || outcome.status == 3, "\(outcome.output)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(file) && !outcome.errors.contains("[unknown-file]"), "\(outcome.errors)")
        }
    }

    @Test func everyChoiceCanBeChosen() throws {
        for one in GuessCommandTests.cases {
            try place.write(one.text, to: one.file)
            let job = try command.run("guess", one.file).output
            let lines = job.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            // A line that is a comment and would be an option or a stage without its #.
            let choices = lines.indices.filter { GuessCommandTests.isChoice(lines[$0]) }
            for choice in choices {
                var chosen = lines
                chosen[choice] = chosen[choice].replacing("# ", with: "", maxReplacements: 1)
                // Of an option that has two values, the other one goes.
                let key = chosen[choice].prefix { $0 != ":" }
                if !lines[choice].contains("# - "),
                    let other = chosen.indices.first(where: { $0 != choice && chosen[$0].hasPrefix(key + ":") })
                {
                    chosen.remove(at: other)
                }
                try place.write(chosen.joined(separator: "\n"), to: "chosen.yaml")
                let check = try command.run("validate", "chosen.yaml")
                #expect(check.status == 0, "\(one.name): \(lines[choice])\n\(check.errors)")
            }
            #expect(choices.isEmpty == !["diary", "doubtful", "lines"].contains(one.name), "\(one.name)")
        }
    }

    // MARK: - Where the job goes

    @Test func pathsStartFromTheJob() throws {
        try place.write("id,n\n1,2\n", to: "exports/in.csv")
        try FileManager.default.createDirectory(
            at: place.url.appendingPathComponent("jobs"),
            withIntermediateDirectories: true
        )
        let outcome = try command.run("guess", "exports/in.csv", "-o", "jobs/in.yaml")
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("wrote jobs/in.yaml; next: daybook run jobs/in.yaml\n"))
        #expect(place.text("jobs/in.yaml")?.contains("path: ../exports/in.csv\n") == true)
        #expect(try command.run("run", "jobs/in.yaml").status == 0)
        #expect(place.text("jobs/out/in.csv") == "id,n\n1,2\n")
    }

    @Test func aFileThatIsThereStays() throws {
        try place.write("id,n\n1,2\n", to: "in.csv")
        try place.write("mine\n", to: "job.yaml")
        let outcome = try command.run("guess", "in.csv", "-o", "job.yaml")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("error: there is a file 'job.yaml' already [file-exists]\n"))
        #expect(place.text("job.yaml") == "mine\n")
        let nowhere = try command.run("guess", "in.csv", "-o", "no/such/job.yaml")
        #expect(nowhere.status == 3)
    }

    @Test func theResultNeverTakesThePlaceOfTheInput() throws {
        try place.write("id,n\n1,2\n", to: "out/in.csv")
        let outcome = try command.run("guess", "out/in.csv")
        #expect(outcome.output.contains("export_csv: { path: out/in-2.csv }"))
        try place.write(outcome.output, to: "job.yaml")
        #expect(try command.run("run", "job.yaml").status == 0)
    }

    @Test func namesOfFilesAreWrittenSoThatTheyAreFound() throws {
        for name in ["we${ird} *#: \"x\".csv", "[a]{b,c}?.csv", "- x.csv", "날짜 🌸.csv", "back\\slash.csv"] {
            try place.write("id,n\n1,2\n", to: name)
            let outcome = try command.run("guess", "--", name)
            #expect(outcome.status == 0, "\(outcome.errors)")
            try place.write(outcome.output, to: "job.yaml")
            let run = try command.run("run", "job.yaml")
            #expect(run.status == 0, "\(name): \(run.errors)")
        }
    }

    // MARK: - What cannot be guessed

    @Test func whatIsNoTableIsRefused() throws {
        var generator = SeededGenerator(seed: 19)
        try place.write(Data((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }), to: "random")
        try place.write(String(repeating: "\"", count: 2_000_000), to: "quotes")
        try place.write("", to: "empty")
        try place.write("x", to: "one")
        try place.write("\n\n\n", to: "blank")
        try place.write("{\"a\": [1,", to: "cut.json")
        try place.write(String(repeating: "[", count: 100_000), to: "deep.json")
        try place.write("<?xml version=\"1.0\"?>\n<html/>\n", to: "page.html")
        let awaited: [(String, Int32, String)] = [
            (
                "random", 1,
                "error: 'random' is nothing that can be imported: its bytes are those of no text [unknown-file]\n"
            ),
            (
                "quotes", 1,
                "error: 'quotes' is nothing that can be imported: its lines do not make a table [unknown-file]\n"
            ),
            ("empty", 1, "error: 'empty' is empty, so there is nothing to look at [empty-file]\n"),
            ("one", 1, "error: 'one' is nothing that can be imported: its lines do not make a table [unknown-file]\n"),
            ("blank", 1, "error: 'blank' is empty, so there is nothing to look at [empty-file]\n"),
            ("cut.json", 1, "cut.json:1:10: error: the JSON text ends before its value does [not-json]\n"),
            ("deep.json", 1, "deep.json:1:"),
            (
                "page.html", 1,
                "error: 'page.html' is nothing that can be imported: its lines do not make a table [unknown-file]\n"
            ),
            ("missing.csv", 3, "error: there is no file 'missing.csv' [input-not-found]\n"),
            ("-", 2, "error: standard input can be read only once, and a guess looks twice [not-a-file]\n"),
            ("/dev/null", 2, "error: '/dev/null' is a pipe or a device, and a guess looks twice [not-a-file]\n"),
        ]
        for (file, status, message) in awaited {
            let outcome = try command.run("guess", file)
            #expect(outcome.status == status, "\(file): \(outcome.errors)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
        }
    }

    @Test func aPipeIsRefusedAndNotWaitedFor() throws {
        let pipe = place.url.appendingPathComponent("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let outcome = try command.run("guess", "pipe")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("error: 'pipe' is a pipe or a device, and a guess looks twice [not-a-file]\n"))
    }

    @Test func dataDoesNotGetOutOfItsComment() throws {
        let evil = "x\u{2028}stages: []"
        try place.write("a,b\n1,\"\(evil)\n# stages: []\"\n2,\"7\"\nx\u{85}y,3\n9,12\n", to: "in.csv")
        let outcome = try command.run("guess", "in.csv")
        #expect(outcome.status == 0, "\(outcome.errors)")
        try place.write(outcome.output, to: "job.yaml")
        #expect(try command.run("validate", "job.yaml").status == 0)
        #expect(try command.run("run", "job.yaml").status == 0)
    }
}

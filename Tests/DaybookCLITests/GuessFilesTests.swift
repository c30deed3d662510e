import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// `daybook guess` and `daybook profile` of several files, and of files in which not all rows are alike.
@Suite struct GuessFilesTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func guess(_ files: String...) throws -> (job: String, errors: String) {
        let outcome = try command.run(["guess"] + files)
        try #require(outcome.status == 0, "\(outcome.errors)")
        try place.write(outcome.output, to: "job.yaml")
        let check = try command.run("validate", "job.yaml")
        #expect(check.status == 0, "\(outcome.output)\(check.errors)")
        return (outcome.output, outcome.errors)
    }

    // MARK: - Rows that a declaration keeps

    @Test(arguments: ["null", ""])
    func whatComesLateIsDeclared(_ before: String) throws {
        let value = before.isEmpty ? "" : ", \"v\": \(before)"
        let early = (0..<55_000).map { "{\"id\": \($0)\(value)}\n" }.joined()
        let late = (0..<5_000).map { "{\"id\": \($0), \"v\": \($0).25}\n" }.joined()
        try place.write(early + late, to: "late.ndjson")
        let job = try guess("late.ndjson").job
        #expect(job.contains("        v: decimal\n"), "\(job)")
        #expect(job.contains("  allow: 0  "), "\(job)")
    }

    /// Behind a title of one cell, short rows that begin further down than the first hundred.
    @Test(arguments: [("x", "pad"), ("x,1,2,3", "extend")])
    func rowsOfOtherWidthsFarDownAreKept(_ odd: String, _ ragged: String) throws {
        let rows = (0..<4_000).map { "\($0),name \($0),\($0 * 3)\n" }.joined()
        try place.write("id,name,count\n\(rows)" + String(repeating: odd + "\n", count: 20) + rows, to: "in.csv")
        let (job, errors) = try guess("in.csv")
        #expect(job.contains("ragged: extend") || job.contains("ragged: \(ragged)"), "\(job)")
        #expect(job.contains("  allow: 0  "), "\(job)")
        #expect(!errors.contains("warning"), "\(errors)")
    }

    @Test func aStageThatWouldRejectManyRowsIsLeftToThePerson() throws {
        let rows = (0..<100).map { $0 % 12 == 0 ? "\($0),sometime\n" : "\($0),2026-11-\(10 + $0 % 20)\n" }.joined()
        try place.write("id,at\n" + rows, to: "in.csv")
        let job = try guess("in.csv").job
        #expect(job.contains("  # - normalise_dates: { column: at, formats: [iso] }"), "\(job)")
        #expect(job.contains("  allow: 0  "), "\(job)")
    }

    @Test func manyRowsThatAreLeftOutAreSaidFirst() throws {
        let rows = (0..<40).map { $0 % 5 == 0 ? "{\"id\": 0\($0)}\n" : "{\"id\": \($0)}\n" }.joined()
        try place.write(rows, to: "in.ndjson")
        let (job, errors) = try guess("in.ndjson")
        #expect(job.hasPrefix("# daybook guess in.ndjson\n#\n# WARNING: this job leaves out 8 of 40 rows"), "\(job)")
        #expect(errors.hasPrefix("warning: this job leaves out 8 of 40 rows"), "\(errors)")
    }

    @Test func columnsOfSeveralKindsAreNamed() throws {
        try place.write("{\"id\": 1}\n{\"id\": \"x\"}\n", to: "in.ndjson")
        let job = try guess("in.ndjson").job.replacing("\n  # ", with: " ")
        #expect(job.contains("'id' is not declared, for its values are of several kinds, first on line 2"), "\(job)")
    }

    // MARK: - Several files

    @Test func aPatternStaysAPattern() throws {
        try place.write("id,n\n1,2\n", to: "orders/a.csv")
        try place.write("id,n\n2,2.5\n", to: "orders/b.csv")
        let job = try guess("orders/*.csv").job
        #expect(job.contains("      path: \"orders/*.csv\"\n"), "\(job)")
        #expect(job.contains("'orders/*.csv', which finds 2 files today"), "\(job)")
        #expect(job.contains("        n: decimal  "), "\(job)")
        try place.write("id,n\n3,4\n", to: "orders/c.csv")
        #expect(try command.run("run", "job.yaml").status == 0)
        #expect(place.text("out/orders.csv")?.contains("3,4") == true)
    }

    @Test func columnsOfSeveralFilesHaveOneKind() throws {
        try place.write("[{\"id\": 1, \"n\": 2}]", to: "in/a.json")
        try place.write("[{\"id\": 2, \"n\": 2.5}]", to: "in/b.json")
        try place.write("[{\"id\": 3, \"n\": 7, \"note\": \"x\"}]", to: "in/c.json")
        let job = try guess("in/*.json").job
        #expect(job.contains("      path: \"in/*.json\"\n"), "\(job)")
        #expect(job.contains("        n: decimal\n") && job.contains("        note: text\n"), "\(job)")
        #expect(job.components(separatedBy: "import_json").count == 2, "\(job)")
    }

    @Test func filesWithFurtherColumnsAreOneTable() throws {
        try place.write("id,n\n1,2\n2,3\n", to: "in/a.csv")
        try place.write("id,n,note\n3,2.5,x\n4,7,y\n", to: "in/b.csv")
        let job = try guess("in/*.csv").job
        #expect(job.contains("columns_differ: union"), "\(job)")
        #expect(job.contains("        n: decimal  "), "\(job)")
        #expect(try command.run("run", "job.yaml").status == 0)
    }

    @Test func aPatternThatWouldFindTheOutputIsNotWritten() throws {
        try place.write("id,n\n1,2\n", to: "a.csv")
        try place.write("id,n\n1,2\n", to: "in/b.csv")
        let job = try guess("**/*.csv").job
        #expect(job.contains("path: [a.csv, in/b.csv]"), "\(job)")
        #expect(job.contains("would find what this job writes too"), "\(job)")
    }

    @Test(arguments: ["in", "in/*", "in/**"])
    func whatCannotBeReadIsNamedAndTheRestGuessed(_ files: String) throws {
        try place.write("id,n\n1,2\n", to: "in/a.csv")
        try place.write("{\"a\": [1,", to: "in/cut.json")
        try place.write("", to: "in/empty.csv")
        let (job, errors) = try guess(files)
        #expect(job.contains("path: in/a.csv\n"), "\(job)")
        #expect(errors.contains("'in/cut.json' is left out: the JSON text ends before its value does"), "\(errors)")
        #expect(errors.contains("'in/empty.csv' is empty, so there is nothing to look at; it is left out"), "\(errors)")
        #expect(job.contains("'in/cut.json' is left out"), "\(job)")
        let profile = try command.run("profile", files)
        #expect(profile.status == 0 && profile.output.contains("in/a.csv"), "\(profile.errors)")
        #expect(profile.errors.contains("'in/cut.json' is left out: the JSON text ends"), "\(profile.errors)")
    }

    @Test func nothingThatCanBeReadIsAnError() throws {
        try place.write("", to: "in/a.csv")
        try place.write("", to: "in/b.csv")
        for name in ["guess", "profile"] {
            let outcome = try command.run(name, "in/*.csv")
            #expect(outcome.status == 1 && outcome.errors.contains("is empty"), "\(outcome.errors)")
        }
    }

    @Test func aProfileOfAPatternIsOneTable() throws {
        try place.write("id,n\n1,2\n", to: "in/a.csv")
        try place.write("id,n\n2,2.5\n", to: "in/b.csv")
        try place.write("id,n,note\n3,2.5,x\n", to: "in/c.csv")
        try place.write("id;n\n3;2\n", to: "in/d.csv")
        let outcome = try command.run("profile", "in/*.csv")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("in/*.csv\n"), "\(outcome.output)")
        #expect(outcome.output.contains("in 3 files\n  3 rows, 3 columns"), "\(outcome.output)")
        #expect(outcome.output.contains("in/d.csv\n"), "\(outcome.output)")
        #expect(outcome.errors.contains("'in/d.csv' differs from the other files of 'in/*.csv'"), "\(outcome.errors)")
        #expect(outcome.errors.contains("'note' is new"), "\(outcome.errors)")
        try place.write("", to: "rules.txt")
        let rules = try command.run("profile", "--rules", "in/[ab].csv")
        #expect(rules.output.contains("path: \"in/[ab].csv\""), "\(rules.output)\(rules.errors)")
    }

    // MARK: - What is left out of a document

    @Test func whatAGuessOfADocumentLeavesOutIsNamed() throws {
        let entries = (0..<400).map { "{\"id\": \($0), \"mood\": \"good\"}" }.joined(separator: ", ")
        try place.write(
            """
            {"version": 7, "app": {"name": "moods", "build": 3}, "entries": [\(entries)],
             "tags": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}],
             "more": {"goals": [{"id": 1}]}, "colours": ["#FFF"]}
            """,
            to: "backup.json"
        )
        let job = try guess("backup.json").job.replacing(#/\n *# /#, with: " ")
        #expect(job.contains("Left out beside them: '/tags' (2 records), '/more/goals' (1 record)"), "\(job)")
        let others = "Left out, for no array of records stands there: '/version', '/app', '/colours'"
        #expect(job.contains(others), "\(job)")
    }

    @Test func keysAndValuesInTurnAreToldOf() throws {
        try place.write("[\"2026-11-20\",3,\"2026-11-21\",5]", to: "in.json")
        try place.write("[\"a\",\"b\",\"c\",\"d\"]", to: "plain.json")
        let job = try guess("in.json").job.replacing(#/\n *# /#, with: " ")
        #expect(job.contains("keys and records in turn") && job.contains("each_key: day"), "\(job)")
        let plain = try guess("plain.json").job
        #expect(!plain.contains("in turn"), "\(plain)")
    }
}

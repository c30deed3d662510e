import DaybookTestSupport
import Foundation
import Testing

/// Rules with `by` that hold each group of rows against its own earlier runs.
@Suite struct GroupPastTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func write(_ rule: String, import options: String = "path: in.csv") throws {
        try place.write(
            """
            daybook: 1
            job: groups
            stages:
              - import_csv: { \(options), columns: { amount: integer } }
              - id: checks
                check_rows: { rules: [{ id: rows, \(rule) }] }

            """,
            to: "job.yaml"
        )
    }

    @discardableResult
    private func run(_ groups: [(String, Int)], on day: Int, ending code: Int32 = 0, _ more: String...) throws -> String
    {
        let rows = groups.flatMap { group, count in (0..<count).map { "\(group),\($0)" } }
        try place.write("country,amount\n" + rows.joined(separator: "\n") + "\n", to: "in.csv")
        let outcome = try command.run(["run", "job.yaml", "--as-of", "2026-11-0\(day)"] + more)
        #expect(outcome.status == code, "\(outcome.errors)")
        return outcome.output + outcome.errors
    }

    @Test func `a group that changed, came or went is told by its name`() throws {
        try write("row_count: { by: country, change: { max: 20%, from: last } }")
        let first = try run([("KR", 10), ("US", 5)], on: 1)
        #expect(first.contains("'US': the number of rows is 5; there is no earlier run to compare it with"), "\(first)")
        let second = try run([("KR", 10), ("US", 9), ("JP", 3)], on: 2, ending: 1)
        let part = "1 of 3 groups: 'US': the number of rows is 9, 80 % more than 5, that of 2026-11-01 (run "
        #expect(second.contains(part) && second.contains("; a change of at most 20% is allowed"), "\(second)")
        // A run that failed is none to be compared with.
        let third = try run([("KR", 11), ("", 4)], on: 3, ending: 1)
        #expect(
            third.contains(
                "1 of 2 groups: 'US': no row of it was judged; the number of rows is 0, 100 % less than 5, that of 2026-11-01"
            ),
            "\(third)"
        )
        try run([("KR", 11), ("US", 5)], on: 4)
        // Without any rows, all are gone.
        #expect(try run([], on: 5, ending: 1).contains("2 of 2 groups: 'KR': no row of it was judged; "))
        let shown = try command.run("history", "show", "last", "--job", "job.yaml", "--format", "json")
        #expect(shown.output.contains("no row of it was judged"), "\(shown.output)")
    }

    @Test func `the figures of groups go with an exported state, and a group with a new name begins anew`() throws {
        try write("sum: { column: amount, by: country, change: { max: 0%, from: last, first: fail } }")
        try run([("KR", 3)], on: 1, ending: 1)
        try write("sum: { column: amount, by: country, change: { max: 50%, from: median of 3 } }")
        for day in 2...4 { try run([("KR", 3), ("US", 4)], on: day) }
        let shown = try command.run("history", "show", "last", "--job", "job.yaml", "--format", "json")
        let record = try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any]
        let groups = (record?["rules"] as? [[String: Any]])?.first?["groups"] as? [[String: Any]]
        #expect(
            groups?.map { $0["group"] as? [String: String] } == [["country": "KR"], ["country": "US"]],
            "\(shown.output)"
        )
        #expect(groups?.map { $0["value"] as? Double } == [3, 6])
        let moved = try command.run("history", "export", "state.tar", "--job", "job.yaml")
        #expect(moved.status == 0, "\(moved.errors)")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent(".daybook"))
        let taken = try command.run("history", "import", "state.tar", "--job", "job.yaml")
        #expect(taken.status == 0, "\(taken.errors)")
        let said = try run([("KR", 3), ("US", 40)], on: 5, ending: 1)
        #expect(
            said.contains(
                "'US': the sum of 'amount' is 780, 12900 % more than 6, the median of 3 runs from 2026-11-02 to 2026-11-04"
            ),
            "\(said)"
        )
    }

    @Test func `a group is known by its columns and values, and a mean of no rows is none`() throws {
        try write("mean: { column: amount, by: country, change: { max: 90%, from: same weekday } }")
        try run([("KR", 3), ("US", 4)], on: 1)
        let other = try run([("KR", 3)], on: 2)
        #expect(other.contains("1 rule: 1 not judged"), "\(other)")
        let same = try run([("KR", 3)], on: 8, ending: 1)
        #expect(
            same.contains(
                "1 of 2 groups: 'US': no row of it was judged; the mean of 'amount' has no value, and was 1.5 on 2026-11-01"
            ),
            "\(same)"
        )
        // Under other columns, all groups begin anew.
        try write("mean: { column: amount, by: [country, amount], change: { max: 90%, from: last } }")
        #expect(try run([("KR", 3)], on: 9).contains("1 rule: 1 not judged"))
    }

    @Test func `groups whose values hold commas and quotes are kept apart`() throws {
        try place.write(
            """
            daybook: 1
            job: groups
            stages:
              - import_csv: { path: in.csv }
              - id: checks
                check_rows: { rules: [{ id: rows, row_count: { by: [a, b], change: { max: 20%, from: last } } }] }

            """,
            to: "job.yaml"
        )
        let (one, other) = ("\"x', 'y\",z\n", "x,\"y', 'z\"\n")
        let five = String(repeating: one, count: 5)
        for (day, rows, code) in [
            (1, five + String(repeating: other, count: 9), Int32(0)), (2, other + five, 1), (3, five, 1),
        ] {
            try place.write("a,b\n" + rows, to: "in.csv")
            let outcome = try command.run("run", "job.yaml", "--as-of", "2026-11-0\(day)")
            #expect(
                outcome.status == code && outcome.errors.contains("1 of 2 groups") == (code == 1),
                "\(outcome.errors)"
            )
        }
    }

    @Test func `rows that belong to days are compared by their days alone`() throws {
        try write(
            "row_count: { by: country, change: { max: 20%, from: last } }",
            import: "path: \"in-*.csv\", day: { from: name, pattern: \"in-{yyyy-MM-dd}.csv\" }"
        )
        try place.write("country,amount\nKR,1\n", to: "in-2026-11-01.csv")
        let outcome = try command.run("run", "job.yaml", "--as-of", "2026-11-01")
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.contains("'by' is compared with earlier runs, and the rows of this one belong to days"),
            "\(outcome.errors)"
        )
    }
}

import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// Files whose rows say which days they belong to.
@Suite struct DayColumnTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial
    private let head = "id,ordered_on,amount\n"

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try job("import_csv", "ordered_on: day")
    }

    private func job(
        _ importer: String,
        _ columns: String,
        ending: String = "csv",
        day: String = "{ from: ordered_on }"
    )
        throws
    {
        try place.write(
            """
            daybook: 1
            job: orders
            stages:
              - \(importer):
                  path: "in/*.\(ending)"
                  day: \(day)
                  redelivery: { other_bytes: redo }
                  columns: { \(columns) }
                id: orders
              - export_csv: { path: out/all.csv, replace_by: [ordered_on] }

            """,
            to: "job.yaml"
        )
    }

    @discardableResult
    private func run(_ arguments: String..., ending code: Int32 = 0) throws -> String {
        try command.run(["run", "job.yaml"] + arguments, ending: code).errors
    }

    private func deliver(_ name: String, _ rows: String...) throws {
        try place.write(
            head + rows.map { "\($0.replacing("-", with: ",2026-10-")),1\n" }.joined(),
            to: "in/\(name).csv"
        )
    }

    /// The rows of the output, as `deliver` takes them.
    private var all: [String] {
        (place.text("out/all.csv") ?? "").split(separator: "\n").dropFirst()
            .map { String($0.dropLast(2)).replacing(",2026-10-", with: "-") }
    }

    @Test func `a run reads all files that have rows of its days`() throws {
        try deliver("a", "1-01", "2-02")
        try deliver("b", "3-02", "4-03")
        let first = try run()
        #expect(first.contains("the days 2026-10-01, 2026-10-02 and 2026-10-03"), "\(first)")
        #expect(all == ["1-01", "2-02", "3-02", "4-03"])
        try deliver("c", "5-04")
        let next = try run()
        #expect(next.contains("orders read the day 2026-10-04"), "\(next)")
        #expect(all == ["1-01", "2-02", "3-02", "4-03", "5-04"])
        // A file of one day brings those that share it.
        try deliver("d", "6-03", "7-05")
        let shared = try run()
        #expect(shared.contains("2026-10-01, 2026-10-02, 2026-10-03 and 1 more"), "\(shared)")
        #expect(all == ["1-01", "2-02", "3-02", "4-03", "6-03", "5-04", "7-05"])
        let quiet = try run()
        #expect(quiet.contains("orders found nothing new"), "\(quiet)")
    }

    @Test func `the days that a corrected file had before are made anew too`() throws {
        try deliver("a", "1-01", "2-02")
        try deliver("b", "3-02", "4-03")
        try run()
        try deliver("b", "4-04")
        try run()
        #expect(all == ["1-01", "2-02", "4-04"])
        // Without a row it still stands for what it had.
        try deliver("b")
        try run()
        #expect(all == ["1-01", "2-02"])
        #expect(try run().contains("found nothing new"))
    }

    @Test func `a file that is gone stops the days that it had, and a copy is left out`() throws {
        try deliver("a", "1-01")
        try deliver("b", "2-02", "3-03")
        try run()
        try deliver("b-again", "2-02", "3-03")
        #expect(try run().contains("left out 'in/b-again.csv': its bytes are those of 'in/b.csv'"))
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/b-again.csv"))
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/b.csv"))
        let refused = try run("--redo", "2026-10-03", ending: 1)
        #expect(refused.contains("'in/b.csv' belongs to 2026-10-03") && refused.contains("[day-incomplete]"))
        try run("--redo", "2026-10-01")
        #expect(all == ["1-01", "2-02", "3-03"])
        try deliver("renamed", "2-02", "3-03")
        try run("--redo", "2026-10-03")
        #expect(all == ["1-01", "2-02", "3-03"])
    }

    @Test func `a redo makes every day of the files that it reads`() throws {
        try deliver("a", "1-01", "2-02")
        try deliver("b", "3-03")
        try run()
        try deliver("a", "1-01", "2-02", "9-04")
        let redone = try run("--redo", "2026-10-02")
        #expect(redone.contains("the days 2026-10-01, 2026-10-02 and 2026-10-04"), "\(redone)")
        #expect(all == ["1-01", "2-02", "3-03", "9-04"])
        #expect(try run("--redo", "2026-10-20", ending: 1).contains("[no-such-day]"))
    }

    @Test func `a row without a day stops the run at its place`() throws {
        try deliver("a", "1-01")
        try place.write(head + "1,2026-10-01,1\n2,,1\n", to: "in/b.csv")
        let refused = try run(ending: 1)
        #expect(refused.contains("in/b.csv:3:3: error: a row has no day in 'ordered_on'"), "\(refused)")
        #expect(refused.contains("[no-day]") && place.text("out/all.csv") == nil)
        // What is no day at all is rejected where it is read, as ever.
        try place.write(head + "1,2026-10-01,1\n2,soon,1\n", to: "in/b.csv")
        let rejected = try run(ending: 1)
        #expect(rejected.contains("in/b.csv:3:3") && !rejected.contains("no-day"), "\(rejected)")
        #expect(all == [])
    }

    @Test(arguments: [
        ("ordered_on: text", "{ from: ordered_on }", "wrong-kind"),
        ("id: integer", "{ from: ordered_on }", "wrong-kind"),
        ("ordered_on: day", "{ from: ordered_on, pattern: \"a-{yyyy-MM-dd}.csv\" }", "bad-option"),
        ("ordered_on: day", "{ from: ordered_on, column: day }", "bad-option"),
        ("ordered_on: day", "{ from: name }", "missing-option"),
        ("ordered_on: day", "{ column: day }", "missing-option"),
        ("ordered_on: day", "ordered_on", "wrong-type"),
    ])
    func wrong(_ columns: String, _ day: String, _ code: String) throws {
        try deliver("a", "1-01")
        try job("import_csv", columns, day: day)
        let outcome = try command.run(["run", "job.yaml"])
        #expect(outcome.status != 0 && outcome.errors.contains("[\(code)]"), "\(outcome.errors)")
    }

    @Test func `other formats have days in their rows too`() throws {
        try job("import_json", "ordered_on: day", ending: "jsonl")
        func line(_ id: Int, _ day: String) -> String { "{\"id\":\(id),\"ordered_on\":\"\(day)\",\"amount\":1}\n" }
        try place.write(line(1, "2026-10-02") + line(2, "2026-10-01"), to: "in/a.jsonl")
        try run()
        try place.write(line(3, "2026-10-01"), to: "in/b.jsonl")
        try run()
        #expect(all == ["2-01", "3-01", "1-02"])
    }

    @Test func `imports read their days together, whichever way they know them`() throws {
        let orders = try #require(place.text("job.yaml"))
        let payments = """
              - import_csv:
                  path: "paid/*.csv"
                  day: { from: name, pattern: "paid-{yyyy-MM-dd}.csv", column: ordered_on }
                id: payments
              - union_rows:
                from: [orders, payments]
              - export_csv:
            """
        try place.write(orders.replacing("  - export_csv:", with: payments), to: "job.yaml")
        try deliver("a", "1-01", "2-02")
        try deliver("b", "3-03")
        try place.write("id,amount\n7,1\n", to: "paid/paid-2026-10-01.csv")
        try run()
        #expect(all == ["1-01", "7-01", "2-02", "3-03"])
        try place.write("id,amount\n8,1\n", to: "paid/paid-2026-10-02.csv")
        try run()
        #expect(all == ["1-01", "7-01", "2-02", "8-02", "3-03"])
    }

    @Test("after any nights, the output is what all files hold", arguments: TestSize.seeds(6, of: 60))
    func nights(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var files: [String: [String]] = [:]
        var id = 0
        func rows() -> [String] {
            let first = Int.random(in: 1...20, using: &random)
            return (0..<Int.random(in: 0...4, using: &random)).map { _ in
                id += 1
                let day = first + Int.random(in: 0...2, using: &random)
                return "\(id)-\(day < 10 ? "0" : "")\(day)"
            }
        }
        func write(_ name: String, _ rows: [String]) throws {
            files[name] = rows
            try place.write(
                head + rows.map { "\($0.replacing("-", with: ",2026-10-")),1\n" }.joined(),
                to: "in/\(name).csv"
            )
        }
        for night in 1...12 {
            // A file that is renamed and corrected between two runs is gone.
            var old = files.keys.sorted()
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let known = old.randomElement(using: &random)
                old.removeAll { $0 == known }
                switch (Int.random(in: 0..<6, using: &random), known) {
                case (0, let name?): try write(name, rows())
                case (1, let name?):
                    // Renamed: as it was, under another name.
                    let rows = files.removeValue(forKey: name) ?? []
                    try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/\(name).csv"))
                    if rows.isEmpty { try write(name, []) } else { try write("\(name)r", rows) }
                default: try write("f\(night)-\(Int.random(in: 0..<100, using: &random))", rows())
                }
            }
            if night % 4 == 0 { try run("--redo", "2026-10-01..2026-10-22") }
            let told = try run()
            let wanted = (1...22).flatMap { day in
                let ending = "-\(day < 10 ? "0" : "")\(day)"
                return files.keys.sorted().flatMap { files[$0]!.filter { $0.hasSuffix(ending) } }
            }
            #expect(all.sorted() == wanted.sorted(), "night \(night): \(told)")
            #expect(all.map { $0.suffix(2) } == wanted.map { $0.suffix(2) })
        }
    }

    @Test func `validate reads no more than the beginnings`() throws {
        try deliver("a", "1-01")
        try place.write(head + "1,2026-10-01,1\n2,,1\n", to: "in/b.csv")
        _ = try command.run(["validate", "job.yaml"], ending: 0)
        let told = try command.run(["explain", "job.yaml"], ending: 0).output
        #expect(told.contains("a row tells its day in 'ordered_on'"), "\(told)")
    }

    @Test(arguments: [[], [20_000], [20_000, 20_001, 20_002, 20_004], [-700_000, 0, 1]])
    func kept(_ numbers: [Int32]) throws {
        let days = DaysOfFile(column: "a b,.", days: Set(numbers.map(CalendarDay.init)))
        #expect(DaysOfFile(text: days.text) == days, "\(days.text)")
    }

    @Test(arguments: ["", "2026-10-01", "2026-13-01 a", "2026-10-02..2026-10-01 a", "1..2..3 a"])
    func notKept(_ text: String) { #expect(DaysOfFile(text: text) == nil) }
}

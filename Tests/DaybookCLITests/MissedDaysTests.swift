import DaybookTestSupport
import Foundation
import Testing

/// Jobs with `catch_up: daily`, which make up the days since the last that passed.
@Suite struct MissedDaysTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        for day in 1...9 { try place.write("id\n\(day)\n", to: "in/2026-10-0\(day).csv") }
        try place.write(
            """
            daybook: 1
            job: orders
            catch_up: daily
            stages:
              - import_csv: { path: "in/${as_of}.csv" }
              - export_csv: { path: "out/${as_of}.csv" }

            """,
            to: "job.yaml"
        )
    }

    private func run(_ day: String, ending code: Int32 = 0, _ more: String...) throws -> String {
        try command.run(["run", "job.yaml", "--as-of", day] + more, ending: code).errors
    }

    private var made: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: place.url.appendingPathComponent("out").path)
        return (names ?? []).filter { !$0.hasPrefix(".") }.sorted().map { String($0.dropLast(4).suffix(2)) }
    }

    @Test func `each day since the last that passed is made, the oldest first`() throws {
        // Without a day before there is nothing to make up.
        #expect(try !run("2026-10-02").contains("makes up"))
        #expect(made == ["02"])
        let told = try run("2026-10-05", ending: 0, "--manifest", "run.json")
        #expect(told.contains("'orders' passed last for 2026-10-02, and makes up 2 days"), "\(told)")
        #expect(made == ["02", "03", "04", "05"])
        #expect(
            place.text("run.json")?.contains("\"as_of\" : \"2026-10-05\"") == true,
            "\(place.text("run.json") ?? "")"
        )
        // The day after, and an earlier one once more, are single runs.
        #expect(try !run("2026-10-06").contains("makes up"))
        #expect(try !run("2026-10-03").contains("makes up"))
        #expect(made == ["02", "03", "04", "05", "06"])
    }

    @Test func `a day that fails stops those behind it, and is tried again`() throws {
        _ = try run("2026-10-01")
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("in/2026-10-03.csv"))
        let told = try run("2026-10-05", ending: 3)
        #expect(told.split(separator: "\n").filter { $0.hasSuffix(":") } == ["2026-10-02:", "2026-10-03:"], "\(told)")
        #expect(told.contains("there is no file 'in/2026-10-03.csv'"))
        #expect(told.contains("4 days: 1 passed ('2026-10-02'), 1 "), "\(told)")
        #expect(told.contains("('2026-10-03'), 2 not run ('2026-10-04' and '2026-10-05')"), "\(told)")
        #expect(made == ["01", "02"])
        _ = try run("2026-10-05", ending: 3, "--keep-going")
        #expect(made == ["01", "02", "04", "05"])
    }

    @Test func `a day that failed is tried again, though a later one passed`() throws {
        _ = try run("2026-10-02")
        let file = place.url.appendingPathComponent("in/2026-10-04.csv")
        try FileManager.default.moveItem(at: file, to: place.url.appendingPathComponent("late"))
        _ = try run("2026-10-05", ending: 3, "--keep-going")
        #expect(made == ["02", "03", "05"])
        try FileManager.default.moveItem(at: place.url.appendingPathComponent("late"), to: file)
        // The night once more tries nothing again; the next one does.
        #expect(try !run("2026-10-05").contains("makes up"))
        let told = try run("2026-10-06")
        #expect(told.contains("passed last for 2026-10-05, and makes up 1 day, of which 2026-10-04 failed"), "\(told)")
        #expect(made == ["02", "03", "04", "05", "06"])
        #expect(try !run("2026-10-07").contains("makes up"))
    }

    @Test func `a day that passed is not made up for a later run of it that failed`() throws {
        for day in 2...4 { _ = try run("2026-10-0\(day)") }
        // Nothing says which day a file belongs to, so this is refused, and so is a day before the first.
        for day in ["2026-10-03", "2026-10-01"] {
            #expect(try command.run("run", "job.yaml", "--redo", day).status == 2)
        }
        _ = try run("2026-10-02", ending: 2, "--set", "nothing=1")
        #expect(try !run("2026-10-05").contains("makes up"))
        #expect(made == ["02", "03", "04", "05"])
    }

    @Test func `an import of all days has nothing to make up`() throws {
        let job = try #require(place.text("job.yaml"))
        let path = "path: \"in/${as_of}.csv\""
        let day = "day: { from: name, pattern: \"{yyyy-MM-dd}.csv\" }"
        for (read, warns) in [("path: \"in/*.csv\", \(day)", true), ("\(path), \(day)", false)] {
            try place.write(job.replacing(path, with: read), to: "job.yaml")
            let outcome = try command.run("validate", "job.yaml", "--as-of", "2026-10-02")
            #expect(outcome.errors.contains("[useless-catch-up]") == warns, "\(outcome.output)\(outcome.errors)")
        }
    }

    @Test func `a day that failed long ago is left`() throws {
        for day in ["2026-08-01", "2026-08-31", "2026-09-01"] { try place.write("id\n1\n", to: "in/\(day).csv") }
        _ = try run("2026-08-01")
        _ = try run("2026-08-31", ending: 3, "--keep-going")
        try place.write("id\n1\n", to: "in/2026-08-02.csv")
        // 2026-08-02 is thirty days before, and is the last that counts.
        let told = try run("2026-09-01", ending: 3, "--keep-going")
        #expect(told.contains("makes up 29 days, of which 2026-08-02"), "\(told)")
        try place.write("id\n1\n", to: "in/2026-09-03.csv")
        #expect(try run("2026-09-03", ending: 3, "--keep-going").contains("and makes up 28 days, of which 2026-08-04"))
    }

    @Test func `no more than a month is made up`() throws {
        for day in ["2026-08-01", "2026-09-30"] { try place.write("id\n1\n", to: "in/\(day).csv") }
        _ = try run("2026-08-01")
        let told = try run("2026-09-30", ending: 3)
        #expect(told.contains("makes up 30 days; 29 days before are too long ago"), "\(told)")
    }

    @Test func `several jobs make up their days one after the other`() throws {
        let job = try #require(place.text("job.yaml"))
        try place.write(
            job.replacing("job: orders", with: "job: other").replacing("out/", with: "other/"),
            to: "b.yaml"
        )
        _ = try run("2026-10-01")
        let outcome = try command.run(["run", "job.yaml", "b.yaml", "--as-of", "2026-10-03"])
        #expect(outcome.status == 0 && outcome.errors.contains("3 jobs: 3 passed"), "\(outcome.errors)")
        #expect(made == ["01", "02", "03"])
    }

    @Test func `another word is refused`() throws {
        let job = try #require(place.text("job.yaml"))
        try place.write(job.replacing("daily", with: "hourly"), to: "job.yaml")
        #expect(try run("2026-10-02", ending: 2).contains("found 'hourly'"))
    }

    @Test func `a day that failed is tried again though few runs are kept`() throws {
        let job = try #require(place.text("job.yaml"))
        try place.write(job.replacing("catch_up", with: "keep: 2 runs\ncatch_up"), to: "job.yaml")
        _ = try run("2026-10-01")
        let file = place.url.appendingPathComponent("in/2026-10-02.csv")
        try FileManager.default.moveItem(at: file, to: place.url.appendingPathComponent("late"))
        for day in 3...8 { _ = try run("2026-10-0\(day)", ending: 3, "--keep-going") }
        try FileManager.default.moveItem(at: place.url.appendingPathComponent("late"), to: file)
        #expect(try run("2026-10-09").contains("of which 2026-10-02 failed"))
        #expect(made == ["01", "02", "03", "04", "05", "06", "07", "08", "09"])
    }

    @Test func `a day that is still to come does not end the making up`() throws {
        _ = try run("2026-10-01")
        try place.write("id\n1\n", to: "in/2999-10-01.csv")
        _ = try run("2999-10-01", ending: 3, "--keep-going")
        #expect(try run("2026-10-03").contains("passed last for 2026-10-01, and makes up 1 day"))
    }
}

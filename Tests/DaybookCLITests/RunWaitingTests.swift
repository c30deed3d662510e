import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookCLI
@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookHistory

/// What a run waits for before it reads anything.
@Suite struct RunWaitingTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        try place.write("id\n1\n", to: "in.csv")
        for (name, keys) in [("orders", ""), ("payments", ""), ("report", "after: [orders, payments]")] {
            try place.write(
                """
                daybook: 1
                job: \(name)
                as_of: 2026-11-21
                \(keys)
                stages:
                  - import_csv: { path: in.csv }
                  - export_csv: { path: out/\(name).csv }

                """,
                to: "\(name).yaml"
            )
        }
    }

    // MARK: - after

    @Test func `a job that comes after others needs their runs of the day`() throws {
        let alone = try command.run("run", "report.yaml")
        #expect(alone.status == 3)
        #expect(
            alone.errors.contains("the job comes after 'orders' and 'payments', of which the history in '"),
            "\(alone.errors)"
        )
        #expect(alone.errors.contains("has no run for 2026-11-21 that passed [waiting-for]"), "\(alone.errors)")
        #expect(alone.errors.contains("hint: run them first, or wait with '--wait'"), "\(alone.errors)")
        #expect(try command.run("run", "orders.yaml").status == 0)
        // Of another day.
        #expect(try command.run("run", "payments.yaml", "--as-of", "2026-11-20").status == 0)
        let half = try command.run("run", "report.yaml")
        #expect(half.status == 3 && half.errors.contains("the job comes after 'payments', of which"), "\(half.errors)")
        #expect(try command.run("run", "payments.yaml", "report.yaml").status == 0)
        #expect(try command.run("history", "report.yaml").output.components(separatedBy: "machine failed").count == 3)
    }

    @Test func `in one command the next job fails where the one before it did`() throws {
        try place.write("idd\n1\n", to: "in.csv")
        let text = try #require(place.text("orders.yaml"))
        try place.write(
            text.replacing("import_csv: { path: in.csv }", with: "import_csv: { path: none.csv }"),
            to: "orders.yaml"
        )
        let outcome = try command.run("run", "orders.yaml", "payments.yaml", "report.yaml", "--keep-going")
        #expect(outcome.status == 3 && outcome.errors.contains("comes after 'orders', of which"), "\(outcome.errors)")
    }

    @Test func `a name that no job has is told with one that is near`() throws {
        for job in ["orders", "payments"] { #expect(try command.run("run", "\(job).yaml").status == 0) }
        let text = try #require(place.text("report.yaml"))
        try place.write(text.replacing("[orders, payments]", with: "paymets"), to: "report.yaml")
        let outcome = try command.run("run", "report.yaml")
        #expect(outcome.status == 3 && outcome.errors.contains("did you mean 'payments'?"), "\(outcome.errors)")
        try place.write(text.replacing("[orders, payments]", with: "[report]"), to: "report.yaml")
        let itself = try command.run("validate", "report.yaml")
        #expect(itself.status == 2 && itself.errors.contains("a job cannot come after itself"), "\(itself.errors)")
    }

    @Test func `of several job files with the name, each needs a run`() throws {
        let text = try #require(place.text("orders.yaml"))
        let report = try #require(place.text("report.yaml"))
        try place.write(report.replacing("[orders, payments]", with: "orders"), to: "report.yaml")
        try place.write(text, to: "other.yaml")
        #expect(try command.run("run", "orders.yaml", "--as-of", "2026-11-20").status == 0)
        #expect(try command.run("run", "other.yaml").status == 0)
        let outcome = try command.run("run", "report.yaml")
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(
            outcome.errors.contains("comes after 'orders' in '\(place.url.path)/orders.yaml', of which"),
            "\(outcome.errors)"
        )
        #expect(outcome.errors.contains("hint: of 2 job files with the name, each needs a run"), "\(outcome.errors)")
        // One whose job was renamed since, or that is gone, is not waited for.
        try place.write(text.replacing("job: orders", with: "job: sales"), to: "orders.yaml")
        #expect(try command.run("run", "orders.yaml").status == 0)
        #expect(try command.run("run", "report.yaml").status == 0)
        try place.write(text, to: "orders.yaml")
        #expect(try command.run("run", "orders.yaml", "--as-of", "2026-11-20").status == 0)
        #expect(try command.run("run", "report.yaml").status == 3)
        try FileManager.default.removeItem(at: place.url.appendingPathComponent("orders.yaml"))
        #expect(try command.run("run", "report.yaml").status == 0)
    }

    @Test func `with patience it is asked until the run is there`() throws {
        let state = StateDirectory(place.url.appendingPathComponent(".daybook").path)
        var (told, pauses) = ([String](), 0)
        var waiting = RunWaiting(say: { told.append($0) })
        waiting.isCancelled = { false }
        let day = try #require(CalendarDay(iso: "2026-11-21"))
        let command = command
        waiting.pause = { _ in
            pauses += 1
            if pauses == 2 { _ = try? command.run("run", "orders.yaml") }
        }
        try waiting.awaitRuns(of: ["orders"], on: day, in: state, isPatient: true)
        #expect(pauses == 2 && told == ["waiting for a run of 'orders' for 2026-11-21 that passes"])
        waiting.isCancelled = { true }
        let error = #expect(throws: DaybookError.self) {
            try waiting.awaitRuns(of: ["payments"], on: day, in: state, isPatient: true)
        }
        #expect(error?.code == "interrupted")
    }

    // MARK: - wait_for

    private func awaited(_ path: String, _ until: String) throws -> AwaitedFile {
        func text(_ text: String) -> OptionNode {
            OptionNode(.text(text, quoted: true), at: SourcePlace(file: "job.yaml", line: 1, column: 1))
        }
        let entries = [("path", path), ("until", until)].map { key, value in
            OptionNode.Entry(key: key, keyPlace: SourcePlace(file: "job.yaml", line: 1, column: 1), value: text(value))
        }
        return try AwaitedFile(
            reading: OptionNode(.map(entries), at: SourcePlace(file: "job.yaml", line: 1, column: 1))
        )
    }

    private func time(_ text: String) throws -> Date {
        try #require(ISO8601DateFormatter().date(from: text))
    }

    /// Waits with a clock of its own, which each pause sets forward; `onPause` is told how often.
    private func elapse(
        _ files: [AwaitedFile],
        from start: Date,
        in zone: String? = nil,
        onPause: @escaping (Int) throws -> Void = { _ in }
    ) throws -> (end: Date, told: [String]) {
        var (now, count, told) = (start, 0, [String]())
        var waiting = RunWaiting(say: { told.append($0) })
        waiting.isCancelled = { false }
        waiting.now = { now }
        waiting.pause = { seconds in
            now += seconds
            count += 1
            do { try onPause(count) } catch { Issue.record(error) }
        }
        try waiting.awaitFiles(files, from: place.url.path, in: zone)
        return (now, told)
    }

    private func touch(_ path: String, _ date: Date) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: date],
            ofItemAtPath: place.url.appendingPathComponent(path).path
        )
    }

    @Test func `a file that is at rest is not waited for`() throws {
        let start = try time("2026-11-21T03:00:00Z")
        try touch("in.csv", start - 11)
        let waited = try elapse([awaited("in.csv", "06:00")], from: start)
        #expect(waited.end == start && waited.told.isEmpty)
    }

    @Test func `a file that is still growing is waited for until it rests`() throws {
        let start = try time("2026-11-21T03:00:00Z")
        try touch("in.csv", start)
        let waited = try elapse([awaited("in*.csv", "06:00")], from: start) { count in
            if count == 3 {
                try place.write("id\n1\n2\n", to: "in.csv")
                try touch("in.csv", start + 6)
            }
        }
        #expect(waited.end == start + 16 && waited.told == ["waiting for 'in*.csv' until 06:00"])
    }

    @Test func `a file whose clock stands before ours rests when nothing changes`() throws {
        let start = try time("2026-11-21T03:00:00Z")
        try touch("in.csv", start + 3_600)
        #expect(try elapse([awaited("in.csv", "06:00")], from: start).end == start + 10)
    }

    @Test func `a file that does not come is told at the time of the job's zone`() throws {
        // 05:58 in Seoul.
        let start = try time("2026-11-20T20:58:00Z")
        var pauses = 0
        let error = #expect(throws: DaybookError.self) {
            _ = try elapse([awaited("late.csv", "06:00")], from: start, in: "Asia/Seoul") { pauses = $0 }
        }
        #expect(pauses == 60 && error?.code == "not-delivered" && error?.blame == .machine)
        #expect(error?.message == "'late.csv' was not there at 06:00 (Asia/Seoul), until which the job waits for it")
    }

    @Test func `a time that has passed is not waited for`() throws {
        let start = try time("2026-11-21T06:00:00Z")
        try touch("in.csv", start)
        let error = #expect(throws: DaybookError.self) {
            _ = try elapse([awaited("in.csv", "06:00")], from: start) { _ in
                Issue.record("there is nothing to wait for")
            }
        }
        #expect(
            error?.message.hasSuffix("in.csv' was still being written at 06:00 (UTC), until which the job waits for it")
                == true
        )
    }

    @Test func `a run that waits in vain ends with 3 and writes nothing`() throws {
        let text = try #require(place.text("orders.yaml"))
        try place.write(text + "wait_for: { path: none.csv, until: 00:00 }\n", to: "orders.yaml")
        let outcome = try command.run("run", "orders.yaml")
        #expect(outcome.status == 3 && outcome.errors.contains("[not-delivered]"), "\(outcome.errors)")
        #expect(place.text("out/orders.csv") == nil)
        try place.write(
            text + "wait_for: [{ path: in.csv, until: 24:00 }, { until: 06:00 }, { pth: x, until: 06:00 }]\n",
            to: "orders.yaml"
        )
        let wrong = try command.run("validate", "orders.yaml")
        #expect(wrong.status == 2 && wrong.errors.contains("expected a time of day such as 06:00"), "\(wrong.errors)")
    }
}

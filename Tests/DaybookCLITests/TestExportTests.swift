import DaybookTestSupport
import Foundation
import Testing

/// Tests of jobs that expect what outputs hold.
@Suite struct TestExportTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    private func test(_ expected: String, given: String = "[{ id: a, day: 2026-01-02 }]", status: Int32) throws
        -> String
    {
        try place.write(
            """
            daybook: 1
            job: j
            timezone: Etc/UTC
            params: { name: p }
            stages:
              - import_json: { path: in.json, columns: { day: day } }
              - export_user_defaults: { path: "out/${name}.plist", into: old.plist, key: todos, records: /items }
              - export_user_defaults: { path: "out/${name}.plist", into: old.plist, key: others }
                from: import_json
              - export_csv: { path: out/rows.csv, delimiter: ";" }
                from: import_json
              - export_html: { path: out/page.html }
                from: import_json
            tests:
              - name: a day is written as the app has it
                given: { import_json: \(given) }
                expect: { exports: { \(expected) } }

            """,
            to: "job.yaml"
        )
        let outcome = try command.run(["test", "job.yaml"])
        #expect(outcome.status == status, "\(outcome.output)\(outcome.errors)")
        return outcome.output + outcome.errors
    }

    @Test func outputsHoldWhatAnAppWouldRead() throws {
        _ = try test("out/rows.csv: [{ id: a, day: 2026-01-02 }]", status: 0)
        _ = try test("out/p.plist: { todos: [{ id: a, day: 789004800 }], others: [{ id: a }] }", status: 0)
        #expect(!FileManager.default.fileExists(atPath: place.url.appendingPathComponent("out").path))
    }

    @Test func whatDiffersIsShown() throws {
        let told = try test("out/p.plist: { todos: [{ id: b, day: 789004800 }] }", status: 1)
        #expect(told.contains("'out/p.plist, todos' holds"), "\(told)")
        #expect(told.contains("-  b") && told.contains("+  a"), "\(told)")
    }

    @Test(arguments: [
        ("out/q.plist: []", "no stage writes 'out/q.plist'"),
        ("out/p.plist: []", "'out/p.plist' has the parts 'todos' and 'others'"),
        ("out/p.plist: { moods: [] }", "'out/p.plist' has the parts 'todos' and 'others', not 'moods'"),
        ("out/page.html: []", "'out/page.html' is not read again as rows"),
    ])
    func whatNoTestCanExpectIsSaid(_ expected: String, _ message: String) throws {
        let told = try test(expected, status: 2)
        #expect(told.contains(message), "\(told)")
    }
}

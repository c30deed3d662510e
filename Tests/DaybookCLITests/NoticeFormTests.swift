import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookReports

/// What notices look like: headers and bodies of requests, links, and values that stay in the house.
@Suite struct NoticeFormTests {
    private let place: TemporaryDirectory
    private var command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        command.environment = [
            "ALERT_TOKEN": "sesame-22", "DAYBOOK_ALLOW_COMMANDS": "",
            "http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1",
        ]
        try place.write("id,name\n1,Kim-Geheim\n2,Kim-Geheim\n", to: "in.csv")
    }

    private func write(_ notify: String, job: String = "staff") throws {
        try place.write(
            """
            daybook: 1
            job: \(job)
            as_of: 2026-11-21
            notify:
            \(notify.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
            stages:
              - import_csv: { path: in.csv }
              - check_rows: { rules: [{ unique: name }, { matches: { column: name, pattern: "[0-9]+" } }, { distinct: { column: name, min: 3 } }] }
              - export_csv: { path: out.csv }

            """,
            to: "staff.yaml"
        )
    }

    private func json(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test func `a webhook has the headers and the body that its receiver needs`() throws {
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write(
            """
            link: "https://reports.example.com/${as_of}/{job}.html"
            webhook:
              url: \(server.address())
              headers: { Authorization: "Bearer ${env:ALERT_TOKEN}", X-Team: data }
              body:
                routing_key: "007"
                count: 3
                share: 0.5
                trigger: true
                none: null
                payload: { summary: "{job} ({outcome}): {rows_read} rows", lists: ["{as_of}", "{{x}}", "{link}"] }
            """,
            job: "staff list"
        )
        let outcome = try command.run("run", "staff.yaml")
        #expect(outcome.status == 1 && !outcome.errors.contains("sesame-22"), "\(outcome.errors)")
        try #require(server.requests.count == 1)
        let request = server.requests[0]
        #expect(request.headers["authorization"] == "Bearer sesame-22" && request.headers["x-team"] == "data")
        #expect(request.headers["x-daybook-event"] == "failed" && request.headers["content-type"] == "application/json")
        let body = try json(request.body)
        #expect(Set(body.keys) == ["routing_key", "count", "share", "trigger", "none", "payload"])
        #expect(
            body["routing_key"] as? String == "007" && body["count"] as? Int == 3 && body["share"] as? Double == 0.5
        )
        #expect(body["trigger"] as? Bool == true && body["none"] is NSNull)
        let payload = try #require(body["payload"] as? [String: Any])
        #expect(payload["summary"] as? String == "staff list (failed): 2 rows")
        let link = "https://reports.example.com/2026-11-21/staff%20list.html"
        #expect(payload["lists"] as? [String] == ["2026-11-21", "{x}", link])
    }

    @Test func `a link is in the text and in the environment`() throws {
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write(
            """
            link: "https://reports.example.com/{run}.html"
            webhook: { url: \(server.address()) }
            command: [sh, -c, "echo $DAYBOOK_LINK > link.txt"]
            """
        )
        _ = try command.run("run", "staff.yaml", "--allow-commands")
        let body = try json(try #require(server.requests.first).body)
        let run = try #require(body["run"] as? String)
        #expect(body["link"] as? String == "https://reports.example.com/\(run).html")
        #expect((body["text"] as? String)?.hasSuffix("\nhttps://reports.example.com/\(run).html") == true)
        #expect(place.text("link.txt") == "https://reports.example.com/\(run).html\n")
    }

    @Test func `no value of the data leaves the house`() throws {
        for values in ["true", "false"] {
            let server = try WebhookTrial(answering: [200])
            defer { server.stop() }
            try write(
                """
                values: \(values)
                webhook: { url: \(server.address()) }
                command: [sh, -c, "cat > report.json; env > environment.txt"]
                """
            )
            _ = try command.run("run", "staff.yaml", "--allow-commands")
            let sent = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
            let report = try #require(place.text("report.json"))
            let all = sent + report + (place.text("environment.txt") ?? "")
            #expect(all.contains("Kim-Geheim") == (values == "true"))
            #expect(sent.contains("\"finding_count\"") && sent.contains("matches_name"))
            if values == "false" {
                #expect(sent.contains("expected at least 3 ") || sent.contains("expected "), "\(sent)")
                #expect(!sent.contains("\"observed\""))
            }
        }
    }

    @Test(arguments: [
        ("append: true", "7,Kim-Geheim,x\n"),
        ("replace_by: [name]", "id,name\n1,Kim-Geheim\n2,Jo\n"),
    ])
    func errorsAboutOldOutputsLeaveNoRowOutOfTheHouse(_ option: String, _ old: String) throws {
        for values in [true, false] {
            try write("values: \(values)\ncommand: [sh, -c, \"cat > report.json; env > environment.txt\"]")
            let job = try #require(place.text("staff.yaml"))
            let lines = job.split(separator: "\n").filter { !$0.contains("check_rows") }.joined(separator: "\n")
            try place.write(lines.replacing("out.csv }", with: "out.csv, \(option) }"), to: "staff.yaml")
            try place.write(old, to: "out.csv")
            let outcome = try command.run("run", "staff.yaml", "--allow-commands")
            #expect(outcome.status == 2 && outcome.errors.contains("Kim-Geheim"), "\(outcome.errors)")
            let report = try #require(place.text("report.json"))
            #expect((report + (place.text("environment.txt") ?? "")).contains("Kim-Geheim") == values, "\(report)")
            #expect(values || report.contains("an output that is there cannot be used"), "\(report)")
        }
    }

    @Test func `a mail without values has neither measures nor rows of pages, and its link`() {
        var report = RunReport(jobFile: "staff.yaml", threads: 1, started: 0)
        let table = SinkPage.Table(
            title: "Staff",
            headings: ["name"],
            numbers: [false],
            rows: [["Kim-Geheim"]],
            of: (rows: 1, columns: 1)
        )
        report.outcome.pages = [SinkPage(address: "https://pages.example.com/a.html", tables: [table])]
        report.link = "https://reports.example.com/b.html"
        for (shown, report) in [(true, report), (false, report.withoutValues())] {
            let mail = RunMail(report).message(from: RunMail.nobody, to: [])
            #expect(mail.contains("Kim-Geheim") == shown, "\(mail)")
            #expect(mail.contains("https://reports.example.com/b.html"), "\(mail)")
            #expect(mail.contains("https://pages.example.com/a.html"), "\(mail)")
        }
    }

    @Test func `somebody is told of a run that the command line keeps from its start`() throws {
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write("webhook: { url: \(server.address()) }")
        #expect(try command.run("run", "staff.yaml", "--thread", "2").status == 2)
        #expect(try command.run("run", "staff.yaml", "--report", "jsn").status == 2)
        let texts = try server.requests.map { try json($0.body)["text"] as? String ?? "" }
        #expect(texts.count == 2 && texts[0].hasPrefix("staff could not start: unknown option '--thread'"), "\(texts)")
        // Help is no run, and nobody is told of another command.
        _ = try command.run("run", "staff.yaml", "--help")
        _ = try command.run("validate", "staff.yaml", "--thread", "2")
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [
        ("link: here", "bad-address"), ("link: \"{link}\"", "bad-address"), ("link: \"https://{x}\"", "bad-field"),
        ("link: \"javascript:alert(1)\"", "bad-address"), ("values: perhaps", "wrong-type"),
        ("webhook: { url: https://a.example/x, body: text }", "wrong-type"),
        ("webhook: { url: https://a.example/x, body: { text: {summary} } }", "wrong-type"),
        ("webhook: { url: https://a.example/x, body: { text: \"{sumary}\" } }", "bad-field"),
        ("webhook: { url: https://a.example/x, body: { text: \"{summary\" } }", "bad-field"),
        ("webhook: { url: https://a.example/x, body: { text: \"a } b\" } }", "bad-field"),
        ("webhook: { url: https://a.example/x, headers: { Host: x } }", "bad-http-header"),
        ("webhook: { url: https://a.example/x, headers: { X-Daybook-Run: x } }", "bad-http-header"),
        ("webhook: { url: https://a.example/x, headers: { \"X Y\": x } }", "bad-http-header"),
        ("webhook: { url: https://a.example/x, headers: { X-A: \"a\\r\\nX-B: b\" } }", "bad-http-header"),
        ("webhook: { url: https://a.example/x, headers: { Authorization: Bearer open } }", "literal-secret"),
        ("webhook: { url: https://a.example/x, headers: { X-Api-Key: open-door } }", "literal-secret"),
        ("webhook: { url: https://a.example/x, headers: [a] }", "wrong-type"),
    ])
    func `what is wrong with a notice is told before any run`(_ notify: String, _ code: String) throws {
        try write(notify.hasPrefix("webhook") ? notify : notify + "\nwebhook: { url: https://a.example/x }")
        let outcome = try command.run("validate", "staff.yaml")
        #expect(outcome.status == 2 && outcome.errors.contains("[\(code)]"), "\(outcome.errors)")
        #expect(outcome.errors.components(separatedBy: "error:").count == 2, "one problem: \(outcome.errors)")
    }

    @Test func `braces outside of quotes are explained`() throws {
        try write("webhook: { url: https://a.example/x, body: { text: {summary} } }")
        #expect(try command.run("validate", "staff.yaml").errors.contains("hint: put it in quotes: \"{summary}\""))
    }

    @Test func `help names every field`() throws {
        let help = try command.run("help", "job").output
        for field in NoticeField.allCases { #expect(help.contains("{\(field.rawValue)}"), "\(field)") }
    }
}

import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes
@testable import DaybookContracts
@testable import DaybookNotify

/// Who is told of a run, and what of it.
@Suite struct NoticeTests {
    private let place: TemporaryDirectory
    private var command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
        command.environment = [
            "HOOK_KEY_FOR_TESTS": "sesame-22", "DAYBOOK_ALLOW_COMMANDS": "",
            // Nobody listens there: what is on this machine needs no proxy.
            "http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1",
        ]
        try place.write("id,colour\n1,#EC007F\n2,hunter\n", to: "in.csv")
    }

    /// A job whose second row is refused, which fails its gate unless `allow` lets it pass.
    private func write(_ notify: String, check: String = "") throws {
        try place.write(
            """
            daybook: 1
            job: colours
            params: { allow: 0 }
            rejects: { path: out/rejects.ndjson, allow: "${allow}" }
            notify:
            \(notify.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
            stages:
              - import_csv: { path: in.csv }
              - validate_hex_colours: { column: colour }
            \(check)
              - export_csv: { path: out/colours.csv }

            """,
            to: "colours.yaml"
        )
    }

    private func run(_ options: String...) throws -> CommandTrial.Outcome {
        try command.run(["run", "colours.yaml", "--as-of", "2026-11-21"] + options)
    }

    private func json(_ data: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private func shown() throws -> String { try command.run("history", "show", "last", "--job", "colours.yaml").output }

    @Test func `the first word for a run that passed is still read, and said where the job is checked`() throws {
        try write("on: held\ncommand: [\"true\"]")
        let outcome = try command.run("validate", "colours.yaml")
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains("note: 6:7: 'held' is called 'passed' now, and both are read"),
            "\(outcome.errors)"
        )
    }

    // MARK: - Webhooks

    @Test func `a webhook gets what happened as JSON, signed over the time and the body`() throws {
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write("webhook: { url: \(server.address("/nightly?channel=7")), secret: \"${env:HOOK_KEY_FOR_TESTS}\" }")
        let outcome = try run()
        #expect(outcome.status == 1 && !outcome.errors.contains("warning"), "\(outcome.errors)")
        try #require(server.requests.count == 1)
        let request = server.requests[0]
        #expect(request.line == "POST /nightly?channel=7")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["x-daybook-event"] == "failed")
        let body = try json(request.body)
        #expect(body["job"] as? String == "colours" && body["outcome"] as? String == "failed")
        #expect(
            body["exit_code"] as? Int == 1 && body["rejected"] as? Int == 1 && body["as_of"] as? String == "2026-11-21"
        )
        #expect((body["text"] as? String)?.hasPrefix("colours failed its gate: ") == true, "\(body)")
        #expect((body["findings"] as? [[String: Any]])?.map { $0["code"] as? String } == ["not-a-hex-colour"])
        #expect(((body["manifest"] as? [String: Any])?["job"] as? [String: Any])?["name"] as? String == "colours")
        #expect(body["run"] as? String == request.headers["x-daybook-run"])
        let name = try #require(body["run"] as? String)
        let history = try shown()
        #expect(history.hasPrefix("run \(name)\n") && history.contains("told the webhook at http://127.0.0.1:"))
        // Held against another program's HMAC.
        let time = try #require(request.headers["x-daybook-timestamp"])
        try place.write(Data("\(time).".utf8) + request.body, to: "signed")
        let signature = try command.shell("openssl dgst -sha256 -hmac sesame-22 -r signed").output.prefix(64)
        #expect(request.headers["x-daybook-signature"] == "sha256=\(signature)" && signature.count == 64)
        #expect(abs((Double(time) ?? 0) - Date().timeIntervalSince1970) < 3_600)
    }

    @Test func `a busy webhook is tried again`() throws {
        let server = try WebhookTrial(answering: [503, 429, 204])
        defer { server.stop() }
        try write("webhook: { url: \(server.address()) }")
        let outcome = try run()
        #expect(outcome.status == 1 && !outcome.errors.contains("warning"), "\(outcome.errors)")
        #expect(server.requests.count == 3)
        #expect(Set(server.requests.map(\.body)).count == 1)
        #expect(server.requests.allSatisfy { $0.headers["x-daybook-signature"] == nil })
    }

    @Test(arguments: [
        ([500], 4, "it answers 500, also at the last of 4 tries"), ([404], 1, "it answers 404"),
        ([307], 1, "redirects are not followed"),
    ])
    func `what cannot be sent is a warning, in the report and in the history, and no exit code`(
        _ statuses: [Int],
        _ count: Int,
        _ reason: String
    ) throws {
        let server = try WebhookTrial(answering: statuses)
        defer { server.stop() }
        try write("on: held\nwebhook: { url: \(server.address("/team/kanal/geheim")) }")
        let outcome = try run("--set", "allow=1", "--report", "json=report.json", "--quiet")
        #expect(outcome.status == 0 && server.requests.count == count)
        #expect(
            outcome.errors.contains("warning: nobody was told by the webhook at http://127.0.0.1:"),
            "\(outcome.errors)"
        )
        #expect(outcome.errors.contains(reason) && outcome.errors.contains("[notice-not-sent]"), "\(outcome.errors)")
        let report = try json(Data(try #require(place.text("report.json")).utf8))
        let notices = try #require(report["notices"] as? [[String: Any]])
        #expect(notices.map { $0["sent"] as? Bool } == [false])
        #expect((notices[0]["reason"] as? String)?.contains(reason) == true)
        #expect(try shown().contains("not told: webhook at http://127.0.0.1:"))
        for text in [outcome.errors, place.text("report.json") ?? "", try shown()] {
            #expect(!text.contains("geheim") && !text.contains("kanal"), "the address is a password: \(text)")
        }
    }

    @Test func `where the history cannot take the run, the notice waits with it`() throws {
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write("webhook: { url: \(server.address()) }")
        _ = try run()
        let file = place.url.appendingPathComponent(".daybook/history.sqlite").path
        let version = try SQLiteDatabase(file, .readWrite).userVersion()
        try SQLiteDatabase(file, .readWrite).execute("PRAGMA user_version = 99")
        let outcome = try run()
        #expect(outcome.errors.components(separatedBy: "[newer-history]").count == 2, "\(outcome.errors)")
        try SQLiteDatabase(file, .readWrite).execute("PRAGMA user_version = \(version)")
        #expect(try shown().contains("told the webhook at http://127.0.0.1:"))
        #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.headers["x-daybook-run"] != nil })
    }

    @Test func `a warning stands on standard error also where the report is another`() throws {
        try write("on: passed\nwebhook: { url: \"http://localhost:1/x\" }")
        let outcome = try run("--set", "allow=1", "--report", "github")
        #expect(
            outcome.status == 0
                && outcome.errors.contains("warning: nobody was told by the webhook at http://localhost:1")
        )
    }

    @Test func `an address that is refused is shown nowhere`() throws {
        try write("webhook: { url: \"https://robot:geheim@hooks.example.com/T00\" }")
        let outcome = try run("--report", "json=report.json")
        #expect(outcome.status == 2 && outcome.errors.contains("[bad-address]"), "\(outcome.errors)")
        let validated = try command.run("validate", "colours.yaml")
        for text in [outcome.errors, place.text("report.json") ?? "", validated.errors] {
            #expect(!text.contains("geheim") && !text.contains("robot"), "\(text)")
        }
    }

    @Test func `a webhook gets the beginnings of long lists`() throws {
        for number in 0..<130 { try place.write("id,colour\n\(number),#EC007F\n", to: "many/\(number).csv") }
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write("on: passed\nwebhook: { url: \(server.address("/x")) }")
        let job = try #require(place.text("colours.yaml")).replacing("path: in.csv", with: "path: \"many/*.csv\"")
        try place.write(job, to: "colours.yaml")
        #expect(try run("--set", "allow=1").status == 0)
        let manifest = try #require(try json(server.requests[0].body)["manifest"] as? [String: Any])
        #expect((manifest["inputs"] as? [Any])?.count == 100 && manifest["input_count"] as? Int == 130)
        #expect((manifest["outputs"] as? [Any]) != nil && manifest["output_count"] == nil)
    }

    @Test func `a certificate that nobody has signed is refused`() throws {
        try write("webhook: { url: \"${hook}\" }")
        let made = try command.shell(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>/dev/null"
        )
        try #require(made.status == 0)
        let outcome = try command.shell(
            """
            python3 - <<'END' >port & pid=$!
            import socket, ssl
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain("cert.pem", "key.pem")
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1], flush=True)
            while True:
                connection, _ = listener.accept()
                try: context.wrap_socket(connection, server_side=True)
                except (ssl.SSLError, OSError): pass
            END
            while ! [ -s port ]; do sleep 0.05; done
            sed -i "s/params: {/params: { hook: \\"https:\\/\\/localhost:$(cat port)\\/x\\",/" colours.yaml
            "$DAYBOOK" run colours.yaml; code=$?
            kill -KILL $pid
            exit $code
            """
        )
        #expect(outcome.status == 1 && outcome.errors.contains("[notice-not-sent]"), "\(outcome.errors)")
        #expect(outcome.errors.contains("certificate"), "\(outcome.errors)")
    }

    // MARK: - Events

    @Test func `a notice hangs on what the run was, and on that of the run before`() throws {
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write(
            """
            - webhook: { url: \(server.address("/standard")) }
            - { on: [passed, warned], webhook: { url: \(server.address("/good")) } }
            - { on: recovered, webhook: { url: \(server.address("/back")) } }
            """
        )
        func told(_ options: String...) throws -> [String] {
            let known = server.requests.count
            _ = try command.run(["run", "colours.yaml"] + options)
            return server.requests.dropFirst(known).map {
                "\($0.line.dropFirst(6)) \($0.headers["x-daybook-event"] ?? "")"
            }
        }
        #expect(try told("--set", "allow=1") == ["good passed"])
        #expect(try told() == ["standard failed"])
        #expect(try told("--set", "allow=1") == ["standard recovered", "good recovered", "back recovered"])
        #expect(try told("--set", "allow=1") == ["good passed"])
        // A job that could not start has failed as well.
        try write("webhook: { url: \(server.address("/broken")) }", check: "  - sort_rows: { by: nothing_of_the_kind }")
        #expect(try told() == ["broken failed"])
    }

    @Test func `a run with warnings is told as one`() throws {
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write(
            "on: warned\nwebhook: { url: \(server.address()) }",
            check: "  - check_rows: { rules: [{ row_count: { min: 5 }, warn: \"> 0\" }] }"
        )
        #expect(try run("--set", "allow=1").status == 0)
        #expect(server.requests.map { $0.headers["x-daybook-event"] } == ["warned"])
    }

    // MARK: - Commands

    @Test func `a command reads the report, and the facts in its environment`() throws {
        try write("command: [sh, -c, 'cat >told.json; env | grep ^DAYBOOK_ | sort >told.txt; pwd >>told.txt', --, a b]")
        let outcome = try run("--allow-commands")
        #expect(outcome.status == 1 && !outcome.errors.contains("warning"), "\(outcome.errors)")
        let report = try json(Data(try #require(place.text("told.json")).utf8))
        #expect(report["finding_count"] as? Int == 1)
        let told = try #require(place.text("told.txt"))
        for line in [
            "DAYBOOK_AS_OF=2026-11-21", "DAYBOOK_EVENTS=failed", "DAYBOOK_EXIT_CODE=1", "DAYBOOK_JOB=colours",
            "DAYBOOK_OUTCOME=failed", "DAYBOOK_REJECTED=1", "DAYBOOK_ROWS_READ=2", "DAYBOOK_RULES_FAILED=0",
            "DAYBOOK_RUN=20", "DAYBOOK_SUMMARY=colours failed its gate: ", place.url.path,
        ] { #expect(told.contains(line), "\(line) in \(told)") }
    }

    @Test func `a command runs only where the run allows it`() throws {
        try write("command: [touch, told]")
        let outcome = try run()
        #expect(outcome.status == 1 && outcome.errors.contains("[command-not-allowed]"))
        #expect(
            outcome.errors.contains("hint: add '--allow-commands' to 'daybook run', or set DAYBOOK_ALLOW_COMMANDS=1")
        )
        let kept = try shown()
        #expect(place.text("told") == nil && kept.contains("not told: command touch"))
        var allowing = command
        allowing.environment["DAYBOOK_ALLOW_COMMANDS"] = "1"
        #expect(try allowing.run("run", "colours.yaml").status == 1)
        #expect(place.text("told") != nil)
    }

    @Test(arguments: [
        ("[sh, -c, 'echo no route >&2; exit 7']", "it ended with exit code 7: no route"),
        ("[sh, -c, 'kill -9 $$']", "signal 9 ended it"), ("[no-such-program-here]", "there is no such program"),
    ])
    func `a command that fails is a warning with its last words`(_ words: String, _ reason: String) throws {
        try write("command: \(words)")
        let outcome = try run("--allow-commands")
        #expect(outcome.status == 1 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test func `a command that does not end is stopped with all that it has started`() throws {
        let words = ["sh", "-c", "sleep 600 & echo $! >started; sleep 600"]
        let notice = CommandNotice(words: words, directory: place.url.path, limit: .seconds(3))
        let failure = #expect(throws: DaybookError.self) { try notice.run([:], input: Bytes("{}")) }
        #expect(failure?.message.hasSuffix("it was stopped after 3 seconds") == true)
        let number = try #require(place.text("started")).trimmingCharacters(in: .whitespacesAndNewlines)
        let started = try #require(Int32(number))
        // A signal takes its time. One that has ended and waits to be collected by its new parent is gone as well.
        func goesOn() -> Bool {
            let state = try? String(contentsOfFile: "/proc/\(started)/stat", encoding: .utf8)
            return state.map { !$0.contains(") Z ") && !$0.contains(") X ") } ?? false
        }
        for _ in 0..<1_000 where goesOn() { usleep(10_000) }
        #expect(!goesOn())
    }

    // MARK: - Tried before the night

    @Test func `notices are tried without a run`() throws {
        let server = try WebhookTrial(answering: [200])
        defer { server.stop() }
        try write(
            "on: recovered\nwebhook: { url: \(server.address()) }\ncommand: [sh, -c, 'echo $DAYBOOK_SUMMARY >told']"
        )
        let listed = try command.run("notify", "colours.yaml")
        #expect(listed.status == 0 && server.requests.isEmpty && place.text("told") == nil)
        #expect(listed.output.hasPrefix("on recovered: webhook at http://127.0.0.1:"), "\(listed.output)")
        let tried = try command.run("notify", "colours.yaml", "--try", "--allow-commands")
        #expect(tried.status == 0 && tried.output.contains("told the command sh\n"), "\(tried)")
        #expect(place.text("told") == "colours sends a notice to try\n")
        #expect(server.requests.map { $0.headers["x-daybook-event"] } == ["try"])
        #expect(place.text("out/rejects.ndjson") == nil && place.text(".daybook/history.sqlite") == nil)
        let failed = try command.run("notify", "colours.yaml", "--try")
        #expect(failed.status == 3 && failed.errors.contains("[command-not-allowed]") && server.requests.count == 2)
        try place.write("daybook: 1\nstages: [{ import_csv: { path: in.csv } }]\n", to: "colours.yaml")
        let nobody = try command.run("notify", "colours.yaml", "--try")
        #expect(nobody.status == 2 && nobody.errors.contains("the job tells nobody: it has no 'notify' [no-notice]"))
    }

    // MARK: - Secrets and mistakes

    @Test func `the secret of a webhook is shown nowhere`() throws {
        let server = try WebhookTrial(answering: [400])
        defer { server.stop() }
        var command = command
        command.environment["PLAIN_NAME"] = "opensesame"
        try write(
            "webhook: { url: \(server.address()), secret: \"${env:PLAIN_NAME}\" }\ncommand: [sh, -c, 'echo $0; exit 1', \"${env:PLAIN_NAME}\"]"
        )
        let outcome = try command.run(
            "run",
            "colours.yaml",
            "--report",
            "json=report.json",
            "--manifest",
            "manifest.json",
            "--allow-commands"
        )
        let explained = try command.run("explain", "colours.yaml").output
        #expect(
            explained.contains("Notices\n  on failed, recovered, missed: webhook at http://127.0.0.1:"),
            "\(explained)"
        )
        #expect(
            explained.contains(", signed\n  on failed, recovered, missed: command sh, only with --allow-commands\n")
        )
        #expect(outcome.errors.contains("it ended with exit code 1: ••••"), "\(outcome.errors)")
        let texts = [
            outcome.errors, place.text("report.json") ?? "", place.text("manifest.json") ?? "", explained, try shown(),
        ]
        for text in texts { #expect(!text.isEmpty && !text.contains("opensesame")) }
    }

    @Test func `validate tells everything that is wrong`() throws {
        for (notify, message) in [
            ("webhok: { url: https://a.example }", "6:3: error: notify has no key 'webhok' [unknown-key]"),
            ("on: [failed, recoverd]\ncommand: [a]", "hint: did you mean 'recovered'?"),
            ("on: [failed]", "'notify' does not say how somebody is told [missing-key]"),
            ("on: []\ncommand: [a]", "'on' names no run, so nobody would be told [no-notice]"),
            ("[]", "'notify' names nobody [no-notice]"),
            (
                "command: tell --urgent",
                "expected a program and its arguments as a list, found 'tell --urgent' [wrong-type]"
            ),
            (
                "webhook: { url: hooks.example }",
                "'url' is no address such as https://hooks.example.com/nightly [bad-address]"
            ),
            ("webhook: { url: \"https://me:sesame@a.example\" }", "[bad-address]"),
            (
                "webhook: { url: http://hooks.example/x }",
                "'url' begins with http://, by which anybody on the way reads the notice [open-address]"
            ),
            ("webhook: { url: http://127.0.0.1.example/x }", "[open-address]"),
            ("webhook: { secret: \"${env:HOOK_KEY_FOR_TESTS}\" }", "'webhook' names no address [missing-key]"),
            (
                "webhook: { url: https://a.example, secret: opensesame }",
                "'secret' stands in the job, where everybody reads it who reads the job [literal-secret]"
            ),
            (
                "webhook: { url: https://a.example, secret: \"${env:NO_SUCH_VARIABLE_HERE}\" }",
                "the environment has no variable 'NO_SUCH_VARIABLE_HERE' [undefined-variable]"
            ),
        ] {
            try write(notify)
            let outcome = try command.run("validate", "colours.yaml")
            #expect(outcome.status == 2 && outcome.errors.contains(message), "\(message) in \(outcome.errors)")
            #expect(!outcome.errors.contains("opensesame"))
        }
        try write("webhook: { url: http://hooks.example/x, allow_http: true }\ncommand: [a]")
        #expect(try command.run("validate", "colours.yaml").status == 0)
    }
}

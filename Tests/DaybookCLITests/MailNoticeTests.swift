import DaybookTestSupport
import Foundation
import Testing

/// Mails about a run, as a small server gets them.
@Suite struct MailNoticeTests {
    private let place: TemporaryDirectory
    private let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        var command = CommandTrial(in: place.url)
        command.environment = ["MAIL_WORD": "sesame-22"]
        self.command = command
        try place.write("id,colour\n1,#EC007F\n2,rot\n", to: "in.csv")
        try place.write(MailNoticeTests.server, to: "server.py")
    }

    /// Speaks as much of SMTP as a client needs, and writes down what it is told. Its words: what it offers, and answers to RCPT.
    private static let server = """
        import base64, socket, ssl, sys
        offers, answers = sys.argv[1].split(","), sys.argv[2].split(",")
        listener = socket.create_server(("127.0.0.1", 0))
        open("port.new", "w").write(str(listener.getsockname()[1]))
        __import__("os").rename("port.new", "port")
        log = open("log.txt", "w", buffering=1)
        while True:
            connection, _ = listener.accept()
            stream = connection.makefile("rwb", buffering=0)
            say = lambda text: stream.write(text.encode() + b"\\r\\n")
            say("220 here")
            try:
                while line := stream.readline():
                    words = line.decode().strip()
                    log.write(words + "\\n")
                    verb = words.split(" ")[0].upper()
                    if verb == "EHLO": say("250-here\\r\\n" + "".join(f"250-{offer}\\r\\n" for offer in offers if offer) + "250 8BITMIME")
                    elif verb == "STARTTLS":
                        say("220 go on")
                        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                        context.load_cert_chain("cert.pem", "key.pem")
                        connection = context.wrap_socket(connection, server_side=True)
                        stream = connection.makefile("rwb", buffering=0)
                    elif verb == "AUTH":
                        given = words.split(" ")[2] if words.count(" ") > 1 else (say("334 "), stream.readline().decode().strip())[1]
                        good = base64.b64decode(given).split(b"\\0")[1:] == [b"daybook", b"sesame-22"]
                        say("235 welcome" if good else "535 no")
                    elif verb == "RCPT": say(f"{answers.pop(0) if len(answers) > 1 else answers[0]} so")
                    elif verb == "DATA":
                        say("354 go on")
                        with open("mail.eml", "wb") as file:
                            while (line := stream.readline()) != b".\\r\\n": file.write(line[1:] if line.startswith(b".") else line)
                        say("250 taken")
                    elif verb == "QUIT": say("221 bye"); break
                    else: say("250 good")
            except (ssl.SSLError, OSError) as error: log.write(f"broken: {error}\\n")
            connection.close()
        """

    /// Runs the job with a mail server beside it, whose port stands in for PORT.
    private func run(
        offering offers: String,
        answering answers: String = "250",
        _ mail: String,
        by start: (CommandTrial) throws -> CommandTrial.Outcome = {
            try $0.run("run", "colours.yaml", "--as-of", "2026-11-21")
        }
    ) throws -> CommandTrial.Outcome {
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments = ["python3", "server.py", offers, answers]
        server.currentDirectoryURL = place.url
        try server.run()
        // SIGTERM is held back where tests hold it back.
        defer { kill(server.processIdentifier, SIGKILL) }
        for _ in 0..<3_000 where place.text("port") == nil { usleep(20_000) }
        try write(mail.replacing("PORT", with: try #require(place.text("port"))))
        return try start(command)
    }

    private static let certificates = "/etc/ssl/certs/ca-certificates.crt"

    /// Whether another list of certificates can be put in the place of this machine's, for one process.
    private static let canTrust: Bool = {
        guard geteuid() == 0, access(certificates, R_OK) == 0 else { return false }
        let trial = Process()
        trial.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        trial.arguments = ["unshare", "--mount", "mount", "--make-rprivate", "/"]
        trial.standardError = FileHandle.nullDevice
        guard (try? trial.run()) != nil else { return false }
        trial.waitUntilExit()
        return trial.terminationStatus == 0
    }()

    @Test(.enabled(if: canTrust)) func `a mail is encrypted before anything is said of it`() throws {
        let made = try command.shell(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost 2>/dev/null
            """
        )
        try #require(made.status == 0)
        let outcome = try run(
            offering: "STARTTLS,AUTH PLAIN",
            "server: \"smtp://localhost:PORT\", user: daybook, password: \"${env:MAIL_WORD}\", from: a@a.example, to: b@b.example"
        ) { command in
            try command.shell(
                """
                unshare --mount bash -c 'mount --make-rprivate / && mount --bind cert.pem \(MailNoticeTests.certificates) \
                    && exec "$DAYBOOK" run colours.yaml'
                """
            )
        }
        #expect(outcome.status == 1 && !outcome.errors.contains("warning"), "\(outcome.errors) \(log)")
        let verbs = log.split(separator: "\n").map { $0.prefix { $0 != " " } }
        #expect(
            verbs == ["EHLO", "STARTTLS", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "QUIT"]
                && place.text("mail.eml") != nil
        )
    }

    private func write(_ mail: String) throws {
        try place.write(
            """
            daybook: 1
            job: colours
            notify:
              mail: { \(mail) }
            stages:
              - import_csv: { path: in.csv }
              - validate_hex_colours: { column: colour }

            """,
            to: "colours.yaml"
        )
    }

    private var log: String { place.text("log.txt") ?? "" }

    @Test func `a mail goes to all addresses, with the report as its body`() throws {
        let outcome = try run(
            offering: "AUTH PLAIN",
            """
            server: "smtp://localhost:PORT", tls: none, user: daybook, password: "${env:MAIL_WORD}", from: daybook@a.example, \
            to: [ops@a.example, night@b.example], subject: "Die Nacht ${as_of}: ${env:MAIL_WORD} geprüft"
            """
        )
        #expect(outcome.status == 1 && !outcome.errors.contains("warning"), "\(outcome.errors) \(log)")
        #expect(log.contains("MAIL FROM:<daybook@a.example>"), "\(log)")
        #expect(log.contains("RCPT TO:<ops@a.example>\nRCPT TO:<night@b.example>\nDATA\n"), "\(log)")
        let read = try command.shell(
            """
            python3 -c '
            import email, email.policy
            mail = email.message_from_binary_file(open("mail.eml", "rb"), policy=email.policy.default)
            print(mail["Subject"], mail["From"], mail["To"], mail["Message-ID"].split("@")[1], mail.get_content_type(), sep="|")
            print(mail.get_body(("plain",)).get_content())'
            """
        ).output
        let line =
            "Die Nacht 2026-11-21: •••• geprüft|Daybook <daybook@a.example>|ops@a.example, night@b.example|a.example>|multipart/alternative\n"
        #expect(read.hasPrefix(line), "\(read)")
        #expect(read.contains("gate failed for the job: 1 of 2 rows rejected"))
        let shown = try command.run("history", "show", "last", "--job", "colours.yaml").output
        #expect(shown.contains("told the mail to ops@a.example and 1 more"))
        for text in [outcome.errors, shown, place.text("mail.eml") ?? ""] { #expect(!text.contains("sesame-22")) }
    }

    @Test func `a server that is busy is asked again`() throws {
        let outcome = try run(
            offering: "",
            answering: "450,250",
            "server: \"smtp://127.0.0.1:PORT\", tls: none, from: a@a.example, to: b@b.example"
        )
        #expect(outcome.status == 1 && !outcome.errors.contains("warning"), "\(outcome.errors)")
        #expect(log.components(separatedBy: "MAIL FROM:").count == 3 && place.text("mail.eml") != nil)
    }

    @Test(arguments: [
        (
            "AUTH PLAIN", "250", "tls: none, user: daybook, password: \"${wrong_word}\"",
            "the server does not take the user and the password"
        ),
        ("", "550", "tls: none", "the server answers 550"),
        ("", "250", "tls: required", "the server offers no encryption, so nothing was sent"),
        ("STARTTLS", "250", "tls: required, user: daybook, password: \"${env:MAIL_WORD}\"", "certificate"),
    ])
    func `what the server or its certificate does not allow is a warning`(
        _ offers: String,
        _ answers: String,
        _ option: String,
        _ reason: String
    ) throws {
        let made = try command.shell(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>/dev/null"
        )
        try #require(made.status == 0)
        let outcome = try run(
            offering: offers,
            answering: answers,
            "server: \"smtp://localhost:PORT\", from: a@a.example, to: b@b.example, \(option)"
                .replacing("${wrong_word}", with: "${env:MAIL_WORD}-and-more")
        )
        #expect(outcome.status == 1 && outcome.errors.contains("warning: nobody was told by the mail to b@b.example: "))
        #expect(outcome.errors.contains(reason) && outcome.errors.contains("[notice-not-sent]"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("tries") && place.text("mail.eml") == nil && !log.contains("DATA"))
        // Nothing was told to one that nobody has shown to be the right one.
        if option.contains("required") { #expect(!log.contains("MAIL FROM") && !log.contains("AUTH")) }
    }

    @Test func `validate tells what is wrong with a mail`() throws {
        let good = "server: \"smtps://mail.example\", from: a@a.example, to: [b@b.example]"
        for (mail, message) in [
            ("from: a@a.example", "'mail' has no 'server' and 'to' [missing-key]"),
            (
                "server: mail.example, from: a@a.example, to: b@b.example",
                "'server' is no address such as smtp://mail.example.com:587 [bad-address]"
            ),
            ("server: \"smtp://me:word@mail.example\", from: a@a.example, to: b@b.example", "[bad-address]"),
            ("server: \"smtp://mail.example/x\", from: a@a.example, to: b@b.example", "[bad-address]"),
            (
                "server: \"smtp://mail.example\", tls: none, from: a@a.example, to: b@b.example",
                "'tls: none' is for a server by smtp:// on this machine, and 'smtp://mail.example' is none [open-address]"
            ),
            (
                "server: \"smtp://mail.example\", from: a@a.example, to: \"b@b.example>\\r\\nBcc: c@c.example\"",
                "'to' is no address such as ops@example.com [bad-address]"
            ),
            (
                "server: \"smtp://mail.example\", from: A <a@a.example>, to: b@b.example",
                "'from' is no address such as ops@example.com [bad-address]"
            ),
            ("server: \"smtp://mail.example\", from: a@a.example, to: []", "'to' names nobody [bad-address]"),
            ("\(good), user: daybook", "'user' and 'password' go together [missing-key]"),
            (
                "\(good), user: daybook, password: opensesame",
                "'password' stands in the job, where everybody reads it who reads the job [literal-secret]"
            ),
            ("\(good), sender: x", "mail has no key 'sender' [unknown-key]"),
        ] {
            try write(mail)
            let outcome = try command.run("validate", "colours.yaml")
            #expect(outcome.status == 2 && outcome.errors.contains(message), "\(message) in \(outcome.errors)")
            #expect(!outcome.errors.contains("opensesame"))
        }
        try write(good)
        #expect(try command.run("validate", "colours.yaml").status == 0)
        let explained = try command.run("explain", "colours.yaml").output
        #expect(
            explained.contains("  on failed, recovered, missed: mail to b@b.example, by smtps://mail.example\n"),
            "\(explained)"
        )
    }
}

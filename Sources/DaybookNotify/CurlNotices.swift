import CCrypto
import CCurl
import DaybookEngine
import DaybookReports

/// A POST of JSON to a web address, signed where the job has a secret for it.
struct WebhookNotice {
    private let webhook: Notice.Webhook
    private let facts: NoticeFacts
    private let body: [UInt8]

    init(_ webhook: Notice.Webhook, _ facts: NoticeFacts) {
        self.webhook = webhook
        self.facts = facts
        body = Array((webhook.body.map(facts.webhookBody) ?? facts.webhookBody).utf8)
    }

    private var target: String { "webhook at \(webhook.url.origin)" }

    func send(_ tries: Tries) throws(DaybookError) { try tries.run(attempt) }

    private func attempt(_ limit: Duration) throws(DaybookError) -> DaybookError? {
        let transfer = try CurlTransfer(
            webhook.url.text,
            protocols: CURLPROTO_HTTPS | (webhook.url.isEncrypted ? 0 : CURLPROTO_HTTP),
            limit: limit
        )
        if webhook.url.isLocal { transfer.passBy() }
        // Without "Expect", curl does not wait for the server to accept the body.
        transfer.set(CURLOPT_HTTPHEADER, ["Content-Type: application/json", "Expect:"] + headers)
        transfer.post(body)
        if let failure = transfer.perform() {
            // A wrong certificate stays wrong.
            let isForGood = [CURLE_PEER_FAILED_VERIFICATION, CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL]
                .contains { $0 == failure.code }
            let error = DaybookError.notSent(target, failure.reason)
            if isForGood { throw error }
            return error
        }
        switch transfer.status {
        case 200..<300: return nil
        case 300..<400:
            throw .notSent(
                target,
                "it answers \(transfer.status), that the address is another, and redirects are not followed",
                hint: "write the address that it leads to"
            )
        case let status where status == 429 || status >= 500: return .notSent(target, "it answers \(status)")
        case let status: throw .notSent(target, "it answers \(status)")
        }
    }

    /// Names the run, and signs the body with the secret.
    ///
    /// The signature covers the time, so that an old request cannot be sent again as a new one.
    private var headers: [String] {
        var headers = ["X-Daybook-Event: \(facts.outcome)"]
        if let run = facts.run { headers.append("X-Daybook-Run: \(run)") }
        headers += webhook.headers.map { "\($0.name): \($0.value)" }
        guard let secret = webhook.secret else { return headers }
        let now = String(time(nil))
        let signature = MessageSignature(of: Array("\(now).".utf8) + body, by: Array(secret.utf8)).text
        return headers + ["X-Daybook-Timestamp: \(now)", "X-Daybook-Signature: sha256=\(signature)"]
    }
}

/// HMAC-SHA256 (RFC 2104) over the functions of SHA-256 that the rest of Daybook uses.
///
/// OpenSSL's own `HMAC` would load its providers, and put them into the release that is linked statically.
struct MessageSignature {
    /// The signature as 64 hexadecimal digits.
    let text: String

    init(of message: [UInt8], by key: [UInt8]) {
        let block = Int(SHA256_CBLOCK)
        var key = key.count > block ? MessageSignature.digest(key) : key
        key += [UInt8](repeating: 0, count: block - key.count)
        let inner = MessageSignature.digest(key.map { $0 ^ 0x36 } + message)
        text = Hexadecimal.text(of: MessageSignature.digest(key.map { $0 ^ 0x5C } + inner))
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(bytes, bytes.count, &digest)
        return digest
    }
}

/// A mail with the report of a run, given to a server by SMTP.
struct MailNotice {
    private let mail: Notice.Mail
    private let target: String
    private let message: [UInt8]

    init(_ mail: Notice.Mail, target: String, _ report: RunReport) {
        self.mail = mail
        self.target = target
        message = Array(RunMail(report).message(from: mail.from, to: mail.to, subject: mail.subject).utf8)
    }

    func send(_ tries: Tries) throws(DaybookError) { try tries.run(attempt) }

    private func attempt(_ limit: Duration) throws(DaybookError) -> DaybookError? {
        let transfer = try CurlTransfer(mail.server.text, protocols: CURLPROTO_SMTP | CURLPROTO_SMTPS, limit: limit)
        if mail.server.isLocal { transfer.passBy() }
        if mail.needsEncryption { transfer.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
        if let login = mail.login {
            transfer.set(CURLOPT_USERNAME, login.user)
            transfer.set(CURLOPT_PASSWORD, login.password)
        }
        transfer.set(CURLOPT_MAIL_FROM, mail.from)
        transfer.set(CURLOPT_MAIL_RCPT, mail.to)
        guard let failure = transfer.upload(message) else { return nil }
        let status = transfer.status
        switch failure.code {
        case CURLE_LOGIN_DENIED: throw .notSent(target, "the server does not take the user and the password")
        case CURLE_USE_SSL_FAILED:
            let host = mail.server.host
            throw .notSent(
                target,
                "the server offers no encryption, so nothing was sent",
                hint: "name the port for mail programs, as in smtp://\(host):587, or smtps://\(host)"
            )
        case CURLE_PEER_FAILED_VERIFICATION: throw .notSent(target, failure.reason)
        // A server that answers with 5 at its head does so the next time too.
        case _ where status >= 500: throw .notSent(target, "the server answers \(status)")
        case _ where status >= 400: return .notSent(target, "the server answers \(status)")
        default: return .notSent(target, failure.reason)
        }
    }
}

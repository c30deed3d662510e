import CCurl
import DaybookEngine
import DaybookReports

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

import DaybookBytes

/// One entry under `notify`: the events, and the way to send a notice.
public struct Notice: Sendable {
    /// Result of a run that can send a notice. A run may have several.
    public enum Event: String, Sendable, CaseIterable {
        /// The exit code is not 0.
        case failed
        /// The run passed, and the previous run of the job had failed.
        case recovered
        /// The run passed, and a rule or a stage warned.
        case warned
        /// The run passed, with or without warnings.
        case passed
        /// No run passed in time, or the data are too old: reported by `history check`, never by a run.
        case missed

        /// Former name of `passed`, still accepted.
        static let oldWord = "held"
    }

    /// Way to send a notice.
    public enum Way: Sendable {
        /// Program and its arguments, started without a shell.
        case command([String])
        case webhook(Webhook)
        case mail(Mail)
    }

    /// Address that receives a POST of JSON.
    public struct Webhook: Sendable {
        public var url: WebAddress
        /// Key of the signature; nil for an unsigned request.
        public var secret: String?
        /// Headers beside those of every request.
        public var headers: [NoticeHeader] = []
        /// Body in the form that the receiver needs; nil for the standard body.
        public var body: NoticeBody?
    }

    /// Mail and its server.
    public struct Mail: Sendable {
        /// Address by `smtp://` or `smtps://`.
        public var server: WebAddress
        /// Whether an open connection must be encrypted before any data is sent.
        public var needsEncryption: Bool
        public var login: (user: String, password: String)?
        public var from: String
        public var to: [String]
        /// Subject; nil for the default subject of a report.
        public var subject: String?
    }

    public var events: [Event]
    public var way: Way
    /// Address of a page about the run.
    public var link: NoticeText?
    /// Whether the notice may show values of the data.
    public var showsValues = true
    /// Place of the way in the job.
    public var place: SourcePlace
    /// Remark for the check of a job; nil for none.
    public var note: String?

    /// Target without secrets: only the host of an address, since its path is often a secret.
    public var target: String {
        switch way {
        case .command(let words): "command \(words[0])"
        case .webhook(let webhook): "webhook at \(webhook.url.origin)"
        case .mail(let mail):
            "mail to \(mail.to[0])" + (mail.to.count == 1 ? "" : " and \(DisplayText.count(mail.to.count - 1)) more")
        }
    }

    /// Remark beside the target; nil for none.
    public var remark: String? {
        switch way {
        case .command: "only with --allow-commands"
        case .webhook(let webhook): webhook.secret == nil ? nil : "signed"
        case .mail(let mail): "by \(mail.server.origin)"
        }
    }

    /// `on failed, recovered: webhook at https://hooks.example.com, signed`.
    public var displayText: String {
        "on \(events.map(\.rawValue).joined(separator: ", ")): \(target)\(remark.map { ", \($0)" } ?? "")"
    }

    /// Events of a notice without `on`.
    static let standardEvents = [Event.failed, .recovered, .missed]
    /// Limit of entries, above the number that any person reads per run.
    package static let mostOfAJob = 20
}

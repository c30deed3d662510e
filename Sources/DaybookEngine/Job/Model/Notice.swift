/// One entry under `notify`: of which runs somebody is told, and by which way.
public struct Notice: Sendable {
    /// What a run can be, so that somebody is told of it. A run may be several.
    public enum Event: String, Sendable, CaseIterable {
        /// It ended with another exit code than 0.
        case failed
        /// It passed, and the run of the job before it had failed.
        case recovered
        /// It passed, and a rule or a stage warned.
        case warned
        /// It passed, with warnings or without.
        case passed

        /// What `passed` was called first, and is still read.
        static let oldWord = "held"
    }

    /// How somebody is told.
    public enum Way: Sendable {
        /// A program and its arguments, started without a shell.
        case command([String])
        case webhook(Webhook)
        case mail(Mail)
    }

    /// An address that takes a POST of JSON.
    public struct Webhook: Sendable {
        public var url: WebAddress
        /// The key of the signature; nil for a request that is not signed.
        public var secret: String?
    }

    /// A mail, and the server that takes it.
    public struct Mail: Sendable {
        /// An address by `smtp://` or `smtps://`.
        public var server: WebAddress
        /// Whether an open connection has to become an encrypted one before anything is sent.
        public var needsEncryption: Bool
        public var login: (user: String, password: String)?
        public var from: String
        public var to: [String]
        /// Nil for the one that a report gives itself.
        public var subject: String?
    }

    public var events: [Event]
    public var way: Way
    /// Where the way is named.
    public var place: SourcePlace
    /// What is said of it where a job is checked; nil for nothing.
    public var note: String?

    /// The way as it may be shown: of an address only the host, for its path is often a secret.
    public var target: String {
        switch way {
        case .command(let words): "command \(words[0])"
        case .webhook(let webhook): "webhook at \(webhook.url.origin)"
        case .mail(let mail):
            "mail to \(mail.to[0])" + (mail.to.count == 1 ? "" : " and \(DisplayText.count(mail.to.count - 1)) more")
        }
    }

    /// What has to be known of the way beside its target; nil for nothing.
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

    /// What hangs on events when a job does not say.
    static let standardEvents = [Event.failed, .recovered]
    /// More entries than any person reads of one run.
    package static let mostOfAJob = 20
}

/// An address of the web, cut only as far as it has to be understood before a library takes it.
public struct WebAddress: Sendable, Equatable {
    public let text: String
    public let isEncrypted: Bool
    /// Without the port, in lower case.
    public let host: String
    /// Scheme, host and port: what may be shown.
    public let origin: String

    /// Whether there is more than the host, which may be what only few know.
    var hasPath: Bool { text.utf8.count > origin.utf8.count + 1 }

    /// Whether the address is one of this machine.
    public var isLocal: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    /// Nil for what is no address by `https://` or `http://`, and for one that names a user or a password.
    public init?(_ text: String) { self.init(text, schemes: [("https://", true), ("http://", false)]) }

    /// A server by `smtp://` or `smtps://`; nil also for one with a path.
    public init?(mailServer text: String) {
        self.init(text, schemes: [("smtps://", true), ("smtp://", false)])
        guard origin == text.lowercased() else { return nil }
    }

    private init?(_ text: String, schemes: [(String, Bool)]) {
        let start = text.prefix(8).lowercased()
        guard let (scheme, isEncrypted) = schemes.first(where: { start.hasPrefix($0.0) }),
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" })
        else { return nil }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }.lowercased()
        guard !authority.contains("@"), let host = WebAddress.host(of: authority) else { return nil }
        self.text = text
        self.isEncrypted = isEncrypted
        self.host = host
        origin = scheme + authority
    }

    /// The part of `host:port` before the port; nil where there is no host, or the port is no number.
    static func host(of authority: String) -> String? {
        var host = authority[...]
        if let end = authority.lastIndex(of: "]"), authority.hasPrefix("[") {
            host = authority[...end]
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
        }
        let port = authority[host.endIndex...]
        let isPort = port.isEmpty || (port.first == ":" && (1...65_535).contains(Int(port.dropFirst()) ?? 0))
        return host.isEmpty || !isPort ? nil : String(host)
    }
}

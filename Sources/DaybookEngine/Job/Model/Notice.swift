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
    static let standardEvents = [Event.failed, .recovered]
    /// Limit of entries, above the number that any person reads per run.
    package static let mostOfAJob = 20
}

/// Web address, parsed only as far as needed before a library receives it.
public struct WebAddress: Sendable, Equatable {
    public let text: String
    public let isEncrypted: Bool
    /// Host without the port, in lower case.
    public let host: String
    /// Scheme, host and port: the public part.
    public let origin: String

    /// Whether the address has a path, which may be secret.
    var hasPath: Bool { text.utf8.count > origin.utf8.count + 1 }

    /// Whether the address is on this machine.
    public var isLocal: Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    /// Nil for a text without `https://` or `http://`, and for an address with a user or a password.
    public init?(_ text: String) { self.init(text, schemes: [("https://", true), ("http://", false)]) }

    /// Server by `smtp://` or `smtps://`; nil also for an address with a path.
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

    /// Part of `host:port` before the port; nil without a host, or if the port is not a number.
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

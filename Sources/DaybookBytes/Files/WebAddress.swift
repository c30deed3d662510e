/// Web address, parsed only as far as needed before a library receives it.
public struct WebAddress: Sendable, Equatable {
    public let text: String
    public let isEncrypted: Bool
    /// Host without the port, in lower case.
    public let host: String
    /// Scheme, host and port: the public part.
    public let origin: String

    /// Whether the address has a path, which may be secret.
    public var hasPath: Bool { text.utf8.count > origin.utf8.count + 1 }

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

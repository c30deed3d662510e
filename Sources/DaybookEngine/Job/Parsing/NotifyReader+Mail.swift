extension NotifyReader {
    private static let example =
        "write it as 'mail: { server: \"smtp://mail.example.com:587\", from: …, to: [ops@example.com] }'"

    mutating func mail(_ node: OptionNode, _ written: OptionNode?) -> Notice.Mail? {
        let keys = ["server", "user", "password", "from", "to", "subject", "tls"]
        let map = EngineMap(node, keys: keys, of: "mail", problems)
        guard let entries = node.map else { return nil }
        let password = secret("password", in: map, of: entries, written)
        let missing = ["server", "from", "to"].filter { map[$0] == nil }
        guard missing.isEmpty else {
            problems.add(
                "missing-key",
                "'mail' has no \(Spoken.list(missing.map { "'\($0)'" }))",
                at: node.place,
                hint: Self.example
            )
            return nil
        }
        let (from, to) = (addresses(map["from"], of: "from"), addresses(map["to"], of: "to"))
        let user: String? = map.read("user")
        if (user == nil) != (map["password"] == nil) {
            problems.add(
                "missing-key",
                "'user' and 'password' go together",
                at: (map["user"] ?? map["password"])?.place
            )
        }
        guard let server = server(map), let needsEncryption = needsEncryption(map["tls"], server), from.count == 1,
            !to.isEmpty
        else {
            if from.count > 1 { problems.add("bad-address", "a mail is from one address", at: map["from"]?.place) }
            return nil
        }
        return Notice.Mail(
            server: server,
            needsEncryption: needsEncryption,
            login: user.flatMap { user in password.map { (user, $0) } },
            from: from[0],
            to: to,
            subject: map.read("subject")
        )
    }

    private func server(_ map: EngineMap) -> WebAddress? {
        guard let node = map["server"] else { return nil }
        if let address = node.text.flatMap(WebAddress.init(mailServer:)) { return address }
        problems.add(
            "bad-address",
            "'server' is no address such as smtp://mail.example.com:587",
            at: node.place,
            hint: "it begins with smtp:// or smtps://, and has neither a user nor a password nor a path"
        )
        return nil
    }

    /// Whether the connection is to be encrypted, which only mail within this machine need not be.
    private func needsEncryption(_ node: OptionNode?, _ server: WebAddress) -> Bool? {
        guard let node else { return true }
        switch node.text {
        case "required": return true
        case "none" where server.isLocal && !server.isEncrypted: return false
        case "none":
            problems.add(
                "open-address",
                "'tls: none' is for a server by smtp:// on this machine, and '\(server.origin)' is none",
                at: node.place,
                hint: "leave it out: the connection then is encrypted by STARTTLS before anything is sent"
            )
        default: problems.add(node.expected("required or none as 'tls'"))
        }
        return nil
    }

    /// Addresses as they stand between < and >. What else a header may hold could carry other headers.
    private func addresses(_ node: OptionNode?, of key: String) -> [String] {
        guard let node else { return [] }
        var found: [String] = []
        for node in node.list ?? [node] {
            guard let text = node.text, Self.isAddress(text) else {
                problems.add(
                    "bad-address",
                    "'\(key)' is no address such as ops@example.com",
                    at: node.place,
                    hint: "write it without a name and without < and >, in ASCII"
                )
                return []
            }
            if !found.contains(text) { found.append(text) }
        }
        if found.isEmpty {
            problems.add(
                "bad-address",
                "'\(key)' names nobody",
                at: node.place,
                hint: "add an address such as ops@example.com"
            )
        }
        if found.count > 100 {
            problems.add(
                "bad-address",
                "'\(key)' names more than 100 addresses",
                at: node.place,
                hint: "write to a list of the mail server"
            )
        }
        return found.count > 100 ? [] : found
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let special = Set("<>()[]\\,;:\"".utf8)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !special.contains($0) }
    }
}

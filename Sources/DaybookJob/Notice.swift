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
            "mail to \(DisplayText.first(1, of: mail.to, isGrouped: true))"
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

/// Reads `notify`: a map with `on` and one or more ways, or a list of such maps.
struct NotifyReader {
    static let keys = ["on", "command", "webhook", "mail", "link", "values"]

    let problems: Problems
    /// Values that no text may show, regardless of the names of their variables.
    private(set) var secrets: [String] = []

    init(problems: Problems) { self.problems = problems }

    /// - Parameter written: the same node before substitution, which shows the origin of a secret.
    mutating func read(_ node: OptionNode, written: OptionNode?) -> [Notice] {
        let (entries, texts) = (node.list ?? [node], written.map { $0.list ?? [$0] } ?? [])
        guard !entries.isEmpty, entries.count <= Notice.mostOfAJob else {
            problems.add(
                entries.isEmpty ? "no-notice" : "too-many-notices",
                entries.isEmpty
                    ? "'notify' names nobody"
                    : "'notify' has \(entries.count) entries, and may have \(Notice.mostOfAJob)",
                at: node.place,
                hint: entries.isEmpty ? "leave the key out" : nil
            )
            return []
        }
        return entries.enumerated().flatMap { index, entry in
            self.entry(entry, written: index < texts.count ? texts[index] : nil)
        }
    }

    private mutating func entry(_ node: OptionNode, written: OptionNode?) -> [Notice] {
        let map = EngineMap(node, keys: Self.keys, of: "notify", problems)
        guard let entries = node.map else { return [] }
        if entries.allSatisfy({ ["on", "link", "values"].contains($0.key) }) {
            problems.add(
                "missing-key",
                "'notify' does not say how somebody is told",
                at: node.place,
                hint: "add 'command: [program, argument]', 'webhook: { url: https://… }' or 'mail:'"
            )
        }
        let events = events(map["on"])
        let words = map["on"].map { $0.list ?? [$0] } ?? []
        let note = words.first { $0.text == Notice.Event.oldWord }.map {
            "\($0.place.line):\($0.place.column): 'held' is called 'passed' now, and both are read"
        }
        let link = problems.value { () throws(DaybookError) in try self.link(map) }
        let showsValues = map.read("values") ?? true
        return entries.compactMap { entry -> Notice? in
            let written = written?.map?.first { $0.key == entry.key }?.value
            guard let way = problems.value({ () throws(DaybookError) in try self.way(entry, written) }) else {
                return nil
            }
            return Notice(
                events: events,
                way: way,
                link: link,
                showsValues: showsValues,
                place: entry.keyPlace,
                note: note
            )
        }
    }

    private func link(_ map: EngineMap) throws(DaybookError) -> NoticeText? {
        guard let node = map["link"], let link: NoticeText = map.read("link") else { return nil }
        if WebAddress(link.text { _ in "x" }) != nil, !link.names(.link) { return link }
        throw DaybookError(
            "bad-address",
            "'link' is no address such as https://reports.example.com/${as_of}.html",
            at: node.place,
            hint: "it begins with https:// or http://, and may have fields of the run, such as {run}"
        )
    }

    /// Way of a key; nil for other keys, and for a way whose problems are added.
    private mutating func way(_ entry: OptionNode.Entry, _ written: OptionNode?) throws(DaybookError) -> Notice.Way? {
        switch entry.key {
        case "command": .command(try command(entry.value))
        case "webhook": try webhook(entry.value, written).map { .webhook($0) }
        case "mail": try mail(entry.value, written).map { .mail($0) }
        default: nil
        }
    }

    // MARK: - Events

    private func events(_ node: OptionNode?) -> [Notice.Event] {
        guard let node else { return Notice.standardEvents }
        let names = Notice.Event.allCases.map(\.rawValue)
        let nodes = node.list ?? [node]
        if nodes.isEmpty {
            problems.add(
                "no-notice",
                "'on' names no run, so nobody would be told",
                at: node.place,
                hint: "leave the key out, or the notice"
            )
        }
        var events: [Notice.Event] = []
        for node in nodes {
            let isOld = node.text == Notice.Event.oldWord
            guard let text = node.text, let event = isOld ? .passed : Notice.Event(rawValue: text) else {
                let words = ["failure": "failed", "error": "failed", "success": "passed", "warning": "warned"]
                let meant = node.text.flatMap { words[$0.lowercased()] }.map { "did you mean '\($0)'?" }
                let hint = meant ?? node.text.flatMap { problems.nearest(to: $0, among: names) }
                problems.add(node.expected("\(DisplayText.list(names, "or")) under 'on'", hint: hint))
                continue
            }
            if !events.contains(event) { events.append(event) }
        }
        return events
    }

    // MARK: - Ways

    private func command(_ node: OptionNode) throws(DaybookError) -> [String] {
        let hint = "write it as 'command: [/usr/local/bin/tell, --urgent]'; no shell reads it"
        guard let nodes = node.list, !nodes.isEmpty else {
            throw node.expected("a program and its arguments as a list", hint: hint)
        }
        let words = try nodes.map { node throws(DaybookError) in
            guard let text = node.text, !text.utf8.contains(0) else {
                throw node.expected("a text as an argument of 'command'")
            }
            return text
        }
        guard !words[0].isEmpty else {
            throw DaybookError("bad-command", "'command' names no program", at: nodes[0].place, hint: hint)
        }
        return words
    }

    private mutating func webhook(
        _ node: OptionNode,
        _ written: OptionNode?
    ) throws(DaybookError) -> Notice.Webhook? {
        let map = EngineMap(node, keys: ["url", "secret", "allow_http", "headers", "body"], of: "webhook", problems)
        guard let entries = node.map else { return nil }
        let secret = secret("secret", in: map, of: entries, written)
        let headers = headers(map["headers"], written?.map?.first { $0.key == "headers" }?.value)
        guard let url = map["url"] else {
            let hint = "write it as 'webhook: { url: https://… }'"
            throw DaybookError("missing-key", "'webhook' names no address", at: node.place, hint: hint)
        }
        // The address is a credential for writing to it, so the excerpt hides its line. An address with only a host is
        // not secret.
        if let text = url.text, WebAddress(text)?.hasPath ?? (text.contains("@") || text.contains("://")) {
            secrets.append(text)
        }
        let mayBeOpen: Bool = map.read("allow_http") ?? false
        guard let text = url.text, let address = WebAddress(text) else {
            // The address may itself be the secret, so the message does not show it.
            throw DaybookError(
                "bad-address",
                "'url' is no address such as https://hooks.example.com/nightly",
                at: url.place,
                hint: "it begins with https://, and names neither a user nor a password"
            )
        }
        guard address.isEncrypted || address.isLocal || mayBeOpen else {
            throw DaybookError(
                "open-address",
                "'url' begins with http://, by which anybody on the way reads the notice",
                at: url.place,
                hint: "write https://, or 'allow_http: true' beside it"
            )
        }
        if let body = map["body"], body.map == nil {
            throw body.expected("a map as 'body', such as '{ text: \"{summary}\" }'")
        }
        return Notice.Webhook(url: address, secret: secret, headers: headers, body: map.read("body"))
    }

    /// Headers of requests. Their values are secrets if their names or those of their variables are.
    private mutating func headers(_ node: OptionNode?, _ written: OptionNode?) -> [NoticeHeader] {
        let entries = problems.entries(of: node, expecting: "a map of headers, such as '{ X-Team: data }'")
        guard let node, !entries.isEmpty else { return [] }
        let map = EngineMap(node, keys: entries.map(\.key), of: "headers", problems)
        return entries.compactMap { entry -> NoticeHeader? in
            let name = entry.key.lowercased()
            let isSecret = name == "authorization" || name == "cookie" || SecretName.speaks(entry.key)
            let value: String? =
                isSecret ? secret(entry.key, in: map, of: entries, written) : map.read(entry.key)
            return value.flatMap { value in
                problems.value { () throws(DaybookError) in try NoticeHeader(entry, value) }
            }
        }
    }

    /// Secret under `key`, which must come from a variable or a param.
    mutating func secret(
        _ key: String,
        in map: EngineMap,
        of entries: [OptionNode.Entry],
        _ written: OptionNode?
    ) -> String? {
        guard let entry = entries.first(where: { $0.key == key }) else { return nil }
        guard let text: String = map.read(key) else { return nil }
        if text.count >= SecretMask.leastLength { secrets.append(text) }
        let template = written?.map?.first { $0.key == key }?.value.text.flatMap { Template($0) }
        let isFilledIn = template?.pieces.contains { if case .reference = $0 { true } else { false } } ?? false
        return problems.value(at: entry.value.place) { () throws(DaybookError) in
            guard isFilledIn else {
                throw DaybookError(
                    "literal-secret",
                    "'\(key)' stands in the job, where everybody reads it who reads the job",
                    hint: "write '\(key): \"${env:NAME}\"', and set the variable where the run is started"
                )
            }
            guard text.count >= SecretMask.leastLength else {
                let hint = "a secret has at least \(SecretMask.leastLength) characters"
                throw DaybookError("short-secret", "'\(key)' is too short to be hidden", hint: hint)
            }
            return text
        }
    }

    // MARK: - Mail

    private mutating func mail(_ node: OptionNode, _ written: OptionNode?) throws(DaybookError) -> Notice.Mail? {
        let keys = ["server", "user", "password", "from", "to", "subject", "tls"]
        let map = EngineMap(node, keys: keys, of: "mail", problems)
        guard let entries = node.map else { return nil }
        let password = secret("password", in: map, of: entries, written)
        let missing = ["server", "from", "to"].filter { map[$0] == nil }
        guard missing.isEmpty else {
            throw DaybookError(
                "missing-key",
                "'mail' has no \(DisplayText.list(missing.map { "'\($0)'" }))",
                at: node.place,
                hint: "write it as 'mail: { server: \"smtp://mail.example.com:587\", from: …, to: [ops@example.com] }'"
            )
        }
        let (from, to) = (addresses(map, of: "from"), addresses(map, of: "to"))
        let user: String? = map.read("user")
        if (user == nil) != (map["password"] == nil) {
            let place = (map["user"] ?? map["password"])?.place
            problems.add("missing-key", "'user' and 'password' go together", at: place)
        }
        if from.count > 1 { problems.add("bad-address", "a mail is from one address", at: map["from"]?.place) }
        guard let server = try server(map), let needsEncryption = needsEncryption(map["tls"], server), from.count == 1,
            !to.isEmpty
        else { return nil }
        return Notice.Mail(
            server: server,
            needsEncryption: needsEncryption,
            login: user.flatMap { user in password.map { (user, $0) } },
            from: from[0],
            to: to,
            subject: map.read("subject")
        )
    }

    private func server(_ map: EngineMap) throws(DaybookError) -> WebAddress? {
        guard let node = map["server"] else { return nil }
        if let address = node.text.flatMap(WebAddress.init(mailServer:)) { return address }
        throw DaybookError(
            "bad-address",
            "'server' is no address such as smtp://mail.example.com:587",
            at: node.place,
            hint: "it begins with smtp:// or smtps://, and has neither a user nor a password nor a path"
        )
    }

    /// Whether the connection must be encrypted; only mail within this machine may be unencrypted.
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

    /// Mail addresses without their angle brackets. Other header text could inject further headers.
    private func addresses(_ map: EngineMap, of key: String) -> [String] {
        guard let node = map[key] else { return [] }
        func refuse(_ what: String, at place: SourcePlace, hint: String) -> [String] {
            problems.add("bad-address", "'\(key)' \(what)", at: place, hint: hint)
            return []
        }
        var found: [String] = []
        for node in node.list ?? [node] {
            guard let text = node.text, Self.isAddress(text) else {
                let hint = "write it without a name and without < and >, in ASCII"
                return refuse("is no address such as ops@example.com", at: node.place, hint: hint)
            }
            if !found.contains(text) { found.append(text) }
        }
        if found.isEmpty {
            return refuse("names nobody", at: node.place, hint: "add an address such as ops@example.com")
        }
        if found.count > 100 {
            return refuse("names more than 100 addresses", at: node.place, hint: "write to a list of the mail server")
        }
        return found
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        let special = Set("<>()[]\\,;:\"".utf8)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254
            && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !special.contains($0) }
    }
}

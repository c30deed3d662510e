/// Facts of a run that texts of notices may name.
public enum NoticeField: String, Sendable, CaseIterable {
    case job, run, outcome, events, summary, link, rejected
    case jobFile = "job_file"
    case exitCode = "exit_code"
    case asOf = "as_of"
    case rowsRead = "rows_read"
    case rulesFailed = "rules_failed"
}

/// A text of a notice with fields such as `{outcome}`, which each run fills in; `{{` and `}}` are braces.
///
/// `${…}` belongs to the params of a job, so the fields of a run have braces alone.
public struct NoticeText: OptionValue, Hashable {
    enum Piece: Hashable {
        case text(String)
        case field(NoticeField)
    }

    private let pieces: [Piece]
    public let written: String

    public static var kind: OptionKind { .text }
    public static var placeholder: NoticeText { NoticeText(pieces: [], written: "") }

    private init(pieces: [Piece], written: String) { (self.pieces, self.written) = (pieces, written) }

    public init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else {
            // Outside of quotes YAML reads braces as a map.
            let name = node.map?.first.flatMap { $0.value.text == nil ? $0.key : nil }
            throw node.expected("a text", hint: name.map { "put it in quotes: \"{\($0)}\"" })
        }
        let names = NoticeField.allCases.map(\.rawValue).sorted()
        var pieces: [Piece] = []
        var literal = ""
        var rest = text[...]
        while let next = rest.popFirst() {
            guard next == "{" || next == "}" else {
                literal.append(next)
                continue
            }
            if rest.first == next {
                literal.append(rest.removeFirst())
                continue
            }
            guard next == "{", let end = rest.firstIndex(of: "}") else {
                throw DaybookError(
                    "bad-field",
                    next == "{" ? "the '{' is never closed" : "the '}' closes nothing",
                    at: node.place,
                    hint: "write '\(next)\(next)' for the brace itself"
                )
            }
            let name = String(rest[..<end])
            guard let field = NoticeField(rawValue: name) else {
                throw DaybookError(
                    "bad-field",
                    "a run has no field '\(name)'",
                    at: node.place,
                    hint: NearestName.hint(for: name, among: names) ?? "the fields are \(names.joined(separator: ", "))"
                )
            }
            if !literal.isEmpty { pieces.append(.text(literal)) }
            literal = ""
            pieces.append(.field(field))
            rest = rest[rest.index(after: end)...]
        }
        if !literal.isEmpty { pieces.append(.text(literal)) }
        self.init(pieces: pieces, written: text)
    }

    /// Whether the text names a field.
    public func names(_ field: NoticeField) -> Bool { pieces.contains(.field(field)) }

    /// The text with its fields filled in.
    public func text(_ value: (NoticeField) -> String) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .field(let field): value(field)
            }
        }.joined()
    }
}

/// The body of a request as its receiver needs it: maps and lists of JSON, whose texts may have fields.
public indirect enum NoticeBody: OptionValue {
    case text(NoticeText)
    case integer(Int)
    case decimal(Double)
    case flag(Bool)
    case nothing
    case list([NoticeBody])
    case map([(key: String, value: NoticeBody)])

    public static var kind: OptionKind { .map(of: .text) }
    public static var placeholder: NoticeBody { .nothing }

    public init(reading node: OptionNode) throws(DaybookError) {
        switch node.content {
        case .nothing: self = .nothing
        case .text:
            if let number = try? Int(reading: node) {
                self = .integer(number)
            } else if node.plainText?.contains(/^-?(0|[1-9][0-9]*)\.[0-9]+$/) == true,
                let number = try? Double(reading: node)
            {
                self = .decimal(number)
            } else if let flag = try? Bool(reading: node) {
                self = .flag(flag)
            } else {
                self = .text(try NoticeText(reading: node))
            }
        case .list(let items):
            self = .list(try items.map { (item) throws(DaybookError) in try NoticeBody(reading: item) })
        case .map(let entries):
            if let only = entries.first, entries.count == 1, case .nothing = only.value.content,
                NoticeField(rawValue: only.key) != nil
            {
                throw node.expected("a text", hint: "put it in quotes: \"{\(only.key)}\"")
            }
            self = .map(
                try entries.map { (entry) throws(DaybookError) in
                    (entry.key, try NoticeBody(reading: entry.value))
                }
            )
        }
    }

    public var written: String { "{ … }" }
}

/// A header of a request.
public struct NoticeHeader: Sendable {
    public let name: String
    public let value: String

    /// Headers that the request sets itself.
    private static let own = ["content-type", "content-length", "transfer-encoding", "host", "expect", "connection"]

    /// Refuses names and values that HTTP has no place for, and headers that the request sets itself.
    package init(_ entry: OptionNode.Entry, _ value: String) throws(DaybookError) {
        let special = Set("!#$%&'*+-.^_`|~".utf8)
        let isName = entry.key.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || special.contains(byte)
        }
        guard !entry.key.isEmpty, isName else {
            throw DaybookError("bad-http-header", "'\(entry.key)' is no name of a header", at: entry.keyPlace)
        }
        let name = entry.key.lowercased()
        guard !NoticeHeader.own.contains(name), !name.hasPrefix("x-daybook-") else {
            throw DaybookError("bad-http-header", "the request sets '\(entry.key)' itself", at: entry.keyPlace)
        }
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            // The value may be a secret, so the message does not show it.
            throw DaybookError(
                "bad-http-header",
                "the value of '\(entry.key)' is no line of ASCII characters",
                at: entry.value.place
            )
        }
        (self.name, self.value) = (entry.key, value)
    }
}

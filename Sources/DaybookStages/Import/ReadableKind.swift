/// Some of the kinds of columns: those that a stage makes of what it reads. Options offer no others.
protocol ReadableKind: OptionChoice {
    /// What to do where another kind is asked for.
    static func hint(insteadOf other: ColumnKind) -> String?
}

extension ReadableKind {
    static var otherWords: [String: String] { ColumnKind.otherWords.filter { Self(rawValue: $0.value) != nil } }

    var columnKind: ColumnKind {
        guard let kind = ColumnKind(rawValue: rawValue) else {
            preconditionFailure("'\(rawValue)' is offered, which is no kind of column")
        }
        return kind
    }

    init(reading node: OptionNode) throws(DaybookError) {
        guard let text = node.text else { throw node.expected(Self.kind.spoken) }
        guard let kind = Self(rawValue: text) else {
            let word = text.lowercased()
            let other = ColumnKind(rawValue: ColumnKind.otherWords[word] ?? word).flatMap(Self.hint)
            let meant = Self.otherWords[word].map { "did you mean '\($0)'?" }
            let names = Self.allCases.map(\.rawValue)
            throw node.expected(Self.kind.spoken, hint: other ?? meant ?? NearestName.hint(for: text, among: names))
        }
        self = kind
    }
}

/// What the cells of a text file are read as.
enum CellKind: String, ReadableKind {
    case text, integer, decimal, flag, day

    static func hint(insteadOf other: ColumnKind) -> String? {
        switch other {
        case .instant: "read it as text and put normalise_dates behind"
        case .json: "read it as text; a cell of such a file is no JSON value"
        default: nil
        }
    }
}

/// What values of JSON are read as.
enum JSONValueKind: String, ReadableKind {
    case text, integer, decimal, flag, day, json

    static func hint(insteadOf other: ColumnKind) -> String? {
        other == .instant ? "read it as text and put normalise_dates behind" : nil
    }
}

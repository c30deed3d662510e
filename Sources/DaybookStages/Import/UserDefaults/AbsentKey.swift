/// What is read in the place of a key that is not there: an app that has saved nothing has no key, and yet shows something.
enum AbsentKey: OptionValue {
    /// The run ends: a key that is not there is mostly a typing mistake.
    case error
    /// No rows.
    case empty
    /// What such a store stands for, as JSON text.
    case records(String)

    private static let words = ["error", "empty"]

    static var kind: OptionKind { .either([.choice(words), .text]) }
    static var placeholder: AbsentKey { .error }

    init(reading node: OptionNode) throws(DaybookError) {
        let expected = "error, empty, or the JSON text of records"
        guard let text = node.text else {
            let isYAML = node.list != nil || node.map != nil
            throw node.expected(expected, hint: isYAML ? "put the JSON in quotes: '[{\"count\": 0}]'" : nil)
        }
        switch text {
        case "error": self = .error
        case "empty": self = .empty
        default:
            let bytes = Bytes(text)
            defer { withExtendedLifetime(bytes) {} }
            guard StoredValueReader.container(bytes.filled) != nil else {
                throw node.expected(expected, hint: NearestName.hint(for: text, among: AbsentKey.words))
            }
            try AbsentKey.check(bytes, at: node.place)
            self = .records(text)
        }
    }

    private static func check(_ text: Bytes, at place: SourcePlace) throws(DaybookError) {
        var cursor = JSONCursor(text.base, to: text.count)
        guard !cursor.skipValue() || !cursor.finish(), let fault = cursor.fault else { return }
        let before = text.filled[..<min(cursor.faultAt, text.count)].count { $0 & 0xC0 != 0x80 }
        throw DaybookError("not-json", "at character \(before + 1) of the JSON text: \(fault.message)", at: place)
    }

    var written: String {
        switch self {
        case .error: "error"
        case .empty: "empty"
        case .records(let text): text.written
        }
    }

    /// What stands in for the key; nil where its absence is an error.
    func text(for key: String, nearest: String?) -> (text: ContainedText, words: String)? {
        let text: String
        let spoken: String
        switch self {
        case .error: return nil
        case .empty: (text, spoken) = ("[]", "no rows are read")
        case .records(let records): (text, spoken) = (records, "the records of 'absent' are read")
        }
        let meant = nearest.map { "; did you mean '\($0)'?" } ?? ""
        let warning = Finding.Kind(
            "absent-key",
            "nothing stands under the key '\(key)', so \(spoken)\(meant)",
            severity: .warning
        )
        let holder = TextHolder(pointer: "/" + JSONPointer.escaped(key))
        return (ContainedText(Bytes(text), in: holder, warnings: [warning]), "nothing, so \(spoken)")
    }
}

/// What `cast_columns` can make of a column.
enum CastTarget: String, ReadableKind {
    case text, integer, decimal, flag, day

    static func hint(insteadOf other: ColumnKind) -> String? {
        other == .instant ? "normalise_dates makes instants: 'to: instant'" : nil
    }
}

/// What is written for true, and what for false.
struct FlagSpellings: OptionValue {
    let yes: [String]
    let no: [String]
    private let lookup: TextLookup

    static let plain = FlagSpellings(yes: ["true"], no: ["false"])
    static var kind: OptionKind {
        .object([
            OptionSpec(key: "true", kind: .list(of: .text), help: "What is written for true.", isRequired: true),
            OptionSpec(key: "false", kind: .list(of: .text), help: "What is written for false.", isRequired: true),
        ])
    }
    static var placeholder: FlagSpellings { plain }
    var written: String { "{ true: \(yes.written), false: \(no.written) }" }

    private init(yes: [String], no: [String]) {
        self.yes = yes
        self.no = no
        lookup = TextLookup(yes + no, values: yes.map { _ in 1 } + no.map { _ in 0 })
    }

    init(reading node: OptionNode) throws(DaybookError) {
        let shape = "write { true: [yes, 1], false: [no, 0] }"
        guard let map = node.map else { throw node.expected("a map of true and false", hint: shape) }
        var words: [String: [String]] = [:]
        for entry in map {
            guard entry.key == "true" || entry.key == "false" else {
                throw DaybookError(
                    "unknown-option",
                    "a flag is true or false, not '\(entry.key)'",
                    at: entry.keyPlace,
                    hint: shape
                )
            }
            words[entry.key] = try [String](reading: entry.value)
        }
        guard let yes = words["true"], let no = words["false"], !yes.isEmpty, !no.isEmpty else {
            throw DaybookError("missing-option", "both true and false have to be spelt", at: node.place, hint: shape)
        }
        var seen: Set<String> = []
        for word in yes + no where !seen.insert(word).inserted {
            throw DaybookError("bad-option", "'\(word)' stands there twice", at: node.place)
        }
        self.init(yes: yes, no: no)
    }

    /// 1 for true, 0 for false, -1 for neither. The cell must lie in a `Bytes`.
    func find(_ cell: Cell) -> Int { lookup.find(cell) }
}

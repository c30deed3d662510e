/// How far the files that a job reads may be from earlier ones, as the key `diff` of a job says.
public struct DiffGate: Sendable {
    /// A branch, tag or commit, or a path from the job file; nil for what the command line names.
    public var against: PathText?
    /// Columns by which a row is known in both; empty for those that are found.
    public var keys: [String]
    public var limits: [(limit: DiffLimit, place: SourcePlace?)]
    public var place: SourcePlace?
}

extension DiffGate {
    static let keys = ["against", "key", "fail_on", "append_only"]

    /// Reads `{ against, key, fail_on, append_only }` and reports its problems.
    init(reading node: OptionNode, _ problems: Problems) {
        let map = EngineMap(node, keys: DiffGate.keys, of: "diff", problems)
        against = map.read("against")
        keys = DiffGate.texts(map["key"], problems).map(\.text)
        place = node.place
        limits = []
        for (text, place) in DiffGate.texts(map["fail_on"], problems) {
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                do throws(DaybookError) { limits.append((try DiffLimit(String(part), in: "fail_on"), place)) } catch {
                    problems.add("bad-option", error.message, at: place, hint: error.hint)
                }
            }
        }
        let appends: Bool? = map.read("append_only")
        if appends == true { limits.append((.appendOnly, map["append_only"]?.place)) }
        for (index, key) in keys.enumerated() where keys[..<index].contains(key) {
            problems.add("bad-option", "'key' names '\(key)' twice", at: map["key"]?.place)
        }
        // A limit that cannot be read has a problem of its own.
        guard limits.isEmpty, node.map != nil, map["fail_on"]?.list?.isEmpty ?? (map["fail_on"] == nil) else { return }
        let hint = "write 'fail_on: [columns-gone, \"rows-removed>1%\"]' or 'append_only: true'"
        problems.add("missing-key", "'diff' names no limit", at: node.place, hint: hint)
    }

    /// The texts of a list, or a single one.
    private static func texts(_ node: OptionNode?, _ problems: Problems) -> [(text: String, place: SourcePlace?)] {
        (node.map { $0.list ?? [$0] } ?? []).compactMap { node in
            guard let text = node.text, !text.isEmpty else {
                problems.add(node.expected("a text, or a list of them"))
                return nil
            }
            return (text, node.place)
        }
    }
}

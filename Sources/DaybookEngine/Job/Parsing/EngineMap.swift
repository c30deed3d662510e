/// A map whose keys the engine knows, such as a job or a param.
struct EngineMap {
    private let entries: [OptionNode.Entry]
    private let problems: Problems

    /// Notes every key that is not among `keys`, and a value that is no map.
    init(_ node: OptionNode, keys: [String], of owner: String, _ problems: Problems) {
        self.problems = problems
        guard let entries = node.map else {
            problems.add(node.expected("a map with the keys \(keys.joined(separator: ", "))"))
            self.entries = []
            return
        }
        self.entries = entries
        for entry in entries where !keys.contains(entry.key) {
            problems.add(
                "unknown-key",
                "\(owner) has no key \(entry.key.quotedForMessage)",
                at: entry.keyPlace,
                hint: ["schedule", "cron", "every", "interval"].contains(entry.key) && keys.contains("stages")
                    ? "cron, systemd and others start a job; docs/guides/nightly.md shows how"
                    : problems.hint(for: entry.key, among: keys, listing: "its keys are")
            )
        }
    }

    subscript(key: String) -> OptionNode? { entries.first { $0.key == key }?.value }

    /// The value of `key` read as an option value; nil where it is missing, or wrong and noted.
    func read<Value: OptionValue>(_ key: String) -> Value? {
        guard let node = self[key] else { return nil }
        do {
            return try Value(reading: node)
        } catch {
            var problem = error.located(at: node.place)
            problem.message = "'\(key)': \(problem.message)"
            problems.add(problem)
            return nil
        }
    }
}

extension RejectPolicy {
    /// Reads `{ path, allow }`, and notes what is wrong with it.
    package init(reading node: OptionNode, _ problems: Problems) {
        let map = EngineMap(node, keys: ["path", "allow"], of: "rejects", problems)
        path = map.read("path")
        if let path, let problem = OutputName.problem(path.text, "a reject file", at: path.place) {
            problems.add(problem)
        }
        allow = map.read("allow")
        place = node.place
    }
}

/// Reads the entries under `tests`. `TestChecks` verifies their stages and rows.
package struct TestListReader {
    package let problems: Problems

    package static let keys = ["name", "as_of", "set", "given", "expect", "findings", "rules", "gate"]
    /// Key under `expect` for outputs.
    package static let exportsKey = "exports"
    package static let limit = 1_000

    package func read(_ node: OptionNode) -> [JobTest] {
        if case .nothing = node.content { return [] }
        guard let items = node.list else {
            problems.add(node.expected("a list of tests", hint: "begin each test with '- name: …'"))
            return []
        }
        guard items.count <= Self.limit else {
            let message = "the job has \(items.count) tests, and may have \(Self.limit)"
            problems.add("too-many-tests", message, at: items[Self.limit].place)
            return []
        }
        var tests: [JobTest] = []
        var lines: [String: Int] = [:]
        for item in items {
            guard let test = test(item) else { continue }
            if let line = lines[test.name] {
                problems.add(
                    "duplicate-test",
                    "a second test has the name \(test.name.quotedForMessage)",
                    at: test.place,
                    hint: "the first is in line \(line)"
                )
            }
            lines[test.name] = test.place.line
            tests.append(test)
        }
        return tests
    }

    private func test(_ node: OptionNode) -> JobTest? {
        let map = EngineMap(node, keys: Self.keys, of: "a test", problems)
        guard node.map != nil else { return nil }
        guard let named = map["name"] else {
            let hint = "begin it with '- name: …', which says what holds"
            problems.add("missing-key", "this test has no name", at: node.place, hint: hint)
            return nil
        }
        guard let name = named.lineOfText else {
            problems.add(named.expected("a sentence of one line as the name of a test"))
            return nil
        }
        var test = JobTest(name: name, place: named.place)
        if map["as_of"]?.text == "today" {
            problems.add(
                "bad-option",
                "a test that takes 'today' for 'as_of' would give another result every day",
                at: map["as_of"]?.place,
                hint: "give it a date such as 2026-11-21"
            )
        } else {
            test.asOf = map.read("as_of")
        }
        test.settings = settings(map["set"])
        test.given = rows(map["given"], of: "given")
        test.expected = rows(map["expect"], of: "expect")
        test.exports = exports(map["expect"]?.map?.first { $0.key == Self.exportsKey }?.value)
        (test.findings, test.rules, test.gate) = (map["findings"], map["rules"], gate(map["gate"]))
        if ["expect", "findings", "rules", "gate"].allSatisfy({ map[$0] == nil }) {
            problems.add(
                "missing-key",
                "this test expects nothing",
                at: named.place,
                hint: "add 'expect:' with the id of a stage and its rows, or 'findings:', 'rules:' or 'gate: passes'"
            )
        }
        return test
    }

    private func settings(_ node: OptionNode?) -> [ParamSetting] {
        let expected = "a map of params and their values, such as '{ diary: other.csv }'"
        return problems.entries(of: node, expecting: expected).compactMap { entry in
            if let text = entry.value.text { return ParamSetting(name: entry.key, value: text) }
            problems.add(entry.value.expected("a text as the value of a param"))
            return nil
        }
    }

    private func rows(_ node: OptionNode?, of key: String) -> [JobTest.Rows] {
        let entries = problems.entries(of: node, expecting: "a map from ids of stages to rows as '\(key)'")
        if key == "expect", node?.map?.isEmpty == true {
            problems.add("empty-expect", "'expect' names no stage", at: node?.place)
        }
        return entries.filter { key != "expect" || $0.key != Self.exportsKey }.compactMap { entry in
            let parts = entry.key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count < 2 || parts[1] == "rejects" else {
                problems.add(
                    "unknown-output",
                    "a stage has no output \(String(parts[1]).quotedForMessage)",
                    at: entry.keyPlace,
                    hint: "'clean' is what a stage of that id passes on, 'clean.rejects' what it rejects"
                )
                return nil
            }
            let port: StageReference.Port = parts.count == 2 ? .rejects : .rows
            let stage = StageReference(id: String(parts[0]), port: port, place: entry.keyPlace)
            return JobTest.Rows(stage: stage, node: entry.value)
        }
    }

    private func exports(_ node: OptionNode?) -> [JobTest.Export] {
        guard let node else { return [] }
        guard let entries = node.map, !entries.isEmpty else {
            problems.add(node.expected("a map from paths of outputs to rows as '\(Self.exportsKey)'"))
            return []
        }
        return entries.flatMap { entry -> [JobTest.Export] in
            guard let parts = entry.value.map else {
                return [JobTest.Export(path: entry.key, place: entry.keyPlace, node: entry.value)]
            }
            return parts.map { JobTest.Export(path: entry.key, part: $0.key, place: $0.keyPlace, node: $0.value) }
        }
    }

    private func gate(_ node: OptionNode?) -> (passes: Bool, place: SourcePlace)? {
        guard let node else { return nil }
        if let passes = ["passes": true, "fails": false][node.text ?? ""] { return (passes, node.place) }
        problems.add(node.expected("'passes' or 'fails' as the gate"))
        return nil
    }
}

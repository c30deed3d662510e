import DaybookEngine

/// The report for whatever shows test results: a test case for every rule, every kind of finding and every gate.
///
/// The form is that of JUnit as CI services read it, a file of XML: `testsuites`, `testsuite`, `testcase`, `failure`.
public struct JUnitReporter: Reporter {
    public static let name = "junit"
    public static let summary = "JUnit XML with a test case for each rule, for test reports of CI services."
    public static let logForm = LogText.Form.markup

    /// How many places a failure names; more only make a page slow that nobody scrolls.
    private static let placeLimit = 100

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String { report([run]) }

    public func report(_ runs: [RunReport]) -> String {
        let cases = runs.map(cases)
        let time = Manifest.seconds(runs.reduce(0) { $0 + $1.nanoseconds })
        var suites = XMLElement("testsuites", ["name": "Daybook", "time": time])
        for (name, count) in JUnitReporter.counts(cases.flatMap(\.self)) { suites.attributes[name] = String(count) }
        suites.children = zip(runs, cases).map(suite)
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(suites.lines().joined(separator: "\n"))\n"
    }

    private static func counts(_ cases: [JUnitCase]) -> [String: Int] {
        [
            "tests": cases.count, "failures": cases.count { $0.failure != nil && !$0.isError },
            "errors": cases.count { $0.isError }, "skipped": cases.count { $0.skipped != nil },
        ]
    }

    private func suite(_ run: RunReport, _ cases: [JUnitCase]) -> XMLElement {
        var suite = XMLElement("testsuite", ["name": run.job, "time": Manifest.seconds(run.nanoseconds)])
        for (name, count) in JUnitReporter.counts(cases) { suite.attributes[name] = String(count) }
        // Without a zone, as the schema of JUnit asks; it is UTC.
        suite.attributes["timestamp"] = String(Instant.text(run.started).prefix(19))
        suite.children = [properties(run)] + cases.map { $0.element(of: run) }
        return suite
    }

    private func properties(_ run: RunReport) -> XMLElement {
        var properties = XMLElement("properties")
        var values = [("daybook_version", DaybookVersion.text), ("job_file", run.shownJobFile)]
        if let day = run.asOf { values.append(("as_of", day.description)) }
        values.append(("exit_code", String(run.exitCode)))
        properties.children = values.map { XMLElement("property", ["name": $0, "value": $1]) }
        return properties
    }

    private func cases(_ run: RunReport) -> [JUnitCase] {
        let rules = ReportRules(run)
        let entries = ReportEntries.all(in: run, rules)
        var cases = entries.filter(\.isError).map(JUnitCase.init)
        // What did not come to its gates has nothing to say of them.
        for gate in run.outcome.gates { cases.append(JUnitCase(gate, run)) }
        var places = [[String]](repeating: [], count: rules.all.count)
        for entry in entries {
            guard case .finding(let finding) = entry.kind, let index = rules.index(of: finding),
                places[index].count < JUnitReporter.placeLimit
            else { continue }
            places[index].append("\(entry.shown): \(run.mask.masking(finding.sentence))".shortened(to: 600))
        }
        for (rule, places) in zip(rules.all, places) { cases.append(JUnitCase(rule, places, of: run)) }
        return cases
    }
}

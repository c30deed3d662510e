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

/// A test case of a JUnit report: what was asked, and what is wrong.
struct JUnitCase {
    private var name: String
    private var stage: String?
    private var place: SourcePlace?
    /// Whether the run could not do its work, rather than that the data did not pass.
    private(set) var isError = false
    /// Why nobody asked; nil where somebody did.
    private(set) var skipped: String?
    /// The type, the sentence and the lines of a failure; nil when the case passed.
    private(set) var failure: (type: String, message: String, lines: [String])?
    /// What a case that passed has to say all the same.
    private var output: [String] = []

    init(_ entry: ReportEntry) {
        name = entry.rule
        isError = true
        let hint = entry.hint.map { ["hint: \($0)"] } ?? []
        failure = (entry.rule, entry.message, ["\(entry.shown): \(entry.message)"] + hint)
    }

    init(_ gate: RunOutcome.Gate, _ run: RunReport) {
        name = "gate"
        stage = (gate.stage ?? gate.source).map(run.mask.masking)
        place = run.policyPlace(of: gate.stage)
        let story = GateText.story(gate, run.mask)
        if !gate.passed {
            failure = (ReportRules.gate, "gate failed for \(story)", [])
        } else if gate.rejected > 0 {
            output = ["gate passed for \(story)"]
        }
    }

    init(_ rule: ReportRule, _ places: [String], of run: RunReport) {
        name = rule.name
        stage = rule.stage
        place = rule.place
        let rest = rule.new - places.count
        let lines = places + (rest > 0 && !places.isEmpty ? ["… and \(DisplayText.count(rest)) more"] : [])
        if rule.verdict == .unjudged {
            // Where something is wrong, a rule that was not judged must not look like one that passed.
            isError = !run.outcome.errors.isEmpty
            if isError { failure = (rule.type ?? rule.name, rule.message, []) } else { skipped = rule.message }
        } else if rule.verdict == .failed {
            failure = (rule.type ?? rule.name, rule.message, lines)
        } else if rule.failing > 0 {
            output = [rule.message] + lines
        }
    }

    func element(of run: RunReport) -> XMLElement {
        let className = stage.map { "\(run.job)/\($0)" } ?? run.job
        var element = XMLElement("testcase", ["name": name, "classname": className, "time": "0.000"])
        if let place, run.jobFile != "-" {
            element.attributes["file"] = run.repositoryPath(of: place.file)
            element.attributes["line"] = String(place.line)
        }
        if let failure {
            let attributes = ["type": failure.type, "message": failure.message.shortened(to: 600)]
            let lines = failure.lines.joined(separator: "\n")
            element.children.append(XMLElement(isError ? "error" : "failure", attributes, text: lines))
        }
        if let skipped { element.children.append(XMLElement("skipped", ["message": skipped.shortened(to: 600)])) }
        if !output.isEmpty {
            element.children.append(XMLElement("system-out", text: output.joined(separator: "\n")))
        }
        return element
    }
}

/// An element of an XML 1.0 document, with everything escaped that XML would take for its own or does not allow.
struct XMLElement {
    var name: String
    var attributes: [String: String]
    var children: [XMLElement] = []
    var text: String

    init(_ name: String, _ attributes: [String: String] = [:], text: String = "") {
        (self.name, self.attributes, self.text) = (name, attributes, text)
    }

    /// The lines of the element, its attributes in one order at every run.
    func lines(indent: String = "") -> [String] {
        let attributes = attributes.sorted { XMLElement.rank($0.key) < XMLElement.rank($1.key) }
            .map { " \($0.key)=\"\(XMLElement.escaped($0.value, isAttribute: true))\"" }.joined()
        let start = "\(indent)<\(name)\(attributes)"
        if children.isEmpty { return [text.isEmpty ? "\(start)/>" : "\(start)>\(XMLElement.escaped(text))</\(name)>"] }
        return ["\(start)>"] + children.flatMap { $0.lines(indent: indent + "  ") } + ["\(indent)</\(name)>"]
    }

    /// The name of a thing first, since a reader looks for it there.
    private static func rank(_ key: String) -> (Int, String) { (key == "name" ? 0 : 1, key) }

    /// Text between tags or in a quoted attribute. Line ends of all kinds become one line feed.
    static func escaped(_ text: String, isAttribute: Bool = false) -> String {
        var result = ""
        var wasReturn = false
        for scalar in text.unicodeScalars {
            defer { wasReturn = scalar == "\r" }
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            // Not only for its own sake: `]]>` may stand in no text.
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n" where wasReturn: break
            // A reader makes a blank of a line end in an attribute, unless it is written so.
            case "\n", "\r": result += isAttribute ? "&#10;" : "\n"
            case "\t": result += isAttribute ? "&#9;" : "\t"
            default: result.unicodeScalars.append(allowed(scalar))
            }
        }
        return result
    }

    /// The scalar, or what is shown for one that XML 1.0 forbids or that steers a terminal.
    private static func allowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let isNoncharacter = scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
        return isNoncharacter ? "\u{FFFD}" : PrintableText.of(scalar)
    }
}

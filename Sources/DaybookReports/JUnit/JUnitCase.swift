import DaybookEngine

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
        let lines = places + (rest > 0 && !places.isEmpty ? ["… and \(Spoken.count(rest)) more"] : [])
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
            var child = XMLElement(isError ? "error" : "failure", ["type": failure.type])
            child.attributes["message"] = failure.message.shortened(to: 600)
            child.text = failure.lines.joined(separator: "\n")
            element.children.append(child)
        }
        if let skipped { element.children.append(XMLElement("skipped", ["message": skipped.shortened(to: 600)])) }
        if !output.isEmpty {
            var child = XMLElement("system-out")
            child.text = output.joined(separator: "\n")
            element.children.append(child)
        }
        return element
    }
}

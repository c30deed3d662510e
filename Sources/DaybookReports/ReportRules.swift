import DaybookEngine

/// What the rows of a run were held against, and what came of it: a rule of the job, or a kind of finding of a stage.
struct ReportRule {
    /// Unique in the report, and the same in every run of the same job.
    var id: String
    /// The id that the job gives it, or the code of the finding.
    var name: String
    var stage: String
    /// The type of a rule, such as `not_missing`; nil for a kind of finding.
    var type: String?
    /// What the job runs as that stage, and what that does; nil where no plan is known.
    var stageType: (name: String, summary: String)?
    var columns: [String] = []
    /// For a rule: the rows that it is about, and its limits: `rows that have no value in 'emotion'`.
    var asks: String?
    /// What is expected of the rows, and how much of the contrary is let pass: `fails at > 1%`.
    var expected = ""
    var limits = ""
    /// What a rule about all rows together measured: `number of rows: 4,183`.
    var measured: String?
    /// Whether it judges all rows together, so that there is no share of them that passed.
    var isOfTable = false
    /// Where the job asks for it.
    var place: SourcePlace?
    /// How many rows it looked at, where it was counted.
    var rows: Int?
    /// How many were found wanting.
    var failing: Int
    /// How many of these the baseline knows; nobody is told of them.
    var known = 0
    /// How many of these stand in the report.
    var shown = 0
    var severity: Finding.Severity
    var verdict: Verdict
    /// What it came to, in one sentence.
    var message: String

    /// How many are to be told.
    var new: Int { max(failing - known, shown) }

    /// How many are to be told, and do not stand in the report.
    var untold: Int { new - shown }

    /// Whether the job tolerates all of it, by limits that it gives its rule.
    var isTolerated: Bool { severity == .note }

    /// Whether it has to be told by itself, since nothing else in the report tells of it.
    ///
    /// Why a rule was not judged is told by the error that kept it from that.
    var needsEntry: Bool { type != nil && (verdict == .failed || verdict == .warned) && shown == 0 }
}

/// The rules of a run in the order of the job, those that passed too.
struct ReportRules {
    /// The rule that stands for all gates.
    static let gate = "gate-failed"

    private struct Key: Hashable {
        var stage: String
        var name: String
        var isKind: Bool
    }

    private(set) var all: [ReportRule] = []
    private var places: [Key: Int] = [:]
    private let mask: SecretMask

    init(_ run: RunReport) {
        mask = run.mask
        for outcome in run.outcome.rules { add(ReportRule(outcome, run), isKind: false) }
        for tally in run.outcome.tallies where tally.rule == nil { count(tally, run) }
        for finding in run.outcome.findings {
            // A finding whose kind was not counted: nothing is left out for that.
            if places[key(of: finding)] == nil { add(ReportRule(finding, run), isKind: finding.rule == nil) }
            if let index = places[key(of: finding)] { all[index].shown += 1 }
        }
        for index in all.indices where all[index].type == nil { finishKind(index, run) }
        nameApart()
    }

    /// How many findings are to be told, and do not stand in the report.
    func untold(in run: RunReport) -> Int {
        all.reduce(0) { $0 + ($1.isTolerated && !run.tellsTolerated ? 0 : $1.untold) }
    }

    func id(of finding: RenderedFinding) -> String {
        places[key(of: finding)].map { all[$0].id } ?? mask.masking(finding.rule ?? finding.code)
    }

    /// Where the rule of a finding stands in `all`.
    func index(of finding: RenderedFinding) -> Int? { places[key(of: finding)] }

    private func key(of finding: RenderedFinding) -> Key {
        Key(
            stage: mask.masking(finding.stage),
            name: mask.masking(finding.rule ?? finding.code),
            isKind: finding.rule == nil
        )
    }

    private mutating func add(_ rule: ReportRule, isKind: Bool) {
        let key = Key(stage: rule.stage, name: rule.name, isKind: isKind)
        guard places[key] == nil else { return }
        places[key] = all.count
        all.append(rule)
    }

    private mutating func count(_ tally: RunOutcome.Tally, _ run: RunReport) {
        let key = Key(stage: mask.masking(tally.stage), name: mask.masking(tally.code), isKind: true)
        if places[key] == nil {
            let rule = ReportRule(
                id: key.name,
                name: key.name,
                stage: key.stage,
                stageType: run.type(ofStage: tally.stage),
                place: run.place(of: tally.stage),
                rows: run.outcome.ledger.first { $0.id == tally.stage }?.rowsIn,
                failing: 0,
                severity: tally.severity,
                verdict: .passed,
                message: ""
            )
            add(rule, isKind: true)
        }
        guard let index = places[key] else { return }
        all[index].failing += tally.count
        all[index].known += tally.known
        if tally.severity == .error { all[index].severity = .error }
        if let column = tally.column.map(mask.masking), !all[index].columns.contains(column) {
            all[index].columns.append(column)
        }
    }

    /// Says what a kind of finding came to: rejected rows fail where the gate of their stage did.
    private mutating func finishKind(_ index: Int, _ run: RunReport) {
        let rule = all[index]
        all[index].failing = max(rule.failing, rule.shown)
        let gates = run.outcome.gates
        let own = gates.filter { $0.stage.map(mask.masking) == rule.stage }
        let asked = own.isEmpty ? gates.filter { $0.stage == nil } : own
        let hasFailed = rule.severity == .error && asked.contains { !$0.passed }
        let isQuiet = rule.severity == .note || all[index].new == 0
        all[index].verdict = isQuiet ? .passed : hasFailed ? .failed : .warned
        let count = all[index].failing
        let what =
            rule.severity == .error
            ? DisplayText.count(count, "row") + " rejected" : DisplayText.count(count, "warning")
        let known = rule.known > 0 ? ", \(DisplayText.count(rule.known)) of them in the baseline" : ""
        all[index].message = "\(what) with [\(rule.name)]\(known)"
        guard rule.severity == .error, let gate = asked.first else { return }
        all[index].expected =
            gate.allowed == .count(0)
            ? "no row rejected" : "at most \(GateText.allowed(gate.allowed)) of the rows rejected"
    }

    /// Two stages may have rules of one name, which are two rules; kinds of findings mean the same everywhere.
    private mutating func nameApart() {
        var names: [String: Int] = [:]
        for rule in all where rule.type != nil { names[rule.name, default: 0] += 1 }
        let kinds = Set(all.filter { $0.type == nil }.map(\.name))
        for index in all.indices where all[index].type != nil {
            let rule = all[index]
            if names[rule.name] != 1 || kinds.contains(rule.name) { all[index].id = "\(rule.stage)/\(rule.name)" }
        }
    }
}

extension ReportRule {
    fileprivate init(_ outcome: RuleOutcome, _ run: RunReport) {
        let mask = run.mask
        let rule = outcome.rule
        self.init(
            id: mask.masking(rule.id),
            name: mask.masking(rule.id),
            stage: mask.masking(outcome.stage),
            type: rule.type,
            stageType: run.type(ofStage: outcome.stage),
            columns: rule.columns.map(mask.masking),
            asks: mask.masking("rows that \(rule.complaint)") + RuleText.limits(outcome),
            expected: mask.masking(rule.expectation),
            limits: String(RuleText.limits(outcome).drop { $0 == ";" || $0 == " " }),
            measured: outcome.observation?.value.map { "\($0.measure.displayText): \($0.displayText)" },
            isOfTable: outcome.judgement != nil || outcome.observation.map { $0.remark == nil } ?? false,
            place: rule.place,
            rows: outcome.rows,
            failing: outcome.failing,
            known: outcome.known,
            severity: outcome.severity,
            verdict: outcome.verdict,
            message: mask.masking(outcome.message)
        )
    }

    fileprivate init(_ finding: RenderedFinding, _ run: RunReport) {
        let mask = run.mask
        let name = mask.masking(finding.rule ?? finding.code)
        self.init(
            id: name,
            name: name,
            stage: mask.masking(finding.stage),
            type: finding.rule.map { _ in "rule" },
            stageType: run.type(ofStage: finding.stage),
            columns: finding.field.map { [mask.masking($0)] } ?? [],
            place: finding.jobPlace,
            failing: 0,
            severity: finding.severity,
            verdict: finding.severity == .error ? .failed : .warned,
            message: mask.masking(finding.message)
        )
    }
}

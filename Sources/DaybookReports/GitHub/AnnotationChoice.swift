/// Which of all entries become annotations.
///
/// GitHub keeps 10 errors, 10 warnings and 10 notices of a step and drops the rest without a word ("Limitations" in
/// https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md). Those that are kept should tell most: what stopped the
/// run, and then one of each rule before a second of any, so that a rule which every row breaks hides no other.
struct AnnotationChoice {
    static let limit = 10

    /// Errors, then warnings, then notices.
    private(set) var entries: [ReportEntry] = []
    /// How many entries did not become annotations.
    private var left = 0

    init(_ all: [ReportEntry]) {
        for severity in [Finding.Severity.error, .warning, .note] {
            let candidates = all.filter { $0.severity == severity }
            // The last notice is kept for saying how many more there are.
            let limit = severity == .note ? AnnotationChoice.limit - 1 : AnnotationChoice.limit
            entries += candidates.mostTelling(limit)
            left += max(0, candidates.count - limit)
        }
    }

    /// Says how many findings are not among the annotations, and where all of them are; nil when none is missing.
    func rest(_ run: RunReport, _ rules: ReportRules) -> WorkflowCommand? {
        let missing = left + rules.untold(in: run)
        guard missing > 0 else { return nil }
        var files = run.fullReports
        let rejecting = run.outcome.ledger.filter { $0.rejected > 0 }.map(\.id)
        for file in run.rejectsFiles(of: rejecting) where !files.contains(file) { files.append(file) }
        let place =
            files.isEmpty ? "'--report json=FILE' writes them to a file" : "see \(PrintableText.of(Spoken.list(files)))"
        return WorkflowCommand(
            name: "notice",
            properties: [("title", "Daybook: \(PrintableText.of(run.job))")],
            message: "\(Spoken.count(missing, "more finding is", "more findings are")) not annotated, since GitHub "
                + "keeps \(AnnotationChoice.limit) of a kind for each step; \(place)"
        )
    }
}

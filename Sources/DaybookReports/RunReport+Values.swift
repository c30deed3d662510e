import DaybookEngine

extension RunReport {
    /// The report without anything that may show a value of the data: counts, codes and names of columns stay.
    ///
    /// Findings in words go as a whole, since their excerpts show the rows. Errors about the data keep their code, rules that judge
    /// all rows their expectation.
    package func withoutValues() -> RunReport {
        var run = self
        (run.outcome.findings, run.outcome.measures, run.outcome.fixed) = ([], [], [])
        // The addresses of pages stay, and not their rows.
        for index in run.outcome.pages.indices { run.outcome.pages[index].tables = [] }
        for index in run.outcome.rules.indices {
            run.outcome.rules[index].example = nil
            run.outcome.rules[index].observation = nil
            if run.outcome.rules[index].judgement != nil {
                run.outcome.rules[index].judgement = "expected \(run.outcome.rules[index].rule.expectation)"
            }
        }
        let isTold = ["missed-run", "old-data"]
        run.outcome.errors = run.outcome.errors.map { error in
            guard error.blame == .data || error.quotesData, !isTold.contains(error.code.rawValue) else { return error }
            var error = error
            let what = error.blame == .data ? "the data cannot be used" : "an output that is there cannot be used"
            (error.message, error.hint) = (what, nil)
            return error
        }
        return run
    }
}

import DaybookBytes
import DaybookEngine

/// Writes a job whose rules the profiled files pass today.
///
/// The rules are the ones that an expert would write: which columns are never missing, are unique, or have a few words. Where
/// the files do not say enough, there is no rule.
struct ProfileRules {
    /// Tables of one format, with the profile of all their rows.
    fileprivate struct Source {
        var guess: GuessedImport
        var profile: TableProfile
        var rejected: Int
        var rules: [FoundRule] = []
    }

    private var sources: [Source] = []
    private let command: String

    init(_ tables: [ProfiledTable], command: String) {
        self.command = command
        for table in tables {
            // The number format may show in one file and not in another.
            let fields = Set(table.profile.look.schema.fields)
            let index = sources.firstIndex {
                $0.guess.agrees(with: table.guess) && Set($0.profile.look.schema.fields) == fields
            }
            if let index {
                sources[index].guess.merge(table.guess)
                sources[index].profile.merge(table.profile)
                sources[index].rejected += table.rejected
            } else {
                sources.append(Source(guess: table.guess, profile: table.profile, rejected: table.rejected))
            }
        }
        var guesses = sources.map(\.guess)
        GuessNames.makeUnique(&guesses)
        for (index, guess) in guesses.enumerated() {
            sources[index].guess.name = guess.name
            sources[index].declareDays()
        }
    }

    /// The job, after a trial of its rules on the files.
    func text(triedBy observed: ObservedJob) throws(DaybookErrors) -> String {
        let known = KnownRules(observed.table)
        var tried = self
        for (index, source) in sources.enumerated() {
            tried.sources[index].rules = RuleFinder(source.profile, source.guess).rules.filter(known.contains)
        }
        // A table without `check_rows` gets a job without rules.
        guard observed.table["check_rows"] != nil else { return tried.job(naming: false) }
        let job = try InferenceRun.job(tried.job(naming: true), observed.table)
        let observer = InferenceObserver(candidates: nil, limit: .max)
        let outcome = try observed.run(job, asOf: CalendarDay(number: 0), by: observer).outcome
        guard outcome.errors.isEmpty else { throw DaybookErrors(outcome.errors) }
        for index in sources.indices {
            tried.sources[index].narrow(by: outcome, isOnly: sources.count == 1)
            tried.sources[index].rules = tried.sources[index].rules.joined(["not_missing", "text_hygiene"])
        }
        return tried.job(naming: false)
    }

    /// - Parameter naming: whether each rule has an id, to find its outcome.
    private func job(naming: Bool) -> String {
        var job = JobText(by: command)
        job.remark(
            "A gate that \(files) today. 'daybook run' of it fails, with the lines, as soon as a row breaks a rule. Read the rules: "
                + "they say what is, not what should be. To use them in another job, copy 'check_rows' behind its import."
        )
        job.addHead(name)
        job.blank()
        job.add("stages:")
        for (index, source) in sources.enumerated() {
            if index > 0 { job.blank() }
            JobComposer.addImport(source.guess, to: &job)
            job.add("    id: \(YAMLScalar.of(source.guess.name))")
            if source.rejected > 0 {
                let reason = "so many records cannot be read today; one more fails the run"
                job.add("    rejects: { allow: \(source.rejected) }", reason)
            }
            add(source.rules, of: source.guess.name, to: &job, naming: naming)
        }
        return job.text
    }

    private var files: String {
        let paths = Set(sources.flatMap(\.guess.paths))
        return paths.count == 1 ? "'\(paths.first ?? "")' passes" : "\(DisplayText.count(paths.count, "file")) pass"
    }

    private var name: String {
        let names = sources.map(\.guess.name)
        return names.count == 1 ? "\(names[0])-quality" : "quality"
    }

    private func add(_ rules: [FoundRule], of name: String, to job: inout JobText, naming: Bool) {
        guard rules.contains(where: { !$0.isLeft }) else { return }
        job.add("  - check_rows:")
        job.add("      rules:")
        for (number, rule) in rules.enumerated() {
            rule.write(to: &job, indent: 8, id: naming ? FoundRule.id(number) : nil)
        }
        if sources.count > 1 { job.add("    id: \(YAMLScalar.of("\(name)-checked"))") }
    }
}

extension ProfileRules.Source {
    /// Declares columns with days alone, so that rules can check their order and gaps.
    fileprivate mutating func declareDays() {
        guard guess.cellsAreText, !guess.suggestion.options.contains(where: { $0.key == "columns" }) else { return }
        for (look, column) in zip(profile.look.columns, profile.columns) where look.kind == .text {
            // An import reads only days of ISO 8601.
            guard let verdict = profile.look.dateVerdict(of: look), verdict.formats.map(\.text) == ["iso"],
                column.count(.day) == verdict.count, column.count(.day) == look.present - look.text.gapCount
            else { continue }
            let reason = "all \(DisplayText.count(verdict.count, "value")): \(verdict.first) to \(verdict.last)"
            guess.columns.declareDays(look.name, reason, among: profile.look.schema.names)
        }
    }

    /// Sets limits by the rows that break rules today, and removes rules that more than a few rows break, or that were only likely.
    ///
    /// The profile saw texts. A job reads some as other kinds, and a quoted `"N/A"` is a gap for a person, but not for an import.
    fileprivate mutating func narrow(by outcome: RunOutcome, isOnly: Bool) {
        rejected = outcome.ledger.first { $0.id == guess.name }?.rejected ?? 0
        let stage = "\(guess.name)-checked"
        let outcomes = outcome.rules.filter { isOnly || $0.stage == stage }
        let findings = outcome.findings.filter { isOnly || $0.stage == stage }
        rules =
            rules.enumerated().compactMap { number, rule in
                let id = FoundRule.id(number)
                // One entry may give several rules, such as 'columns'.
                let own = outcomes.filter { $0.rule.id == id || $0.rule.id.hasPrefix("\(id)_") }
                guard !rule.isLeft, let found = own.max(by: { $0.failing < $1.failing }) else { return rule }
                if rule.isTrial { return found.failing == 0 && found.judgement == nil ? rule : nil }
                guard found.judgement == nil || found.failing == 0, RuleFinder.isFew(found.failing, of: found.rows)
                else { return nil }
                var rule = rule
                if found.failing == 0, rule.allowed > 0 { rule.reason = "no row breaks it as a job reads the file" }
                (rule.allowed, rule.rows) = (found.failing, found.rows)
                if found.failing > 0, let first = findings.first(where: { $0.rule == id && $0.line != nil }) {
                    rule.show(first)
                }
                return rule
            }.withoutRepeats
    }
}

/// The rules of `check_rows` in a table, so that the job has no unknown rules.
struct KnownRules {
    /// The options by rule; nil for a table without `check_rows`.
    private let options: [String: Set<String>]?

    init(_ table: StageTable) {
        guard let stage = table["check_rows"],
            let rules = OptionReader.specs(of: stage).first(where: { $0.key == "rules" }),
            case .list(of: .object(let specs)) = rules.kind
        else {
            options = nil
            return
        }
        options = Dictionary(specs.map { ($0.key, KnownRules.keys(of: $0.kind)) }) { first, _ in first }
    }

    private static func keys(of kind: OptionKind) -> Set<String> {
        switch kind {
        case .object(let specs): Set(specs.map(\.key))
        case .either(let kinds): kinds.reduce(into: []) { $0.formUnion(keys(of: $1)) }
        default: []
        }
    }

    func contains(_ rule: FoundRule) -> Bool {
        guard let options else { return true }
        guard let keys = options[rule.type] else { return false }
        guard case .map(let entries) = rule.value else { return true }
        return entries.allSatisfy { keys.contains($0.key) }
    }
}

import DaybookBytes

/// Writes the guessed job.
struct JobComposer {
    /// The command line that asked for the guess.
    var command: String
    var name: String
    var imports: [GuessedImport]
    /// What the trial of the job found; nil while there was none.
    var trial: GuessTrial?
    /// Where the outputs go.
    var outputs: [String]
    var rejects: String
    /// Parts of the files that cannot be imported, and why.
    var leftOut: [String] = []

    /// The whole job.
    var text: String {
        var job = JobText()
        job.add("# \(CommentText.of(command))")
        job.add("#")
        if let warning = trial?.warning {
            job.remark("WARNING: \(warning).")
            job.add("#")
        }
        job.remark(
            "A first job for \(files). It runs as it is; read it, change what is not right, and put further stages "
                + "before the exports: 'daybook stages' lists them."
        )
        if imports.contains(where: \.hasChoices) {
            job.remark("Where it says 'choose one', take the # away from the line that you want.")
        }
        job.add("daybook: 1")
        job.add("job: \(YAMLScalar.of(name))")
        addTimezone(&job)
        addRejects(&job)
        job.blank()
        job.add("stages:")
        for part in leftOut { job.remark(part, indent: 2) }
        for (index, one) in imports.enumerated() {
            if index > 0 { job.blank() }
            add(one, &job)
            addExport(one, outputs[index], &job)
        }
        return job.text
    }

    /// The chain of one import, which a look can follow: without outputs.
    func trialText(of index: Int) -> String {
        var job = JobText()
        job.add("daybook: 1")
        addTimezone(&job)
        job.add("stages:")
        add(imports[index], &job)
        return job.text
    }

    /// A job that imports as the stage would by itself, for the first look.
    static func importText(_ stage: String, paths: [String], _ options: [SuggestedOption]) -> String {
        var job = JobText()
        job.add("daybook: 1")
        job.add("stages:")
        job.add("  - \(YAMLScalar.of(stage)):")
        job.add(pathOption(paths), indent: 6)
        for option in options { job.add(option, indent: 6) }
        return job.text
    }

    private static func pathOption(_ paths: [String]) -> SuggestedOption {
        SuggestedOption("path", paths.count == 1 ? .text(paths[0]) : .list(paths.map { .text($0) }))
    }

    private var files: String {
        if imports.count == 1, let pattern = imports[0].pattern {
            return "'\(pattern)', which finds \(Spoken.count(imports[0].paths.count, "file")) today"
        }
        let count = imports.reduce(0) { $0 + $1.paths.count }
        let paths = Set(imports.flatMap(\.paths))
        return paths.count == 1 || count == 1
            ? "'\(imports.first?.paths.first ?? "")'" : Spoken.count(paths.count, "file")
    }

    private func addTimezone(_ job: inout JobText) {
        guard imports.contains(where: \.needsTimezone) else { return }
        job.add("timezone: Etc/UTC", "set this to the zone that the times are meant in, such as Asia/Seoul")
    }

    private func addRejects(_ job: inout JobText) {
        guard let trial else { return }
        job.add("rejects:")
        for remark in trial.remarks { job.remark(remark, indent: 2) }
        job.add("  path: \(YAMLScalar.of(rejects))", "each refused row becomes a line here, with its reason and place")
        job.add("  allow: \(trial.allow)", trial.allowReason)
    }

    private func add(_ one: GuessedImport, _ job: inout JobText) {
        JobComposer.addImport(one, to: &job)
        if imports.count > 1 { job.add("    id: \(one.name)") }
        for dates in one.dateStages { add(dates, &job) }
        for choice in one.columns.choices {
            let words = choice.stages.count > 1 ? "choose one: " : "if these are dates, take the # away: "
            job.remark("\(words)\(choice.evidence).", indent: 2)
            for (dates, reason) in choice.stages {
                job.add("  # - normalise_dates: \(JobComposer.flow(dates))", reason)
            }
        }
        for colour in one.columns.colours {
            job.remark("'\(colour.name)': \(colour.evidence); this stage checks them:", indent: 2)
            job.add("  # - validate_hex_colours: { column: \(YAMLScalar.of(colour.name)) }")
        }
    }

    /// The stage that imports, with what is known of its file.
    static func addImport(_ one: GuessedImport, to job: inout JobText) {
        let rows = Spoken.count(one.look.rows, "row")
        let columns = Spoken.count(one.look.schema.fields.count, "column")
        let form = one.suggestion.part.map { "'\($0)' of \(one.form)" } ?? one.form.raisedFirst
        job.remark("\(form): \(rows), \(columns).", indent: 2)
        if one.isPartial {
            job.remark("Only the beginning was looked at; what comes later may not fit.", indent: 2)
        }
        for note in one.suggestion.notes + one.columns.remarks { job.remark("\(note.raisedFirst).", indent: 2) }
        job.add("  - \(YAMLScalar.of(one.stage)):")
        job.add(pathOption(one.pattern.map { [$0] } ?? one.paths), indent: 6)
        if one.paths.count > 1, one.namesFiles {
            job.add("      # file_column: file", "gives each row the name of its file")
        }
        for option in one.options { job.add(option, indent: 6) }
    }

    private func add(_ dates: GuessedColumns.Dates, _ job: inout JobText) {
        job.remark("\(dates.evidence).", indent: 2)
        job.add("  - normalise_dates:")
        job.add("      column: \(YAMLScalar.of(dates.column))")
        job.add("      formats:")
        for format in dates.formats { job.add("        - \(YAMLScalar.of(format.text))", format.reason) }
        if let choice = dates.choice {
            job.remark("\(choice.evidence):", indent: 8)
            for format in choice.formats { job.add("        # - \(YAMLScalar.of(format.text))", format.reason) }
        }
        if dates.makesInstants { job.add("      to: instant", "keeps the time of day; 'to: day' leaves it out") }
        if dates.hasTwoDigitYears {
            let pivot = DateCandidates.pivotYear
            job.add("      pivot_year: \(pivot)", "years of two digits are those from \(pivot) to \(pivot + 99)")
        }
    }

    private static func flow(_ dates: GuessedColumns.Dates) -> String {
        var options = [
            SuggestedOption("column", .text(dates.column)),
            SuggestedOption("formats", .list(dates.formats.map { .text($0.text) })),
        ]
        if dates.makesInstants { options.append(SuggestedOption("to", .plain("instant"))) }
        if dates.hasTwoDigitYears {
            options.append(SuggestedOption("pivot_year", .plain(String(DateCandidates.pivotYear))))
        }
        return YAMLScalar.of(.map(options))
    }

    private func addExport(_ one: GuessedImport, _ output: String, _ job: inout JobText) {
        job.add("  - export_\(one.hasColumns ? "csv" : "json"): { path: \(YAMLScalar.of(output)) }")
    }
}

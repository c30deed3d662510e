import DaybookBytes
import DaybookEngine

/// Writes the text of the guessed job.
struct JobComposer {
    /// The command line that asked for the guess.
    var command: String
    var name: String
    var imports: [GuessedImport]
    /// The result of the trial; nil before it.
    var trial: GuessTrial?
    /// Where the outputs go.
    var outputs: [String]
    var rejects: String
    /// Parts of the files that are left out, with the reason.
    var leftOut: [String] = []

    var text: String {
        var job = JobText(by: command)
        if let warning = trial?.warning {
            job.remark("WARNING: \(warning).")
            job.add("#")
        }
        job.remark(
            "A first job for \(files). It runs as it is; read it, change what is not right, and put further stages "
                + "before the exports: 'daybook stages' lists them."
        )
        if imports.contains(where: { $0.choiceCount > 0 }) {
            job.remark("Where it says 'choose one', take the # away from the line that you want.")
        }
        job.addHead(name)
        addTimezone(&job)
        addRejects(&job)
        job.blank()
        job.add("stages:")
        for part in leftOut { job.remark(part, indent: 2) }
        for (index, one) in imports.enumerated() {
            if index > 0 { job.blank() }
            add(one, &job)
            let export = one.hasColumns ? "export_csv" : "export_json"
            job.add("  - \(export): { path: \(YAMLScalar.of(outputs[index])) }")
        }
        return job.text
    }

    /// The chain of one import without outputs, for a trial.
    func trialText(of index: Int) -> String {
        var job = JobText()
        job.add("daybook: 1")
        addTimezone(&job)
        job.add("stages:")
        add(imports[index], &job)
        return job.text
    }

    /// A job with an import alone, for the first look.
    static func importText(_ stage: String, paths: [String], _ options: [SuggestedOption]) -> String {
        var job = JobText()
        job.add("daybook: 1")
        job.add("stages:")
        job.add("  - \(YAMLScalar.of(stage)):")
        job.add(SuggestedOption("path", .names(paths)), indent: 6)
        for option in options { job.add(option, indent: 6) }
        return job.text
    }

    private var files: String {
        if imports.count == 1, let pattern = imports[0].pattern {
            return "'\(pattern)', which finds \(DisplayText.count(imports[0].paths.count, "file")) today"
        }
        let count = imports.reduce(0) { $0 + $1.paths.count }
        let paths = Set(imports.flatMap(\.paths))
        return paths.count == 1 || count == 1
            ? "'\(imports.first?.paths.first ?? "")'" : DisplayText.count(paths.count, "file")
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

    /// Writes the stage that imports, with remarks about its file.
    static func addImport(_ one: GuessedImport, to job: inout JobText) {
        let rows = DisplayText.count(one.look.rows, "row")
        let columns = DisplayText.count(one.look.schema.fields.count, "column")
        let form = one.suggestion.part.map { "'\($0)' of \(one.form)" } ?? one.form.raisedFirst
        job.remark("\(form): \(rows), \(columns).", indent: 2)
        if one.isPartial { job.remark("Only the beginning was looked at; what comes later may not fit.", indent: 2) }
        for note in one.suggestion.notes + one.columns.remarks { job.remark("\(note.raisedFirst).", indent: 2) }
        job.add("  - \(YAMLScalar.of(one.stage)):")
        job.add(SuggestedOption("path", .names(one.pattern.map { [$0] } ?? one.paths)), indent: 6)
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
        YAMLScalar.of([
            "column": .text(dates.column), "formats": .texts(dates.formats.map(\.text)),
            "to": dates.makesInstants ? .plain("instant") : nil,
            "pivot_year": dates.hasTwoDigitYears ? .plain(String(DateCandidates.pivotYear)) : nil,
        ])
    }
}

/// The text of a job with its comments, line by line.
package struct JobText {
    private struct Line {
        var text: String
        var comment: String?
    }

    private var lines: [Line] = []
    /// The width of comments on their own lines.
    private static let width = 100
    /// A longer comment stands above its line.
    private static let longestBeside = 72
    /// The furthest column of comments beside lines, whatever the longest line.
    private static let furthest = 44

    package init() {}

    /// Begins with the command that makes the job.
    package init(by command: String) {
        add("# \(CommentText.of(command))")
        add("#")
    }

    /// Writes the version of the format, and the name of the job.
    package mutating func addHead(_ name: String) {
        add("daybook: 1")
        add("job: \(YAMLScalar.of(name))")
    }

    /// How many lines there are by now.
    package var lineCount: Int { lines.count }

    package mutating func add(_ text: String, _ comment: String? = nil) {
        guard let comment else { return lines.append(Line(text: text)) }
        let clean = CommentText.of(comment)
        if Prose.width(of: clean) > JobText.longestBeside {
            remark(clean, indent: text.prefix { $0 == " " }.count)
            lines.append(Line(text: text))
        } else {
            lines.append(Line(text: text, comment: clean))
        }
    }

    package mutating func blank() { lines.append(Line(text: "")) }

    /// Comments on lines of their own, broken between words.
    package mutating func remark(_ text: String, indent: Int = 0) {
        let start = String(repeating: " ", count: indent) + "#"
        var line = start
        for word in CommentText.of(text).split(separator: " ") {
            if line != start, Prose.width(of: line) + Prose.width(of: String(word)) + 1 > JobText.width {
                lines.append(Line(text: line))
                line = start
            }
            line += " " + word
        }
        lines.append(Line(text: line))
    }

    /// Writes an option, with the values to choose from.
    package mutating func add(_ option: SuggestedOption, indent: Int) {
        let margin = String(repeating: " ", count: indent)
        let key = YAMLScalar.key(option.key)
        if !option.others.isEmpty { remark("choose one:", indent: indent) }
        switch option.value {
        case .map(let entries) where !entries.isEmpty:
            add("\(margin)\(key):", option.reason)
            for entry in entries { add(entry, indent: indent + 2) }
        case .list(let values) where Prose.width(of: YAMLScalar.of(option.value)) + indent > 80:
            add("\(margin)\(key):", option.reason)
            for value in values { add("\(margin)  - \(YAMLScalar.of(value))") }
        default: add("\(margin)\(key): \(YAMLScalar.of(option.value))", option.reason)
        }
        for other in option.others { add("\(margin)# \(key): \(YAMLScalar.of(other.value))", other.reason) }
    }

    /// The whole text, with comments of neighbouring lines aligned.
    package var text: String {
        var result = ""
        var index = 0
        while index < lines.count {
            guard lines[index].comment != nil else {
                result += lines[index].text + "\n"
                index += 1
                continue
            }
            var end = index
            while end < lines.count, lines[end].comment != nil { end += 1 }
            let widths = lines[index..<end].map { Prose.width(of: $0.text) }
            let column = widths.filter { $0 <= JobText.furthest }.max() ?? 0
            for (line, width) in zip(lines[index..<end], widths) {
                let gap = String(repeating: " ", count: max(0, column - width) + 2)
                result += "\(line.text)\(gap)# \(line.comment ?? "")\n"
            }
            index = end
        }
        return result
    }
}

/// Names for jobs, ids and outputs, made from names of files and parts.
package enum GuessNames {
    /// The name for the part of a file, or for a whole file.
    static func name(of input: InputPath, part: String?) -> String { part.map { name(of: $0) } ?? stem(of: input.path) }

    /// The name of the file without its endings: `entries-2026` for `samples/entries-2026.csv.gz`.
    static func stem(of path: String) -> String {
        let name = FilePath.name(of: path)
        return GuessNames.name(of: String(name.split(separator: ".", maxSplits: 1).first ?? "rows"))
    }

    /// A name that may stand as an id and as a part of a path: letters and digits of any script, `-` and `_`.
    package static func name(of text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(80) {
            let isKept = scalar != "-" && ParamReader.isName(String(scalar)) && CommentText.isShown(scalar)
            if isKept {
                result.unicodeScalars.append(scalar)
            } else if !result.isEmpty, !result.hasSuffix("-") {
                result += "-"
            }
        }
        while result.hasSuffix("-") { result.removeLast() }
        return result.isEmpty ? "rows" : result
    }

    /// Gives each import a unique name; several files are named by their common beginning.
    static func makeUnique(_ imports: inout [GuessedImport]) {
        for index in imports.indices where imports[index].suggestion.part == nil {
            if let pattern = imports[index].pattern {
                imports[index].name = self.name(ofPattern: pattern)
            } else if imports[index].paths.count > 1 {
                imports[index].name = shared(imports[index].paths)
            }
        }
        for (index, name) in unique(imports.map(\.name)).enumerated() { imports[index].name = name }
    }

    /// The last part of a pattern that names something: `week` for `in/week-*.csv`, `orders` for `orders/*.csv`.
    static func name(ofPattern pattern: String) -> String {
        for part in pattern.split(separator: "/").reversed() {
            let words = part.prefix { !"*?[{.".contains($0) }
            if words.contains(where: \.isLetter) { return name(of: String(words)) }
        }
        return "rows"
    }

    /// What the names of several files begin with: `entries` for `entries-2025.csv` and `entries-2026.csv`.
    static func shared(_ paths: [String]) -> String {
        let stems = paths.map { FilePath.name(of: $0) }
        guard var shared = stems.first.map({ $0[...] }) else { return "rows" }
        for stem in stems.dropFirst() { shared = shared.prefix(zip(shared, stem).prefix { $0 == $1 }.count) }
        while let last = shared.last, !last.isLetter { shared.removeLast() }
        return shared.isEmpty ? stem(of: paths[0]) : name(of: String(shared))
    }

    /// The names with numbers after repeated ones.
    package static func unique(_ names: [String]) -> [String] {
        var used: Set<String> = []
        return names.map { name in
            var (free, number) = (name, 2)
            while !used.insert(free).inserted { (free, number) = ("\(name)-\(number)", number + 1) }
            return free
        }
    }
}

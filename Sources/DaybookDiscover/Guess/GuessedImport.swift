import DaybookBytes
import DaybookEngine

/// One chain of the guessed job: an import, its date stages, and its output.
package struct GuessedImport {
    /// The name of the stage that imports.
    package var stage: String
    /// What the file is.
    package var form: String
    var suggestion: SuggestedImport
    var cellsAreText: Bool
    /// Whether an option of the stage names the columns of dates.
    var takesDates: Bool
    /// Whether the stage can give each row the name of its file.
    var namesFiles: Bool
    /// The files, as the job names them.
    package var paths: [String]
    /// The pattern that finds them, where the command line has one.
    var pattern: String?
    package var look: TableInference
    /// Whether only a part of the rows was read.
    var isPartial: Bool
    /// Columns with values of several kinds, which no declared kind allows.
    var mixed: Set<String> = []
    package var columns: GuessedColumns
    /// The name in ids and outputs.
    package var name: String

    package init(
        _ found: FormatDetector.Detected,
        _ suggestion: SuggestedImport,
        _ path: String,
        _ look: TableInference,
        isPartial: Bool,
        name: String
    ) {
        (stage, form, cellsAreText) = (found.stage, found.form, found.detection.cellsAreText)
        (takesDates, namesFiles) = (found.takesDates, found.namesFiles)
        (self.suggestion, paths, self.look, self.isPartial, self.name) = (suggestion, [path], look, isPartial, name)
        columns = GuessedColumns(look, cellsAreText: cellsAreText)
    }

    /// Whether one stage can read the files of both: the same options and columns.
    func agrees(with other: GuessedImport) -> Bool {
        isWritten(like: other) && Set(look.schema.fields) == Set(other.look.schema.fields)
    }

    /// Whether one stage can read the files of both if their columns allow it.
    func isWritten(like other: GuessedImport) -> Bool {
        stage == other.stage && suggestion.part == other.suggestion.part
            && suggestion.plainOptions == other.suggestion.plainOptions
    }

    /// Whether two files are likely two of one kind: most of their columns have the same names.
    func sharesColumns(with other: GuessedImport) -> Bool {
        let (mine, others) = (Set(look.schema.fields.map(\.name)), Set(other.look.schema.fields.map(\.name)))
        return mine.intersection(others).count * 2 >= mine.union(others).count
    }

    /// Whether the stage refuses files with other columns unless an option allows them.
    var putsColumnsTogether: Bool { stage == "import_csv" || stage == "import_fixed_width" }

    package mutating func merge(_ other: GuessedImport) {
        look.merge(other.look)
        take(other)
        columns = GuessedColumns(look, cellsAreText: cellsAreText, namesFiles: true)
    }

    /// Adds the files of another import, without its rows.
    mutating func take(_ other: GuessedImport) {
        paths += other.paths
        isPartial = isPartial || other.isPartial
        mixed.formUnion(other.mixed)
        suggestion.take(other.suggestion)
    }

    /// Sets the result for all rows.
    mutating func see(_ look: TableInference) {
        self.look = look
        columns = GuessedColumns(look, cellsAreText: cellsAreText, namesFiles: paths.count > 1)
    }

    /// Leaves columns of several kinds undeclared, with a note.
    mutating func note(mixed findings: [RenderedFinding]) {
        for finding in findings {
            guard let field = finding.field, mixed.insert(field).inserted, suggestion.notes.count < 12 else { continue }
            let place = finding.line.map { ", first on line \(DisplayText.count($0))" } ?? ""
            let kinds = "its values are of several kinds\(place), which no one kind takes"
            suggestion.notes.append("'\(field)' is not declared, for \(kinds)")
        }
    }

    /// Declares columns of several kinds JSON, which is written back as it was read.
    mutating func keep(mixed findings: [RenderedFinding]) {
        mixed.formUnion(findings.compactMap(\.field))
        guard !mixed.isEmpty else { return }
        let kinds = mixed.sorted().map { SuggestedOption($0, .plain("json"), because: "of several kinds") }
        suggestion.options.declare(SuggestedOption("columns", .map(kinds)))
    }

    /// The import options for the columns.
    package var options: [SuggestedOption] {
        var options = suggestion.options
        let read = columns.dates.filter { takesDates && $0.unit != nil }
        if !read.isEmpty {
            let units = read.map { dates in
                let reason = String(dates.evidence.trimmingPrefix("'\(dates.column)': "))
                return SuggestedOption(dates.column, .plain(dates.unit?.rawValue ?? ""), because: reason)
            }
            options.append(SuggestedOption("dates", .map(units)))
        }
        guard cellsAreText else {
            if stage == "import_json", let known = knownColumns { options.declare(known) }
            return options
        }
        if !columns.gaps.isEmpty, options.index(of: "missing") == nil { options.append(missingOption) }
        if !columns.declared.isEmpty, options.index(of: "columns") == nil {
            let kinds = columns.declared.map { SuggestedOption($0.name, .plain($0.kind), because: $0.reason) }
            options.append(SuggestedOption("columns", .map(kinds), because: "what is not named here is text"))
            if let format = columns.numberFormat { options.append(format) }
        }
        return options
    }

    /// The columns of JSON with their kinds, so that no kind has to be inferred; nil for too many columns.
    private var knownColumns: SuggestedOption? {
        let fields = look.schema.fields
        let values = Set(look.columns.filter { $0.present > 0 }.map(\.name))
        let told = fields.filter { field in
            // The column of an object beside its keys says where it is empty; declared, it would be the whole object.
            values.contains(field.name) && !mixed.contains(field.name)
                && !fields.contains { $0.name.hasPrefix(field.name + ".") }
        }
        guard !told.isEmpty, told.count <= GuessedImport.mostKnown else { return nil }
        let kinds = told.map { SuggestedOption($0.name, .plain($0.kind.rawValue)) }
        let reason = "so that 'validate' knows them, and none is learnt from the data"
        return SuggestedOption("columns", .map(kinds), because: reason)
    }

    private static let mostKnown = 200

    /// The words for a gap in columns of numbers, dates and flags. They hold for all columns, so a person chooses about
    /// words that are also in texts.
    private var missingOption: SuggestedOption {
        let words = columns.gaps.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let reasons = words.map { word, count in
            let (texts, cells) = columns.texts(with: word)
            let sure = "'\(word)' in \(DisplayText.count(count, "cell"))"
            guard !texts.isEmpty else { return sure }
            let names = texts.count > 3 ? "\(texts.count) columns" : DisplayText.list(texts.map { "'\($0)'" })
            let which = texts.count == 1 ? "which is text" : "which are text"
            return "\(sure) (and in \(DisplayText.count(cells)) of \(names), \(which))"
        }
        let sure = words.map(\.key).filter { columns.texts(with: $0).columns.isEmpty }
        let doubtful = words.map(\.key).filter { !sure.contains($0) }
        let are = doubtful.count == 1 ? "is a text; among numbers it is" : "are texts; among numbers they are"
        let doubt = "if \(DisplayText.list(doubtful.map { "'\($0)'" })) \(are) rejected then"
        let others = doubtful.isEmpty ? [] : [SuggestedChoice(.texts([""] + sure), because: doubt)]
        let reason = "no value: " + DisplayText.list(reasons)
        return SuggestedOption("missing", .texts([""] + words.map(\.key)), because: reason, others: others)
    }

    /// The options that read formatted numbers, and everything else as text; nil without such columns.
    var optionsReadingNumbers: [SuggestedOption]? {
        guard cellsAreText, suggestion.options.index(of: "columns") == nil, let format = columns.numberFormat
        else { return nil }
        let written = columns.formattedNumbers
        let own = look.columns.filter { column in written.contains { $0.name == column.name } }
        let words = Set(own.flatMap(\.text.gaps.keys))
        guard words.allSatisfy({ columns.texts(with: $0).columns.isEmpty }) else { return nil }
        var options = suggestion.options
        if !words.isEmpty, options.index(of: "missing") == nil {
            options.append(SuggestedOption("missing", .texts([""] + words.sorted())))
        }
        options.append(SuggestedOption("columns", .map(written.map { SuggestedOption($0.name, .plain($0.kind)) })))
        options.append(format)
        return options
    }

    /// The dates that need a stage after the import.
    var dateStages: [GuessedColumns.Dates] { columns.dates.filter { !takesDates || $0.unit == nil } }

    /// Whether a stage of the job makes instants, for which the zone matters.
    var makesInstants: Bool { dateStages.contains(where: \.makesInstants) }

    /// Whether the job must name a zone, also for stages to choose from.
    var needsTimezone: Bool {
        makesInstants || columns.choices.contains { $0.stages.contains { $0.dates.makesInstants } }
    }

    /// How many choices are left to the person.
    var choiceCount: Int {
        columns.choices.count + columns.dates.count { $0.choice != nil } + options.count { !$0.others.isEmpty }
    }

    var hasColumns: Bool { !look.schema.fields.isEmpty }
}

extension [SuggestedOption] {
    /// The place of the option with a key.
    func index(of key: String) -> Int? { firstIndex { $0.key == key } }

    /// Adds kinds of columns, behind those that are there.
    fileprivate mutating func declare(_ columns: SuggestedOption) {
        guard let index = index(of: columns.key), case .map(let old) = self[index].value,
            case .map(let new) = columns.value
        else { return append(columns) }
        self[index].value = .map(old + new)
    }
}

extension SuggestedValue: ExpressibleByDictionaryLiteral {
    /// A map of options, those without a value left out.
    public init(dictionaryLiteral options: (String, SuggestedValue?)...) {
        self = .map(options.compactMap { key, value in value.map { SuggestedOption(key, $0) } })
    }

    package static func texts(_ texts: [String]) -> SuggestedValue { .list(texts.map { .text($0) }) }

    /// The only name, or a list of several.
    package static func names(_ names: [String]) -> SuggestedValue {
        names.count == 1 ? .text(names[0]) : .texts(names)
    }
}

extension SuggestedImport {
    /// Options that keep rows and change nothing else: other files are read the same with them.
    private static let keeping = ["ragged", "quotes"]

    /// The options as text, without their reasons, which differ from file to file, and without optional ones.
    var plainOptions: [[String]] {
        options.filter { option in
            !SuggestedImport.keeping.contains(option.key) && !(option.key == "header" && option.value == .plain("true"))
        }.map { [$0.key, YAMLScalar.of($0.value)] }
    }

    /// Adds the options that keep the rows of another file.
    mutating func take(_ other: SuggestedImport) {
        for option in other.options where SuggestedImport.keeping.contains(option.key) {
            if let index = options.index(of: option.key) {
                // `extend` keeps short rows too.
                if option.value == .plain("extend") { options[index] = option }
            } else {
                options.append(option)
            }
        }
        // One file decides what the other leaves open.
        if other.options.index(of: "header") == nil { options.removeAll { $0.key == "header" } }
    }

    /// The import with options that keep the rejected rows; nil without such options.
    func keeping(_ outcome: RunOutcome, _ found: FormatDetector.Detected) -> SuggestedImport? {
        var copy = self
        func keep(_ key: String, _ value: String, _ codes: Set<String>, _ what: String) {
            guard found.options.contains(where: { $0.key == key }),
                let first = outcome.findings.first(where: { codes.contains($0.code) && $0.severity == .error })
            else { return }
            if options.contains(where: { $0.key == key && $0.value == .plain(value) }) { return }
            let place = first.line.map { " on line \(DisplayText.count($0))" } ?? ""
            copy.options.removeAll { $0.key == key }
            let usual = key == "quotes" ? "strict" : "reject"
            let broken = SuggestedChoice(.plain(usual), because: "if such rows are broken")
            let reason = "\(what), the first of them\(place)"
            copy.options.append(SuggestedOption(key, .plain(value), because: reason, others: [broken]))
        }
        let extends = found.stage == "import_csv"
        let ragged = "rows are shorter or longer than the header"
        keep("ragged", extends ? "extend" : "pad", ["ragged-row", "ragged-line"], ragged)
        keep("quotes", "lenient", ["stray-quote", "unclosed-quote"], "quotes are out of place")
        return copy.options == options ? nil : copy
    }
}

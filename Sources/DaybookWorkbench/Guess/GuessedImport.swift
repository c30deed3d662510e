/// One chain of the guessed job: an import, what follows from its columns, and where the rows go.
package struct GuessedImport {
    /// The name of the stage that imports.
    package var stage: String
    /// What the file is.
    package var form: String
    var suggestion: SuggestedImport
    var cellsAreText: Bool
    /// Whether the stage itself reads dates, by an option that names their columns.
    var takesDates: Bool
    /// Whether the stage can give each row the name of its file.
    var namesFiles: Bool
    /// The files, as the job names them.
    package var paths: [String]
    package var look: TableInference
    /// Whether there was more than was looked at.
    var isPartial: Bool
    /// Columns whose values are of several kinds, which no declared kind would take.
    var mixed: Set<String> = []
    package var columns: GuessedColumns
    /// What the rows are called in ids and in the name of the output.
    package var name: String

    package init(
        _ found: FormatDetector.Detected,
        suggestion: SuggestedImport,
        path: String,
        look: TableInference,
        isPartial: Bool,
        name: String
    ) {
        stage = found.stage
        form = found.form
        self.suggestion = suggestion
        cellsAreText = found.detection.cellsAreText
        takesDates = found.takesDates
        namesFiles = found.namesFiles
        paths = [path]
        self.look = look
        self.isPartial = isPartial
        self.name = name
        columns = GuessedColumns(look, cellsAreText: cellsAreText)
    }

    /// Whether one stage can read the files of both: the same options and columns.
    func agrees(with other: GuessedImport) -> Bool {
        stage == other.stage && suggestion.part == other.suggestion.part
            && Set(look.schema.fields) == Set(other.look.schema.fields)
            && plainOptions == other.plainOptions
    }

    /// The options without what speaks for them, which differs from file to file.
    private var plainOptions: [[String]] { suggestion.options.map { [$0.key, YAMLScalar.of($0.value)] } }

    package mutating func merge(_ other: GuessedImport) {
        paths += other.paths
        look.merge(other.look)
        isPartial = isPartial || other.isPartial
        mixed.formUnion(other.mixed)
        columns = GuessedColumns(look, cellsAreText: cellsAreText, namesFiles: true)
    }

    /// The import with the options that the columns call for.
    package var options: [SuggestedOption] {
        var options = suggestion.options
        let read = columns.dates.filter { takesDates && $0.unit != nil }
        if !read.isEmpty {
            options.append(
                SuggestedOption(
                    "dates",
                    .map(
                        read.map { dates in
                            SuggestedOption(
                                dates.column,
                                .plain(dates.unit?.rawValue ?? ""),
                                because: dates.evidenceAlone
                            )
                        }
                    )
                )
            )
        }
        guard cellsAreText else {
            if stage == "import_json", let known = knownColumns { options.append(known) }
            return options
        }
        if !columns.gaps.isEmpty, !options.contains(where: { $0.key == "missing" }) {
            options.append(missingOption)
        }
        if !columns.declared.isEmpty, !options.contains(where: { $0.key == "columns" }) {
            options.append(
                SuggestedOption(
                    "columns",
                    .map(columns.declared.map { SuggestedOption($0.name, .plain($0.kind), because: $0.reason) }),
                    because: "what is not named here is text"
                )
            )
            if let format = columns.numberFormat { options.append(format) }
        }
        return options
    }

    /// The columns of JSON with their kinds, so that nothing has to be learnt from the data; nil where there are too many to read.
    private var knownColumns: SuggestedOption? {
        let fields = look.schema.fields
        let values = Set(look.columns.filter { $0.present > 0 }.map(\.name))
        let told = fields.filter { field in
            // Beside the keys of an object stands one that tells where it is empty; declared, it would be the whole object.
            values.contains(field.name) && !mixed.contains(field.name)
                && !fields.contains { $0.name.hasPrefix(field.name + ".") }
        }
        guard !told.isEmpty, told.count <= GuessedImport.mostKnown else { return nil }
        return SuggestedOption(
            "columns",
            .map(told.map { SuggestedOption($0.name, .plain($0.kind.rawValue)) }),
            because: "so that 'validate' knows them, and none is learnt from the data"
        )
    }

    private static let mostKnown = 200

    /// The words for a gap in columns of numbers, dates and flags. They hold for all columns, so where they stand among texts too,
    /// a person chooses.
    private var missingOption: SuggestedOption {
        let words = columns.gaps.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        func option(_ words: [String]) -> SuggestedValue { .list([.text("")] + words.map { .text($0) }) }
        let reasons = words.map { word, count in
            let (texts, cells) = columns.texts(with: word)
            let sure = "'\(word)' in \(Spoken.count(count, "cell"))"
            guard !texts.isEmpty else { return sure }
            let names = texts.count > 3 ? "\(texts.count) columns" : Spoken.list(texts.map { "'\($0)'" })
            return "\(sure) (and in \(Spoken.count(cells)) of \(names), which \(texts.count == 1 ? "is" : "are") text)"
        }
        let sure = words.map(\.key).filter { columns.texts(with: $0).columns.isEmpty }
        let doubtful = words.map(\.key).filter { !sure.contains($0) }
        return SuggestedOption(
            "missing",
            option(words.map(\.key)),
            because: "no value: " + Spoken.list(reasons),
            others: doubtful.isEmpty
                ? []
                : [
                    SuggestedChoice(
                        option(sure),
                        because: "if \(Spoken.list(doubtful.map { "'\($0)'" })) "
                            + "\(doubtful.count == 1 ? "is a text; among numbers it is" : "are texts; among numbers they are") "
                            + "rejected then"
                    )
                ]
        )
    }

    /// The options that read numbers as people wrote them, and everything else as text; nil where no column has such numbers.
    var optionsReadingNumbers: [SuggestedOption]? {
        guard cellsAreText, !suggestion.options.contains(where: { $0.key == "columns" }),
            let format = columns.numberFormat
        else { return nil }
        let written = columns.formattedNumbers
        var words: Set<String> = []
        for column in look.columns where written.contains(where: { $0.name == column.name }) {
            words.formUnion(column.text.gaps.keys)
        }
        guard words.allSatisfy({ columns.texts(with: $0).columns.isEmpty }) else { return nil }
        var options = suggestion.options
        if !words.isEmpty, !options.contains(where: { $0.key == "missing" }) {
            options.append(SuggestedOption("missing", .list([.text("")] + words.sorted().map { .text($0) })))
        }
        options.append(SuggestedOption("columns", .map(written.map { SuggestedOption($0.name, .plain($0.kind)) })))
        options.append(format)
        return options
    }

    /// The dates that need a stage behind the import.
    var dateStages: [GuessedColumns.Dates] { columns.dates.filter { !takesDates || $0.unit == nil } }

    /// Whether a stage of the job makes instants, for which the zone matters.
    var makesInstants: Bool { dateStages.contains(where: \.makesInstants) }

    /// Whether the job must name a zone; stages to choose from count too.
    var needsTimezone: Bool {
        makesInstants || columns.choices.contains { $0.stages.contains { $0.dates.makesInstants } }
    }

    /// Whether something is left to the person.
    var hasChoices: Bool { choiceCount > 0 }

    /// How much is left to the person.
    var choiceCount: Int {
        columns.choices.count + columns.dates.count { $0.choice != nil } + options.count { !$0.others.isEmpty }
    }

    var hasColumns: Bool { !look.schema.fields.isEmpty }
}

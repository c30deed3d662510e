import DaybookBytes

/// Faults of the data as a whole: files that could not be opened for their headers, and missing columns.
///
/// Each fault is reported once, at the line of the data that names the columns, with its place in the job.
///
/// A missing column is a mistake of the job if its name misspells a column of the data, or if the data have all columns
/// that rules expect. It is a fault of the data if the import or a rule names the column too, or if an earlier run of
/// the same job text passed, since the column existed then.
struct DataFaults {
    private(set) var errors: [DaybookError]
    private let plan: Plan
    private let inputs: RunInputs?
    /// Reported columns, by the source that lacks them.
    private var told: Set<Column> = []

    private struct Column: Hashable {
        var source: Int?
        var name: String
    }

    init(_ plan: Plan, _ inputs: RunInputs?, _ missingColumns: [StageError], _ settings: RunSettings) {
        (self.plan, self.inputs) = (plan, inputs)
        errors = inputs?.faults ?? []
        for stage in plan.stages {
            for error in inputs?.missing(from: stage.index) ?? [] { tell(error, of: stage.index) }
        }
        let slips = missingColumns.filter(isSlip)
        let areSlips = !slips.isEmpty && !settings.hasPassed()
        errors += areSlips ? slips.map(\.error) : []
        for missing in missingColumns where !areSlips || !isSlip(missing) {
            if missing.error.code != "unknown-column", let odd = oddValue(behind: missing) {
                tell(missing.error, at: odd)
            } else {
                tell(missing.error, of: source(of: missing))
            }
        }
    }

    private func isSlip(_ missing: StageError) -> Bool {
        guard missing.error.code == "unknown-column", let name = missing.error.column, let source = source(of: missing),
            let kind = plan.stages[source].source
        else { return false }
        let (there, asked) = (columns(of: source), plan.stages.compactMap(\.check).flatMap(\.expectedColumns))
        guard !(kind.declaredSchema.names + asked).contains(name) else { return false }
        if !asked.isEmpty, Set(asked).isSubset(of: there) { return true }
        let here = plan.stages[missing.stage].inputs.flatMap { plan.schema(of: $0).names }
        return NearestName.slip(name, among: there + here) != nil
    }

    /// First value that gave a column several kinds, if that may explain the wrong kind.
    private func oddValue(behind missing: StageError) -> RenderedFinding? {
        let sources = plan.sources(of: missing.stage, withBuildSides: true)
        let odd = (inputs?.mixedValues ?? []).filter { sources.contains($0.stage) }.map(\.finding)
        guard let name = missing.error.column else { return odd.first }
        return odd.first { $0.field == name }
    }

    /// Reports a wrong kind at the value of another kind, since without that value the column would have one kind.
    private mutating func tell(_ error: DaybookError, at odd: RenderedFinding) {
        guard told.insert(Column(source: nil, name: error.message)).inserted else { return }
        var fault = error
        fault.blame = .data
        fault.place = SourcePlace(file: odd.source ?? "", line: odd.line ?? 1, column: odd.column ?? 1)
        let kinds = odd.message.prefix { $0 != ":" }
        fault.message = "\(error.message), since \(kinds)" + (error.place.map { " (\($0))" } ?? "")
        fault.hint =
            "mend the value; or declare the kind of '\(odd.field ?? "")' under 'columns' of the import, and each value that is not so is told with its place"
        errors.append(fault)
    }

    private mutating func tell(_ error: DaybookError, of source: Int?) {
        if let name = error.column, !told.insert(Column(source: source, name: name)).inserted { return }
        var fault = error
        fault.code = "missing-column"
        fault.blame = .data
        if let header = source.flatMap({ inputs?.header(of: $0) }) {
            fault.place = header
            if let place = error.place { fault.message += " (\(place))" }
        } else if let source, inputs?.isAbsent(source) == true {
            fault.hint =
                "'\(plan.stages[source].id)' found no file, and has only the columns that its 'columns' declares: "
                + "declare '\(error.column ?? "")' too"
        }
        errors.append(fault)
    }

    /// Source that most likely lacks a column: a source of the stage without the column, and preferably with a similar
    /// name.
    private func source(of missing: StageError) -> Int? {
        let all = plan.sources(of: missing.stage, withBuildSides: true)
        guard all.count > 1, let name = missing.error.column else { return all.first }
        let lacking = all.filter { !columns(of: $0).contains(name) }
        return lacking.first { NearestName.of(name, among: columns(of: $0)) != nil } ?? lacking.first ?? all.first
    }

    private func columns(of source: Int) -> [String] { inputs?.schemas[source]?.names ?? [] }
}

extension Plan {
    /// Faults that a run would refuse before its first row. The function reads the beginnings of the inputs, and
    /// compares real paths.
    ///
    /// - Parameter check: finds more faults once all columns are known, also those of each source.
    public func faults(
        inData settings: RunSettings,
        and check: (Plan, [Int: Schema]) -> [DaybookError] = { _, _ in [] }
    ) -> [DaybookError] {
        if let stream = inputPaths(in: settings.directory).first(where: \.isReadOnce) {
            let hint = "the run checks it all the same, before its first row"
            return [DaybookError("input-is-stream", "'\(stream.name)' can be read only once, by the run", hint: hint)]
        }
        var plan = self
        do {
            let inputs = try RunInputs(plan, settings, scansDays: false)
            let missingColumns = try plan.resolve(from: inputs.schemas, mixed: inputs.mixed)
            let checks = OutputChecks(plan, in: settings.directory)
            return DataFaults(plan, inputs, missingColumns, settings).errors + checks.duplicates + checks.bases
                + check(plan, inputs.schemas)
                + checks.outputs.compactMap { output, isExtended in
                    do throws(DaybookError) { try inputs.refuse(output, isExtended: isExtended) } catch {
                        return error.located(at: output.place)
                    }
                    return nil
                }
        } catch let errors as DaybookErrors { return errors.errors } catch {
            return [error as? DaybookError ?? .machine("internal", "\(error)")]
        }
    }
}

/// Columns of a text are learnt from its beginning. A later record that contradicts them ends the run, which then
/// starts again with columns from all records: outputs must not depend on the position of a value in the text.
extension DaybookError {
    /// Code of the error for a record that contradicts the columns learnt from the beginning of its text.
    static let unlearnt: Code = "unlearnt"
}

extension FindingSummary {
    /// Error for the first record that contradicts the columns learnt before it.
    ///
    /// - Parameter codes: the codes of such findings, as the format of the source lists them.
    func unlearnt(_ codes: @autoclosure () -> Set<String>) -> DaybookError? {
        guard !tallies.isEmpty, case let codes = codes(), tallies.contains(where: { codes.contains($0.code) }) else {
            return nil
        }
        let first = samples.first { codes.contains($0.finding.code) }?.finding
        let column = first?.field.map { "column '\($0)': " } ?? ""
        return .data(
            DaybookError.unlearnt,
            column + (first?.message ?? "a later record has other columns than the first ones"),
            at: first.flatMap { finding in
                finding.source.map { SourcePlace(file: $0, line: finding.line ?? 1, column: finding.column ?? 1) }
            },
            hint:
                "its columns were learnt from its beginning, as it cannot be read twice; name them with 'columns', and their kinds"
        )
    }
}

/// Texts that are read to the end so that a format learns from all of their records.
package struct WholeTexts {
    private let texts: [OpenInput]

    /// Opens the texts of the files again.
    package init(
        _ paths: [InputPath],
        of source: any TextSource,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(DaybookError) {
        texts = try paths.enumerated().map { place, path throws(DaybookError) in
            try OpenFile(path, of: source, at: place, isCancelled: isCancelled) { _ in place }.inputs
        }.flatMap(\.self)
    }

    func read(_ text: Int, as format: any SourceFormat, _ learn: (Morsel) -> Void) throws(DaybookError) {
        let text = ReadableText(input: texts[text], format: format, reader: NoReader())
        let feed = SourceFeed([text], morselSize: RunSettings.standardMorselSize)
        while let item = try feed.next() {
            if let morsel = item.records, morsel.length > 0 { learn(morsel) }
        }
    }

    /// Reader without rows, while columns are learnt.
    private struct NoReader: RecordReader {
        let schema = Schema()
        func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch { Batch(empty: schema) }
        func finder(of field: String) -> FieldFinder? { nil }
    }
}

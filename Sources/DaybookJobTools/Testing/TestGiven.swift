import DaybookBytes
import DaybookEngine

/// The given rows and texts of a test, as sources in the place of stages.
struct TestGiven {
    private var sources: [String: any SuppliedSource] = [:]

    /// - Parameter plan: the plan of the whole job.
    init(_ test: JobTest, in plan: Plan, _ source: SourceText) throws(DaybookErrors) {
        var problems: [DaybookError] = []
        var columns = plan
        // Columns that only the data decides stay open.
        try columns.resolve(plan.declaredSchemas)
        for rows in test.given {
            guard let stage = columns.stages.first(where: { $0.id == rows.stage.id }) else {
                problems.append(plan.unknownStage(rows.stage.id, at: rows.stage.place))
                continue
            }
            do throws(DaybookErrors) {
                sources[rows.stage.written] = try TestGiven.held(rows, stage, columns, source)
            } catch { problems += error.errors }
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
    }

    subscript(id: String) -> (any SuppliedSource)? { sources[id] }

    private static func held(
        _ rows: JobTest.Rows,
        _ stage: PlannedStage,
        _ plan: Plan,
        _ source: SourceText
    ) throws(DaybookErrors) -> any SuppliedSource {
        let name = rows.stage.written
        var known = rows.stage.port == .rejects ? stage.rejectSchema : stage.schema
        if rows.stage.port == .rows, case .source(let reading) = stage.role {
            if let stage = reading.fileStage, let files = try files(rows, source) {
                return SuppliedText(files: files, source: stage)
            }
            known = reading.declaredSchema
        }
        let written = try WrittenRows(reading: rows.node, in: source)
        if written.namesNoColumns, known.isOpen {
            let hint = "write CSV with a header and no rows"
            throw DaybookErrors([
                DaybookError(
                    "no-columns",
                    "[] names no columns, and those of '\(name)' are not known without data",
                    at: rows.node.place,
                    hint: hint
                )
            ])
        }
        // Cells of CSV are text unless something says otherwise; the values of a list have forms of their own.
        let isText = written.rows.contains { $0.source != nil }
        let supplied = SuppliedBatch(known: known, otherKind: plan.otherKind(of: stage.index) ?? (isText ? .text : nil))
        return SuppliedRows(name: name, batch: try supplied.batch(of: written, for: name))
    }

    /// The texts of files: one text, or several under their names; nil for rows.
    private static func files(_ rows: JobTest.Rows, _ source: SourceText) throws(DaybookErrors) -> [SuppliedText.File]?
    {
        switch rows.node.content {
        case .text(let text, _):
            return [SuppliedText.File(name: rows.stage.id, text: WrittenText(text, at: rows.node, in: source))]
        case .map(let entries):
            var problems: [DaybookError] = []
            var files: [SuppliedText.File] = []
            for entry in entries {
                guard let text = entry.value.text else {
                    problems.append(entry.value.expected("the text of the file '\(entry.key)'"))
                    continue
                }
                files.append(SuppliedText.File(name: entry.key, text: WrittenText(text, at: entry.value, in: source)))
            }
            if files.isEmpty, problems.isEmpty { problems.append(rows.node.expected("files and their texts")) }
            if !problems.isEmpty { throw DaybookErrors(problems) }
            return files
        case .list, .nothing: return nil
        }
    }
}

extension Plan {
    /// The kind of columns that no option declares, if all sources of a stage agree on it; nil if the data decides.
    package func otherKind(of index: Int) -> ColumnKind? {
        var kinds: Set<ColumnKind?> = []
        var seen: Set<Int> = []
        func visit(_ index: Int) {
            guard seen.insert(index).inserted else { return }
            if case .source(let source) = stages[index].role {
                kinds.insert(source.fileStage.flatMap { type(of: $0).otherKind })
            }
            for input in stages[index].inputs where input.port == .rows { visit(input.stage) }
        }
        visit(index)
        return kinds.count == 1 ? kinds.first ?? nil : nil
    }
}

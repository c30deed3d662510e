import DaybookBytes
import DaybookDates
import DaybookEngine

/// Makes a batch of the rows that a test gives to a stage.
struct SuppliedBatch {
    /// The columns of the stage that are known before the run; open if the data decides.
    let known: Schema
    /// The kind of all other columns; nil if the form of the values decides.
    let otherKind: ColumnKind?

    /// The batch, or the errors of the rows, which name the stage.
    func batch(of written: WrittenRows, for stage: String) throws(DaybookErrors) -> Batch {
        let strangers = written.columns.filter { known.index(of: $0.name) == nil && !known.isOpen }
        if !strangers.isEmpty { throw DaybookErrors(strangers.map { unknown($0, stage) }) }
        var (fields, columns, problems): ([Field], [Column], [DaybookError]) = ([], [], [])
        // A test may leave out known columns, which then have no values. If the data decides the order, the order of the test
        // counts.
        let order = known.isOpen ? written.columns.map(\.name) : []
        let rest = known.names.filter { !order.contains($0) }
        for name in order + rest {
            let field = known[ColumnName(name)] ?? Field(name, .text)
            let index = written.columns.firstIndex { $0.name == field.name }
            let cells = index.map { index in written.rows.map { $0.cells[index] } }
            let kind = kind(of: field, index.map { written.columns[$0] }, cells ?? [], &problems)
            fields.append(Field(field.name, kind, source: field.name, keys: field.keys))
            columns.append(SuppliedBatch.column(kind, cells, rows: written.rows.count, &problems))
            if problems.count >= 100 { break }
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        return Batch(Schema(fields), columns, count: written.rows.count, provenance: .made)
    }

    private func unknown(_ column: WrittenRows.Column, _ stage: String) -> DaybookError {
        let message = "'\(stage)' gives no column named \(column.name.quotedForMessage)"
        let hint = NearestName.hint(for: column.name, among: known.names, listing: "its columns are")
        return DaybookError("unknown-column", message, at: column.place, hint: hint)
    }

    private func kind(
        of field: Field,
        _ column: WrittenRows.Column?,
        _ cells: [WrittenRows.Cell],
        _ problems: inout [DaybookError]
    ) -> ColumnKind {
        let isKnown = known.index(of: field.name) != nil
        if let column, let kind = column.kind {
            if isKnown, let mismatch = column.mismatch(field) { problems.append(mismatch) }
            return kind
        }
        return isKnown ? field.kind : otherKind ?? SuppliedBatch.kind(byFormOf: cells)
    }

    /// The kind as in JSON: numbers or flags if all values are, without quotes; otherwise text.
    private static func kind(byFormOf cells: [WrittenRows.Cell]) -> ColumnKind {
        let values = cells.filter { $0.text != nil }
        guard !values.isEmpty, values.allSatisfy({ !$0.isQuoted }) else { return .text }
        return [.integer, .decimal, .flag].first { kind in values.allSatisfy { kind.reads($0.text ?? "") } } ?? .text
    }

    private static func column(
        _ kind: ColumnKind,
        _ cells: [WrittenRows.Cell]?,
        rows: Int,
        _ problems: inout [DaybookError]
    ) -> Column {
        let cells = cells ?? Array(repeating: WrittenRows.Cell(text: nil), count: rows)
        for cell in cells {
            guard let text = cell.text, !kind.reads(text) else { continue }
            let message = "\(text.quotedForMessage) is not \(kind.displayText)"
            problems.append(DaybookError("wrong-type", message, at: cell.place))
        }
        return kind.column(of: cells.map(\.text))
    }
}

extension ColumnKind {
    /// Whether `text` is a value of the kind.
    package func reads(_ text: String) -> Bool { column(of: [text]).displayText(0) != nil }

    /// The values of texts. A missing text, or one of another kind, gives a missing value.
    package func column(of texts: [String?]) -> Column {
        func values<Value>(_ filler: Value, _ read: (Cell) -> Value?) -> Values<Value> {
            let values = texts.map { text in
                var text = text
                return text?.withUTF8 { read($0) } ?? nil
            }
            return Values(values, filler: filler)
        }
        switch self {
        case .text, .json:
            var builder = TextColumnBuilder(rows: texts.count)
            for text in texts { if let text { builder.append(text) } else { builder.appendMissing() } }
            return self == .text ? .text(builder.build()) : .json(builder.build())
        case .integer: return .integers(values(0) { CellReading.integer($0) })
        case .decimal: return .decimals(values(0, CellReading.decimal))
        case .flag: return .flags(values(false, CellReading.flag))
        case .day: return .days(values(0, CellReading.day))
        case .instant: return .instants(values(0) { ReadInstant(iso: $0)?.micros })
        }
    }

    /// The canonical form of a value: `0.50` becomes `0.5`. Other text stays unchanged.
    func canonical(_ text: String) -> String {
        self == .text || self == .json ? text : column(of: [text]).displayText(0) ?? text
    }

    /// The kind with its article, for messages about an expected value.
    package var displayText: String {
        switch self {
        case .text: "text"
        case .integer: "a whole number"
        case .decimal: "a number"
        case .flag: "true or false"
        case .day: "a date such as 2026-11-21"
        case .instant: "an instant such as 2026-11-21T05:00:00Z"
        case .json: "JSON"
        }
    }
}

/// Texts that a test gives to an import, each read as the file of that name.
struct SuppliedText: SuppliedSource {
    /// One text and its name as a file.
    struct File: Sendable {
        var name: String
        var text: WrittenText
    }

    let files: [File]
    let source: any TextSource

    var declaredSchema: Schema { source.declaredSchemaWithFile }
    var unlearntCodes: Set<String> { type(of: source).unlearntCodes }

    func open(_ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) -> any OpenedInputs {
        do throws(DaybookError) { return try TextInputs(try texts(registry), of: source) } catch { throw placed(error) }
    }

    /// The error at the place of its text in the job file.
    func placed(_ error: DaybookError) -> DaybookError {
        guard let place = error.place, let file = files.first(where: { $0.name == place.file }) else { return error }
        var error = error
        error.place = file.text.place(line: place.line, column: place.column, length: place.length)
        return error
    }

    private func texts(_ registry: SourceRegistry) throws(DaybookError) -> [OpenInput] {
        var texts: [OpenInput] = []
        for file in files {
            if let day = source.intake.dayOfName, day.day(ofPath: file.name) == nil {
                var error = day.refusal(of: file.name)
                error.place = file.text.place(line: 1, column: 1, length: 1)
                error.hint =
                    "give the text under the name of a file that says its day: 'given: { orders: { orders-2026-10-01.csv: … } }'"
                throw error
            }
            let bytes = Bytes(file.text.text)
            guard let container = source.container else {
                let index = registry.add(SourceRegistry.Entry(path: file.name))
                texts.append(OpenInput(held: bytes, named: file.name, index: index))
                continue
            }
            let contents = try container.contents(of: bytes, SourceName(index: 0, path: file.name))
            for text in contents.texts {
                let index = registry.add(SourceRegistry.Entry(path: file.name, holder: text.holder))
                texts.append(OpenInput(held: text.bytes, text, named: file.name, index: index))
            }
        }
        return texts
    }
}

/// Rows that a test gives in the place of a stage.
struct SuppliedRows: SuppliedSource {
    let name: String
    let batch: Batch

    var declaredSchema: Schema { batch.schema }

    func open(_ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) -> any OpenedInputs {
        SuppliedRowsInput(batch, SourceName(index: registry.add(SourceRegistry.Entry(path: name)), path: name))
    }
}

/// The given rows as a store, with pointers to rows: `/0/date` is the date of the first.
private final class SuppliedRowsInput: OpenedInputs, StoreRows, @unchecked Sendable {
    let schema: Schema
    private let source: SourceName
    private let whole: Batch
    /// The rows with the columns that are read.
    private var batch: Batch
    private var given = 0

    init(_ batch: Batch, _ source: SourceName) {
        (schema, whole, self.batch, self.source) = (batch.schema, batch, batch, source)
    }

    func feed(_ schema: Schema, morselSize: Int, _ registry: SourceRegistry) -> any SourceItemFeed {
        let columns = schema.names.map { name in
            guard let index = whole.schema.index(of: name) else {
                preconditionFailure("given rows are asked for column '\(name)', which they never promised")
            }
            return whole.columns[index]
        }
        batch = whole.replacing(schema, columns)
        registry.setRows(self, of: source.index)
        return StoreFeed([(self as any StoreRows, 0)], batchSize: morselSize)
    }

    // MARK: - As a store

    var share: Double { 1 }

    func next(_ size: Int, reporting findings: inout Findings) -> Batch? {
        guard given < batch.count else { return nil }
        let rows = given..<min(batch.count, given + 4_096)
        given = rows.upperBound
        findings.saw(records: rows.count)
        var part = rows.count == batch.count ? batch : batch.keeping(rows.map { Int32(truncatingIfNeeded: $0) })
        part.provenance = .store(source, rows: rows.map { StoreRow(Int64($0), at: $0 - rows.lowerBound) })
        return part
    }

    func pointer(to field: String?, row: Int64) -> String { field.map { "/\(row)/\($0)" } ?? "/\(row)" }

    func record(again row: Int64) -> StoredRecord? {
        guard row >= 0, row < whole.count else { return nil }
        let json = Bytes()
        var values: [(field: String, text: Bytes?)] = []
        for (index, field) in whole.schema.fields.enumerated() {
            let text = whole.columns[index].displayText(Int(row))
            json.append(index == 0 ? "{" : ",")
            json.append(jsonString: field.name)
            json.append(":")
            if let text { json.append(jsonString: text) } else { json.append("null") }
            values.append((field.name, text.map { Bytes($0) }))
        }
        json.append(whole.schema.fields.isEmpty ? "{}" : "}")
        return StoredRecord(json: json, values: values)
    }
}

/// The given rows and texts of a test, as sources in the place of stages.
enum TestGiven {
    /// The sources by the stages, as written.
    ///
    /// - Parameter plan: the plan of the whole job.
    static func sources(
        _ test: JobTest,
        in plan: Plan,
        _ source: SourceText
    ) throws(DaybookErrors) -> [String: any SuppliedSource] {
        var sources: [String: any SuppliedSource] = [:]
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
        return sources
    }

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
            let message = "[] names no columns, and those of '\(name)' are not known without data"
            let hint = "write CSV with a header and no rows"
            throw DaybookErrors("no-columns", message, at: rows.node.place, hint: hint)
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

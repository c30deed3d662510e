import DaybookBytes
import Synchronization

/// One column to read.
package struct SQLiteField: Sendable {
    /// The name of the column for later stages.
    package var name: String
    /// Its name in the database, used in pointers.
    package var stored: String
    /// The SQL expression for its value: a column, or something computed from it.
    package var expression: String
    /// The declared type; nil for an expression.
    package var type: String?
    /// The reading that the store's own model gives; nil if type and values decide.
    package var modelled: SQLiteReading?
    /// The contents of the column's BLOBs; nil if they are their own contents.
    package var contents: (any BLOBContents)?

    package init(
        _ name: String,
        stored: String,
        expression: String? = nil,
        type: String?,
        modelled: SQLiteReading? = nil,
        contents: (any BLOBContents)? = nil
    ) {
        (self.name, self.stored, self.type) = (name, stored, type)
        (self.modelled, self.contents) = (modelled, contents)
        self.expression = expression ?? SQLiteSelection.quoted(stored)
    }
}

/// A table, view or query of one open database, with its first rows sampled.
public final class SQLiteTable: OpenedStore {
    package let store: SQLiteStore
    package let selection: SQLiteSelection
    public let since: SinceReading?
    package let fields: [SQLiteField]
    public let recognised: [String]
    fileprivate let wishes: Wishes
    private let evidence: [SQLiteEvidence]
    private let tableReadings = Mutex<[String: SQLiteReading]>([:])

    public var source: SourceName { store.file.source }
    public var warnings: [Finding.Kind] { store.warnings + ownWarnings + (since?.warnings ?? []) }
    /// Warnings of the stage about the store.
    private let ownWarnings: [Finding.Kind]
    /// The reading of each column, by name; known once all files were sampled.
    package var readings: [String: SQLiteReading] { tableReadings.withLock { $0 } }

    /// The sample: the most rows, bytes, and SQLite steps, which take some seconds.
    private static let look = (rows: 1000, bytes: 8 << 20, steps: 200_000_000)

    /// - Parameters:
    ///   - selection: all rows.
    ///   - column: the column that identifies new rows, if only these are read.
    package init(
        _ store: SQLiteStore,
        _ selection: SQLiteSelection,
        _ fields: [SQLiteField],
        recognised: [String],
        _ wishes: Wishes,
        since column: String? = nil,
        warnings: [Finding.Kind] = []
    ) throws(DaybookError) {
        self.store = store
        if let column, let bound = store.file.since {
            var asked = SQLiteSince(column: column, bound: bound)
            let reading = try SQLiteSurvey(since: asked, store: store, selection: selection).reading()
            asked.wanted = SQLiteSince.list(of: bound.reread ?? reading.overlap?.wanted ?? [])
            self.selection = selection.rows(asked)
            since = reading
        } else {
            self.selection = selection
            since = nil
        }
        (self.fields, self.wishes, ownWarnings) = (fields, wishes, warnings)
        self.recognised = recognised + (store.file.logLength > 0 ? ["write-ahead log"] : [])
        // Columns whose kind the job declares need no sample, nor does JSON that an expression makes.
        let known = wishes.columns.entries.map(\.key)
        let unknown = fields.indices.filter { index in
            let isMade = fields[index].modelled == .json && fields[index].contents == nil
            return !isMade && !known.contains(fields[index].name)
        }
        // All rows are sampled, or the kinds would change with the new rows.
        evidence = try SQLiteTable.look(store, selection, fields, unknown)
    }

    private static func look(
        _ store: SQLiteStore,
        _ selection: SQLiteSelection,
        _ fields: [SQLiteField],
        _ unknown: [Int]
    ) throws(DaybookError) -> [SQLiteEvidence] {
        var evidence = [SQLiteEvidence](repeating: SQLiteEvidence(), count: fields.count)
        guard !unknown.isEmpty else { return evidence }
        try store.look(steps: look.steps) { db in
            let sql = selection.statement(selecting: unknown.map { fields[$0].expression })
            let statement = try SQLiteStatement(db, sql ?? selection.statement)
            var rows = 0
            var bytes = 0
            while rows < look.rows, bytes < look.bytes, try statement.step() {
                rows += 1
                for (index, field) in unknown.enumerated() {
                    let contents = fields[field].modelled == .json ? fields[field].contents : nil
                    bytes += evidence[field].note(statement, sql == nil ? field : index + 1, contents)
                }
            }
        }
        return evidence
    }

    /// The job's declarations about columns.
    package struct Wishes: Sendable {
        package var columns = OptionMap<ColumnKind>(entries: [])
        package var blobs = BLOBTreatment.base64
        package var blobsPlace: SourcePlace?
        package var dates: CoreDataDates?

        package init() {}
    }

    /// The common schema of all files. All have the same columns, and each column has one reading.
    fileprivate static func schema(of tables: [SQLiteTable]) throws(DaybookError) -> Schema {
        guard let first = tables.first else { return Schema() }
        let wishes = first.wishes
        for other in tables.dropFirst() { try check(other, against: first) }
        var readings: [String: SQLiteReading] = [:]
        for (index, field) in first.fields.enumerated() {
            if let declared = wishes.columns.entries.last(where: { $0.key == field.name }) {
                readings[field.name] = SQLiteReading(declared: declared.value)
                continue
            }
            var evidence = SQLiteEvidence()
            for table in tables { evidence.add(table.evidence(of: field.name) ?? first.evidence[index]) }
            let told = modelled(field.name, in: tables).flatMap { evidence.reading(modelled: $0) }
            let reading = told ?? evidence.reading(declared: field.type, dates: wishes.dates)
            let isBLOB = reading == .base64 || (reading == .json && field.contents != nil)
            if isBLOB, wishes.blobs == .refuse {
                let message = "column '\(field.name)' of \(first.selection.displayText) holds BLOBs"
                let hint = "read them as base64 text with 'blobs: base64', or leave the column out with 'query'"
                throw DaybookError("blob-column", message, at: wishes.blobsPlace, hint: hint)
            }
            readings[field.name] = reading
        }
        for table in tables { table.tableReadings.withLock { $0 = readings } }
        return Schema(first.fields.map { Field($0.name, readings[$0.name]?.kind ?? .text, source: $0.stored) })
    }

    /// The reading that the models of all stores give a column; nil if one gives none or another.
    private static func modelled(_ name: String, in tables: [SQLiteTable]) -> SQLiteReading? {
        let readings = Set(tables.map { table in table.fields.first { $0.name == name }?.modelled })
        guard readings.count == 1, let reading = readings.first ?? nil else { return nil }
        return reading == .appleInstant && tables.first?.wishes.dates == .appleSeconds ? .decimal : reading
    }

    private func evidence(of name: String) -> SQLiteEvidence? {
        fields.firstIndex { $0.name == name }.map { evidence[$0] }
    }

    private static func check(_ table: SQLiteTable, against first: SQLiteTable) throws(DaybookError) {
        let names = Set(table.fields.map(\.name))
        let known = Set(first.fields.map(\.name))
        guard let odd = names.symmetricDifference(known).sorted().first else { return }
        let (has, lacks) = names.contains(odd) ? (table, first) : (first, table)
        let message =
            "'\(lacks.source.path)' has no column '\(odd)' in \(lacks.selection.displayText); '\(has.source.path)' has"
        let hint = "read the files by two stages, or name the columns that both have with 'query'"
        throw DaybookError.data("columns-differ", message, hint: hint)
    }
}

/// Defaults shared by imports of tables.
extension StoreSource where Store == SQLiteTable {
    public static var companions: [String] { SQLiteStore.companions }

    public func schema(of stores: [SQLiteTable]) throws(DaybookError) -> Schema { try SQLiteTable.schema(of: stores) }

    public func missing(from stores: [SQLiteTable]) -> [DaybookError] {
        guard let first = stores.first else { return [] }
        return first.wishes.columns.missing(among: first.fields.map(\.name)) {
            "\(first.selection.displayText) has no column '\($0)'"
        }
    }

    public func rows(of store: SQLiteTable, schema: Schema) throws(DaybookError) -> any StoreRows {
        SQLiteRows(store, schema: schema, refusesBLOBs: store.wishes.blobs == .refuse)
    }
}

/// The treatment of BLOBs.
package enum BLOBTreatment: String, OptionChoice { case base64, refuse }

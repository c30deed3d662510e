import DaybookBytes
import DaybookSQLite

/// Reads the objects of one entity from Core Data stores.
///
/// A store keeps each family of entities in one table. Attributes are columns whose names have lost their case, dates
/// are seconds since 2001, and a to-one relationship is the key of its target. To-many relationships are stored at
/// their other end, or in tables of their own. Most stores also keep the model itself, which has the names, the kinds
/// and the relationships as the app declares them.
public struct ImportCoreData: StoreSource {
    public let paths: [PathText]
    let entity: String
    let attributes: CoreDataAttributes
    let relationships: [ColumnName]
    private var wishes = SQLiteTable.Wishes()
    let keyColumn: ColumnName?
    let entityColumn: ColumnName?
    public let fileColumn: ColumnName?
    public let intake: FileIntake
    private let entityPlace: SourcePlace?

    public init(reading options: inout OptionReader) {
        paths = options.read("path", help: "Stores to read: a path, a pattern such as backup-*.sqlite, or a list.")
        entity = options.read("entity", help: "The entity whose objects to read, with all that inherit from it.")
        attributes = options.read(
            "attributes",
            default: CoreDataAttributes(),
            help: """
                Names of attributes, such as [savedDate, word], or with their columns, such as { savedDate: ZSAVEDDATE }; \
                for a store without its model, whose columns keep no case: ZSAVEDDATE becomes saveddate there.
                """
        )
        relationships = options.read(
            "relationships",
            default: [],
            help: "To-many relationships to read, each as a column of JSON: an array of the keys of its targets."
        )
        wishes.dates = options.read(
            "dates",
            default: CoreDataDates.instant,
            help: "Whether dates become instants or stay the exact numbers of seconds since 2001."
        )
        wishes.columns = options.readKinds(
            help:
                "Kinds of attributes, in place of those of the model; a store without one tells no flag, which it keeps as 0 and 1."
        )
        wishes.blobs = options.read("blobs", default: .base64, help: "Whether BLOBs become base64 text or are refused.")
        keyColumn = options.optional(
            "key_column",
            help: "Column for each object's own key, to which relationships refer."
        )
        entityColumn = options.optional("entity_column", help: "Column for the entity of each object.")
        fileColumn = options.readFileColumn()
        intake = options.readIntake(declaresColumns: !wishes.columns.entries.isEmpty)
        entityPlace = options.place(of: "entity")
        wishes.blobsPlace = options.place(of: "blobs")
        for path in paths where path.isStandardStream {
            options.refuse("path", "a store cannot be read from standard input", hint: "write it to a file first")
        }
    }

    public static let description = StageDescription(
        name: "import_core_data",
        summary: "Read the objects of an entity from Core Data stores.",
        details: """
            The columns are the attributes and to-one relationships of the entity; a relationship holds the key of its target. \
            Stores that Core Data and SwiftData wrote keep the app's model, which gives attributes their names and kinds: a \
            Boolean is a flag, a Date an instant, a UUID text such as E621E1F8-C36C-495A-93FC-0C247A3E6E5F, data is base64, and \
            what a transformer made is JSON if all of the first values are archives of plain values, property lists or JSON, as \
            data is that 'columns' declares as json. \
            A column whose first thousand values are all of another kind is read as these are. Without the model, as in a store \
            that was written by other means, names are in lower case, ZSAVEDDATE as saveddate, and kinds are those of the columns \
            and values; a warning tells of a model that cannot be read. Of dates, what is finer than a microsecond is cut off; \
            'dates: apple_seconds' keeps the very numbers. With 'relationships', a to-many relationship is an array of the keys \
            of its targets, in their order where it is ordered, else in that of the keys. Data in a file of its own is read from \
            .NAME_SUPPORT/_EXTERNAL_DATA beside the store, up to 64 MiB; a file that is not there is warned of. The \
            store is never written to, nor is anything beside it; a write-ahead log beside it is read with it.
            """,
        examples: examples
    )

    public var declaredSchema: Schema { wishes.columns.declaredSchema }

    public func open(_ file: StoreFile) throws(DaybookError) -> SQLiteTable {
        let store = try SQLiteStore.open(file)
        let name = file.source.path
        guard let model = try store.read({ db in try CoreDataModel(db) }) else {
            let message = "'\(name)' is an SQLite database, but no Core Data store: it has no table Z_PRIMARYKEY"
            throw .machine("not-a-core-data-store", message, hint: "import_sqlite reads any database")
        }
        let entity = try find(model, in: name)
        guard let root = model.root(of: entity) else {
            let message = "'\(name)' is damaged: entity '\(entity.name)' inherits from itself"
            throw .machine("damaged-database", message, hint: "copy the store again")
        }
        let family = model.family(of: entity)
        let numbers = family.map { String($0.number) }.joined(separator: ", ")
        let table = "Z" + root.name.uppercased()
        let condition = entity.number == root.number ? nil : "Z_ENT IN (\(numbers))"
        let found: (SQLiteSelection, [CoreDataColumns.Column], CoreDataRelationships)? = try store.read { db in
            guard let selection = try SQLiteSelection.table(table, where: condition, in: db) else { return nil }
            let statement = try SQLiteStatement(db, selection.statement)
            let columns = statement.names.enumerated().map { ($1, statement.declaredType($0)) }
            return (selection, columns, try CoreDataRelationships(model, entity, in: db))
        }
        guard let (selection, columns, known) = found else {
            let message = "'\(name)' is damaged: it lists entity '\(entity.name)' and has no table '\(table)' for it"
            throw .machine("damaged-database", message, hint: "copy the store again")
        }
        var recognised = ["Core Data store", "entity '\(entity.name)' in table '\(selection.name)'"]
        if let hash = model.metadata.hashes[entity.name] { recognised.append("model hash \(hash)…") }
        let named = CoreDataColumns(
            table: selection.name,
            columns: columns,
            attributes: attributes,
            properties: CoreDataProperties(model, entity)
        )
        let fields =
            try named.fields { CoreDataContents(file, isExternal: $0) }
            + targets(known, of: entity, model.cache, in: name)
        try named.check(fields)
        let (all, warnings) = (own(family) + fields, model.cache.warnings(of: name))
        return try SQLiteTable(store, selection, all, recognised: recognised, wishes, warnings: warnings)
    }

    /// The columns of the to-many relationships that the job asks for.
    private func targets(
        _ known: CoreDataRelationships,
        of entity: CoreDataModel.Entity,
        _ cache: ModelCache,
        in name: String
    ) throws(DaybookError) -> [SQLiteField] {
        guard let first = relationships.first else { return [] }
        guard cache.model != nil else {
            let reason =
                if case .damaged(let reason) = cache { "cannot be read: \(reason)" } else { "is not in it" }
            let message =
                "'relationships' needs the app's model, to know the tables and columns of relationships, and that of '\(name)' \(reason)"
            let hint = "leave 'relationships' out, and read the tables that join objects by import_sqlite"
            throw DaybookError("no-model", message, at: first.place, hint: hint)
        }
        let all = known.all
        return try relationships.map { wanted throws(DaybookError) in
            guard let relationship = all.first(where: { $0.name == wanted.text }) else {
                let names = all.filter(\.isToMany).map(\.name)
                let hint =
                    NearestName.hint(for: wanted.text, among: names)
                    ?? (names.isEmpty ? "it has none to many" : "those to many are \(names.joined(separator: ", "))")
                let message = "entity '\(entity.name)' of '\(name)' has no relationship '\(wanted.text)'"
                throw DaybookError("unknown-relationship", message, at: wanted.place, hint: hint)
            }
            guard relationship.isToMany else {
                let message =
                    "relationship '\(wanted.text)' of entity '\(entity.name)' has one target at most, whose key is a column already"
                let hint = "leave it out of 'relationships'"
                throw DaybookError("to-one-relationship", message, at: wanted.place, hint: hint)
            }
            guard let field = known.field(relationship) else {
                let message = "'\(name)' has no table or column that holds relationship '\(wanted.text)'"
                let hint = "leave it out of 'relationships'"
                throw DaybookError("unknown-relationship", message, at: wanted.place, hint: hint)
            }
            return field
        }
    }

    private func find(_ model: CoreDataModel, in name: String) throws(DaybookError) -> CoreDataModel.Entity {
        if let entity = model.entity(entity) { return entity }
        let names = model.entities.map(\.name)
        let hint =
            NearestName.hint(for: entity, among: names)
            ?? (names.isEmpty ? "it has no entities at all" : "its entities are \(names.joined(separator: ", "))")
        throw DaybookError("unknown-entity", "'\(name)' has no entity '\(entity)'", at: entityPlace, hint: hint)
    }

    /// The requested columns for the key and the entity of each object.
    private func own(_ family: [CoreDataModel.Entity]) -> [SQLiteField] {
        let cases = family.map { "WHEN \($0.number) THEN '\($0.name.replacingScalars("'", with: "''"))'" }
        let entity = "CASE Z_ENT \(cases.joined(separator: " ")) END"
        return [
            keyColumn.map { SQLiteField($0.text, stored: "Z_PK", type: "INTEGER") },
            entityColumn.map { SQLiteField($0.text, stored: "Z_ENT", expression: entity, type: "TEXT") },
        ].compactMap(\.self)
    }
}

extension ImportCoreData: FormatDetecting {
    /// The most relationships to suggest, of all entities.
    private static let mostRelationships = 200
    private static let keyName = "key"

    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        guard let store = try SQLiteDetection.open(file), let model = try store.read({ db in try CoreDataModel(db) })
        else { return nil }
        let tables = Set(try store.read { db in try SQLiteSelection.tables(in: db).map { $0.name.uppercased() } })
        // Entities without a table keep their objects in their ancestor's table.
        let entities = model.entities.filter { entity in
            model.root(of: entity).map { tables.contains("Z" + $0.name.uppercased()) } == true
        }
        guard !entities.isEmpty else { return nil }
        let isLinked = model.cache.model?.entities.values.contains { !$0.relationships.isEmpty } == true
        var joins: Set<String> = []
        var left = mostRelationships
        var imports: [SuggestedImport] = []
        for entity in entities.prefix(SQLiteDetection.most) {
            let held = try store.read { db in try CoreDataRelationships(model, entity, in: db).held(most: left) }
            left -= held.names.count
            joins.formUnion(held.joins)
            var options = [SuggestedOption("entity", .text(entity.name))]
            if isLinked, !CoreDataProperties(model, entity).names.contains(keyName) {
                options.append(SuggestedOption("key_column", .text(keyName), because: "relationships refer to it"))
            }
            if !held.names.isEmpty {
                let names = SuggestedValue.list(held.names.map { .text($0) })
                options.append(SuggestedOption("relationships", names, because: "keys of the targets, as JSON"))
            }
            imports.append(SuggestedImport(part: entity.name, options: options))
        }
        if model.cache.model == nil {
            imports[0].notes.append(
                "the store keeps no case in the names of attributes; 'attributes: [savedDate]' gives an attribute its own"
            )
        }
        imports[0].notes += model.cache.warnings(of: file.name).map(\.message)
        let further = entities.dropFirst(SQLiteDetection.most).map(\.name)
        imports[0].notes += SuggestedImport.note(further, "further entities")
        let kept = joins.union(
            entities.compactMap { entity in model.root(of: entity).map { "Z" + $0.name.uppercased() } }
        )
        imports[0].notes += SuggestedImport.note(
            tables.subtracting(kept).filter { !SQLiteDetection.isKept($0) }.sorted(),
            "left out, for they are no entities but join them or keep a history; 'import_sqlite' reads them"
        )
        return FormatDetection(.certain, form: "a Core Data store", imports: Array(imports))
    }
}

import DaybookBytes
import DaybookSQLite

/// Reads the objects of one entity from Core Data stores.
///
/// A store keeps each family of entities in one table. Attributes are columns whose names have lost their case, dates
/// are seconds since 2001, and a to-one relationship is the key of its target. To-many relationships are stored at
/// their other end, or in tables of their own, which `import_sqlite` reads.
public struct ImportCoreData: StoreSource {
    public let paths: [PathText]
    let entity: String
    let attributes: CoreDataAttributes
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
                Names of attributes as the app writes them, such as [savedDate, word], or with their columns, such as \
                { savedDate: ZSAVEDDATE }; the store keeps no case, so without it ZSAVEDDATE becomes saveddate.
                """
        )
        wishes.dates = options.read(
            "dates",
            default: CoreDataDates.instant,
            help: "Whether dates become instants or stay the exact numbers of seconds since 2001."
        )
        wishes.columns = options.readKinds(
            help:
                "Kinds of attributes that the store does not tell, such as flag for a Boolean, which it keeps as 0 and 1."
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
            A store keeps the names of attributes in capitals only: ZSAVEDDATE becomes saveddate, unless 'attributes' says \
            savedDate. Dates become instants, of which what is finer than a microsecond is cut off; 'dates: apple_seconds' keeps the very numbers. A UUID is text such as \
            E621E1F8-C36C-495A-93FC-0C247A3E6E5F, and data that the store keeps in a file of its own is warned of. The \
            store is never written to, nor is anything beside it; a write-ahead log beside it is read with it.
            """,
        examples: [
            StageExample(
                "attributes are columns, and dates count from 2001",
                options: "path: EveryDay.sqlite\nentity: Word\nattributes: [savedDate]",
                input: """
                    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 2);
                    CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSAVEDDATE TIMESTAMP,
                        ZTEXT VARCHAR);
                    INSERT INTO ZWORD VALUES (1, 1, 1, 794016000, '사과'), (2, 1, 4, 794016000.25, NULL);
                    """,
                output: """
                    savedDate:instant,text:text
                    2026-03-01T00:00:00Z,사과
                    2026-03-01T00:00:00.250Z,
                    """
            ),
            StageExample(
                "the files of a folder that need not hold any yet, each read by one run that holds",
                options: """
                    path: inbox/*.sqlite
                    entity: Word
                    columns: { text: text }
                    optional: true
                    new_only: true
                    describe: { text: The word itself }
                    """,
                input: """
                    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 1);
                    CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR);
                    INSERT INTO ZWORD VALUES (1, 1, 1, '사과');
                    """,
                output: "text:text\n사과"
            ),
            StageExample(
                "entities that inherit stand in one table; relationships are keys",
                options: """
                    path: Family-2026-03-01.sqlite
                    entity: Note
                    attributes: { isDone: ZISDONE }
                    columns: { isDone: flag }
                    key_column: key
                    entity_column: entity
                    file_column: file
                    day: { from: name, pattern: "Family-{yyyy-MM-dd}.sqlite", column: saved }
                    redelivery: { other_bytes: redo }
                    late: { after: 3 days, then: warn }
                    """,
                input: """
                    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 9), (2, 'Note', 1, 0), (3, 'Memo', 2, 0);
                    CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISDONE INTEGER,
                        ZOWNER INTEGER, Z_FOK_OWNER INTEGER);
                    INSERT INTO ZITEM VALUES (1, 1, 1, 0, NULL, 0), (2, 2, 1, 1, 1, 0), (5, 3, 1, 0, 2, 0);
                    """,
                output: """
                    key:integer,entity:text,isDone:flag,owner:integer,file:text,saved:day
                    2,Note,true,1,Family-2026-03-01.sqlite,2026-03-01
                    5,Memo,false,2,Family-2026-03-01.sqlite,2026-03-01
                    """
            ),
            StageExample(
                "a date finer than a microsecond is cut, which is said once; another kind is rejected",
                options: "path: EveryDay.sqlite\nentity: Word\ndates: instant\nblobs: base64",
                input: """
                    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 3);
                    CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDAY TIMESTAMP, ZPHOTO BLOB);
                    INSERT INTO ZWORD VALUES (1, 1, 1, 0.0000125, x'FF'), (2, 1, 1, 0.0000002, NULL), (3, 1, 1, 'now', NULL);
                    """,
                output: "day:instant,photo:text\n2001-01-01T00:00:00.000012Z,/w==\n2001-01-01T00:00:00Z,",
                findings: ["1 day finer-than-a-microsecond", "3 day not-a-date"]
            ),
            StageExample(
                "a UUID is text; data that stands in a file beside the store is warned of",
                options: "path: EveryDay.sqlite\nentity: Word",
                input: """
                    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 2);
                    CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZID BLOB, ZPHOTO BLOB);
                    INSERT INTO ZWORD VALUES (1, 1, 1, x'E621E1F8C36C495A93FC0C247A3E6E5F', x'01FF'), (2, 1, 1, NULL,
                        x'0246364339444431442D424639442D344338422D393333412D34363333354638443137333700');
                    """,
                output: """
                    id:text,photo:text
                    E621E1F8-C36C-495A-93FC-0C247A3E6E5F,Af8=
                    ,AkY2QzlERDFELUJGOUQtNEM4Qi05MzNBLTQ2MzM1RjhEMTczNwA=
                    """,
                findings: ["2 photo external-data"]
            ),
            StageExample(
                "an entity that the store does not know is refused",
                options: "path: EveryDay.sqlite\nentity: word",
                input: """
                    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 2);
                    """,
                refused: "'EveryDay.sqlite' has no entity 'word'"
            ),
        ]
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
        let found: (SQLiteSelection, [CoreDataColumns.Column])? = try store.read { db in
            guard let selection = try SQLiteSelection.table(table, where: condition, in: db) else { return nil }
            let statement = try SQLiteStatement(db, selection.statement)
            return (selection, statement.names.enumerated().map { ($1, statement.declaredType($0)) })
        }
        guard let (selection, columns) = found else {
            let message = "'\(name)' is damaged: it lists entity '\(entity.name)' and has no table '\(table)' for it"
            throw .machine("damaged-database", message, hint: "copy the store again")
        }
        var recognised = ["Core Data store", "entity '\(entity.name)' in table '\(selection.name)'"]
        if let hash = model.metadata.hashes[entity.name] { recognised.append("model hash \(hash)…") }
        return try SQLiteTable(
            store,
            selection,
            try own(family) + CoreDataColumns.fields(columns, attributes, in: selection.name),
            recognised: recognised,
            wishes
        )
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
    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        guard let store = try SQLiteDetection.open(file), let model = try store.read({ db in try CoreDataModel(db) })
        else { return nil }
        let tables = Set(try store.read { db in try SQLiteSelection.tables(in: db).map { $0.name.uppercased() } })
        // Entities without a table keep their objects in their ancestor's table.
        let entities = model.entities.filter { entity in
            model.root(of: entity).map { tables.contains("Z" + $0.name.uppercased()) } == true
        }
        guard !entities.isEmpty else { return nil }
        var imports = entities.prefix(SQLiteDetection.most).map { entity in
            SuggestedImport(part: entity.name, options: [SuggestedOption("entity", .text(entity.name))])
        }
        imports[0].notes.append(
            "the store keeps no case in the names of attributes; 'attributes: [savedDate]' gives an attribute its own"
        )
        imports[0].notes += SuggestedImport.note(
            entities.dropFirst(SQLiteDetection.most).map(\.name),
            "further entities"
        )
        let roots = Set(entities.compactMap { entity in model.root(of: entity).map { "Z" + $0.name.uppercased() } })
        imports[0].notes += SuggestedImport.note(
            tables.filter { !roots.contains($0) && !SQLiteDetection.isKept($0) }.sorted(),
            "left out, for they are no entities but join them or keep a history; 'import_sqlite' reads them"
        )
        return FormatDetection(.certain, form: "a Core Data store", imports: Array(imports))
    }
}

/// The attribute names in a job: a list, matched in any case, or a map to columns.
struct CoreDataAttributes: OptionValue {
    /// The name, the column that the job writes for it, and the place.
    var entries: [(name: String, column: String?, place: SourcePlace)] = []

    static var kind: OptionKind { .either([.list(of: .text), .map(of: .text)]) }
    static var placeholder: CoreDataAttributes { CoreDataAttributes() }

    init() {}

    init(reading node: OptionNode) throws(DaybookError) {
        if let map = node.map {
            for entry in map {
                guard let column = entry.value.text, !column.isEmpty else {
                    throw entry.value.expected("a column such as ZSAVEDDATE")
                }
                entries.append((entry.key, column, entry.keyPlace))
            }
            return
        }
        for item in node.list ?? [node] {
            guard let name = item.text, !name.isEmpty else { throw item.expected("the name of an attribute") }
            entries.append((name, nil, item.place))
        }
    }

    var written: String { "[]" }
}

/// The attributes and relationships among the columns of an entity's table, with their names.
enum CoreDataColumns {
    typealias Column = (name: String, type: String?)

    /// Whether Core Data uses the column for itself: keys, counters, and the order of relationships.
    static func isInternal(_ column: String) -> Bool {
        let column = column.uppercased()
        if column.hasPrefix("Z_") { return true }
        // The entity of a relationship's target: Z3TARGET or Z3_TARGET beside ZTARGET.
        return column.hasPrefix("Z") && column.dropFirst().first?.isNumber == true
    }

    /// The columns under their attributes' names: the job's names, else the column names in lower case, since the store
    /// keeps no case.
    static func fields(
        _ columns: [Column],
        _ attributes: CoreDataAttributes,
        in table: String
    ) throws(DaybookError) -> [SQLiteField] {
        let shown = columns.filter { !isInternal($0.name) }
        var names: [String: String] = [:]
        for entry in attributes.entries {
            let wanted = (entry.column ?? "Z" + entry.name).uppercased()
            guard let column = columns.first(where: { $0.name.uppercased() == wanted }) else {
                let message =
                    "table '\(table)' has no column '\(entry.column ?? "Z" + entry.name.uppercased())' "
                    + "for the attribute '\(entry.name)'"
                let hint = "its columns are \(shown.map(\.name).joined(separator: ", "))"
                throw DaybookError("unknown-attribute", message, at: entry.place, hint: hint)
            }
            names[column.name] = entry.name
        }
        var seen: Set<String> = []
        var fields: [SQLiteField] = []
        for column in columns {
            guard names[column.name] != nil || !isInternal(column.name) else { continue }
            let isPrefixed = column.name.uppercased().hasPrefix("Z") && column.name.count > 1
            let plain = isPrefixed ? String(column.name.dropFirst()).lowercased() : column.name
            let name = names[column.name] ?? plain
            guard seen.insert(name).inserted else {
                throw DaybookError(
                    "duplicate-column",
                    "two columns of table '\(table)' would be named '\(name)'",
                    at: attributes.entries.first { $0.name == name }?.place,
                    hint: "give one of them another name: attributes: { other: \(column.name) }"
                )
            }
            fields.append(SQLiteField(name, stored: column.name, type: column.type))
        }
        return fields
    }
}

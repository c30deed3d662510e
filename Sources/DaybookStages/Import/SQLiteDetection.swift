extension ImportSqlite: FormatDetecting {
    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        if let log = SQLiteFault.log(named: file.name, Array(file.head.array.prefix(8)), blame: .data) { throw log }
        guard let store = try SQLiteDetection.open(file) else { return nil }
        let shadows = try store.read { db in try SQLiteSelection.shadows(in: db) }
        let all = try store.read { db in try SQLiteSelection.tables(in: db) }
            // SQLite and its extensions keep tables of their own.
            .filter { !$0.name.lowercased().hasPrefix("sqlite_") }
        let tables = all.filter { !shadows.contains($0.name) }
        let kept = tables.filter { !$0.isView }
        let chosen = kept.isEmpty ? tables : kept
        guard !chosen.isEmpty else {
            throw DaybookError(
                "no-tables",
                "'\(file.name)' is an SQLite database without any tables",
                hint: "is it the right file?",
                blame: .data
            )
        }
        var imports = chosen.prefix(SQLiteDetection.most).map { table in
            SuggestedImport(
                part: table.name,
                options: [SuggestedOption("table", .text(table.name), because: table.isView ? "a view" : nil)]
            )
        }
        imports[0].notes += SQLiteDetection.note(
            chosen.dropFirst(SQLiteDetection.most).map(\.name)
                + (kept.isEmpty ? [] : tables.filter(\.isView).map(\.name)),
            "further tables and views"
        )
        imports[0].notes += SQLiteDetection.note(
            all.map(\.name).filter(shadows.contains),
            "left out, for virtual tables keep them for themselves"
        )
        return FormatDetection(.likely, form: "an SQLite database", imports: Array(imports))
    }
}

extension ImportCoreData: FormatDetecting {
    public static func detect(_ file: SniffedFile) throws(DaybookError) -> FormatDetection? {
        guard let store = try SQLiteDetection.open(file), let model = try store.read({ db in try CoreDataModel(db) })
        else { return nil }
        let tables = Set(try store.read { db in try SQLiteSelection.tables(in: db).map { $0.name.uppercased() } })
        // Entities without a table keep their objects in that of the entity that they inherit from.
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
        imports[0].notes += SQLiteDetection.note(
            entities.dropFirst(SQLiteDetection.most).map(\.name),
            "further entities"
        )
        let roots = Set(entities.compactMap { entity in model.root(of: entity).map { "Z" + $0.name.uppercased() } })
        imports[0].notes += SQLiteDetection.note(
            tables.filter { !roots.contains($0) && !SQLiteDetection.isKept($0) }.sorted(),
            "left out, for they are no entities but join them or keep a history; 'import_sqlite' reads them"
        )
        return FormatDetection(.certain, form: "a Core Data store", imports: Array(imports))
    }
}

/// What the recognition of databases and of stores has in common.
enum SQLiteDetection {
    /// More imports than this nobody wants in one job.
    static let most = 30

    /// The database, when the file is one.
    static func open(_ file: SniffedFile) throws(DaybookError) -> SQLiteStore? {
        guard file.begins(with: Array("SQLite format 3\0".utf8)) else { return nil }
        guard !file.isCompressed else {
            throw DaybookError(
                "compressed-store",
                "'\(file.name)' is a compressed SQLite database, which cannot be read as it is",
                hint: "decompress it first",
                blame: .data
            )
        }
        return try SQLiteStore.open(try file.store(companions: SQLiteStore.companions))
    }

    /// Whether it is one of the tables that each store has for itself.
    static func isKept(_ table: String) -> Bool {
        ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"].contains(table) || table.hasPrefix("SQLITE_")
    }

    private static let mostNamed = 40

    static func note(_ names: [String], _ what: String) -> [String] {
        guard !names.isEmpty else { return [] }
        let more = names.count > mostNamed ? " and \(names.count - mostNamed) more" : ""
        return ["\(what): \(names.prefix(mostNamed).map { "'\($0)'" }.joined(separator: ", "))\(more)"]
    }
}

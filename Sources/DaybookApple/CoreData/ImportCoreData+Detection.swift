import DaybookBytes
import DaybookSQLite

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
            let held = try store.read { db in
                try CoreDataRelationships(model, entity, in: db).held(most: left)
            }
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
        imports[0].notes += SuggestedImport.note(
            entities.dropFirst(SQLiteDetection.most).map(\.name),
            "further entities"
        )
        let roots = Set(entities.compactMap { entity in model.root(of: entity).map { "Z" + $0.name.uppercased() } })
        imports[0].notes += SuggestedImport.note(
            tables.filter { !roots.contains($0) && !joins.contains($0) && !SQLiteDetection.isKept($0) }.sorted(),
            "left out, for they are no entities but join them or keep a history; 'import_sqlite' reads them"
        )
        return FormatDetection(.certain, form: "a Core Data store", imports: Array(imports))
    }
}

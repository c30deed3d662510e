import DaybookBytes
import DaybookSQLite

/// Selects the keys of the targets of to-many relationships.
///
/// Core Data stores a to-many relationship at its other end: in the column of the inverse to-one relationship, or in a
/// table with a column for each end where both ends are to-many. A column `Z_FOK_…` beside it has the order of an
/// ordered relationship.
struct CoreDataRelationships {
    private let model: CoreDataModel
    private let entity: CoreDataModel.Entity
    private let declared: [String: ManagedObjectModel.Entity]
    /// The columns of all tables, by the table's name in capitals.
    private let tables: [String: Table]

    private struct Table {
        var name: String
        var columns: [String]

        func column(_ name: String) -> String? { columns.first { $0.uppercased() == name.uppercased() } }
    }

    init(_ model: CoreDataModel, _ entity: CoreDataModel.Entity, in db: SQLiteDatabase) throws {
        (self.model, self.entity) = (model, entity)
        declared = model.cache.model?.entities ?? [:]
        var tables: [String: Table] = [:]
        for table in try SQLiteSelection.tables(in: db) where table.name.uppercased().hasPrefix("Z") && !table.isView {
            let select = "SELECT * FROM \(SQLiteSelection.quoted(table.name)) LIMIT 0"
            tables[table.name.uppercased()] = Table(name: table.name, columns: try SQLiteStatement(db, select).names)
        }
        self.tables = tables
    }

    /// The relationships of the entity's objects, each once, by name.
    var all: [ManagedObjectModel.Relationship] {
        var seen: Set<String> = []
        return model.line(of: entity).flatMap { declared[$0.name]?.relationships ?? [] }
            .filter { seen.insert($0.name).inserted }
            .sorted { $0.name < $1.name }
    }

    /// The to-many relationships that the store's tables hold, and the names in capitals of the tables that join their
    /// objects; at most `most` of them.
    func held(most: Int) -> (names: [String], joins: Set<String>) {
        let held = all.filter(\.isToMany).prefix(most).filter { expression($0) != nil }
        return (held.map(\.name), Set(held.compactMap { join($0)?.table.name.uppercased() }))
    }

    func field(_ relationship: ManagedObjectModel.Relationship) -> SQLiteField? {
        expression(relationship).map {
            SQLiteField(relationship.name, stored: relationship.name, expression: $0, type: nil, modelled: .json)
        }
    }

    /// The keys of the targets of the current object as JSON.
    ///
    /// The pairs of keys are materialised once and searched by an index that SQLite makes for them, so the time does not
    /// depend on the indexes of the store, nor grow with the product of objects and targets.
    private func expression(_ relationship: ManagedObjectModel.Relationship) -> String? {
        guard let owner = table(of: entity), owner.column("Z_PK") != nil, let pairs = pairs(relationship) else {
            return nil
        }
        let key = "\(SQLiteSelection.quoted(owner.name)).Z_PK"
        return """
            (WITH pairs (owner, place, target) AS MATERIALIZED (\(pairs)) SELECT json_group_array(target) \
            FROM (SELECT target FROM pairs WHERE pairs.owner = \(key) ORDER BY place, target))
            """
    }

    private func table(of entity: CoreDataModel.Entity) -> Table? {
        model.root(of: entity).flatMap { tables["Z" + $0.name.uppercased()] }
    }

    /// The statement for the key of the owner, the place in the order, and the key of the target; nil if no table has
    /// them.
    private func pairs(_ relationship: ManagedObjectModel.Relationship) -> String? {
        guard let destination = model.entity(relationship.destination) else { return nil }
        if let inverse = relationship.inverse, !isToMany(inverse, of: destination) {
            return pairs(through: inverse, of: destination)
        }
        guard let join = join(relationship) else { return nil }
        guard join.isMutual else { return select(join.owner, join.target, from: join.table) }
        // A relationship that is its own inverse may be stored from one side only.
        let sides = [(join.owner, join.target), (join.target, join.owner)]
        return sides.map { select($0, $1, from: join.table, isOrdered: false) }.joined(separator: " UNION ")
    }

    private func isToMany(_ name: String, of entity: CoreDataModel.Entity) -> Bool {
        let relationships = model.line(of: entity).lazy.compactMap { declared[$0.name] }.flatMap(\.relationships)
        return relationships.first { $0.name == name }?.isToMany ?? true
    }

    /// Pairs from the column of a to-one relationship of the targets.
    private func pairs(through inverse: String, of destination: CoreDataModel.Entity) -> String? {
        guard let table = table(of: destination), table.column("Z_PK") != nil, table.column("Z_ENT") != nil,
            let property = CoreDataProperties(model, destination)["Z" + inverse]
        else { return nil }
        let isRoot = destination.parent == 0
        let numbers = model.family(of: destination).map { String($0.number) }.joined(separator: ", ")
        let parts = property.columns.compactMap { table.column($0) }.map { column in
            select(column, "Z_PK", from: table, where: isRoot ? nil : "Z_ENT IN (\(numbers))")
        }
        return parts.isEmpty ? nil : parts.joined(separator: " UNION ALL ")
    }

    private func select(
        _ owner: String,
        _ target: String,
        from table: Table,
        isOrdered: Bool = true,
        where condition: String? = nil
    ) -> String {
        // The order stands beside the key that is not the table's own.
        let ordered = target == "Z_PK" ? owner : target
        let suffix = ordered.uppercased().hasPrefix("Z_") ? ordered.dropFirst(2) : ordered.dropFirst(1)
        let place = isOrdered ? table.column("Z_FOK_" + suffix).map { SQLiteSelection.quoted($0) } : nil
        let (from, to) = (SQLiteSelection.quoted(owner), SQLiteSelection.quoted(target))
        let conditions = ["\(from) IS NOT NULL AND \(to) IS NOT NULL", condition].compactMap(\.self)
        return "SELECT \(from), \(place ?? "NULL"), \(to) FROM \(SQLiteSelection.quoted(table.name)) WHERE "
            + conditions.joined(separator: " AND ")
    }

    private typealias Join = (table: Table, owner: String, target: String, isMutual: Bool)

    /// The table that joins the two ends of a relationship.
    ///
    /// Its name and its columns are made of the number of an entity and the name of a relationship: the column of the
    /// targets has the name of the relationship, and that of the owners the name of its inverse.
    private func join(_ relationship: ManagedObjectModel.Relationship) -> Join? {
        guard let destination = model.entity(relationship.destination), let inverse = relationship.inverse else {
            return nil
        }
        let targets = numbers(destination)
        let owners = numbers(entity)
        let found = tables.keys.sorted().compactMap { key -> Join? in
            guard let table = tables[key],
                isNamed(key, relationship.name, targets.union(owners)) || isNamed(key, inverse, targets.union(owners)),
                let target = table.columns.first(where: { isNamed($0, relationship.name, targets) })
            else { return nil }
            let others = table.columns.filter { $0 != target }
            if let owner = others.first(where: { isNamed($0, inverse, owners) }) {
                return (table, owner, target, false)
            }
            guard inverse == relationship.name, let owner = others.first(where: { $0.uppercased() == "REFLEXIVE" })
            else { return nil }
            return (table, owner, target, true)
        }
        return found.first
    }

    /// The numbers of all entities of a family.
    private func numbers(_ entity: CoreDataModel.Entity) -> Set<String> {
        Set(model.family(of: model.root(of: entity) ?? entity).map { String($0.number) })
    }

    /// Whether a name is `Z_`, one of the numbers, and the name of a relationship in capitals; a digit behind it tells
    /// columns of one name apart.
    private func isNamed(_ name: String, _ relationship: String, _ numbers: Set<String>) -> Bool {
        let name = name.uppercased()
        guard name.hasPrefix("Z_") else { return false }
        let digits = name.dropFirst(2).prefix { $0.isNumber }
        let rest = name.dropFirst(2 + digits.count)
        let capitals = relationship.uppercased()
        return numbers.contains(String(digits)) && rest.hasPrefix(capitals)
            && rest.dropFirst(capitals.count).allSatisfy(\.isNumber)
    }
}

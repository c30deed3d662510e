import Synchronization

/// One column of a schema.
public struct Field: Sendable, Hashable {
    public var name: String
    public var kind: ColumnKind
    /// The field of the source record that the values came from, so that a finding can point at it; nil for values
    /// that a stage computed.
    public var source: String?
    /// The keys of the values in a JSON record, if the name alone is ambiguous: `app.version` is then one key, and not
    /// the key `version` of an object `app`. Nil if every dot of the name separates two keys.
    public var keys: [String]?
    /// The steps from the value of `source` to the values inside it, such as array elements that became rows.
    public var inside: [InnerStep] = []
    /// Whether a stage gave it another name, rather than making it of the field `source`.
    package var isRenamed = false
    /// Whether the job gives its values, and the data have no such field.
    package var isOfJob = false
    /// Facts for writers of JSON and of user defaults; nil for almost every column.
    package var origin: FieldOrigin?

    public init(_ name: String, _ kind: ColumnKind, source: String? = nil, keys: [String]? = nil) {
        self.name = name
        self.kind = kind
        self.source = source
        self.keys = keys
    }

    private var facts: FieldOrigin.Facts {
        get { if case .facts(let facts)? = origin { facts } else { FieldOrigin.Facts() } }
        set { origin = newValue == FieldOrigin.Facts() ? nil : .facts(newValue) }
    }

    /// Set if the values are whole JSON records other than objects, such as the texts of `["x", "y"]`.
    package var bare: BareRecords? {
        get { facts.bare }
        set { facts.bare = newValue }
    }

    /// The dates inside the values of a JSON column, if an import or a stage declares them.
    package var dates: InnerDates {
        get { facts.dates }
        set { facts.dates = newValue }
    }

    /// The number of the file's other keys, if the values were under one key of user defaults.
    package var otherKeys: Int {
        get { facts.otherKeys }
        set { facts.otherKeys = newValue }
    }

    /// Copies the origin of the column from which this one is made.
    package mutating func takeOrigin(of other: Field) { origin = other.origin }

    func writeOrigin(to bytes: Bytes) {
        bytes.append(flag: origin != nil)
        guard origin != nil else { return }
        bytes.append(bare?.rawValue ?? 0)
        dates.write(to: bytes)
        bytes.append(raw: UInt32(otherKeys))
    }

    mutating func readOrigin(_ reader: inout ByteReader) throws(DaybookError) {
        guard try reader.flag() else { return }
        bare = BareRecords(rawValue: try reader.raw(UInt8.self))
        dates = try InnerDates(reading: &reader)
        otherKeys = Int(try reader.raw(UInt32.self))
    }
}

/// The columns of a batch: names, kinds and order.
public struct Schema: Sendable, Hashable {
    public package(set) var fields: [Field] { didSet { places = FieldPlaces(of: fields) } }
    /// True where the data has not been looked at, as in `daybook validate`: further columns of any kind may exist.
    public package(set) var isOpen: Bool { didSet { unnamedKind = nil } }
    /// Kind of the columns that an open schema does not name, where all hold the same, as those of a CSV file hold text; nil
    /// where they may hold anything.
    package private(set) var unnamedKind: ColumnKind?
    /// Whether each row is one JSON record of an import, whose text its provenance leads to.
    package var areRecords = false

    public init(_ fields: [Field] = [], isOpen: Bool = false) {
        self.fields = fields
        self.isOpen = isOpen
        places = FieldPlaces(of: fields)
    }

    /// Finds a column among very many; nil where there are few.
    private var places: FieldPlaces?

    public static func == (one: Schema, other: Schema) -> Bool {
        one.fields == other.fields && one.isOpen == other.isOpen && one.unnamedKind == other.unnamedKind
            && one.areRecords == other.areRecords
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
        hasher.combine(isOpen)
    }

    public var names: [String] { fields.map(\.name) }

    public func index(of name: ColumnName) -> Int? { index(of: name.text) }

    public func index(of name: String) -> Int? {
        if let places { return places.index(of: name, in: fields) }
        return fields.firstIndex { $0.name == name }
    }

    public subscript(name: ColumnName) -> Field? { index(of: name.text).map { fields[$0] } }

    /// The field of that name, or an error at the place where the job names it.
    ///
    /// In an open schema any name exists; where its kind is unknown, the result is nil.
    public func requiring(_ name: ColumnName) throws(DaybookError) -> Field? {
        if let field = self[name] ?? unnamed(name) { return field }
        if isOpen { return nil }
        let known =
            fields.isEmpty
            ? "there are no columns here: an import without records knows only the columns that its 'columns' declares"
            : "the columns here are \(names.joined(separator: ", "))"
        let nearest = NearestName.hint(for: name.text, among: names) ?? longer(than: name.text)
        // Where one is meant, forty others are no help.
        let isLong = nearest != nil && names.count > 12
        throw DaybookError(
            "unknown-column",
            "no column named '\(name)'",
            at: name.place,
            hint: [nearest, isLong ? nil : known].compactMap { $0 }.joined(separator: " "),
            column: name.text
        )
    }

    private func unnamed(_ name: ColumnName) -> Field? { unnamedKind.map { Field(name.text, $0, source: name.text) } }

    /// The schema, open for further columns of that kind.
    package func open(with kind: ColumnKind) -> Schema {
        var schema = with(fields, isOpen: true)
        schema.unnamedKind = kind
        return schema
    }

    /// The schema with columns of any kind where it is open.
    package var withoutUnnamedKind: Schema {
        var schema = self
        schema.unnamedKind = nil
        return schema
    }

    /// `did you mean 'Bruttobetrag'?` for `Brutto`, if exactly one column name contains it or is part of it.
    private func longer(than name: String) -> String? {
        let name = name.lowercased()
        let found = names.filter { other in
            let other = other.lowercased()
            return min(name.utf8.count, other.utf8.count) >= 4 && (other.contains(name) || name.contains(other))
        }
        return found.count == 1 ? "did you mean '\(found[0])'?" : nil
    }

    /// The same schema, after checking that the column exists and has one of `kinds`.
    @discardableResult
    public func requiring(_ name: ColumnName, _ kinds: ColumnKind..., hint: String? = nil) throws(DaybookError)
        -> Schema
    { try requiring(name, kinds, hint: hint) }

    @discardableResult
    public func requiring(_ name: ColumnName, _ kinds: [ColumnKind], hint: String? = nil) throws(DaybookError) -> Schema
    {
        guard let field = try requiring(name), !kinds.contains(field.kind) else { return self }
        let isTimed = field.kind == .instant && kinds.contains(.day)
        throw DaybookError(
            "wrong-kind",
            "column '\(name)' holds \(field.kind.rawValue), not \(kinds.map(\.rawValue).joined(separator: " or "))",
            at: name.place,
            hint: isTimed ? "put derive_columns before this stage, with 'day: day_of(\(name))'" : hint
        )
    }

    /// The same schema, after checking that the values of the column can be compared.
    @discardableResult
    public func requiringComparable(
        _ name: ColumnName,
        hint: String = "a JSON value may be written in many ways, so two are not compared"
    ) throws(DaybookError) -> Schema { try requiring(name, ColumnKind.allCases.filter { $0 != .json }, hint: hint) }

    /// The schema with a column that was not there before, so that no stage writes over data by accident.
    ///
    /// This is the call for a column that a stage makes.
    public func adding(
        _ name: ColumnName,
        _ kind: ColumnKind,
        source: String? = nil,
        keys: [String]? = nil
    ) throws(DaybookError) -> Schema {
        guard index(of: name) == nil else {
            throw DaybookError(
                "column-exists",
                "there is a column named '\(name)' already",
                at: name.place,
                hint: "choose another name, or leave the old column out with select_columns first"
            )
        }
        return addingOrReplacing(name, kind, source: source, keys: keys)
    }

    /// The schema with a new column, for a stage that adds it to its group columns.
    package func adding(_ name: String, _ kind: ColumnKind, source: String? = nil, besides groups: [ColumnName])
        throws(DaybookError) -> Schema
    {
        guard let taken = groups.first(where: { $0.text == name }) else {
            return try adding(ColumnName(name), kind, source: source)
        }
        throw DaybookError(
            "column-exists",
            "there is a column named '\(name)' already",
            at: taken.place,
            hint: "give the column in 'by' another name with rename_columns first"
        )
    }

    /// The named columns alone, in the order of the names; open if one of them is missing.
    package func having(_ names: [ColumnName]) -> Schema {
        let fields = names.compactMap { self[$0] ?? unnamed($0) }
        return with(fields, isOpen: fields.count < names.count)
    }

    /// Other columns of the same rows.
    package func with(_ fields: [Field], isOpen: Bool? = nil) -> Schema {
        var schema = Schema(fields, isOpen: isOpen ?? self.isOpen)
        schema.areRecords = areRecords
        if schema.isOpen { schema.unnamedKind = unnamedKind }
        return schema
    }

    /// The schema with a column added at the end, or in place of the column of that name, whose keys it takes over. For
    /// stages that change a named column, such as `cast_columns`. The old column is lost.
    public func addingOrReplacing(
        _ name: ColumnName,
        _ kind: ColumnKind,
        source: String? = nil,
        keys: [String]? = nil
    ) -> Schema {
        var result = self
        result.addOrReplace([Field(name.text, kind, source: source, keys: keys)])
        return result
    }

    /// The schema, with the job as the origin of a column's values.
    package func givingByJob(_ name: ColumnName) -> Schema {
        guard let index = index(of: name) else { return self }
        var fields = fields
        fields[index].isOfJob = true
        return with(fields)
    }

    /// Adds or replaces several columns at once: a table may have tens of thousands.
    package mutating func addOrReplace(_ columns: [Field]) {
        var fields = self.fields
        var added: [String: Int] = [:]
        for field in columns {
            if let index = index(of: field.name) ?? added[field.name] {
                let old = fields[index]
                fields[index] = field
                fields[index].keys = field.keys ?? old.keys
                if field.bare == nil, let bare = old.bare { fields[index].bare = bare }
                if field.kind == old.kind, field.dates.isEmpty, !old.dates.written.isEmpty, field.kind != .json {
                    fields[index].dates.written = old.dates.written
                }
            } else {
                added[field.name] = fields.count
                fields.append(field)
            }
        }
        self.fields = fields
    }

    /// The fields whose names are in `wanted`, in the order they have here.
    public func selecting(_ wanted: ColumnSet) -> Schema {
        with(fields.filter { wanted.contains($0.name) })
    }
}

/// The columns needed downstream: all, or those named.
public enum ColumnSet: Sendable, Hashable {
    case all
    case some(Set<String>)

    public static let none = ColumnSet.some([])

    public init(_ names: ColumnName?...) { self = .some(Set(names.compactMap(\.?.text))) }
    public init(_ names: [ColumnName]) { self = .some(Set(names.map(\.text))) }

    public func contains(_ name: String) -> Bool {
        switch self {
        case .all: true
        case .some(let names): names.contains(name)
        }
    }

    public func union(_ other: ColumnSet) -> ColumnSet {
        guard case .some(let mine) = self, case .some(let others) = other else { return .all }
        return .some(mine.union(others))
    }

    /// These columns, minus the columns that a stage makes, plus the columns that it reads.
    public func making(_ made: [ColumnName], from read: [ColumnName]) -> ColumnSet {
        guard case .some(let names) = self else { return .all }
        return .some(names.subtracting(made.map(\.text)).union(read.map(\.text)))
    }
}

/// Finds a column by name where a linear search is too slow. Built at the second look-up: most schemas of a plan are
/// searched once.
private final class FieldPlaces: Sendable {
    private struct Known {
        var asked = 0
        var places: [String: Int] = [:]
    }

    private let known = Mutex(Known())

    init?(of fields: [Field]) { if fields.count <= 64 { return nil } }

    func index(of name: String, in fields: [Field]) -> Int? {
        known.withLock { known in
            known.asked += 1
            guard known.asked > 4 else { return fields.firstIndex { $0.name == name } }
            if known.places.isEmpty {
                known.places = Dictionary(zip(fields.map(\.name), fields.indices)) { first, _ in first }
            }
            return known.places[name]
        }
    }
}

/// The name of a column, and the place where the job names it.
public struct ColumnName: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    public let place: SourcePlace?

    public init(_ text: String, at place: SourcePlace? = nil) {
        self.text = text
        self.place = place
    }

    public var description: String { text }

    public static func == (first: ColumnName, second: ColumnName) -> Bool { first.text == second.text }
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Which JSON records of an import are values and no objects.
package enum BareRecords: UInt8, Sendable {
    /// All of them.
    case all = 1
    /// Some records; the others are objects, whose keys are the other columns.
    case someBesideObjects
    /// Some records; objects have the very key after which the column is named: the two cannot be told apart.
    case someBesideTheirKey
}

/// Facts about the source of a column's values, for writers. Behind a reference, since fields are copied often.
package indirect enum FieldOrigin: Sendable, Hashable {
    package struct Facts: Sendable, Hashable {
        var bare: BareRecords?
        var dates = InnerDates()
        var otherKeys = 0
    }

    case facts(Facts)
}

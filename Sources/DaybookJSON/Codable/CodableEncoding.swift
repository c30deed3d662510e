import DaybookDates

/// How an app's model is encoded: its dates, and its properties as the app declares them.
package struct CodableEncoding {
    package let dates: CodableDates
    var datesPlace: SourcePlace?
    /// Nil to write every column.
    package var fields: [(key: String, value: CodableField, place: SourcePlace)]?
    /// The keys under which rows are written; nil for the elements of an array.
    package var keys: RecordKeys?
    /// The job's zone, in which a day begins; nil if the job sets none.
    var zone: ZoneRules?
    /// Whether an unchanged column without a value is left out with its key, rather than written as null.
    let leavesOutMissing: Bool
    /// The app's own type, which has to read what is written.
    package var model: CodableModel?
    /// Whether columns that the job gives are written only where `fields` names them, as an app's records lack them.
    package var leavesOutGiven = false
    /// The form of dates whose columns do not know theirs; nil where all have that of `dates`.
    var keptDates: CodableDates?

    /// The same for rows that go back into their records: their dates keep their form, unless the job names another.
    package func keepingDates(of schema: Schema, _ unlisted: UnlistedFields) -> CodableEncoding {
        guard unlisted == .keep, schema.areRecords, datesPlace == nil else { return self }
        let forms = Set(schema.fields.filter { $0.kind != .day }.flatMap(\.dates.written))
        let form = forms.count == 1 ? CodableDates(rawValue: forms.first ?? "") : nil
        var copy = self
        copy.keptDates = form ?? dates
        if let form { copy.model?.readDates(as: form) }
        return copy
    }

    /// How the dates of a column are written.
    func dates(of field: Field) -> CodableDates {
        guard let keptDates else { return dates }
        let written = field.dates.written
        return written.count == 1 ? CodableDates(rawValue: written[0]) ?? keptDates : keptDates
    }

    /// Whether rows are written as any table is, each with the same keys.
    var isPlain: Bool { dates == .iso && fields == nil && !leavesOutMissing && model == nil && keys == nil }

    /// Whether some value may contain a date that must not be written unchanged.
    func looksInside(_ schema: Schema) -> Bool {
        schema.fields.contains { field in
            field.kind == .json && InnerDateWriting(field.dates, as: dates(of: field), zone: zone ?? .utc) != nil
        }
    }

    /// Rewrites the dates inside the values of a property; nil if they are written unchanged.
    func innerDates(of property: CodableProperty, in schema: Schema) -> InnerDateWriting? {
        guard property.column >= 0, case .json = property.conversion else { return nil }
        let field = schema.fields[property.column]
        return field.dates.isEmpty ? nil : InnerDateWriting(field.dates, as: dates(of: field), zone: zone ?? .utc)
    }

    /// Refuses values with dates that cannot be distinguished from texts, and days without a zone.
    private func checkInside(_ properties: [CodableProperty], of schema: Schema) throws(DaybookError) {
        for property in properties {
            guard property.column >= 0, case .json = property.conversion, let name = property.columnName
            else { continue }
            let dates = dates(of: schema.fields[property.column])
            guard dates != .iso else { continue }
            for way in schema.fields[property.column].dates.ways {
                switch way.kind {
                case .mixed:
                    let message =
                        "'\(way.pointer)' in column '\(name)' is a date in some values and text in others, "
                        + "so its dates cannot be written as \(dates.rawValue)"
                    let hint = "write 'dates: iso', or leave the column out with select_columns"
                    throw DaybookError.data("inner-date", message, at: datesPlace ?? name.place, hint: hint)
                case .day where zone == nil: throw missingZone(forDaysIn: name.text)
                case .day, .instant: break
                }
            }
        }
    }

    private func missingZone(forDaysIn column: String) -> DaybookError {
        let message = "the job needs a 'timezone' because the days in '\(column)' become instants"
        let hint = "add a line such as 'timezone: Asia/Seoul' at the top of the job"
        return DaybookError("missing-timezone", message, at: datesPlace, hint: hint)
    }

    /// Refuses columns that cannot fill the fields, and keys that conflict.
    ///
    /// - Parameter hint: what to do about a column that would be inside another.
    package func check(
        _ input: Schema,
        nests: Bool,
        at nestPlace: SourcePlace?,
        hint: String = "rename one of them, or write 'nest: false'"
    ) throws(DaybookError) {
        if fields == nil, let field = input.fields.first(where: { $0.bare == .someBesideTheirKey }) {
            let message =
                "some records were values, and others objects with the key '\(field.name)': both are column '\(field.name)', and "
                + "cannot be written as they came"
            let hint =
                "to write an object with the key for each, rename '\(field.name)' with rename_columns before this stage"
            throw DaybookError.data("ambiguous-record", message, at: nestPlace, hint: hint)
        }
        if let keys { try checkKeys(keys, in: input) }
        let properties = try properties(of: input, nests: nests)
        try checkInside(properties, of: input)
        let paths = properties.map(\.path)
        let wholes = Set(properties.filter(\.isWhole).map(\.path))
        var known: Set<[String]> = []
        for path in paths where !known.insert(path).inserted {
            let message = "'\(path.joined(separator: "."))' would be written twice, once as a part of '\(path[0])'"
            let hint = fields == nil ? hint : "leave one of the two out of 'fields'"
            throw DaybookError("nested-name", message, at: nestPlace, hint: hint)
        }
        for path in paths {
            for count in path.indices.dropFirst() {
                let object = Array(path[..<count])
                // If one is JSON, the choice between the two is made row by row.
                guard known.contains(object), !wholes.contains(object) else { continue }
                let (outer, inner) = (path[..<count].joined(separator: "."), path.joined(separator: "."))
                let message = "'\(outer)' and '\(inner)' cannot both be written: the one would stand inside the other"
                throw DaybookError("nested-name", message, at: nestPlace, hint: hint)
            }
        }
    }

    private func checkKeys(_ keys: RecordKeys, in input: Schema) throws(DaybookError) {
        guard let field = try input.requiring(keys.column) else { return }
        if field.kind == .json {
            let message = "column '\(keys.column)' holds JSON, and a key is a text, a number or a day"
            throw DaybookError("wrong-kind", message, at: keys.column.place, hint: "name another column")
        }
        let writesStarts = keys.inPairs == true && field.kind == .day && dates(of: field) != .iso
        if writesStarts, zone == nil { throw missingZone(forDaysIn: keys.column.text) }
    }

    /// The places in a row of dates, and of numbers that may have a fraction; an element of an array has no key.
    package func numbers(in schema: Schema, nests: Bool) throws(DaybookError) -> [(path: [String?], isDate: Bool)] {
        var places: [(path: [String?], isDate: Bool)] = []
        for property in try properties(of: schema, nests: nests) {
            switch property.conversion {
            case .instant, .isoInstant, .startOfDay: places.append((property.path, true))
            case .decimal, .wholeAsDouble: places.append((property.path, false))
            case .json, .textAsJSON:
                for way in property.column < 0 ? [] : schema.fields[property.column].dates.ways {
                    let inside = way.steps.map { if case .key(let key) = $0 { key } else { String?.none } }
                    places.append((property.path + inside, true))
                }
            default: break
            }
        }
        return places
    }

    /// Where the values of renamed columns stood, and where they are written. A name with dots may have been one key.
    package func renamed(
        in schema: Schema,
        nests: Bool
    ) throws(DaybookError) -> [(from: [[String]], to: [String])] {
        try properties(of: schema, nests: nests).compactMap { property in
            guard property.column >= 0, schema.fields[property.column].isRenamed,
                let source = schema.fields[property.column].source
            else { return nil }
            return ([JSONKeyTree.path(source, nests: true), [source]], property.path)
        }
    }

    /// What is written, in order.
    func properties(of schema: Schema, nests: Bool) throws(DaybookError) -> [CodableProperty] {
        var properties: [CodableProperty] = []
        for (key, field, place) in fields ?? [] {
            if let parts = try parts(of: field, key, nests: nests, at: place, in: schema) {
                properties += parts
                continue
            }
            let column = try self.column(for: field, key, at: place, in: schema)
            properties.append(
                try CodableProperty(
                    key,
                    field,
                    column,
                    schema,
                    nests: nests,
                    column.map { dates(of: schema.fields[$0]) } ?? dates,
                    at: place
                )
            )
        }
        if fields == nil {
            let absence: CodableProperty.Absence = leavesOutMissing ? .leftOut : .null
            let columns = schema.fields.indices.filter { index in
                let field = schema.fields[index]
                return field.name != keys?.column.text && !(leavesOutGiven && field.isOfJob && !field.isRenamed)
            }
            let rest = Schema(columns.map { schema.fields[$0] }, isOpen: schema.isOpen)
            properties = columns.enumerated().map { index, column in
                CodableProperty(index, of: rest, nests: nests, dates(of: rest.fields[index]), absence, at: column)
            }
        }
        for property in properties where property.conversion.startsDay && zone == nil {
            throw missingZone(forDaysIn: property.columnName?.text ?? "")
        }
        return properties
    }

    /// The columns that a field is put together from again where it was an object: `place.lat` and `place.lon` for `place`.
    /// Nil where it is a column, or nothing.
    private func parts(
        of field: CodableField,
        _ key: String,
        nests: Bool,
        at place: SourcePlace,
        in schema: Schema
    ) throws(DaybookError) -> [CodableProperty]? {
        let name = field.from?.text ?? key
        let whole = schema.index(of: name)
        if let whole, field.type != .json || schema.fields[whole].kind != .json { return nil }
        let parts = schema.fields.indices.compactMap { column in
            JSONKeyTree.keys(of: schema.fields[column], below: name).map { (column, $0.outer, $0.inner) }
        }
        guard let (first, outerKeys, _) = parts.first else { return nil }
        guard field.type == .json else {
            let message =
                "'\(name)' is an object here, with '\(schema.fields[first].name)', and the field '\(key)' is "
                + field.type.rawValue
            let hint = "declare the field as json, or one field for each part of the object"
            throw DaybookError("wrong-kind", message, at: field.from?.place ?? place, hint: hint)
        }
        let outer = field.from == nil && nests ? outerKeys : JSONKeyTree.path(key, nests: nests)
        func property(_ column: Int, _ inner: [String]) -> CodableProperty {
            var part = CodableProperty(column, of: schema, at: outer + inner, in: key, dates(of: schema.fields[column]))
            if !field.isOptional { part.neededDepth = outer.count }
            return part
        }
        var properties = parts.map { column, _, inner in property(column, inner) }
        guard let whole else { return properties }
        properties.append(property(whole, []))
        properties[properties.count - 1].isWhole = true
        return properties
    }

    /// The column that fills a field; nil where columns are not known, or there are none.
    private func column(
        for field: CodableField,
        _ key: String,
        at place: SourcePlace,
        in schema: Schema
    ) throws(DaybookError) -> Int? {
        let name = field.from ?? ColumnName(key, at: place)
        if let index = schema.index(of: name) { return index }
        // An empty list has no columns at all, and no row with a missing value.
        if schema.isOpen || schema.fields.isEmpty { return nil }
        do throws(DaybookError) {
            _ = try schema.requiring(name)
            return nil
        } catch {
            guard field.isOptional, NearestName.of(name.text, among: schema.names) == nil else { throw error }
            // Seconds are decimals; a column of instants needs 'dates' beside it.
            let kind = field.type == .date ? "decimal" : field.type.rawValue
            var error = error
            error.hint =
                "leave the field out of 'fields', for without a column its key is never written, or declare the column "
                + "where it is imported: 'columns: { \(name): \(kind) }'"
            throw error
        }
    }
}

extension CodableEncoding {
    package init(reading options: inout OptionReader, dates usual: CodableDates, leavesOutMissing: Bool = false) {
        let dates: CodableDates = options.read(
            "dates",
            default: usual,
            help: "How instants and days are encoded: as text, or as a number that counts from a fixed instant."
        )
        let datesPlace = options.place(of: "dates")
        let fields: OptionMap<CodableField>? = options.optional(
            "fields",
            help: "The model as the app declares it, in order: { targetDate: date, dday: integer, note: text? }."
        )
        if let fields, fields.entries.isEmpty { options.refuse("fields", "'fields' names no field") }
        var name = dates == .iso && fields == nil ? nil : options.context.timezone
        if let fields {
            if fields.entries.contains(where: { $0.value.type == .date }) {
                name = options.timezone(because: "'fields' declares dates")
            }
        } else if dates != .iso, options.isWritten("dates") {
            name = options.timezone(because: "'dates: \(dates.rawValue)' writes instants")
        }
        self.init(dates: dates, fields: fields?.entries, leavesOutMissing: leavesOutMissing)
        self.datesPlace = datesPlace
        zone = name.flatMap { ZoneRules(named: $0) }
        model = options.optional(
            "model",
            help:
                "The app's type that reads the output: { file: App.swift, type: '[Todo]' }. A row that it refuses fails the run."
        )
        model?.readDates(as: dates)
    }
}

/// One property of an app's model: its kind, whether it may be missing, and the column that fills it.
///
/// Written as a kind, `date` or `date?`, or as a map where the column has another name: `{ from: target_date, kind: date }`.
package struct CodableField: Sendable {
    /// The kind of a property, in the words for columns; `date` is Swift's `Date`, which is an instant.
    package enum Kind: String, CaseIterable, BitwiseCopyable { case text, integer, decimal, flag, date, json }

    let type: Kind
    let isOptional: Bool
    /// The column, if its name is not that of the property.
    var from: ColumnName?
}

extension CodableField: OptionObject {
    package static var title: String { "a field" }
    package static var unknownHint: String? { "its options are from and kind" }
    package static var kind: OptionKind { .either([.choice(words), .object(specs)]) }
    package static var placeholder: CodableField { CodableField(type: .text, isOptional: false) }

    private static let words = Kind.allCases.flatMap { [$0.rawValue, $0.rawValue + "?"] }

    /// The names of Swift's types, and of the columns.
    private static let otherWords: [String: Kind] = [
        "string": .text, "int": .integer, "int64": .integer, "double": .decimal, "float": .decimal, "number": .decimal,
        "bool": .flag, "boolean": .flag, "instant": .date, "day": .date, "object": .json, "array": .json,
    ]

    package init(reading node: OptionNode) throws(DaybookError) {
        if node.map != nil {
            try self.init(map: node)
        } else {
            let (type, isOptional) = try CodableField.readKind(node)
            self.init(type: type, isOptional: isOptional)
        }
    }

    package init(reading fields: inout OptionFields) throws(DaybookError) {
        from = try fields.optional("from", isRequired: true, help: "Column that fills the field.")
        let kind = fields.written("kind", .choice(Self.words), isRequired: true, help: "What the app declares.")
        guard let kind else { throw fields.missing("kind") }
        (type, isOptional) = try CodableField.readKind(kind)
    }

    private static func readKind(_ node: OptionNode) throws(DaybookError) -> (Kind, Bool) {
        let expected = "one of \(Kind.allCases.map(\.rawValue).joined(separator: ", ")), each with ? if optional"
        guard let text = node.text else { throw node.expected(expected) }
        let isOptional = text.hasSuffix("?")
        let name = isOptional ? String(text.dropLast()) : text
        if let kind = Kind(rawValue: name) { return (kind, isOptional) }
        let meant =
            otherWords[name.lowercased()]?.rawValue ?? NearestName.of(name, among: Kind.allCases.map(\.rawValue))
        throw node.expected(expected, hint: meant.map { "did you mean '\($0)\(isOptional ? "?" : "")'?" })
    }

    package var written: String {
        let kind = type.rawValue + (isOptional ? "?" : "")
        return from.map { "{ from: \($0.written), kind: \(kind) }" } ?? kind
    }
}

import DaybookDates

/// One key of the objects that an app decodes, and how its value is made of a column.
struct CodableProperty {
    /// The treatment of a cell.
    enum Conversion: Equatable, BitwiseCopyable {
        case text, integer, decimal, flag, isoDay, isoInstant
        /// A whole number that the app reads as a `Double`, which must hold it.
        case wholeAsDouble
        /// A decimal that the app reads as an `Int`, and so must be whole.
        case decimalAsWhole
        case instant(EpochUnit)
        /// A day as the instant at which it begins.
        case startOfDay(EpochUnit)
        case isoStartOfDay
        /// JSON text that must be of that kind.
        case json(CodableField.Kind)
        /// Text that must be JSON.
        case textAsJSON

        var startsDay: Bool { if case .startOfDay = self { true } else { self == .isoStartOfDay } }
    }

    /// The treatment of a missing value.
    enum Absence: BitwiseCopyable { case null, leftOut, rejected }

    /// The field or the column, in the words of the job.
    let key: String
    /// The keys that lead to the value.
    let path: [String]
    /// How many keys of `path` lead to the object that must not be left out; 0 where none must not.
    var neededDepth = 0
    /// The index of the column, or -1 when there is none.
    let column: Int
    let columnName: ColumnName?
    let conversion: Conversion
    let absence: Absence
    /// Whether it may be a whole object; without a value, other properties are its members.
    var isWhole = false

    /// An unchanged column, under its own name.
    ///
    /// - Parameter column: its index among the columns of rows, if these are more than those of `schema`.
    init(_ index: Int, of schema: Schema, nests: Bool, _ dates: CodableDates, _ absence: Absence, at column: Int? = nil)
    {
        key = schema.fields[index].name
        path = JSONKeyTree.path(of: index, among: schema.fields, nests: nests)
        self.column = column ?? index
        columnName = ColumnName(key)
        conversion = CodableProperty.usual(schema.fields[index].kind, dates)
        // An element of an array cannot be left out.
        self.absence = path.isEmpty ? .null : absence
        isWhole = schema.fields[index].kind == .json
    }

    /// Whether its values are JSON strings.
    var isText: Bool { [.text, .isoDay, .isoInstant].contains(conversion) }

    /// A column that fills a part of the object that the field `key` is. What is missing is left out of the object, and an
    /// optional object with all of its parts.
    init(_ column: Int, of schema: Schema, at path: [String], in key: String, _ dates: CodableDates) {
        (self.key, self.path, self.column) = (key, path, column)
        columnName = ColumnName(schema.fields[column].name)
        conversion = CodableProperty.usual(schema.fields[column].kind, dates)
        absence = .leftOut
    }

    /// A field that the app declares. Refuses a column that cannot fill it.
    init(
        _ key: String,
        _ field: CodableField,
        _ column: Int?,
        _ schema: Schema,
        nests: Bool,
        _ dates: CodableDates,
        at place: SourcePlace
    ) throws(DaybookError) {
        self.key = key
        let keys = field.from == nil && nests ? column.flatMap { schema.fields[$0].keys } : nil
        path = keys ?? JSONKeyTree.path(key, nests: nests)
        self.column = column ?? -1
        absence = field.isOptional ? .leftOut : .rejected
        guard let column else {
            columnName = nil
            conversion = .json(field.type)
            return
        }
        let source = schema.fields[column]
        columnName = ColumnName(source.name)
        guard let conversion = CodableProperty.conversion(of: source.kind, to: field.type, dates) else {
            let message =
                "column '\(source.name)' holds \(source.kind.rawValue), and the field '\(key)' is \(field.type.rawValue)"
            throw DaybookError("wrong-kind", message, at: place, hint: CodableProperty.hint(source, field, dates))
        }
        self.conversion = conversion
    }

    private static func usual(_ kind: ColumnKind, _ dates: CodableDates) -> Conversion {
        switch kind {
        case .text: .text
        case .integer: .integer
        case .decimal: .decimal
        case .flag: .flag
        case .day: dates.unit.map(Conversion.startOfDay) ?? .isoDay
        case .instant: dates.unit.map(Conversion.instant) ?? .isoInstant
        case .json: .json(.json)
        }
    }

    private static func conversion(
        of column: ColumnKind,
        to field: CodableField.Kind,
        _ dates: CodableDates
    ) -> Conversion? {
        switch (column, field) {
        case (.json, .date): dates == .iso ? nil : .json(.date)
        case (.json, _): .json(field)
        case (.text, .json): .textAsJSON
        case (_, .json): usual(column, dates)
        case (.text, .text): .text
        case (.day, .text): .isoDay
        case (.instant, .text): .isoInstant
        case (.integer, .integer): .integer
        case (.decimal, .integer): .decimalAsWhole
        case (.integer, .decimal): .wholeAsDouble
        case (.decimal, .decimal): .decimal
        case (.flag, .flag): .flag
        case (.day, .date): dates.unit.map(Conversion.startOfDay) ?? .isoStartOfDay
        case (.instant, .date): dates.unit.map(Conversion.instant) ?? .isoInstant
        // Numbers count as `dates` declares, and keep digits that an instant would lose.
        case (.integer, .date): dates == .iso ? nil : .wholeAsDouble
        case (.decimal, .date): dates == .iso ? nil : .decimal
        default: nil
        }
    }

    private static func hint(_ column: Field, _ field: CodableField, _ dates: CodableDates) -> String {
        switch (column.kind, field.type) {
        case (.text, .date): "put normalise_dates with 'to: instant' before this stage"
        case (_, .date) where dates == .iso && column.kind != .flag:
            "say what the numbers count, such as 'dates: apple_seconds'"
        case (.text, _): "declare the kind of '\(column.name)' where it is imported"
        case (.day, _), (.instant, _): "declare the field as date"
        default: "declare the field as \(column.kind.rawValue)"
        }
    }
}

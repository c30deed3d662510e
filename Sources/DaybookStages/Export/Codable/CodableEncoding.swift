import DaybookCore

/// How an app's model is encoded: its dates, and its properties as the app declares them.
struct CodableEncoding {
    let dates: CodableDates
    let datesPlace: SourcePlace?
    /// Nil where every column is written.
    let fields: OptionMap<CodableField>?
    /// The job's zone, in which a day begins; nil when the job names none.
    let zone: ZoneRules?
    /// Whether a column as it stands is left out with its key where it has no value, rather than null.
    let leavesOutMissing: Bool

    init(reading options: inout OptionReader, dates usual: CodableDates, leavesOutMissing: Bool = false) {
        self.leavesOutMissing = leavesOutMissing
        dates = options.read(
            "dates",
            default: usual,
            help: "How instants and days are encoded: as text, or as a number that counts from a fixed instant."
        )
        datesPlace = options.place(of: "dates")
        fields = options.optional(
            "fields",
            help: "The model as the app declares it, in order: { targetDate: date, dday: integer, note: text? }."
        )
        if let fields, fields.entries.isEmpty { options.refuse("fields", "'fields' names no field") }
        guard dates != .iso || fields != nil else {
            zone = nil
            return
        }
        var name = options.context.timezone
        if let fields {
            if fields.entries.contains(where: { $0.value.kind == .date }) {
                name = options.timezone(because: "'fields' declares dates")
            }
        } else if options.isWritten("dates") {
            name = options.timezone(because: "'dates: \(dates.rawValue)' writes instants")
        }
        zone = name.flatMap { ZoneRules(named: $0) }
    }

    /// Whether rows are written as any table is, each with the same keys.
    var isPlain: Bool { dates == .iso && fields == nil && !leavesOutMissing }

    /// The keys of every object, in order.
    func keys(of schema: Schema) -> [String] { fields?.entries.map(\.key) ?? schema.names }

    /// Refuses columns that cannot fill the fields, and keys that cannot stand side by side.
    func check(_ input: Schema, nests: Bool, at nestPlace: SourcePlace?) throws(DaybookError) {
        _ = try properties(of: input)
        guard nests else { return }
        let keys = keys(of: input)
        let names = Set(keys)
        for name in keys {
            for dot in name.indices where name[dot] == "." && names.contains(String(name[..<dot])) {
                throw DaybookError(
                    "nested-name",
                    "'\(name[..<dot])' and '\(name)' cannot both be written: the one would stand inside the other",
                    at: nestPlace,
                    hint: "rename one of them, or leave 'nest' away"
                )
            }
        }
    }

    /// What is written for each key, in order.
    func properties(of schema: Schema) throws(DaybookError) -> [CodableProperty] {
        var properties: [CodableProperty] = []
        if let fields {
            for (key, field, place) in fields.entries {
                let column = try self.column(for: field, key, at: place, in: schema)
                properties.append(try CodableProperty(key, field, column, schema, dates, at: place))
            }
        } else {
            let absence: CodableProperty.Absence = leavesOutMissing ? .leftOut : .null
            for column in schema.fields.indices {
                properties.append(CodableProperty(column, of: schema, dates, absence))
            }
        }
        for property in properties where property.conversion.startsDay && zone == nil {
            throw DaybookError(
                "missing-timezone",
                "the job needs a 'timezone' because the days in '\(property.columnName?.text ?? "")' become instants",
                at: datesPlace,
                hint: "add a line such as 'timezone: Asia/Seoul' at the top of the job"
            )
        }
        return properties
    }

    /// The column that fills a field, or nil where there is none and need not be.
    ///
    /// An optional field of which no row has a value has no column either, as where an app never wrote it. A name that is
    /// nearly that of a column which no field reads is a mistake all the same.
    private func column(
        for field: CodableField,
        _ key: String,
        at place: SourcePlace,
        in schema: Schema
    ) throws(DaybookError) -> Int? {
        let name = field.from ?? ColumnName(key, at: place)
        if let index = schema.index(of: name) { return index }
        // An empty list has no columns at all, and no row that could lack a value.
        if schema.isOpen || schema.fields.isEmpty { return nil }
        if field.isOptional, field.from == nil {
            let read = Set(fields?.entries.map { $0.value.from?.text ?? $0.key } ?? [])
            if NearestName.of(key, among: schema.names.filter { !read.contains($0) }) == nil { return nil }
        }
        _ = try schema.requiring(name)
        return nil
    }
}

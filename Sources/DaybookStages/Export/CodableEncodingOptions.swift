extension CodableEncoding {
    init(reading options: inout OptionReader, dates usual: CodableDates, leavesOutMissing: Bool = false) {
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
        self.init(
            dates: dates,
            datesPlace: datesPlace,
            fields: fields?.entries,
            zone: name.flatMap { ZoneRules(named: $0) },
            leavesOutMissing: leavesOutMissing
        )
    }
}

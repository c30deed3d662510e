/// Tells a job whose inputs were drawn because of what their columns are called, which they no longer are, what to write instead.
struct DrawnByName {
    let input: StageInput

    /// Nil for an input that was a table and is one.
    var note: JobWarning? {
        guard let sections = calendar ?? long ?? wide else { return nil }
        return JobWarning(
            "drawn-by-name",
            "'\(input.id)' was drawn because of the names of its columns; now it is a table",
            hint: "write 'sections: [\(sections)]'"
        )
    }

    private func has(_ name: String, _ kinds: ColumnKind...) -> Bool {
        input.schema.fields.contains { $0.name == name && kinds.contains($0.kind) }
    }

    /// The days of build_month_calendar.
    private var calendar: String? {
        guard has("month", .text), has("week", .integer), has("date", .day), has("entries", .integer),
            has("today", .flag)
        else { return nil }
        let text = has("labels", .text) ? ", text: labels" : ""
        return "{ from: \(input.id), chart: calendar, x: date, value: entries\(text), sum: true }"
    }

    /// The long shape of summarise_monthly_emotions.
    private var long: String? {
        guard has("month", .text), has("emotion", .text), has("count", .integer, .decimal) else { return nil }
        let id = input.id
        return "{ from: \(id), chart: stacked, x: month, y: count, by: emotion }, "
            + "{ from: \(id), chart: heat, x: month, y: emotion, value: count }, { from: \(id) }"
    }

    /// The wide shape.
    private var wide: String? {
        let fields = input.schema.fields
        guard fields.count > 1, fields[0].name == "month", fields[0].kind == .text,
            fields.dropFirst().allSatisfy({ $0.kind == .integer || $0.kind == .decimal })
        else { return nil }
        let columns = fields.dropFirst().prefix(24).map(\.name).joined(separator: ", ")
        return
            "{ from: \(input.id), chart: bars, x: month, y: [\(columns)], layout: small_multiples }, { from: \(input.id) }"
    }
}

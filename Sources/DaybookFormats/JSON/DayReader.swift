/// Reads a column of instants whose job wants the days that calendars in its time zone show.
package struct DayReader: RecordReader {
    let reader: any RecordReader
    package let schema: Schema
    /// The columns whose instants become days.
    let days: [String]
    let zone: ZoneRules

    package init(reader: any RecordReader, schema: Schema, days: [String], zone: ZoneRules) {
        (self.reader, self.schema, self.days, self.zone) = (reader, schema, days, zone)
    }

    package var recordsBeginLines: Bool { reader.recordsBeginLines }

    package func read(_ morsel: Morsel, reporting findings: inout Findings) -> Batch {
        var batch = reader.read(morsel, reporting: &findings)
        let kernel = DateColumnReader([.iso], to: .day, zone: zone)
        for field in schema.fields where days.contains(field.name) {
            let name = ColumnName(field.name)
            let column = kernel.read(batch[name]) { _, _ in
                preconditionFailure("an instant has a day in every zone")
            }
            batch = batch.setting(name, to: column, from: name)
            rejectStrayDays(batch.days(in: name), in: name, &findings)
        }
        return batch
    }

    /// The last hours of the year 9999 in UTC belong to the year 10000 in the east, as the first of the year 1 do to the
    /// year 0 in the west.
    private func rejectStrayDays(_ days: Values<Int32>, in column: ColumnName, _ findings: inout Findings) {
        let known = CalendarDay.range
        guard !days.elements.allSatisfy(known.contains) else { return }
        let token = findings.token(.instantOutOfRange, in: column)
        for (row, day) in days.elements.enumerated() where !known.contains(day) && !days.missing.isMissing(row) {
            findings.reject(row, token)
        }
    }

    package func finder(of field: String) -> FieldFinder? { reader.finder(of: field) }

    package func pointers(to field: String?) -> RecordPointers? { reader.pointers(to: field) }
}

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
            // The last hours of the year 9999 in UTC belong to the year 10000 in the east, as the first of the year 1 do to the
            // year 0 in the west.
            var stray: [Int] = []
            let column = kernel.read(batch[name]) { row, _ in stray.append(row) }
            batch = batch.setting(name, to: column, from: name)
            guard !stray.isEmpty else { continue }
            let token = findings.token(.instantOutOfRange, in: name)
            for row in stray { findings.reject(row, token) }
        }
        return batch
    }

    package func finder(of field: String) -> FieldFinder? { reader.finder(of: field) }

    package func pointers(to field: String?) -> RecordPointers? { reader.pointers(to: field) }
}

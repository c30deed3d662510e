import CScan

/// Writes some columns of each row as one value of JSON, an element of an array.
package struct JSONElementWriter {
    /// Whether an element is an object of all columns, or the value of the one there is.
    package enum Layout: String, CaseIterable, Sendable { case objects, values }

    private let columns: [ColumnName]
    private let layout: Layout
    private let encoding: CodableEncoding
    private let name: String

    /// - Parameters:
    ///   - name: the array; what stands before a dot in a column's name is no part of its key where it is this.
    ///   - leavesOutMissing: whether a missing value is left out with its key, rather than null.
    package init(_ columns: [ColumnName], in name: String, _ layout: Layout, leavesOutMissing: Bool) {
        (self.columns, self.name, self.layout) = (columns, name, layout)
        encoding = CodableEncoding(
            dates: .iso,
            datesPlace: nil,
            fields: nil,
            zone: nil,
            leavesOutMissing: leavesOutMissing
        )
    }

    /// The columns under the names that tell their keys.
    private func keyed(_ schema: Schema) -> Schema {
        Schema(
            columns.compactMap { schema[$0] }.map { field in
                let keys = JSONKeyTree.keys(of: field, below: name)
                var keyed = Field(
                    layout == .values ? "" : keys?.inner.joined(separator: ".") ?? field.name,
                    field.kind,
                    keys: layout == .values ? nil : keys?.inner ?? field.keys
                )
                keyed.dates = field.dates
                return keyed
            }
        )
    }

    /// The dates that an array of such elements holds.
    package func dates(of schema: Schema) -> InnerDates {
        var dates = InnerDates()
        for field in keyed(schema).fields {
            let keys = layout == .values ? [] : JSONKeyTree.path(field, nests: true)
            let steps = [InnerStep.element] + keys.map { .key($0) }
            var inner = field.dates
            switch field.kind {
            case .day: inner.ways = [InnerDates.Way([], .day)]
            case .instant: inner.ways = [InnerDates.Way([], .instant)]
            default: break
            }
            dates.add(inner, behind: steps)
        }
        return dates
    }

    /// Refuses columns whose keys cannot stand in one object.
    package func check(_ schema: Schema) throws(DaybookError) {
        let (keyed, names) = (keyed(schema), columns.filter { schema[$0] != nil })
        let hint = "rename one of them before this stage"
        let paths = keyed.fields.map { JSONKeyTree.path($0, nests: true) }
        for (index, path) in paths.enumerated() {
            guard let first = paths[..<index].firstIndex(of: path) else { continue }
            throw DaybookError(
                "nested-name",
                "'\(names[first])' and '\(names[index])' would both be written as '\(path.joined(separator: "."))'",
                at: names[index].place,
                hint: hint
            )
        }
        try encoding.check(keyed, nests: true, at: columns.first?.place, hint: hint)
    }

    /// The element that each row makes. A decimal that is not finite has no JSON, so its row is rejected.
    package func elements(of batch: Batch, reporting findings: inout Findings) -> (column: TextColumn, leftOut: Mask) {
        let leftOut = unwritable(batch, &findings)
        let rows = batch.leavingOut(leftOut)
        let schema = keyed(batch.schema)
        let keyed = rows.replacing(schema, columns.map { rows[$0] })
        var nothing = Findings()
        let piece: TextPiece
        if encoding.isPlain {
            var settings = JSONWriteSettings()
            settings.layout = .lines
            settings.nest = true
            piece = JSONRowWriter(settings, schema).write(keyed, reporting: &nothing)
        } else {
            let frame = CodableRowWriter.Frame(separator: "", terminator: "\n", onOneLine: true)
            piece = CodableRowWriter(encoding, schema, nests: true, frame).write(keyed, reporting: &nothing)
        }
        // Of `{"":7}` and its line end, 7 is the value.
        let (before, behind) = layout == .values ? (4, 2) : (0, 1)
        var views: [TextView] = []
        views.reserveCapacity(keyed.count)
        var start = 0
        while start < piece.bytes.count {
            let end = json_line_feed(piece.bytes.base, start, piece.bytes.count) + 1
            views.append(TextView(offset: start + before, length: end - start - before - behind))
            start = end
        }
        return (TextColumn(piece.bytes, views: views), leftOut)
    }

    private func unwritable(_ batch: Batch, _ findings: inout Findings) -> Mask {
        var leftOut = Mask(count: batch.count)
        for column in columns {
            guard case .decimals(let values) = batch[column] else { continue }
            for row in 0..<values.count where !values.elements[row].isFinite && !values.missing.isMissing(row) {
                if !leftOut[row] { findings.reject(row, findings.token(.notAJSONNumber, in: column)) }
                leftOut.insert(row)
            }
        }
        return leftOut
    }
}

/// The elements of the arrays of a column, as columns of their own.
package struct JSONElements {
    /// The fault of an array, or of one of its elements.
    package struct Fault {
        /// The row of the array.
        package var row: Int
        package var kind: Finding.Kind
        /// A message of its own, if the message of the kind is not specific enough.
        package var message: String?
        /// The path from the array to the faulty value: the number of the element, and keys.
        package var pointer: [String] = []
    }

    /// The columns of the plan, with a row for each element.
    package var columns: [Column]
    /// For each element the row of its array, ascending.
    package var parents: [Int32]
    /// The elements themselves, with a gap where an array without elements has a row all the same.
    package var whole: TextColumn
    /// The first fault of each array that has one. The elements before it are among the rows.
    package var faults: [Fault]
    package var warnings: [Fault]
}

/// Unnests arrays of JSON: makes columns of their elements, by templates and key by key as files of records are read.
package struct JSONElementReader: Sendable {
    /// The treatment of values that are not arrays with elements.
    package struct Rules: Sendable, BitwiseCopyable {
        /// Whether a missing or empty array makes a row without values.
        package var keepsEmpty: Bool
        /// Whether a value that is not an array counts as an element.
        package var takesSingle: Bool

        package init(keepsEmpty: Bool, takesSingle: Bool) {
            (self.keepsEmpty, self.takesSingle) = (keepsEmpty, takesSingle)
        }
    }

    private let plan: JSONPlan
    private let rules: Rules

    /// Reads elements that are objects, whose keys have columns; other keys are skipped.
    ///
    /// - Parameter columns: dots in a key separate the keys of nested objects.
    package init(objects columns: [(key: String, value: ColumnKind)], _ rules: Rules) throws(DaybookError) {
        plan = try JSONPlan(JSONShape(), declared: columns)
        self.rules = rules
        for column in columns where plan.indexes[column.key] == nil {
            let message = "'\(column.key)' is a key of an object that is itself to be one column"
            throw DaybookError("ambiguous-column", message, hint: "name the object or its keys, not both")
        }
    }

    /// Reads elements as values of one kind.
    package init(values kind: ColumnKind, _ rules: Rules) throws(DaybookError) {
        var shape = JSONShape()
        shape.hasBareValues = true
        plan = try JSONPlan(shape, declared: [(String(decoding: JSONShape.bareKey, as: UTF8.self), kind)])
        self.rules = rules
    }

    /// The columns of elements, named by their keys, and the keys that lead to each.
    package var columns: [(field: Field, path: [String])] {
        plan.leaves.map { ($0.field, $0.path.map { String(decoding: $0, as: UTF8.self) }) }
    }

    package func read(_ arrays: TextColumn) -> JSONElements {
        let source = SourceName(index: 0, path: "")
        let morsel = Morsel(source: source, bytes: arrays.bytes, offset: 0, firstLine: 1, firstRecord: 0)
        let wanted = Array(plan.leaves.indices)
        var reading = JSONMorselReading(
            plan,
            plan.schema,
            wanted: wanted,
            .array(around: [], .elements),
            morsel,
            isText: true
        )
        defer { reading.deallocate() }
        var parts = JSONColumns(plan.schema)
        // Faults are reported by their array; the reading knows only records.
        var findings = Findings()
        arrays.views.withUnsafeBufferPointer { views in
            guard let start = views.baseAddress else { return }
            reading.arrays = JSONArrays(views: start, missing: arrays.missing, count: views.count, rules: rules)
            repeat { parts.append(reading.part(&findings)) } while !reading.isDone
        }
        let rows = parts.spans.count
        let batch = parts.batch(plan.schema, morsel)
        let views = parts.spans.map { TextView(offset: Int($0.start), length: Int($0.end &- $0.start)) }
        let gaps = rules.keepsEmpty ? Mask(count: rows) { views[$0].length == 0 } : nil
        return JSONElements(
            columns: batch.columns.map { $0.takingOver(reading.decoded, behind: morsel.length) },
            parents: parts.records.map { Int32(bitPattern: $0) },
            whole: TextColumn(arrays.bytes, views: views, missing: gaps.flatMap { $0.setCount > 0 ? $0 : nil }),
            faults: reading.arrays?.faults ?? [],
            warnings: reading.arrays?.warnings ?? []
        )
    }
}

extension Column {
    /// The column with its text in one buffer, where views from `end` on point into `decoded`.
    ///
    /// Nobody writes to the buffer of another column, so a column with a decoded text gets a copy of its own.
    fileprivate func takingOver(_ decoded: Bytes, behind end: Int) -> Column {
        guard case .text(let text) = self, decoded.count > 0,
            text.views.contains(where: { Int($0.offset) >= end && $0.length > 0 })
        else { return self }
        let own = TextColumn(rows: text.count, missing: text.missing, capacity: text.count * 16) { row, bytes in
            let view = text.views[row]
            let isDecoded = Int(view.offset) >= end
            let base = isDecoded ? decoded.base - end : text.bytes.base
            bytes.append(Cell(start: base + Int(view.offset), count: Int(view.length)))
        }
        withExtendedLifetime(decoded) {}
        return .text(own)
    }
}

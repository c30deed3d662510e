import CScan

/// The arrays of a column whose elements are read, and the progress in them.
struct JSONArrays {
    /// The place of each array; valid until the arrays have been read.
    let views: UnsafePointer<TextView>
    let missing: Mask?
    let count: Int
    let rules: JSONElementReader.Rules

    /// The array being read, and the number of the next element.
    var parent = -1
    var element = 0
    /// Whether there is such an element.
    var isOpen = false
    /// Whether the value is not an array, but the only element itself.
    var isSingle = false
    var faults: [JSONElements.Fault] = []
    var warnings: [JSONElements.Fault] = []

    /// The span of a row without an element, for an array without elements.
    static let blank = RecordSpan(start: 0, end: 0)

    /// About how many rows the unread arrays make, estimated from some of them.
    func rowCapacity(_ base: UnsafePointer<UInt8>) -> Int {
        let first = max(parent, 0)
        var (bytes, commas, looked) = (0, 0, 0)
        for row in first..<count where bytes < 8192 && looked < 1024 {
            looked += 1
            guard !missing.isMissing(row), views[row].length > 1 else { continue }
            var cut = json_cut()
            let start = base + Int(views[row].offset) + 1
            let length = Int(views[row].length) - 1
            // Of a long array only the beginning is sampled.
            json_cut_portable(&cut, start, min(length, 8192), false)
            bytes += min(length, 8192)
            commas += Int(cut.commas) + 1
        }
        let all = (first..<count).reduce(0) { $0 + (missing.isMissing($1) ? 1 : Int(views[$1].length)) }
        let rows = bytes == 0 ? count - first : Int(Double(all) * Double(commas) / Double(bytes))
        return rows * 9 / 8 + 64
    }
}

/// Elements of arrays as records.
extension JSONMorselReading {
    /// Whether every element is the value of the only column, whatever it is.
    var takesWhole: Bool { arrays != nil && plan.isBare }

    mutating func readArrays(_ findings: inout Findings) {
        while row < capacity {
            if arrays?.isOpen == true {
                if !followTemplates() { readArrayElement(&findings) }
            } else if !openArray() {
                isDone = true
                return
            }
        }
    }

    /// Enters the next array with an element, or makes a row of an array without. False after the last array.
    private mutating func openArray() -> Bool {
        guard var arrays = self.arrays.take() else { return false }
        defer { self.arrays = arrays }
        while true {
            arrays.parent += 1
            guard arrays.parent < arrays.count else { return false }
            arrays.element = 0
            var cursor: JSONCursor?
            if !arrays.missing.isMissing(arrays.parent) {
                let view = arrays.views[arrays.parent]
                cursor = JSONCursor(base, from: Int(view.offset), to: Int(view.offset) + Int(view.length))
            }
            cursor?.skipSpace()
            arrays.isSingle = false
            switch cursor?.byte {
            case nil, UInt8(ascii: "n"): break
            case UInt8(ascii: "["):
                cursor?.position += 1
                cursor?.skipSpace()
                guard let inside = cursor, inside.byte == UInt8(ascii: "]") else {
                    arrays.isOpen = true
                    break
                }
                cursor?.position += 1
                guard cursor?.finish() != true else { break }
                arrays.faults.append(JSONElements.Fault(row: arrays.parent, kind: JSONFault.secondValue.kind))
                continue
            default:
                guard arrays.rules.takesSingle else {
                    let message = "\(JSONValueName.of(cursor?.byte ?? 0)) in the place of an array"
                    arrays.faults.append(JSONElements.Fault(row: arrays.parent, kind: .notAnArray, message: message))
                    continue
                }
                (arrays.isSingle, arrays.isOpen) = (true, true)
            }
            if arrays.isOpen, let cursor {
                (position, end) = (cursor.position, cursor.end)
                return true
            }
            guard arrays.rules.keepsEmpty else { continue }
            for column in wanted { _ = cells.markMissing(slots + column, row) }
            spans[row] = JSONArrays.blank
            records[row] = UInt32(truncatingIfNeeded: arrays.parent)
            row += 1
            return true
        }
    }

    /// Reads an element key by key, and steps behind its comma or bracket.
    private mutating func readArrayElement(_ findings: inout Findings) {
        guard let arrays else { return }
        let (start, parent) = (position, arrays.parent)
        let behind = arrays.isSingle ? end : json_element_end(base, start, end)
        var stop = behind
        while stop > start, base[stop - 1].isSpace { stop -= 1 }
        var cursor = JSONCursor(base, from: start, to: stop)
        let (rejected, warned, before) = (findings.rejectedRecords.count, findings.warnedRecords.count, row)
        readRecord(&cursor, RecordSpan(start: start, end: stop), next: stop, &findings)
        let warnings = findings.warnedRecords[warned...].map { fault(findings, $0, nil) }
        self.arrays?.warnings += warnings
        guard row > before else {
            let message = findings.message(ofRejectedRecord: rejected)
            let fault = fault(findings, findings.rejectedRecords[rejected], message)
            self.arrays?.faults.append(fault)
            self.arrays?.isOpen = false
            return
        }
        records[before] = UInt32(truncatingIfNeeded: parent)
        self.arrays?.element += 1
        if arrays.isSingle {
            self.arrays?.isOpen = false
        } else {
            step(over: behind)
        }
    }

    /// The fault of the current element.
    private func fault(_ findings: Findings, _ record: Findings.Record, _ message: String?) -> JSONElements.Fault {
        let subject = findings.subjects[findings.index(of: record.token)]
        let path = subject.column.flatMap { plan.indexes[$0] }.map { plan.leaves[$0].path } ?? []
        var pointer: [String] = []
        if let arrays, !arrays.isSingle { pointer.append(String(arrays.element)) }
        if !plan.isBare { pointer += path.map { String(decoding: $0, as: UTF8.self) } }
        let displayText =
            message ?? subject.kind.message(about: value(at: Int(record.at), before: Int(record.span.end)))
        return JSONElements.Fault(row: arrays?.parent ?? 0, kind: subject.kind, message: displayText, pointer: pointer)
    }

    /// The value that begins at a byte of an element.
    private func value(at start: Int, before end: Int) -> Cell? {
        var cursor = JSONCursor(base, from: start, to: end)
        return cursor.skipValue() ? Cell(start: base + start, count: cursor.position - start) : nil
    }

    /// Steps over the comma behind an element, or over the bracket that ends its array.
    private mutating func step(over position: Int) {
        guard let arrays else { return }
        var cursor = JSONCursor(base, from: position, to: end)
        let byte = cursor.byte
        cursor.position += 1
        cursor.skipSpace()
        if byte == UInt8(ascii: ",") {
            self.position = cursor.position
            return
        }
        self.arrays?.isOpen = false
        if byte == UInt8(ascii: "]"), cursor.position == end { return }
        let reason: JSONFault = byte == UInt8(ascii: "]") ? .secondValue : .noCommaInArray
        self.arrays?.faults.append(JSONElements.Fault(row: arrays.parent, kind: reason.kind))
    }

    /// Reads the elements of one array for as long as the template fits.
    mutating func followElements(_ template: JSONTemplate) {
        guard let parent = arrays?.parent else { return }
        let (steps, count) = (template.steps, template.count)
        let (last, lastLength) = (template.last, template.lastLength)
        let (absent, absentCount) = (template.absent, template.absentCount)
        let (base, cells, spans, records, capacity) = (base, cells, spans, records, capacity)
        let limit = base + end
        let firstRow = row
        var row = row
        var reached = 0
        var begin = base + position
        var isOpen = true
        rows: while isOpen, row < capacity {
            var place = begin
            reached = 0
            while reached < count {
                let step = steps + reached
                guard step.pointee.length <= limit - place,
                    json_same(place, step.pointee.literal, step.pointee.length),
                    let next = cells.value(
                        at: place + step.pointee.length,
                        into: step.pointee.slot,
                        row: row,
                        limit: limit
                    )
                else { break rows }
                place = json_ahead(next, place, &step.pointee.guess)
                reached &+= 1
            }
            guard lastLength < limit - place, json_same(place, last, lastLength) else { break rows }
            place += lastLength
            var next = place
            while next < limit, next.pointee.isSpace { next += 1 }
            guard next < limit else { break rows }
            let isLast = next.pointee == UInt8(ascii: "]")
            guard isLast || next.pointee == UInt8(ascii: ",") else { break rows }
            next += 1
            while next < limit, next.pointee.isSpace { next += 1 }
            // The text behind the array is checked where elements are read one by one.
            if isLast, next != limit { break rows }
            for index in 0..<absentCount { _ = cells.markMissing(absent[index], row) }
            spans[row] = RecordSpan(start: begin - base, end: place - base)
            records[row] = UInt32(truncatingIfNeeded: parent)
            row &+= 1
            begin = next
            isOpen = !isLast
        }
        record += row - firstRow
        arrays?.element += row - firstRow
        arrays?.isOpen = isOpen
        position = begin - base
        self.row = row
        // An attempt that failed may have marked values as missing.
        if isOpen, row < capacity {
            for index in 0..<reached { cells.clearMissing(steps[index].slot, row) }
        }
    }
}

extension Finding.Kind {
    static let notAnArray = Finding.Kind("not-an-array", "a value in the place of an array")
}

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

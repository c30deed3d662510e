import DaybookDates

/// Formats the rows of a batch as the JSON objects that an app decodes.
///
/// Which keys an object has may differ from row to row, so the commas between them are decided while writing: a member
/// follows another unless the byte before it opens the object.
package struct CodableRowWriter {
    /// The text around the objects of rows.
    package struct Frame {
        /// Between two rows.
        package var separator: StaticString
        /// Behind each row.
        package var terminator: StaticString
        /// Whether a row is to be one line, so that JSON in its cells may have no line ends.
        package var onOneLine: Bool
        /// Nil if an object is on one line, else the indentation depth of its braces.
        package var prettyDepth: Int?

        package init(separator: StaticString, terminator: StaticString, onOneLine: Bool, prettyDepth: Int? = nil) {
            (self.separator, self.terminator) = (separator, terminator)
            (self.onOneLine, self.prettyDepth) = (onOneLine, prettyDepth)
        }
    }

    private let outline: CodableOutline
    private let properties: [CodableProperty]
    private let frame: Frame
    private let zone: ZoneRules
    /// The key of each row; nil where rows have none.
    private let key: RowKey?
    /// Puts rows into the records that they came from; nil to write them as they are.
    private let patch: RecordPatch?
    private let isDeclared: Bool
    /// Reads each row as the app's decoder would.
    private let model: CodableModel?
    private let keys: RecordKeys?
    /// The properties whose values have dates in them.
    private let inner: [(property: Int, dates: InnerDateWriting)]

    package init(
        _ encoding: CodableEncoding,
        _ schema: Schema,
        nests: Bool,
        _ frame: Frame,
        patching patch: RecordPatch? = nil
    ) {
        (self.patch, isDeclared) = (patch, encoding.fields != nil)
        do {
            properties = try encoding.properties(of: schema, nests: nests)
        } catch {
            preconditionFailure("a sink was given columns that its check had refused: \(error.message)")
        }
        key = RowKey(encoding, schema, prettyDepth: frame.prettyDepth)
        outline = CodableOutline(properties, prettyDepth: frame.prettyDepth, isIndented: key == nil)
        self.frame = frame
        zone = encoding.zone ?? .utc
        (model, keys) = (encoding.model, encoding.keys)
        inner = properties.enumerated().compactMap { index, property in
            encoding.innerDates(of: property, in: schema).map { (index, $0) }
        }
    }

    /// The addresses used by the row loop.
    private struct Loop: BitwiseCopyable {
        var columns: UnsafeBufferPointer<CellPointers>
        var cells: UnsafeBufferPointer<CodableCell>
        var steps: UnsafeBufferPointer<CodableOutline.Step>
        var literals: UnsafePointer<UInt8>
        /// The start of each open object.
        var starts: UnsafeMutableBufferPointer<Int>

        /// Whether a property has a value in a row.
        @inline(__always)
        func hasValue(_ property: Int, _ row: Int) -> Bool {
            let column = cells[property].column
            return column >= 0 && !columns[column].isMissing(row)
        }
    }

    package func write(_ batch: Batch, reporting findings: inout Findings) -> TextPiece {
        if inner.isEmpty { return write(batch, [:], &findings) }
        var columns = batch.columns
        var faults: [Int: (property: Int, InnerDateWriting.Fault)] = [:]
        for (property, dates) in inner {
            let column = properties[property].column
            guard case .json(let values) = columns[column] else { continue }
            var dates = dates
            columns[column] = .json(dates.rewritten(values) { row, fault in faults[row] = (property, fault) })
        }
        return write(batch.replacing(batch.schema, columns), faults, &findings)
    }

    private func write(
        _ batch: Batch,
        _ faults: [Int: (property: Int, InnerDateWriting.Fault)],
        _ findings: inout Findings
    ) -> TextPiece {
        let bytes = Bytes(capacity: batch.count * (outline.literals.count + properties.count * 12))
        var out = ByteCursor(bytes)
        var (rows, refused) = (0, 0)
        var values = CodableValues(zone: ZoneCursor(zone), onOneLine: frame.onOneLine)
        let records = patch == nil ? nil : BatchRecords(batch.provenance)
        if patch != nil, records == nil {
            for row in 0..<batch.count { findings.reject(row, findings.token(.recordOutOfReach)) }
            return TextPiece(bytes: bytes, rows: 0)
        }
        withLoop(batch) { loop in
            for row in 0..<batch.count {
                if !faults.isEmpty, let (index, fault) = faults[row] {
                    reject(row, properties[index], fault, &findings)
                    continue
                }
                let start = out.count
                out.reserve(ByteCursor.jsonLimit)
                if rows > 0 { out.put(word: frame.separator) }
                let opening = out.count
                if let key, let fault = key.put(loop.columns[key.property.column], row, &values, &out) {
                    out.rewind(to: start)
                    reject(row, key.property, fault, &findings)
                    continue
                }
                let body = out.count
                if let (index, fault) = object(row, loop, &values, &out) {
                    out.rewind(to: start)
                    reject(row, properties[index], fault, &findings)
                    continue
                }
                let json = Cell(start: out.next - (out.count - body), count: out.count - body)
                let record = records?.value(of: row)
                // A null has no value in any column.
                if record?.first == UInt8(ascii: "n"), RecordPatch.isEmpty(json) {
                    out.rewind(to: body)
                    out.put(word: "null")
                } else if let patch, let record {
                    let whole = Bytes()
                    if let lost = patch.write(json, into: record, to: whole) {
                        out.rewind(to: start)
                        reject(row, losing: lost, &findings)
                        continue
                    }
                    out.rewind(to: body)
                    out.put(json: whole.filled, onOneLine: frame.onOneLine)
                    withExtendedLifetime(whole) {}
                }
                if let model {
                    let json = Cell(start: out.next - (out.count - opening), count: out.count - opening)
                    if let fault = model.fault(in: json, keys) {
                        out.rewind(to: start)
                        reject(row, fault, &findings)
                        refused += 1
                        continue
                    }
                }
                out.reserve(ByteCursor.jsonLimit)
                out.put(word: frame.terminator)
                rows += 1
            }
        }
        out.finish()
        return TextPiece(bytes: bytes, rows: rows, refused: refused)
    }

    private func withLoop(_ batch: Batch, _ body: (Loop) -> Void) {
        let cells = properties.map { CodableCell(column: $0.column, conversion: $0.conversion, absence: $0.absence) }
        var starts = [Int](repeating: 0, count: outline.depth)
        batch.withCellPointers { columns in
            cells.withUnsafeBufferPointer { cells in
                outline.steps.withUnsafeBufferPointer { steps in
                    starts.withUnsafeMutableBufferPointer { starts in
                        let literals = UnsafePointer(outline.literals.base)
                        body(Loop(columns: columns, cells: cells, steps: steps, literals: literals, starts: starts))
                    }
                }
            }
        }
        withExtendedLifetime(outline) {}
    }

    /// Writes the object of a row, or returns which property cannot be written and why.
    @inline(__always)
    private func object(
        _ row: Int,
        _ loop: Loop,
        _ values: inout CodableValues,
        _ out: inout ByteCursor
    ) -> (property: Int, CodableFault)? {
        var depth = 0
        var next = 0
        while next < loop.steps.count {
            let step = loop.steps[next]
            next &+= 1
            switch step.kind {
            case .open:
                if step.property >= 0, loop.hasValue(step.property, row) {
                    if let fault = whole(row, step, next, loop, &values, &out) { return (step.property, fault) }
                    next = step.end
                    continue
                }
                loop.starts[depth] = out.count
                depth += 1
                begin(step, loop.literals, &out)
                out.put(UInt8(ascii: "{"))
            case .close:
                depth -= 1
                if out.next[-1] != UInt8(ascii: "{") {
                    out.put(literal: loop.literals + step.start, step.length)
                } else if depth > 0 {
                    if step.property >= 0 { return (step.property, .missing) }
                    // An empty object is left out like its members, unless it is the row itself.
                    out.rewind(to: loop.starts[depth])
                    continue
                }
                out.reserve(ByteCursor.jsonLimit)
                out.put(UInt8(ascii: "}"))
            case .member:
                let cell = loop.cells[step.property]
                guard cell.column >= 0, !loop.columns[cell.column].isMissing(row) else {
                    if cell.absence == .leftOut { continue }
                    if cell.absence == .rejected { return (step.property, .missing) }
                    begin(step, loop.literals, &out)
                    out.put(word: "null")
                    continue
                }
                begin(step, loop.literals, &out)
                if let fault = values.put(loop.columns[cell.column], row, cell.conversion, &out) {
                    return (step.property, fault)
                }
            }
        }
        return nil
    }

    /// Writes an object that a column holds as a whole. `next` is the step behind its beginning.
    @inline(never)
    private func whole(
        _ row: Int,
        _ step: CodableOutline.Step,
        _ next: Int,
        _ loop: Loop,
        _ values: inout CodableValues,
        _ out: inout ByteCursor
    ) -> CodableFault? {
        for inner in loop.steps[next..<step.end] where inner.kind != .close && inner.property >= 0 {
            if loop.hasValue(inner.property, row) { return .twofold }
        }
        begin(step, loop.literals, &out)
        let cell = loop.cells[step.property]
        return values.put(loop.columns[cell.column], row, cell.conversion, &out)
    }

    /// Writes a comma where one is needed, and the key.
    @inline(__always)
    private func begin(_ step: CodableOutline.Step, _ literals: UnsafePointer<UInt8>, _ out: inout ByteCursor) {
        out.reserve(ByteCursor.jsonLimit)
        if step.isFollower, out.next[-1] != UInt8(ascii: "{") { out.put(UInt8(ascii: ",")) }
        out.put(literal: literals + step.start, step.length)
    }

    private func reject(
        _ row: Int,
        _ property: CodableProperty,
        _ fault: InnerDateWriting.Fault,
        _ findings: inout Findings
    ) {
        let token = findings.token(.innerDate, in: property.columnName)
        findings.reject(row, token, saying: "'\(fault.pointer)' in '\(property.key)' \(fault.reason)")
    }

    @inline(never)
    private func reject(_ row: Int, _ fault: ModelWalk.Fault, _ findings: inout Findings) {
        let property =
            fault.isKey ? key?.property : fault.field(among: properties.map(\.path)).map { properties[$0] }
        let token = findings.token(.notDecodable, in: property?.columnName)
        let inside = property.map { Array(fault.steps.dropFirst($0.path.count)) } ?? []
        findings.reject(row, token, saying: fault.displayText, inside: inside)
    }

    @inline(never)
    private func reject(_ row: Int, losing field: [String], _ findings: inout Findings) {
        if field.isEmpty { return findings.reject(row, findings.token(.brokenRecord)) }
        let name = field.count == 1 ? field[0] : JSONPointer(tokens: field).written
        let holder = isDeclared ? "'fields' does not name" : "no column holds"
        let message = "the record has the field '\(name)', which \(holder), and writing the row would lose it"
        findings.reject(row, findings.token(.unlisted), saying: message)
    }

    @inline(never)
    private func reject(_ row: Int, _ property: CodableProperty, _ fault: CodableFault, _ findings: inout Findings) {
        findings.reject(row, findings.token(fault.kind(property), in: property.columnName))
    }
}

/// The order in which braces, keys and values of an object are written.
struct CodableOutline {
    package enum Kind: BitwiseCopyable { case open, member, close }

    /// One brace or one member, with the text before it among the literals.
    struct Step: BitwiseCopyable {
        var kind: Kind
        var start: Int
        var length: Int
        /// The index of the property whose value follows; at the start of an object, of the property that is the whole
        /// object if it has a value; at the end of an object that must not be left out, of its first property.
        var property = -1
        /// For the beginning of an object, the step behind its end.
        var end = 0
        /// False for the object of the row itself, which no such comma precedes.
        var isFollower = true
    }

    let literals = Bytes()
    private(set) var steps: [Step] = []
    /// How deep objects are nested, the row's own included.
    private(set) var depth = 0
    private let isPretty: Bool
    private let properties: [CodableProperty]

    /// - Parameter isIndented: whether a row begins its line.
    init(_ properties: [CodableProperty], prettyDepth: Int?, isIndented: Bool = true) {
        self.properties = properties
        isPretty = prettyDepth != nil
        let tree = JSONKeyTree(properties.map(\.path))
        let start = literals.count
        indent(isIndented ? prettyDepth ?? 0 : 0)
        let length = literals.count - start
        var first = Step(kind: .open, start: start, length: length, property: tree.whole ?? -1, isFollower: false)
        if tree.whole != nil, tree.members.isEmpty {
            // A row without keys is its value.
            first.kind = .member
            steps = [first]
            return
        }
        steps.append(first)
        lay(tree, indentation: prettyDepth ?? 0, depth: 1)
        steps[0].end = steps.count
    }

    private mutating func lay(_ tree: JSONKeyTree, indentation: Int, depth: Int) {
        self.depth = max(self.depth, depth)
        for entry in tree.members {
            let start = literals.count
            breakLine(indentation + 1)
            literals.append(jsonString: entry.key)
            literals.append(isPretty ? ": " as StaticString : ":")
            let length = literals.count - start
            switch entry.member {
            case .column(let property):
                steps.append(Step(kind: .member, start: start, length: length, property: property))
            case .object(let inner):
                let open = steps.count
                steps.append(Step(kind: .open, start: start, length: length, property: inner.whole ?? -1))
                lay(inner, indentation: indentation + 1, depth: depth + 1)
                steps[open].end = steps.count
            }
        }
        let start = literals.count
        breakLine(indentation)
        var close = Step(kind: .close, start: start, length: literals.count - start)
        // The row's own object has depth 1, and no key leads to it.
        if depth > 1, let first = tree.first, properties[first].neededDepth == depth - 1 { close.property = first }
        steps.append(close)
    }

    private func breakLine(_ depth: Int) {
        guard isPretty else { return }
        literals.append(UInt8(ascii: "\n"))
        indent(depth)
    }

    private func indent(_ depth: Int) {
        for _ in 0..<(isPretty ? depth * 2 : 0) { literals.append(UInt8(ascii: " ")) }
    }
}

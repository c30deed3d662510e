import CScan

/// Formats the rows of a batch as JSON objects.
///
/// All objects have the same keys, so what stands between two values is made once and copied.
package struct JSONRowWriter {
    /// What stands before each value in turn, and behind the last, one after the other.
    private let literals: Bytes
    private let steps: [Step]
    /// Whether each row ends its own line, rather than standing between others.
    private let isLine: Bool
    private let names: [ColumnName]

    /// A literal and the column of the value behind it; -1 for the last, which has none.
    private struct Step: BitwiseCopyable {
        var start: Int
        var length: Int
        var column: Int
        /// Whether a missing value leaves out its key as well.
        var isOptional = false
    }

    /// - Parameter optional: columns, none of them the first, that rows have no key for where they have no value.
    package init(_ options: JSONWriteSettings, _ schema: Schema, leavingOut optional: Set<String> = []) {
        isLine = options.layout == .lines
        names = schema.names.map { ColumnName($0) }
        let schema = schema.withKeysAlone
        let properties = schema.fields.indices.map {
            CodableProperty($0, of: schema, nests: options.nest, .iso, .null)
        }
        let outline = CodableOutline(properties, prettyDepth: options.pretty ? options.rowDepth : nil)
        var (steps, literals, start) = ([Step](), [UInt8](), 0)
        for step in outline.steps {
            let isFirst = literals.count > start && literals.last == UInt8(ascii: "{")
            if step.kind != .close, step.isFollower, !isFirst { literals.append(UInt8(ascii: ",")) }
            // An object that nothing stands in is not spread over lines.
            if step.kind != .close || !isFirst {
                literals += outline.literals.filled[step.start..<step.start + step.length]
            }
            switch step.kind {
            case .open: literals.append(UInt8(ascii: "{"))
            case .close: literals.append(UInt8(ascii: "}"))
            case .member:
                steps.append(
                    Step(
                        start: start,
                        length: literals.count - start,
                        column: step.property,
                        isOptional: optional.contains(schema.fields[step.property].name)
                    )
                )
                start = literals.count
            }
        }
        withExtendedLifetime(outline) {}
        self.steps = steps + [Step(start: start, length: literals.count - start, column: -1)]
        self.literals = Bytes()
        literals.withUnsafeBufferPointer { self.literals.append($0) }
        self.literals.append(isLine ? "\n" as StaticString : ",\n")
    }

    package func write(_ batch: Batch, reporting findings: inout Findings) -> TextPiece {
        write(batch, 0..<batch.count, reporting: &findings)
    }

    /// Writes some of the rows.
    package func write(_ batch: Batch, _ range: Range<Int>, reporting findings: inout Findings) -> TextPiece {
        let decimals = batch.schema.fields.indices.filter { batch.schema.fields[$0].kind == .decimal }
        let separatorLength = isLine ? 1 : 2
        let separator = literals.base + literals.count - separatorLength
        let (bytes, rows) = batch.withCellPointers { columns in
            let (steps, text) = folded(columns, range)
            let bytes = Bytes(capacity: range.count * (text.count + separatorLength + steps.count * 20))
            var out = ByteCursor(bytes)
            var rows = 0
            let base = text.base
            steps.withUnsafeBufferPointer { steps in
                for row in range {
                    if !decimals.isEmpty, let bad = firstUnwritable(columns, decimals, row) {
                        findings.reject(row, findings.token(.notAJSONNumber, in: names[bad]))
                        continue
                    }
                    if !isLine, rows > 0 { copy(separator, separatorLength, to: &out) }
                    for step in steps {
                        if step.isOptional, columns[step.column].isMissing(row) { continue }
                        copy(base + step.start, step.length, to: &out)
                        if step.column >= 0 { append(columns[step.column], row, to: &out) }
                    }
                    if isLine { copy(separator, separatorLength, to: &out) }
                    rows += 1
                }
            }
            out.finish()
            withExtendedLifetime(text) {}
            return (bytes, rows)
        }
        withExtendedLifetime(literals) {}
        return TextPiece(bytes: bytes, rows: rows)
    }

    /// The steps of rows, with what is the same in all of them among the literals: it is looked at and escaped once.
    private func folded(
        _ columns: UnsafeBufferPointer<CellPointers>,
        _ rows: Range<Int>
    ) -> (steps: [Step], text: Bytes) {
        let uniform = columns.map { rows.count > 1 && $0.isUniform(rows) }
        guard uniform.contains(true) else { return (steps, literals) }
        let text = Bytes()
        var out = ByteCursor(text)
        var (folded, start): ([Step], Int) = ([], 0)
        func end(_ column: Int, isOptional: Bool = false) {
            folded.append(Step(start: start, length: out.count - start, column: column, isOptional: isOptional))
            start = out.count
        }
        for step in steps {
            let isUniform = step.column >= 0 && uniform[step.column]
            if step.isOptional {
                if isUniform, columns[step.column].isMissing(rows.lowerBound) { continue }
                // Of the literal only its own key is left out.
                if !isUniform { end(-1) }
            }
            copy(literals.base + step.start, step.length, to: &out)
            guard isUniform else {
                end(step.column, isOptional: step.isOptional)
                continue
            }
            append(columns[step.column], rows.lowerBound, to: &out)
        }
        out.finish()
        return (folded, text)
    }

    /// The first column whose number is not finite.
    private func firstUnwritable(
        _ columns: UnsafeBufferPointer<CellPointers>,
        _ decimals: [Int],
        _ row: Int
    ) -> Int? {
        decimals.first { !columns[$0].decimal(row).isFinite && !columns[$0].isMissing(row) }
    }

    @inline(__always)
    private func copy(_ literal: UnsafePointer<UInt8>, _ length: Int, to out: inout ByteCursor) {
        out.reserve(length + ByteCursor.jsonLimit)
        json_copy_blocks(out.next, literal, length)
        out.next += length
    }

    @inline(__always)
    private func append(_ column: CellPointers, _ row: Int, to out: inout ByteCursor) {
        if column.isMissing(row) { return out.put(word: "null") }
        switch column.kind {
        case .text: out.put(jsonString: column.cell(row))
        case .json: out.put(json: column.cell(row), onOneLine: isLine)
        case .integer: out.next += NumberText.write(column.integer(row), to: out.next)
        case .decimal: out.next += NumberText.write(column.decimal(row), to: out.next)
        case .flag: out.put(word: column.flag(row) ? "true" : "false")
        case .day: out.put(isoDay: column.day(row))
        case .instant: out.put(isoInstant: column.integer(row))
        }
    }
}

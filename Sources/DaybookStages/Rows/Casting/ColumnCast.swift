/// Makes a column of another kind, and notes the rows whose values do not fit.
struct ColumnCast {
    let flags: FlagSpellings
    let numbers: NumberReader?
    let decimalComma: Bool
    /// The rows whose values do not fit, in order.
    private(set) var failures: [Int32] = []

    init(flags: FlagSpellings, numbers: NumberReader?, decimalComma: Bool) {
        self.flags = flags
        self.numbers = numbers
        self.decimalComma = decimalComma
    }

    mutating func cast(_ column: Column, to target: CastTarget) -> Column {
        switch (column, target) {
        case (.text, .text), (.integers, .integer), (.decimals, .decimal), (.flags, .flag), (.days, .day): return column
        case (.json(let text), _):
            let text = Self.contents(of: text)
            guard target == .text else { return read(text, target) }
            noteNULs(text)
            return .text(text)
        case (.text(let text), _): return read(text, target)
        case (_, .text): return .text(Self.written(column))
        case (.integers(let values), .decimal):
            return .decimals(
                each(values, 0) { value in
                    let decimal = Double(value)
                    return Int64(exactly: decimal) == value ? decimal : nil
                }
            )
        case (.integers, .flag): return read(Self.written(column), target)
        case (.decimals(let values), .integer): return .integers(each(values, 0) { Int64(exactly: $0) })
        case (.flags(let values), .integer): return .integers(values.mapValues { $0 ? 1 : 0 })
        default: preconditionFailure("the schema check lets only kinds be cast that go together")
        }
    }

    /// An escape in JSON may stand for a NUL, which no text holds.
    private mutating func noteNULs(_ text: TextColumn) {
        guard text.bytes.filled.contains(0) else { return }
        text.forEachValue { row, cell in if cell.contains(0) { failures.append(Int32(truncatingIfNeeded: row)) } }
    }

    private mutating func read(_ text: TextColumn, _ target: CastTarget) -> Column {
        switch target {
        case .text: return .text(text)
        case .integer:
            if let numbers { return .integers(each(text, 0) { numbers.integer($0) }) }
            return .integers(each(text, 0) { CellReading.integer(buffered: $0) })
        case .decimal:
            if let numbers { return .decimals(each(text, 0) { numbers.decimal($0) }) }
            if decimalComma { return .decimals(each(text, 0) { Self.decimal(withComma: $0) }) }
            return .decimals(each(text, 0) { CellReading.keptDecimal($0) })
        case .flag:
            let flags = flags
            return .flags(
                each(text, false) { cell in
                    let found = flags.find(cell)
                    return found < 0 ? nil : found == 1
                }
            )
        case .day: return .days(each(text, 0) { CellReading.day($0) })
        }
    }

    @inline(__always)
    private mutating func each<Element>(
        _ text: TextColumn,
        _ filler: Element,
        _ read: (Cell) -> Element?
    ) -> Values<Element> {
        text.mapValues(filler: filler) { row, cell in
            if let value = read(cell) { return value }
            failures.append(Int32(truncatingIfNeeded: row))
            return filler
        }
    }

    @inline(__always)
    private mutating func each<Old, Element>(
        _ values: Values<Old>,
        _ filler: Element,
        _ make: (Old) -> Element?
    ) -> Values<Element> {
        var result = Values([Element](repeating: filler, count: values.count), missing: values.missing)
        for row in 0..<values.count where !values.missing.isMissing(row) {
            if let value = make(values.elements[row]) {
                result.elements[row] = value
            } else {
                failures.append(Int32(truncatingIfNeeded: row))
            }
        }
        return result
    }

    /// A number with a comma before its decimals, and no point.
    static func decimal(withComma cell: Cell) -> Double? {
        cell.count <= 1_024 ? CellReading.keptDecimal(cell, point: UInt8(ascii: ",")) : nil
    }

    private static func written(_ column: Column) -> TextColumn {
        TextColumn(rows: column.count, missing: column.missing, capacity: column.count * 8) { row, bytes in
            column.appendValue(row, to: bytes)
        }
    }

    /// JSON strings without their quotes and escapes; other values as they are written.
    private static func contents(of json: TextColumn) -> TextColumn {
        let quote = UInt8(ascii: "\"")
        return TextColumn(rows: json.count, missing: json.missing, capacity: json.count * 8) { row, bytes in
            json.withCell(row) { cell in
                if let base = cell.baseAddress, cell.count >= 2, cell[0] == quote, cell[cell.count - 1] == quote {
                    JSONString.decode(base, 1..<cell.count - 1, into: bytes)
                } else {
                    bytes.append(cell)
                }
            }
        }
    }
}

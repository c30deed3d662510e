import DaybookCore

/// Makes a column of another kind, and notes the rows whose values do not fit.
struct ColumnCast {
    /// A row whose value does not fit, and what it was to be.
    struct Failure {
        var row: Int32
        var target: CastTarget
        var decimalComma: Bool
    }

    let flags: FlagSpellings
    let decimalComma: Bool
    /// In the order of the rows.
    private(set) var failures: [Failure] = []

    init(flags: FlagSpellings, decimalComma: Bool) {
        self.flags = flags
        self.decimalComma = decimalComma
    }

    mutating func cast(_ column: Column, to target: CastTarget) -> Column {
        switch (column, target) {
        case (.text, .text), (.integers, .integer), (.decimals, .decimal), (.flags, .flag), (.days, .day): return column
        case (.json(let text), _):
            let text = Self.contents(of: text)
            return target == .text ? .text(text) : read(text, target)
        case (.text(let text), _): return read(text, target)
        case (_, .text): return .text(Self.written(column))
        case (.integers(let values), .decimal):
            return .decimals(
                each(values, target, 0) { value in
                    let decimal = Double(value)
                    return Int64(exactly: decimal) == value ? decimal : nil
                }
            )
        case (.integers, .flag): return read(Self.written(column), target)
        case (.decimals(let values), .integer): return .integers(each(values, target, 0) { Int64(exactly: $0) })
        case (.flags(let values), .integer): return .integers(values.mapValues { $0 ? 1 : 0 })
        default: preconditionFailure("the schema check lets only kinds be cast that go together")
        }
    }

    private mutating func read(_ text: TextColumn, _ target: CastTarget) -> Column {
        switch target {
        case .text: return .text(text)
        case .integer: return .integers(each(text, target, 0) { CellReading.integer($0) })
        case .decimal:
            if decimalComma { return .decimals(each(text, target, 0) { Self.decimal(withComma: $0) }) }
            return .decimals(each(text, target, 0) { CellReading.decimal($0) })
        case .flag:
            let flags = flags
            return .flags(
                each(text, target, false) { cell in
                    let found = flags.find(cell)
                    return found < 0 ? nil : found == 1
                }
            )
        case .day: return .days(each(text, target, 0) { CellReading.day($0) })
        }
    }

    @inline(__always)
    private mutating func each<Element>(
        _ text: TextColumn,
        _ target: CastTarget,
        _ filler: Element,
        _ read: (Cell) -> Element?
    ) -> Values<Element> {
        text.mapValues(filler: filler) { row, cell in
            if let value = read(cell) { return value }
            fail(row, target)
            return filler
        }
    }

    @inline(__always)
    private mutating func each<Old, Element>(
        _ values: Values<Old>,
        _ target: CastTarget,
        _ filler: Element,
        _ make: (Old) -> Element?
    ) -> Values<Element> {
        var result = Values([Element](repeating: filler, count: values.count), missing: values.missing)
        for row in 0..<values.count where !values.missing.isMissing(row) {
            if let value = make(values.elements[row]) { result.elements[row] = value } else { fail(row, target) }
        }
        return result
    }

    private mutating func fail(_ row: Int, _ target: CastTarget) {
        failures.append(Failure(row: Int32(truncatingIfNeeded: row), target: target, decimalComma: decimalComma))
    }

    /// A number with a comma before its decimals, and no point.
    private static func decimal(withComma cell: Cell) -> Double? {
        guard cell.count <= 1_024 else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: cell.count) { copy -> Double? in
            for place in 0..<cell.count {
                if cell[place] == UInt8(ascii: ".") { return nil }
                copy[place] = cell[place] == UInt8(ascii: ",") ? UInt8(ascii: ".") : cell[place]
            }
            return CellReading.decimal(Cell(copy))
        }
    }

    private static func written(_ column: Column) -> TextColumn {
        var text = TextColumnBuilder(rows: column.count, capacity: column.count * 8)
        for row in 0..<column.count {
            if column.missing.isMissing(row) {
                text.appendMissing()
            } else {
                let start = text.bytes.count
                column.appendValue(row, to: text.bytes)
                text.appendView(from: start)
            }
        }
        return text.build()
    }

    /// JSON strings without their quotes and escapes; other values as they are written.
    private static func contents(of json: TextColumn) -> TextColumn {
        var text = TextColumnBuilder(rows: json.count, capacity: json.count * 8)
        let quote = UInt8(ascii: "\"")
        for row in 0..<json.count {
            if json.missing.isMissing(row) {
                text.appendMissing()
                continue
            }
            let start = text.bytes.count
            json.withCell(row) { cell in
                if let base = cell.baseAddress, cell.count >= 2, cell[0] == quote, cell[cell.count - 1] == quote {
                    JSONString.decode(base, 1..<cell.count - 1, into: text.bytes)
                } else {
                    text.bytes.append(cell)
                }
            }
            text.appendView(from: start)
        }
        return text.build()
    }
}

extension ColumnCast {
    /// What is wrong with a value. For rows that failed, not for all.
    static func kind(of failure: Failure, _ old: Column) -> Finding.Kind {
        switch failure.target {
        case .text: preconditionFailure("everything becomes text")
        case .flag: return .notAFlagSpelling
        case .day: return .notADay
        case .integer: return isGrouped(failure, old) ? .groupedNumber : .notAnInteger
        case .decimal:
            guard old.kind == .text || old.kind == .json else { return .inexactDecimal }
            if !failure.decimalComma, let text = old.spoken(Int(failure.row)), let comma = text.firstIndex(of: ","),
                !text[text.index(after: comma)...].contains(","), !looksGrouped(text)
            {
                let pointed = Bytes(text.replacing(",", with: "."))
                defer { withExtendedLifetime(pointed) {} }
                if CellReading.decimal(pointed.filled) != nil { return .decimalCommaFound }
            }
            return isGrouped(failure, old) ? .groupedNumber : .notADecimal
        }
    }

    private static func isGrouped(_ failure: Failure, _ old: Column) -> Bool {
        guard old.kind == .text || old.kind == .json else { return false }
        return old.spoken(Int(failure.row)).map(looksGrouped) ?? false
    }

    /// Whether a text reads as digits in groups of three, as `1,234`, `1.234,50` or `1 234`.
    static func looksGrouped(_ text: String) -> Bool {
        let marks = Set<Unicode.Scalar>([",", ".", "'", "’", "_", " ", "\u{A0}", "\u{2009}", "\u{202F}"])
        var groups: [Int] = [0]
        var lastMark: Unicode.Scalar?
        var scalars = text.unicodeScalars[...]
        if scalars.first == "-" || scalars.first == "+" { scalars = scalars.dropFirst() }
        for (place, scalar) in scalars.enumerated() {
            if place > 64 { return false }
            if ("0"..."9").contains(scalar) {
                groups[groups.count - 1] += 1
            } else if marks.contains(scalar) {
                // A second kind of mark begins the decimals, and nothing may follow those.
                if let lastMark, lastMark != scalar {
                    return (1...3).contains(groups[0]) && groups.dropFirst().allSatisfy { $0 == 3 }
                        && scalars.dropFirst(place + 1).allSatisfy { ("0"..."9").contains($0) }
                }
                lastMark = scalar
                groups.append(0)
            } else {
                return false
            }
        }
        return groups.count > 1 && (1...3).contains(groups[0]) && groups.dropFirst().allSatisfy { $0 == 3 }
    }
}

extension Column {
    /// The same values with other gaps.
    func with(_ missing: Mask?) -> Column {
        switch self {
        case .text(let column): .text(TextColumn(column.bytes, views: column.views, missing: missing))
        case .json(let column): .json(TextColumn(column.bytes, views: column.views, missing: missing))
        case .integers(let values): .integers(Values(values.elements, missing: missing))
        case .decimals(let values): .decimals(Values(values.elements, missing: missing))
        case .flags(let values): .flags(Values(values.elements, missing: missing))
        case .days(let values): .days(Values(values.elements, missing: missing))
        case .instants(let values): .instants(Values(values.elements, missing: missing))
        }
    }
}

extension Finding.Kind {
    static let notAFlagSpelling = Finding.Kind("not-a-flag", "{value} is not one of the words for true or false")
}

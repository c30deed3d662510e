/// The values of a part of an expression for the rows of a batch: a column, or one value for all rows.
struct Operand: Sendable {
    /// A column of one row if the value is the same in all.
    var column: Column
    var isConstant = false
    /// Rows whose value could not be computed; they are missing too.
    var faults: Mask?

    init(_ column: Column, faults: Mask? = nil) { (self.column, self.faults) = (column, faults) }

    init(constant column: Column) {
        precondition(column.count == 1, "a constant is a column of one row")
        self.column = column
        isConstant = true
    }

    /// Which of `count` rows have no value.
    func missing(_ count: Int) -> Mask? {
        guard isConstant else { return column.missing }
        return column.missing.isMissing(0) ? Mask.full(count: count) : nil
    }

    /// A value for each of `count` rows.
    func spread(_ count: Int) -> Operand {
        guard isConstant else { return self }
        let rows = [Int32](repeating: 0, count: count)
        return Operand(column.keeping(rows), faults: faults.isMissing(0) ? Mask.full(count: count) : nil)
    }
}

/// The elements of an operand, one per row, whether it has as many or only one.
///
/// Bare addresses: the holder must keep the operand alive.
struct ValueLane<Element: BitwiseCopyable> {
    let start: UnsafePointer<Element>
    let step: Int

    @inline(__always)
    subscript(row: Int) -> Element { start[row &* step] }
}

/// The cells of a text operand.
struct TextLane {
    let base: UnsafePointer<UInt8>
    let views: UnsafePointer<TextView>
    let step: Int

    @inline(__always)
    subscript(row: Int) -> Cell {
        let view = views[row &* step]
        return Cell(start: base + Int(view.offset), count: Int(view.length))
    }
}

extension Operand {
    private var step: Int { isConstant ? 0 : 1 }

    private func lane<Element>(_ elements: [Element]) -> ValueLane<Element> {
        let start = elements.withUnsafeBufferPointer(\.baseAddress)
        // An empty array may have no address; nothing is read through this one then.
        return ValueLane(start: start ?? UnsafePointer(bitPattern: 64)!, step: step)
    }

    var integers: ValueLane<Int64> {
        switch column {
        case .integers(let values), .instants(let values): lane(values.elements)
        default: wrongKind
        }
    }

    var decimals: ValueLane<Double> {
        if case .decimals(let values) = column { lane(values.elements) } else { wrongKind }
    }

    var days: ValueLane<Int32> {
        if case .days(let values) = column { lane(values.elements) } else { wrongKind }
    }

    var flags: ValueLane<Bool> {
        if case .flags(let values) = column { lane(values.elements) } else { wrongKind }
    }

    var texts: TextLane {
        let text = textColumn
        return TextLane(base: text.bytes.base, views: lane(text.views).start, step: step)
    }

    /// The text column of an operand known to be text.
    var textColumn: TextColumn {
        guard let text = column.text else { wrongKind }
        return text
    }

    private var wrongKind: Never {
        preconditionFailure("an expression reads \(column.kind.rawValue) as another kind than its check found")
    }
}

extension Operand {
    static func text(_ text: String) -> Operand { Operand(constant: .text(column(of: text))) }
    static func json(_ text: String) -> Operand { Operand(constant: .json(column(of: text))) }

    private static func column(of text: String) -> TextColumn {
        var builder = TextColumnBuilder(rows: 1)
        builder.append(text)
        return builder.build()
    }

    static func integer(_ value: Int64) -> Operand { Operand(constant: .integers(Values([value]))) }
    static func decimal(_ value: Double) -> Operand { Operand(constant: .decimals(Values([value]))) }
    static func flag(_ value: Bool) -> Operand { Operand(constant: .flags(Values([value]))) }
    static func day(_ value: Int32) -> Operand { Operand(constant: .days(Values([value]))) }
    static func instant(_ value: Int64) -> Operand { Operand(constant: .instants(Values([value]))) }

    /// The missing value of a kind.
    static func missing(_ kind: ColumnKind) -> Operand {
        let gap = Mask.full(count: 1)
        let text = TextColumn(Bytes(), views: [TextView(offset: 0, length: 0)], missing: gap)
        return switch kind {
        case .text: Operand(constant: .text(text))
        case .json: Operand(constant: .json(text))
        case .integer: Operand(constant: .integers(Values([0], missing: gap)))
        case .decimal: Operand(constant: .decimals(Values([0], missing: gap)))
        case .flag: Operand(constant: .flags(Values([false], missing: gap)))
        case .day: Operand(constant: .days(Values([0], missing: gap)))
        case .instant: Operand(constant: .instants(Values([0], missing: gap)))
        }
    }
}

import DaybookDates

/// A checked expression: every part has a kind that its kernel accepts.
indirect enum Computation: Sendable {
    case column(ColumnName)
    case constant(Operand)
    /// Whole numbers as decimals: the nearest, or only those that a decimal holds.
    case widened(Computation, exactly: Bool)
    case compared(Comparison, Computation, Computation)
    case between(Computation, Computation, Computation)
    case oneOf(Computation, MemberList)
    case like(Computation, LikePattern)
    case isMissing(Computation)
    case not(Computation)
    case all([Computation])
    case any([Computation])
    case computed(Arithmetic, Computation, Computation)
    case negated(Computation)
    case joined([Computation])
    case chosen([(condition: Computation, value: Computation)], otherwise: Computation, ColumnKind)
    case called(@Sendable (FunctionCall) -> Operand, [Computation])
    /// A part of an unknown kind, in an open schema. It is never evaluated.
    case unknown

    var constant: Operand? {
        if case .constant(let operand) = self { operand } else { nil }
    }
}

/// Evaluates computations over one batch, a column at a time.
struct Evaluation {
    let batch: Batch
    let zone: ZoneRules?
    let textLimit: TextLimit

    var count: Int { batch.count }

    /// - Parameters:
    ///   - columns: the columns that bound the texts of the expression; mostly the columns it reads.
    ///   - bounding: the rows that contain these columns, if not the rows of `batch`.
    init(_ batch: Batch, columns: [ColumnName], of bounding: Batch? = nil, zone: ZoneRules?) {
        self.batch = batch
        self.zone = zone
        textLimit = TextLimit(columns: columns.compactMap { (bounding ?? batch).column($0).text })
    }

    func operand(_ computation: Computation) -> Operand {
        switch computation {
        case .column(let name): return Operand(batch.column(name))
        case .constant(let operand): return operand
        case .widened(let inner, let exactly): return ArithmeticKernel.widened(operand(inner), exactly: exactly)
        case .computed(let operation, let first, let second):
            return ArithmeticKernel.result(operation, operand(first), operand(second), count: count)
        case .negated(let inner): return ArithmeticKernel.negated(operand(inner), count: count)
        case .joined(let parts): return call(TextFunctions.joined, parts)
        case .called(let kernel, let arguments): return call(kernel, arguments)
        case .chosen(let branches, let otherwise, let kind):
            return ChoiceKernel.chosen(
                branches.map { (truth($0.condition), operand($0.value)) },
                otherwise: operand(otherwise),
                kind: kind,
                count: count
            )
        case .compared, .between, .oneOf, .like, .isMissing, .not, .all, .any:
            let truth = truth(computation)
            return Operand(.flags(truth.flags), faults: truth.uncomputableRows)
        case .unknown: preconditionFailure("an expression is evaluated that was checked against an open schema")
        }
    }

    private func call(_ kernel: @Sendable (FunctionCall) -> Operand, _ arguments: [Computation]) -> Operand {
        kernel(FunctionCall(arguments: arguments.map(operand), count: count, zone: zone, textLimit: textLimit))
    }

    func truth(_ computation: Computation) -> TernaryMask {
        switch computation {
        case .compared(let comparison, let first, let second):
            return ComparisonKernel.truth(comparison, operand(first), operand(second), count: count)
        case .between(let value, let low, let high):
            let value = operand(value)
            return ComparisonKernel.truth(.greaterOrEqual, value, operand(low), count: count)
                .and(ComparisonKernel.truth(.lessOrEqual, value, operand(high), count: count))
        case .oneOf(let value, let members): return members.truth(operand(value), count: count)
        case .like(let text, let pattern): return pattern.truth(operand(text), count: count)
        case .isMissing(let value):
            return TernaryMask(operand(value).missing(count) ?? Mask(count: count), missing: nil)
        case .not(let inner): return truth(inner).negated
        case .all(let parts): return combined(parts) { $0.and($1) }
        case .any(let parts): return combined(parts) { $0.or($1) }
        default:
            let operand = operand(computation).spread(count)
            guard case .flags(let flags) = operand.column else {
                preconditionFailure("a condition is evaluated that holds no flags")
            }
            return TernaryMask(flags, uncomputable: operand.faults)
        }
    }

    private func combined(_ parts: [Computation], _ combine: (TernaryMask, TernaryMask) -> TernaryMask) -> TernaryMask {
        var result = truth(parts[0])
        for part in parts.dropFirst() { result = combine(result, truth(part)) }
        return result
    }
}

/// The arguments of one function call, for all rows of a batch at once, and the helpers for its kernel's result.
struct FunctionCall {
    let arguments: [Operand]
    let count: Int
    let zone: ZoneRules?
    let textLimit: TextLimit
    /// The compiled pattern, for a function with a pattern.
    var pattern: RegularExpression?
    /// The parsed pointer, for a function with a pointer.
    var path = JSONPath(JSONPointer(tokens: []))

    /// The rows in which an argument is missing.
    var missing: Mask? { arguments.reduce(nil) { (mask: Mask?, argument) in mask.union(argument.missing(count)) } }
    var faults: Mask? { arguments.reduce(nil) { (mask: Mask?, argument) in mask.union(argument.faults) } }

    /// A column of the elements that `make` returns; if an argument is missing, the element is ignored.
    @inline(__always)
    func values<Element: BitwiseCopyable & Sendable>(_ make: (Int) -> Element) -> Values<Element> {
        let elements = [Element](unsafeUninitializedCapacity: count) { new, filled in
            for row in 0..<count { new.initializeElement(at: row, to: make(row)) }
            filled = count
        }
        withExtendedLifetime(arguments) {}
        return Values(elements, missing: missing)
    }

    /// The same as a column, if some rows have no result; `fails` says whether that is a failure or a plain gap.
    @inline(__always)
    func column<Element: BitwiseCopyable & Sendable>(
        _ column: (Values<Element>) -> Column,
        filler: Element,
        failing fails: Bool = false,
        _ make: (Int) -> Element?
    ) -> Operand {
        var missing = missing
        var faults = faults
        let elements = [Element](unsafeUninitializedCapacity: count) { new, filled in
            for row in 0..<count {
                let isGap = missing.isMissing(row)
                let value = isGap ? filler : make(row)
                if value == nil {
                    missing.insert(row, of: count)
                    if fails { faults.insert(row, of: count) }
                }
                new.initializeElement(at: row, to: value ?? filler)
            }
            filled = count
        }
        withExtendedLifetime(arguments) {}
        return Operand(column(Values(elements, missing: missing)), faults: faults)
    }

    @inline(__always)
    func integers(_ make: (Int) -> Int64) -> Operand { Operand(.integers(values(make)), faults: faults) }

    @inline(__always)
    func flags(_ test: (Int) -> Bool) -> Operand { Operand(.flags(values(test)), faults: faults) }

    /// A column of new texts: `write` appends a text, or returns that it cannot.
    @inline(__always)
    func texts(_ write: (Int, Bytes) -> Bool) -> Operand {
        let missing = missing
        var faults = faults
        var builder = TextColumnBuilder(rows: count, capacity: count * 16)
        for row in 0..<count {
            guard !missing.isMissing(row) else {
                builder.appendMissing()
                continue
            }
            let start = builder.bytes.count
            if write(row, builder.bytes) {
                builder.appendView(from: start)
            } else {
                builder.bytes.count = start
                builder.appendMissing()
                faults.insert(row, of: count)
            }
        }
        withExtendedLifetime(arguments) {}
        return Operand(.text(builder.build()), faults: faults)
    }

    /// A column of parts of the first argument's texts, which are pointed at and not copied.
    @inline(__always)
    func parts(_ part: (Int, Cell) -> Range<Int>) -> Operand {
        let source = arguments[0].textColumn
        let lane = arguments[0].texts
        let views = [TextView](unsafeUninitializedCapacity: count) { new, filled in
            for row in 0..<count {
                let cell = lane[row]
                let range = part(row, cell)
                let start = (cell.baseAddress.map { $0 - lane.base } ?? 0) + range.lowerBound
                new.initializeElement(at: row, to: TextView(offset: start, length: range.count))
            }
            filled = count
        }
        withExtendedLifetime(arguments) {}
        return Operand(.text(TextColumn(source.bytes, views: views, missing: missing)), faults: faults)
    }
}

/// The length limit of a text that an expression makes for a row: 4,096 bytes, and sixteen times the row's own texts,
/// up to 64 MiB in total.
///
/// Without a limit, `replace` in `replace` makes gigabytes from a few bytes. This limit depends on the row alone and
/// not on its batch, and the texts of a batch fit one column.
struct TextLimit {
    /// The allowance of every row.
    static let least = 4_096
    /// More than twice the longest record.
    static let most = 64 << 20

    let columns: [TextColumn]

    func limit(_ row: Int) -> Int {
        let length = columns.reduce(0) { $0 + ($1.missing.isMissing(row) ? 0 : Int($1.views[row].length)) }
        return TextLimit.least + min(16 * length, TextLimit.most)
    }
}

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

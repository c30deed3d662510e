/// The exact sum of a column of numbers, rounded only when read, and the number of values.
struct ColumnTotals: PartialResult, BinaryForm {
    var count = 0
    /// The sum of whole numbers.
    var whole: Int128 = 0
    /// The sum of decimals; nil for whole numbers.
    var exact: ExactSum?

    /// Computes the totals of a batch, over the rows that the rule applies to.
    init(_ column: ColumnName, of rows: CheckedRows) {
        var count = 0
        switch rows.batch.column(column) {
        case .integers(let values):
            var sum: Int128 = 0
            rows.forEachValue(of: values) {
                sum += Int128($1)
                count += 1
            }
            whole = sum
        case .decimals(let values):
            var sum = ExactSum()
            rows.forEachValue(of: values) {
                sum.add($1)
                count += 1
            }
            exact = sum
        default: preconditionFailure("the schema check lets only numbers be added up")
        }
        self.count = count
    }

    mutating func add(_ later: ColumnTotals) {
        count += later.count
        whole += later.whole
        guard let sum = later.exact else { return }
        if exact == nil { exact = sum } else { exact?.add(sum) }
    }

    var sum: ColumnFigure { exact.map { .decimal($0.value) } ?? .whole(whole) }
    var mean: Double { exact?.mean(of: count) ?? ExactMean.of(whole, count: Int64(count)) }

    func write(to bytes: Bytes) {
        bytes.append(raw: Int64(count))
        bytes.append(raw: whole)
        bytes.append(flag: exact != nil)
        exact?.write(to: bytes)
    }

    init(reading reader: inout ByteReader) throws(DaybookError) {
        count = Int(try reader.raw(Int64.self))
        whole = try reader.raw()
        if try reader.flag() { exact = try ExactSum(reading: &reader) }
    }
}

/// A figure of a column of numbers, exact where it is a whole number.
enum ColumnFigure {
    case whole(Int128)
    case decimal(Double)

    var decimal: Double {
        switch self {
        case .whole(let value): Double(value)
        case .decimal(let value): value
        }
    }

    var displayText: String {
        switch self {
        case .whole(let value): "\(value)"
        case .decimal(let value): Column.decimals(Values([value])).displayText(0) ?? ""
        }
    }
}

/// A rule about a figure of a column of numbers.
protocol FigureRule: MeasuringRule, ColumnRule {
    var limits: FigureLimits { get }
    /// Why there is no figure, to precede ` that is at least 5`.
    var lacking: String { get }
}

/// The column of a figure, and its bounds.
struct FigureLimits {
    let column: ColumnName
    let min: RuleBound?
    let max: RuleBound?
    let against: PastLimits

    init(reading options: inout OptionReader, of rule: String) {
        column = options.read("column", help: "Column of numbers.")
        let min: NumberBound? = options.optional("min", help: "The least that it may be; none when left out.")
        let max: NumberBound? = options.optional("max", help: "The most that it may be; none when left out.")
        against = PastLimits(reading: &options)
        (self.min, self.max) = (min?.bound, max?.bound)
        RuleBound.check(self.min, self.max, against, of: rule, &options)
    }
}

extension FigureRule {
    var column: ColumnName { limits.column }
    var min: RuleBound? { limits.min }
    var max: RuleBound? { limits.max }
    var against: PastLimits { limits.against }
    var complaint: String { "come to a \(Self.name) that is not \(RuleBound.displayText(min, max))" }
    var bounded: String? { isBounded ? "\(figureName) is \(RuleBound.displayText(min, max))" : nil }
    var figureName: String { "the \(measure.displayText) of '\(column)'" }
    var lacking: String { "no row has a value in '\(column)', so there is no \(Self.name)" }
    /// Whether the rule has bounds of its own, besides earlier runs.
    var isBounded: Bool { min != nil || max != nil }

    func check(_ input: Schema) throws(DaybookError) {
        let hint = "cast it first, such as with 'columns' of the import or with cast_columns"
        try input.requiring(column, ColumnKind.numbers, hint: hint)
    }

    /// The fault of a figure, or nil if there is none. The figure is nil if there are too few numbers.
    func judgement(of figure: ColumnFigure?) -> String? {
        guard isBounded else { return nil }
        guard let figure else { return "\(lacking) that is \(RuleBound.displayText(min, max))" }
        return fault(of: figure)
    }

    /// The fault of a figure outside of the bounds.
    func fault(of figure: ColumnFigure) -> String? {
        let holds =
            switch figure {
            case .whole(let value): value >= min?.wholeMin ?? .min && value <= max?.wholeMax ?? .max
            case .decimal(let value): value >= min?.decimalMin ?? -.infinity && value <= max?.decimalMax ?? .infinity
            }
        return holds ? nil : "\(figureName) is \(figure.displayText), not \(RuleBound.displayText(min, max))"
    }
}

/// A rule about a figure that its memory gives at once.
protocol TableFigureRule: FigureRule, TableRule {
    func value(of memory: Partial?) -> ColumnFigure?
}

extension TableFigureRule {
    func figure(of memory: Partial?) -> ObservedValue? {
        value(of: memory).flatMap { ObservedValue(measure, $0.decimal) }
    }

    func judgement(of memory: Partial?, in schema: Schema) -> String? { judgement(of: value(of: memory)) }
}

/// A rule about the total of a column's numbers.
protocol TotalsRule: TableFigureRule where Partial == ColumnTotals {}

extension TotalsRule {
    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> ColumnTotals {
        ColumnTotals(column, of: rows)
    }

    func merge(_ later: ColumnTotals, into earlier: inout ColumnTotals, scratch: any Scratch) { earlier.add(later) }
}

/// The numbers of many rows, in order, with exact quantiles.
///
/// A number takes eight bytes, in memory or on disk, as a decimal: a whole number beyond 2⁵³ is rounded to the nearest
/// one.
struct NumberLog: PartialResult {
    /// Placeholder for a row without a number.
    private static let gap = Double.nan
    /// How many numbers are read at a time.
    private static let pieceSize = 1 << 16

    private var log = SpillLog()
    /// The number of numbers.
    private(set) var count = 0

    /// - Parameter keepsGaps: whether rows without a number, or rows that the rule does not apply to, keep a
    ///   placeholder.
    init(_ column: ColumnName, of rows: CheckedRows, keepsGaps: Bool = false) {
        var numbers: [Double] = []
        numbers.reserveCapacity(rows.batch.count)
        func add<Element>(_ values: Values<Element>, _ number: (Element) -> Double) {
            rows.forEachValue(of: values) { row, value in
                if keepsGaps, numbers.count < row {
                    numbers.append(contentsOf: repeatElement(Self.gap, count: row - numbers.count))
                }
                numbers.append(number(value))
                count += 1
            }
        }
        switch rows.batch.column(column) {
        case .integers(let values): add(values) { Double($0) }
        case .decimals(let values): add(values) { $0 }
        default: preconditionFailure("the schema check lets only numbers be ordered by size")
        }
        if keepsGaps {
            numbers.append(contentsOf: repeatElement(Self.gap, count: rows.batch.count - numbers.count))
        }
        log.append(values: numbers)
    }

    mutating func append(_ later: NumberLog) throws(DaybookError) {
        try log.append(later.log)
        count += later.count
    }

    var footprint: Int { log.footprint }
    mutating func spill(to scratch: any Scratch) throws(DaybookError) { try log.spill(to: scratch) }

    /// Calls `body` with all numbers, piece by piece, and the row of the first of each. A gap compares with nothing.
    func forEachPiece(_ body: (_ first: Int, _ numbers: [Double]) throws(DaybookError) -> Void) throws(DaybookError) {
        for piece in (0..<log.count / MemoryLayout<Double>.stride).pieces(of: Self.pieceSize) {
            try body(piece.lowerBound, try log.values(piece))
        }
    }

    /// The number below which a share of all numbers lies, interpolated between two numbers; nil without numbers.
    ///
    /// Source: Hyndman and Fan, "Sample Quantiles in Statistical Packages" (The American Statistician 50, 1996),
    /// definition 7.
    ///
    /// - Parameter value: maps each number first.
    func quantile(_ share: Double, of value: (Double) -> Double = { $0 }) throws(DaybookError) -> Double? {
        guard count > 0 else { return nil }
        let place = share * Double(count - 1)
        let rank = min(Int(place.rounded(.down)), count - 1)
        let part = place - Double(rank)
        let low = try select(rank, value)
        guard part > 0, rank + 1 < count else { return low }
        let high = try select(rank + 1, value)
        let step = high - low
        return step.isFinite ? low + step * part : low * (1 - part) + high * part
    }

    /// The number of a rank, by radix selection: sixteen bits at a time from the highest, in four passes.
    private func select(_ rank: Int, _ value: (Double) -> Double) throws(DaybookError) -> Double {
        var (rank, prefix) = (rank, UInt64(0))
        for shift: UInt64 in [48, 32, 16, 0] {
            var counts = [Int](repeating: 0, count: 1 << 16)
            try forEachPiece { (_, numbers) throws(DaybookError) in
                for number in numbers where !number.isNaN {
                    let key = Self.key(value(number))
                    if key >> (shift + 16) == prefix { counts[Int(truncatingIfNeeded: key >> shift) & 0xFFFF] &+= 1 }
                }
            }
            guard
                let digit = counts.firstIndex(where: { count in
                    if rank < count { return true }
                    rank -= count
                    return false
                })
            else { throw ByteReader.damaged }
            prefix = prefix << 16 | UInt64(digit)
        }
        return Double(sortable: Int64(bitPattern: prefix ^ 1 << 63))
    }

    /// An unsigned key that sorts as the decimal does; both zeros have one key.
    @inline(__always)
    private static func key(_ number: Double) -> UInt64 { UInt64(bitPattern: (number + 0).sortable) ^ 1 << 63 }
}

/// A rule about a quantile of a column of numbers.
protocol RankRule: FigureRule where Partial == NumberLog {
    /// The share of numbers below the quantile.
    var share: Double { get }
    /// The name of the quantile: `the median`.
    var displayFigure: String { get }
}

extension RankRule {
    static var isAboutTable: Bool { true }
    var lacking: String { "too few rows have a value in '\(column)' for \(displayFigure)" }
    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> NumberLog { NumberLog(column, of: rows) }

    func merge(_ later: NumberLog, into earlier: inout NumberLog, scratch: any Scratch) throws(DaybookError) {
        try earlier.append(later)
    }

    func conclude(_ memory: NumberLog?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        let quantile = try memory?.quantile(share)
        conclusion.observe(quantile.flatMap { ObservedValue(measure, $0) })
        if let judgement = judgement(of: quantile.map { .decimal($0) }) { conclusion.judge(judgement) }
    }
}

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

    /// The sum as the nearest decimal.
    var value: Double { exact?.value ?? Double(whole) }
    var mean: Double { exact?.mean(of: count) ?? Double(whole) / Double(count) }

    /// The sum as display text.
    var displayText: String { exact == nil ? "\(whole)" : ColumnTotals.displayText(value) }
    static func displayText(_ value: Double) -> String { Column.decimals(Values([value])).displayText(0) ?? "" }

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

/// A rule about a figure of a column of numbers.
protocol FigureRule: MeasuringRule, ColumnRule {
    var limits: FigureLimits { get }
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
    /// Whether the rule has bounds of its own, besides earlier runs.
    var isBounded: Bool { min != nil || max != nil }

    func check(_ input: Schema) throws(DaybookError) {
        let hint = "cast it first, such as with 'columns' of the import or with cast_columns"
        try input.requiring(column, ColumnKind.numbers, hint: hint)
    }

    /// The fault of a value, or nil if there is none. The value is nil if there are too few numbers.
    func judgement(of figure: Double?, called name: String) -> String? {
        guard isBounded else { return nil }
        let bounds = RuleBound.displayText(min, max)
        guard let figure else {
            return "too few rows have a value in '\(column)' for \(name) that is \(bounds)"
        }
        if figure >= min?.decimalMin ?? -.infinity, figure <= max?.decimalMax ?? .infinity { return nil }
        return "\(name) of '\(column)' is \(ColumnTotals.displayText(figure)), not \(bounds)"
    }
}

/// A rule about the total of a column's numbers.
protocol TotalsRule: FigureRule, TableRule where Partial == ColumnTotals {}

extension TotalsRule {
    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> ColumnTotals {
        ColumnTotals(column, of: rows)
    }

    func merge(_ later: ColumnTotals, into earlier: inout ColumnTotals, scratch: any Scratch) { earlier.add(later) }
}

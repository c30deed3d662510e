import DaybookCore
import DaybookFormats
import DaybookTables

/// The sum of a column of numbers, exact until it is read, and how many there are.
struct ColumnTotals: PartialResult, BinaryForm {
    var count = 0
    /// The sum of whole numbers.
    var whole: Int128 = 0
    /// The sum of decimals; nil for whole numbers.
    var exact: ExactSum?

    /// What the rows of a batch come to that are asked about.
    init(_ column: Column, asked: Mask?) {
        switch column {
        case .integers(let values): add(values, asked)
        case .decimals(let values):
            var sum = ExactSum()
            for row in 0..<values.count where !values.missing.isMissing(row) && asked?[row] != false {
                sum.add(values.elements[row])
                count += 1
            }
            exact = sum
        default: preconditionFailure("the schema check lets only numbers be added up")
        }
    }

    private mutating func add(_ values: Values<Int64>, _ asked: Mask?) {
        var (sum, rows): (Int128, Int) = (0, 0)
        values.elements.withUnsafeBufferPointer { elements in
            for row in 0..<elements.count where !values.missing.isMissing(row) && asked?[row] != false {
                sum += Int128(elements[row])
                rows += 1
            }
        }
        (whole, count) = (sum, rows)
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

    /// The sum as a person would read it.
    var spoken: String { exact == nil ? "\(whole)" : ColumnTotals.spoken(value) }

    static func spoken(_ value: Double) -> String { Column.decimals(Values([value])).spoken(0) ?? "" }

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

/// A rule about a figure that a column of numbers comes to.
protocol TotalsRule: MemoryRule where Partial == ColumnTotals {
    var column: ColumnName { get }
    var min: RuleBound? { get }
    var max: RuleBound? { get }
}

extension TotalsRule {
    static var findsLate: Bool { false }
    static var isAboutTable: Bool { true }
    static var shorthand: String? { nil }
    var columns: [ColumnName] { [column] }
    var complaint: String { "come to a \(Self.name) that is not \(RuleBound.spoken(min, max))" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiring(
            column,
            .integer,
            .decimal,
            hint: "cast it first, such as with 'columns' of the import or with cast_columns"
        )
    }

    func partial(of rows: AskedRows, reporting breaches: inout [Breach]) -> ColumnTotals {
        ColumnTotals(rows.batch.column(column), asked: rows.asked)
    }

    func merge(_ later: ColumnTotals, into earlier: inout ColumnTotals, scratch: any Scratch) { earlier.add(later) }

    static func bounds(_ options: inout OptionReader) -> (min: RuleBound?, max: RuleBound?) {
        let min: NumberBound? = options.optional("min", help: "The least that it may be; none when left out.")
        let max: NumberBound? = options.optional("max", help: "The most that it may be; none when left out.")
        RuleBound.check(min?.bound, max?.bound, of: name, &options)
        return (min?.bound, max?.bound)
    }
}

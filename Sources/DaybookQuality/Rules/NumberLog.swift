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
    static var findsLate: Bool { false }
    static var isAboutTable: Bool { true }
    func partial(of rows: CheckedRows, reporting breaches: inout [Breach]) -> NumberLog { NumberLog(column, of: rows) }

    func merge(_ later: NumberLog, into earlier: inout NumberLog, scratch: any Scratch) throws(DaybookError) {
        try earlier.append(later)
    }

    func conclude(_ memory: NumberLog?, _ conclusion: inout RuleConclusion) throws(DaybookError) {
        let quantile = try memory?.quantile(share)
        conclusion.observe(quantile.flatMap { ObservedValue(measure, $0) })
        if let judgement = judgement(of: quantile, called: displayFigure) { conclusion.judge(judgement) }
    }
}

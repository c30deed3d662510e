import DaybookDates

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

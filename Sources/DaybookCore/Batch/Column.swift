/// What the values of a column are.
public enum ColumnKind: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case text, integer, decimal, flag, day, instant
    /// A JSON value of any kind, kept as its source text.
    case json

    public static let numbers: [ColumnKind] = [.integer, .decimal]
}

/// One column of a batch.
public enum Column: Sendable {
    case text(TextColumn)
    /// 64-bit whole numbers.
    case integers(Values<Int64>)
    case decimals(Values<Double>)
    case flags(Values<Bool>)
    /// Days since 1970-01-01 in the proleptic Gregorian calendar.
    case days(Values<Int32>)
    /// Microseconds since 1970-01-01T00:00:00Z.
    case instants(Values<Int64>)
    case json(TextColumn)

    public var kind: ColumnKind {
        switch self {
        case .text: .text
        case .integers: .integer
        case .decimals: .decimal
        case .flags: .flag
        case .days: .day
        case .instants: .instant
        case .json: .json
        }
    }

    /// A column of that kind without rows.
    public static func empty(_ kind: ColumnKind) -> Column {
        switch kind {
        case .text: .text(TextColumn(Bytes(), views: []))
        case .integer: .integers(Values([]))
        case .decimal: .decimals(Values([]))
        case .flag: .flags(Values([]))
        case .day: .days(Values([]))
        case .instant: .instants(Values([]))
        case .json: .json(TextColumn(Bytes(), views: []))
        }
    }

    public var count: Int {
        switch self {
        case .text(let column), .json(let column): column.count
        case .integers(let values), .instants(let values): values.count
        case .decimals(let values): values.count
        case .flags(let values): values.count
        case .days(let values): values.count
        }
    }

    public var missing: Mask? {
        switch self {
        case .text(let column), .json(let column): column.missing
        case .integers(let values), .instants(let values): values.missing
        case .decimals(let values): values.missing
        case .flags(let values): values.missing
        case .days(let values): values.missing
        }
    }

    /// The rows in `kept`, in that order.
    public func keeping(_ kept: [Int32]) -> Column {
        switch self {
        case .text(let column): .text(column.keeping(kept))
        case .integers(let values): .integers(values.keeping(kept))
        case .decimals(let values): .decimals(values.keeping(kept))
        case .flags(let values): .flags(values.keeping(kept))
        case .days(let values): .days(values.keeping(kept))
        case .instants(let values): .instants(values.keeping(kept))
        case .json(let column): .json(column.keeping(kept))
        }
    }

    /// The value of a row as a person would read it, or nil when it is missing. Not for row loops.
    public func spoken(_ row: Int) -> String? {
        guard !missing.isMissing(row) else { return nil }
        let bytes = Bytes(capacity: 64)
        appendValue(row, to: bytes)
        return bytes.text(0..<bytes.count)
    }
}

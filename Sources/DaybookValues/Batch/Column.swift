import CScan

/// The kind of a column's values.
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
    public func displayText(_ row: Int) -> String? {
        guard !missing.isMissing(row) else { return nil }
        let bytes = Bytes(capacity: 64)
        appendValue(row, to: bytes)
        return bytes.text(0..<bytes.count)
    }
}

/// A column of numbers, days, instants or flags: one element a row, and a mask of the gaps.
///
/// Under a gap is an arbitrary element; a loop may compute with it, for its result is never read.
public struct Values<Element: BitwiseCopyable & Sendable>: Sendable {
    public var elements: [Element]
    public var missing: Mask?

    @inlinable
    public init(_ elements: [Element], missing: Mask? = nil) {
        self.elements = elements
        self.missing = missing
    }

    /// Optional values; a missing one becomes a gap over the filler.
    public init(_ values: [Element?], filler: Element) {
        self.init(values.map { $0 ?? filler })
        for (row, value) in values.enumerated() where value == nil { missing.insert(row, of: count) }
    }

    @inlinable
    public var count: Int { elements.count }

    @inlinable
    public subscript(row: Int) -> Element? { missing.isMissing(row) ? nil : elements[row] }

    /// The same rows with another element each; gaps stay gaps.
    @inlinable
    public func mapValues<Other>(_ transform: (Element) -> Other) -> Values<Other> {
        let old = elements.span
        return Values<Other>(
            [Other](unsafeUninitializedCapacity: old.count) { new, filled in
                for row in old.indices { new.initializeElement(at: row, to: transform(old[row])) }
                filled = old.count
            },
            missing: missing
        )
    }

    /// The rows in `kept`, in that order.
    public func keeping(_ kept: [Int32]) -> Values {
        let (old, kept) = (elements, kept)
        let gathered = [Element](unsafeUninitializedCapacity: kept.count) { new, filled in
            for row in kept.indices { new.initializeElement(at: row, to: old[Int(kept[row])]) }
            filled = kept.count
        }
        return Values(gathered, missing: missing.keeping(kept))
    }
}

/// The cells of one column as bare addresses, for loops over the rows of many columns at once.
///
/// Valid only inside `Batch.withCellPointers`.
public struct CellPointers: BitwiseCopyable {
    public let kind: ColumnKind
    /// The elements of a column of values, or the views of a column of text.
    @usableFromInline let elements: UnsafeRawPointer
    /// The base of the views of a text or JSON column.
    public let text: UnsafePointer<UInt8>
    /// The words of the mask, or nil when nothing is missing.
    @usableFromInline let missing: UnsafePointer<UInt64>?

    @inlinable
    public func isMissing(_ row: Int) -> Bool {
        guard let missing else { return false }
        return missing[row >> 6] >> UInt64(row & 63) & 1 == 1
    }

    /// The rows without a value among the 64 from `row` on, which is a multiple of 64: a bit for each, the first lowest.
    @inlinable
    public func missing(from row: Int) -> UInt64 { missing?[row >> 6] ?? 0 }

    /// Whether a non-empty range of rows holds one value only, or only gaps. Texts are compared by their views.
    package func isUniform(_ rows: Range<Int>) -> Bool {
        let first = rows.lowerBound
        if missing != nil, !rows.allSatisfy({ isMissing($0) == isMissing(first) }) { return false }
        if isMissing(first) { return true }
        let size =
            switch kind {
            case .flag: MemoryLayout<Bool>.stride
            case .day: MemoryLayout<Int32>.stride
            default: MemoryLayout<Int64>.stride
            }
        // All values are equal if each equals the one before.
        let start = elements + first * size
        return memcmp(start, start + size, (rows.count - 1) * size) == 0
    }

    /// The views of a column of text or JSON.
    @inlinable
    public var views: UnsafePointer<TextView> { elements.assumingMemoryBound(to: TextView.self) }

    /// The text of a row of a column of text or JSON.
    @inlinable
    public func cell(_ row: Int) -> Cell {
        let view = views[row]
        return Cell(start: text + Int(view.offset), count: Int(view.length))
    }

    /// The number of a row of a column of integers or instants.
    @inlinable
    public func integer(_ row: Int) -> Int64 { elements.assumingMemoryBound(to: Int64.self)[row] }

    @inlinable
    public func decimal(_ row: Int) -> Double { elements.assumingMemoryBound(to: Double.self)[row] }

    @inlinable
    public func flag(_ row: Int) -> Bool { elements.assumingMemoryBound(to: Bool.self)[row] }

    @inlinable
    public func day(_ row: Int) -> Int32 { elements.assumingMemoryBound(to: Int32.self)[row] }

    @usableFromInline
    init(_ column: Column) {
        kind = column.kind
        missing = column.missing.flatMap { $0.words.withUnsafeBufferPointer(\.baseAddress) }
        var text: UnsafePointer<UInt8>?
        var elements: UnsafeRawPointer?
        switch column {
        case .text(let column), .json(let column):
            text = column.bytes.base
            elements = column.views.withUnsafeBytes(\.baseAddress)
        case .integers(let values), .instants(let values): elements = values.elements.withUnsafeBytes(\.baseAddress)
        case .decimals(let values): elements = values.elements.withUnsafeBytes(\.baseAddress)
        case .flags(let values): elements = values.elements.withUnsafeBytes(\.baseAddress)
        case .days(let values): elements = values.elements.withUnsafeBytes(\.baseAddress)
        }
        // An empty array may have no address at all; nothing is read through this one then.
        self.elements = elements ?? UnsafeRawPointer(bitPattern: 64)!
        self.text = text ?? self.elements.assumingMemoryBound(to: UInt8.self)
    }
}

extension Batch {
    /// Calls `body` with the addresses of all columns, in the order of the schema.
    ///
    /// The storage of an array does not move while the array is alive and not written to; the batch is kept alive until
    /// `body` returns, and batches are never written to.
    @inlinable
    public func withCellPointers<Result>(_ body: (UnsafeBufferPointer<CellPointers>) -> Result) -> Result {
        let pointers = columns.map(CellPointers.init)
        let result = pointers.withUnsafeBufferPointer(body)
        withExtendedLifetime(self) {}
        return result
    }
}

/// A column of numbers, days, instants or flags: one element a row, and a mask of the gaps.
///
/// Under a gap stands an arbitrary element; a loop may compute with it, for nobody ever sees the result.
public struct Values<Element: BitwiseCopyable & Sendable>: Sendable {
    public var elements: [Element]
    public var missing: Mask?

    @inlinable
    public init(_ elements: [Element], missing: Mask? = nil) {
        self.elements = elements
        self.missing = missing
    }

    /// Values of which some may not be there; under their gaps stands the filler.
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

/// What a message says of a value behind its fault: the nearest allowed value, or the mended one.
///
/// It is worded only for the findings that are shown.
public struct ValueHint: Sendable {
    private let source: any Hashable & Sendable
    private let words: @Sendable (Cell?) -> String

    /// - Parameter source: what the words come from; hints of equal ones are equal.
    public init(of source: any Hashable & Sendable, _ words: @escaping @Sendable (Cell?) -> String) {
        (self.source, self.words) = (source, words)
    }

    package func text(about value: Cell?) -> String { words(value) }
}

extension ValueHint: Hashable {
    public static func == (one: ValueHint, other: ValueHint) -> Bool {
        AnyHashable(one.source) == AnyHashable(other.source)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(source)) }
}

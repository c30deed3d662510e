/// Writes counts of days as people say them on the anchor's date: `D-12`, `D-Day`, `D+3`.
public enum DDayText {
    /// The most bytes that one count may take.
    public static let maximumLength = 2 + NumberText.maximumLength

    /// Writes a count, which is *day − anchor*, at `bytes` and says how many bytes it took.
    ///
    /// With `firstDay` 1 the day itself reads `D+1` and the day 99 days later `D+100`; days ahead stay `D-12`.
    @inlinable
    public static func write(count: Int64, firstDay: Int64, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        bytes[0] = UInt8(ascii: "D")
        if count == 0, firstDay == 0 {
            bytes[1] = UInt8(ascii: "-")
            bytes[2] = UInt8(ascii: "D")
            bytes[3] = UInt8(ascii: "a")
            bytes[4] = UInt8(ascii: "y")
            return 5
        }
        bytes[1] = count > 0 ? UInt8(ascii: "-") : UInt8(ascii: "+")
        return 2 + NumberText.write(count > 0 ? count : 0 &- count &+ firstDay, to: bytes + 2)
    }

    /// The same rows as text; gaps stay gaps.
    public static func text(of counts: Values<Int64>, firstDay: Int64) -> TextColumn {
        counts.text(longest: maximumLength) { write(count: $0, firstDay: firstDay, to: $1) }
    }
}

extension Values {
    /// One element for each pair of rows. Where the first has a gap the result has one; the caller adds the others.
    @inlinable
    public func combined<Other, Result>(
        with other: Values<Other>,
        _ transform: (Element, Other) -> Result
    ) -> Values<Result> {
        precondition(count == other.count, "two columns of one batch have one length")
        return elements.withUnsafeBufferPointer { first in
            other.elements.withUnsafeBufferPointer { second in
                Values<Result>(
                    [Result](unsafeUninitializedCapacity: first.count) { new, filled in
                        for row in 0..<first.count {
                            new.initializeElement(at: row, to: transform(first[row], second[row]))
                        }
                        filled = first.count
                    },
                    missing: missing
                )
            }
        }
    }
}

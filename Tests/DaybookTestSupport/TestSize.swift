import Foundation

/// How much tests try that go through many samples: a part of them, or all where `DAYBOOK_EXHAUSTIVE` is set.
///
/// The smaller size still fails for the mistakes that a test is there for.
/// With 20, seeds go twenty times as far.
public enum TestSize {
    private static let asked = ProcessInfo.processInfo.environment["DAYBOOK_EXHAUSTIVE"]
    public static let isExhaustive = asked != nil

    /// The seeds from 1 to `all`, or only to `few`.
    public static func seeds(_ few: UInt64, of all: UInt64) -> ClosedRange<UInt64> {
        1...(isExhaustive ? all * (asked.flatMap { UInt64($0) } ?? 1) : few)
    }

    /// Every third of what is tried, from one of the first three on; all where that was asked for.
    public static func third<Element>(of all: [Element], from start: Int = 0) -> [Element] {
        isExhaustive ? all : stride(from: start, to: all.count, by: 3).map { all[$0] }
    }

    /// How often something is tried.
    public static func rounds(_ few: Int, of all: Int) -> Int { isExhaustive ? all : few }
}

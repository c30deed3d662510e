import Foundation

/// How much tests try that go through many samples: a few of them, more under `CI`, and all where `DAYBOOK_EXHAUSTIVE` is set.
///
/// The smallest size still fails for the mistakes that a test is there for.
/// With `DAYBOOK_EXHAUSTIVE=20`, seeds go twenty times as far.
public enum TestSize {
    private static let asked = ProcessInfo.processInfo.environment["DAYBOOK_EXHAUSTIVE"]
    public static let isExhaustive = asked != nil
    /// How many times less a person waits for than a machine.
    private static let part = ProcessInfo.processInfo.environment["CI"] == nil ? 3 : 1

    /// Whether a machine waits: then what takes many seconds and seldom breaks is tried too.
    public static let isPatient = isExhaustive || part == 1

    /// The seeds from 1 to `all`, to `few`, or to a third of that.
    public static func seeds(_ few: UInt64, of all: UInt64) -> ClosedRange<UInt64> {
        1...(isExhaustive ? all * (asked.flatMap { UInt64($0) } ?? 1) : max(1, few / UInt64(part)))
    }

    /// Every third or ninth of what is tried, from one of the first three on; all where that was asked for.
    public static func third<Element>(of all: [Element], from start: Int = 0) -> [Element] {
        isExhaustive ? all : stride(from: start, to: all.count, by: 3 * part).map { all[$0] }
    }

    /// All that is tried, or every third where nobody but a person waits.
    public static func most<Element>(of all: [Element]) -> [Element] {
        isExhaustive ? all : stride(from: 0, to: all.count, by: part).map { all[$0] }
    }

    /// How often something is tried.
    public static func rounds(_ few: Int, of all: Int) -> Int { isExhaustive ? all : max(1, few / part) }
}

import Foundation

/// How much tests try that go through many samples: a part of them, or all where `DAYBOOK_EXHAUSTIVE` is set.
///
/// The smaller size still fails for the mistakes that a test is there for; `.ci/run` sets the variable for the tests in release.
public enum TestSize {
    public static let isExhaustive = ProcessInfo.processInfo.environment["DAYBOOK_EXHAUSTIVE"] != nil

    /// The seeds from 1 to `all`, or only to `few`.
    public static func seeds(_ few: UInt64, of all: UInt64) -> ClosedRange<UInt64> { 1...(isExhaustive ? all : few) }

    /// How often something is tried.
    public static func rounds(_ few: Int, of all: Int) -> Int { isExhaustive ? all : few }
}

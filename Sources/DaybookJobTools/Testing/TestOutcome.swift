import DaybookEngine
import DaybookExpressions

/// What came of one test.
public struct TestOutcome: Sendable {
    /// One expectation and what it met.
    struct Comparison: Sendable {
        enum Subject: Sendable {
            case rows(StageReference)
            case findings
            case rules
        }

        var subject: Subject
        /// What stands in the job file; nil where nothing was written yet.
        var written: WrittenRows?
        var node: OptionNode
        var expected: PlainRows
        var actual: PlainRows
        var difference: RowDifference

        var holds: Bool { written != nil && difference.isEmpty }

        /// The keys of the expectation, from the test down.
        var path: [String] {
            switch subject {
            case .rows(let stage): ["expect", stage.written]
            case .findings: ["findings"]
            case .rules: ["rules"]
            }
        }
    }

    public var test: JobTest
    /// The number of the test in its job, from 0.
    package var index: Int
    /// What kept the test from running to its end.
    public var errors: [DaybookError] = []
    var comparisons: [Comparison] = []
    /// Whether the gates passed, where the test expects something of them.
    package var gate: (passes: Bool, expected: Bool, place: SourcePlace)?
    /// What was found on the way, for a person who looks for the reason.
    public var run = RunOutcome()

    public var passed: Bool {
        errors.isEmpty && comparisons.allSatisfy(\.holds) && gate.map { $0.passes == $0.expected } ?? true
    }

    /// 0 passed, 1 failed; 2 or 3 where it could not run.
    public var exitCode: Int32 {
        if !errors.isEmpty { return RunOutcome(errors: errors).exitCode }
        return passed ? 0 : 1
    }
}

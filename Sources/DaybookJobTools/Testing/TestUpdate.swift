import DaybookBytes
import DaybookEngine

/// Replaces the expectations of a job file by the results of its tests.
public struct TestUpdate {
    /// The names of the tests with new expectations.
    public private(set) var updated: [String] = []
    /// The file with its new expectations; nil without changes.
    public private(set) var bytes: [UInt8]?

    /// - Parameters:
    ///   - outcomes: the outcomes of tests of the job.
    ///   - file: the bytes of the job file.
    public init(_ outcomes: [TestOutcome], of job: Job, file: [UInt8]) throws(DaybookErrors) {
        let source = SourceText(file, file: job.file)
        let mask = SecretMask(job.secrets)
        var edits = TextEdits()
        var problems: [DaybookError] = []
        let tests = YAMLSpan.root(of: source)?["tests"]?.value.items ?? []
        for outcome in outcomes where outcome.errors.isEmpty && !outcome.passed {
            guard outcome.index < tests.count else { continue }
            for comparison in outcome.comparisons where !comparison.holds {
                do throws(DaybookError) {
                    edits.add(try TestUpdate.edits(comparison, in: tests[outcome.index], source, mask))
                } catch { problems.append(error) }
            }
            if let gate = outcome.gate, gate.passes != gate.expected, let span = tests[outcome.index]["gate"]?.value {
                edits.replace(span.bytes, by: gate.passes ? "passes" : "fails")
            }
            updated.append(outcome.test.name)
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        guard !edits.isEmpty else { return }
        guard let new = edits.applied(to: source.bytes) else { throw DaybookErrors(TestUpdate.failure(nil)) }
        try TestUpdate.check(new, outcomes, source)
        bytes = Array(file.prefix(file.count - source.bytes.count)) + new
    }

    private static func edits(
        _ comparison: TestOutcome.Comparison,
        in test: YAMLSpan,
        _ source: SourceText,
        _ mask: SecretMask
    ) throws(DaybookError) -> TextEdits {
        guard comparison.actual.rows.joined().allSatisfy({ $0.map(mask.masking) == $0 }) else {
            let message = "the rows hold a secret, which is not written into the job file"
            let hint = "give the test a value of its own for that param under 'set'"
            throw DaybookError("secret-in-rows", message, at: comparison.node.place, hint: hint)
        }
        let entry = comparison.path.reduce(YAMLSpan.Entry?.none) { ($0?.value ?? test)[$1] }
        guard let entry, let edits = ExpectationEdit(source).edits(comparison, in: entry) else {
            throw failure(comparison.node.place)
        }
        return edits
    }

    /// Reads the new file back: every new expectation must equal the result, and everything else must be unchanged.
    private static func check(_ new: [UInt8], _ outcomes: [TestOutcome], _ source: SourceText) throws(DaybookErrors) {
        let after = YAMLReader().read(new, file: source.file)
        let before = YAMLReader().read(source.bytes, file: source.file)
        var expected: Set<[String]> = []
        for outcome in outcomes where outcome.errors.isEmpty && !outcome.passed {
            let test = ["tests", String(outcome.index)]
            expected.insert(test + ["gate"])
            for comparison in outcome.comparisons where !comparison.holds {
                expected.insert(test + comparison.path)
                guard let node = after.root?.at(test + comparison.path), says(node, comparison, after.source) else {
                    throw DaybookErrors(failure(comparison.node.place))
                }
            }
        }
        guard after.problems.isEmpty, let old = before.root, let root = after.root,
            root.equals(old, beside: expected)
        else { throw DaybookErrors(failure(nil)) }
    }

    private static func says(_ node: OptionNode, _ comparison: TestOutcome.Comparison, _ source: SourceText) -> Bool {
        guard let written = try? WrittenRows(reading: node, in: source) else { return false }
        let rows = written.rows.map { $0.cells.map(\.text) }
        // Unchanged rows keep their own spelling.
        guard rows.count == comparison.actual.rows.count else { return false }
        return rows.isEmpty
            || (written.columns.map(\.name) == comparison.actual.columns
                && comparison.difference.steps.allSatisfy { step in
                    switch step {
                    case .changed(_, let row), .surplus(let row): rows[row] == comparison.actual.rows[row]
                    case .same, .missing: true
                    }
                })
    }

    private static func failure(_ place: SourcePlace?) -> DaybookError {
        let hint = "write it as CSV under '|', or leave it empty, and update again; an anchor or alias is never changed"
        return DaybookError("cannot-update", "this expectation cannot be rewritten in its place", at: place, hint: hint)
    }
}

extension OptionNode {
    /// The node at a path of keys and indices.
    fileprivate func at(_ path: [String]) -> OptionNode? {
        path.reduce(self as OptionNode?) { node, step in
            switch node?.content {
            case .map(let entries)?: entries.first { $0.key == step }?.value
            case .list(let items)?: Int(step).flatMap { items.indices.contains($0) ? items[$0] : nil }
            default: nil
            }
        }
    }

}

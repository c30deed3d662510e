import DaybookBytes
import DaybookEngine
import DaybookExpressions
import Foundation

/// Runs the tests of jobs: on the engine of every run, from rows at hand, writing nothing and reading no input.
public struct TestRun: Sendable {
    private let table: StageTable
    private let threads: Int
    private let isCancelled: @Sendable () -> Bool

    public init(table: StageTable, threads: Int, isCancelled: @escaping @Sendable () -> Bool) {
        self.table = table
        self.threads = threads
        self.isCancelled = isCancelled
    }

    /// Runs one test.
    ///
    /// - Parameters:
    ///   - index: its number in the job, from 0.
    ///   - job: the job with the params of the test.
    public func run(_ test: JobTest, at index: Int, in job: Job) -> TestOutcome {
        var outcome = TestOutcome(test: test, index: index)
        do throws(DaybookErrors) {
            let plan = try Plan(job, table: table, asOf: TestRun.day(of: test, in: job))
            let part = try TestPlan(test, of: plan, table)
            outcome.run = try run(part)
            outcome.errors = outcome.run.errors.map { error in part.texts.reduce(error) { $1.placed($0) } }
            guard outcome.errors.isEmpty else { return outcome }
            if let gate = test.gate {
                outcome.gate = (passes: outcome.run.passesGates, expected: gate.passes, place: gate.place)
            }
            outcome.comparisons = try comparisons(test, part, outcome.run, SourceText(job.source, file: job.file))
        } catch {
            outcome.errors = error.errors
        }
        return outcome
    }

    /// The day of a test: its own, or that of the job, or always the same.
    public static func day(of test: JobTest, in job: Job) -> CalendarDay {
        if let day = test.asOf { return day }
        if case .day(let day) = job.asOf { return day }
        return JobTest.defaultDay
    }

    private func run(_ part: TestPlan) throws(DaybookErrors) -> RunOutcome {
        let state = FileManager.default.temporaryDirectory.appendingPathComponent("daybook-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: state) }
        let settings = RunSettings(
            threads: threads,
            directory: JobFile.directory(of: part.plan.job.file),
            state: StateDirectory(state.path),
            isCancelled: isCancelled
        )
        return Runner(part.plan, settings).run()
    }

    // MARK: - Comparing

    private func comparisons(
        _ test: JobTest,
        _ part: TestPlan,
        _ run: RunOutcome,
        _ source: SourceText
    ) throws(DaybookErrors) -> [TestOutcome.Comparison] {
        var problems: [DaybookError] = []
        var comparisons: [TestOutcome.Comparison] = []
        for (rows, collected) in zip(test.expected, part.collection.rows) {
            do throws(DaybookErrors) {
                let written = try TestRun.written(rows.node, in: source)
                let usual = rows.stage.port == .rejects ? TestRun.usualOfRejects : collected.schema.names
                let columns = try TestRun.columns(written, usual, collected.schema, of: "'\(rows.stage.written)'")
                comparisons.append(
                    comparison(
                        .rows(rows.stage),
                        written,
                        rows.node,
                        columns,
                        PlainRows(collected, columns: columns.names)
                    )
                )
            } catch { problems += error.errors }
        }
        func compare<Item>(
            _ node: OptionNode?,
            _ subject: TestOutcome.Comparison.Subject,
            _ items: [Item],
            _ table: TestColumns<Item>,
            named name: String
        ) {
            guard let node else { return }
            do throws(DaybookErrors) {
                let written = try TestRun.written(node, in: source)
                let all = Schema(table.names.map { Field($0, .text) })
                let columns = try TestRun.columns(written, table.usual, all, of: name)
                let actual = PlainRows(items, columns: columns.names, of: table)
                comparisons.append(comparison(subject, written, node, columns, actual))
            } catch { problems += error.errors }
        }
        compare(test.findings, .findings, run.findings, .ofFindings, named: "a finding")
        compare(test.rules, .rules, run.rules, .ofRules, named: "a rule")
        if !problems.isEmpty { throw DaybookErrors(problems) }
        return comparisons
    }

    static let usualOfRejects = ["code", "field", "value"]

    /// The rows under a key; nil where none are written yet.
    package static func written(_ node: OptionNode, in source: SourceText) throws(DaybookErrors) -> WrittenRows? {
        if case .nothing = node.content { return nil }
        return try WrittenRows(reading: node, in: source)
    }

    /// The columns that are compared: those that the expectation names, or else the usual ones.
    private static func columns(
        _ written: WrittenRows?,
        _ usual: [String],
        _ schema: Schema,
        of subject: String
    ) throws(DaybookErrors) -> (names: [String], kinds: [ColumnKind]) {
        guard let written, !written.namesNoColumns else {
            return (usual, usual.map { schema[ColumnName($0)]?.kind ?? .text })
        }
        var problems: [DaybookError] = []
        var kinds: [ColumnKind] = []
        for column in written.columns {
            guard let field = schema[ColumnName(column.name)] else {
                problems.append(
                    DaybookError(
                        "unknown-column",
                        "\(subject) has no column named \(column.name.quotedForMessage)",
                        at: column.place,
                        hint: NearestName.hint(for: column.name, among: schema.names, listing: "the columns are")
                    )
                )
                continue
            }
            if let mismatch = column.mismatch(field) { problems.append(mismatch) }
            kinds.append(field.kind)
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        return (written.columns.map(\.name), kinds)
    }

    private func comparison(
        _ subject: TestOutcome.Comparison.Subject,
        _ written: WrittenRows?,
        _ node: OptionNode,
        _ columns: (names: [String], kinds: [ColumnKind]),
        _ actual: PlainRows
    ) -> TestOutcome.Comparison {
        let rows = (written?.rows ?? []).map { row in
            zip(row.cells, columns.kinds).map { cell, kind in cell.text.map { kind.canonical($0) } }
        }
        let expected = PlainRows(columns: columns.names, isNumber: actual.isNumber, rows: rows)
        return TestOutcome.Comparison(
            subject: subject,
            written: written,
            node: node,
            expected: expected,
            actual: actual,
            difference: RowDifference(from: expected.rows, to: actual.rows)
        )
    }
}

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

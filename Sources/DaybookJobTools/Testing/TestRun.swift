import DaybookBytes
import DaybookEngine
import DaybookExpressions
import Foundation

/// Runs the tests of jobs: on the engine of every run, with given rows, without reading inputs or writing.
public struct TestRun: Sendable {
    private let table: StageTable
    private let threads: Int
    private let isCancelled: @Sendable () -> Bool

    public init(table: StageTable, threads: Int, isCancelled: @escaping @Sendable () -> Bool) {
        (self.table, self.threads, self.isCancelled) = (table, threads, isCancelled)
    }

    /// Runs one test.
    ///
    /// - Parameters:
    ///   - index: the index in the job.
    ///   - job: the job with the params of the test.
    public func run(_ test: JobTest, at index: Int, in job: Job) -> TestOutcome {
        var outcome = TestOutcome(test: test, index: index)
        do throws(DaybookErrors) {
            let plan = try Plan(job, table: table, asOf: TestRun.day(of: test, in: job))
            let scratch = FilePath.join(FilePath.canonical(NSTemporaryDirectory()), "daybook-test-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(atPath: scratch) }
            let part = try TestPlan(test, of: plan, table, into: FilePath.join(scratch, "out"))
            outcome.run = try run(part, in: StateDirectory(FilePath.join(scratch, "state")))
            outcome.errors = outcome.run.errors.map { error in part.texts.reduce(error) { $1.placed($0) } }
            guard outcome.errors.isEmpty else { return outcome }
            if let gate = test.gate {
                outcome.gate = (passes: outcome.run.passesGates, expected: gate.passes, place: gate.place)
            }
            outcome.comparisons = try comparisons(test, part, outcome.run, SourceText(job.source, file: job.file))
        } catch { outcome.errors = error.errors }
        return outcome
    }

    /// The day of a test: its own, or the day of the job, or a fixed one.
    public static func day(of test: JobTest, in job: Job) -> CalendarDay {
        if let day = test.asOf { return day }
        if case .day(let day) = job.asOf { return day }
        return JobTest.defaultDay
    }

    private func run(_ part: TestPlan, in state: StateDirectory) throws(DaybookErrors) -> RunOutcome {
        let directory = JobFile.directory(of: part.plan.job.file)
        let settings = RunSettings(threads: threads, directory: directory, state: state, isCancelled: isCancelled)
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
        func compare(
            _ node: OptionNode,
            _ subject: TestOutcome.Comparison.Subject,
            _ schema: Schema,
            usual: [String],
            named name: String,
            rows: ([String]) -> PlainRows
        ) {
            do throws(DaybookErrors) {
                let written = try TestRun.written(node, in: source)
                let columns = try TestRun.columns(written, usual, schema, of: name)
                comparisons.append(TestOutcome.Comparison(subject, written, node, columns.kinds, rows(columns.names)))
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
            let schema = Schema(table.names.map { Field($0, .text) })
            compare(node, subject, schema, usual: table.usual, named: name) { PlainRows(items, columns: $0, of: table) }
        }
        for (rows, collected) in zip(test.expected, part.collection.rows) {
            let (stage, schema) = (rows.stage, collected.schema)
            let usual = stage.port == .rejects ? TestRun.usualOfRejects : schema.names
            compare(rows.node, .rows(stage), schema, usual: usual, named: "'\(stage.written)'") {
                PlainRows(collected, columns: $0)
            }
        }
        if run.exitCode == 0 {
            for export in part.exports {
                do throws(DaybookErrors) {
                    let rows = try export.rows(table, isCancelled: isCancelled)
                    let (expected, names) = (export.expected, rows.schema.names)
                    compare(expected.node, .export(expected), rows.schema, usual: names, named: expected.quoted) {
                        PlainRows(rows, columns: $0)
                    }
                } catch { problems += error.errors }
            }
        } else if let export = part.exports.first?.expected {
            let message = "'\(export.path)' was not written, since the run of the test did not pass its gates"
            let hint = "expect 'gate: fails' and no exports, or give the test rows that pass"
            problems.append(DaybookError("no-export", message, at: export.place, hint: hint))
        }
        compare(test.findings, .findings, run.findings, .ofFindings, named: "a finding")
        compare(test.rules, .rules, run.rules, .ofRules, named: "a rule")
        if !problems.isEmpty { throw DaybookErrors(problems) }
        return comparisons
    }

    static let usualOfRejects = ["code", "field", "value"]

    /// The rows under a key; nil if none are written yet.
    package static func written(_ node: OptionNode, in source: SourceText) throws(DaybookErrors) -> WrittenRows? {
        if case .nothing = node.content { return nil }
        return try WrittenRows(reading: node, in: source)
    }

    /// The columns to compare: the columns of the expectation, or the usual ones.
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
                let message = "\(subject) has no column named \(column.name.quotedForMessage)"
                let hint = NearestName.hint(for: column.name, among: schema.names, listing: "the columns are")
                problems.append(DaybookError("unknown-column", message, at: column.place, hint: hint))
                continue
            }
            if let mismatch = column.mismatch(field) { problems.append(mismatch) }
            kinds.append(field.kind)
        }
        if !problems.isEmpty { throw DaybookErrors(problems) }
        return (written.columns.map(\.name), kinds)
    }
}

extension JobTest.Export {
    /// Its path, and its part if it has one.
    fileprivate var parts: [String] { [path] + [part].compactMap(\.self) }

    /// `'out.sqlite, days'`.
    var quoted: String { "'\(parts.joined(separator: ", "))'" }
}

/// The outcome of one test.
public struct TestOutcome: Sendable {
    /// One expectation and its result.
    struct Comparison: Sendable {
        enum Subject: Sendable {
            case rows(StageReference)
            case export(JobTest.Export)
            case findings
            case rules
        }

        var subject: Subject
        /// The written expectation; nil for none yet.
        var written: WrittenRows?
        var node: OptionNode
        var expected: PlainRows
        var actual: PlainRows
        var difference: RowDifference

        init(
            _ subject: Subject,
            _ written: WrittenRows?,
            _ node: OptionNode,
            _ kinds: [ColumnKind],
            _ actual: PlainRows
        ) {
            let rows = (written?.rows ?? []).map { row in
                zip(row.cells, kinds).map { cell, kind in cell.text.map { kind.canonical($0) } }
            }
            (self.subject, self.written, self.node, self.actual) = (subject, written, node, actual)
            expected = PlainRows(columns: actual.columns, isNumber: actual.isNumber, rows: rows)
            difference = RowDifference(from: expected.rows, to: actual.rows)
        }

        var holds: Bool { written != nil && difference.isEmpty }

        /// The keys of the expectation, from the test down.
        var path: [String] {
            switch subject {
            case .rows(let stage): ["expect", stage.written]
            case .export(let export): ["expect", TestListReader.exportsKey] + export.parts
            case .findings: ["findings"]
            case .rules: ["rules"]
            }
        }
    }

    public var test: JobTest
    /// The index of the test in its job.
    package var index: Int
    /// The errors that stopped the test.
    public var errors: [DaybookError] = []
    var comparisons: [Comparison] = []
    /// Whether the gates passed, if the test expects something of them.
    package var gate: (passes: Bool, expected: Bool, place: SourcePlace)?
    /// The outcome of the run.
    public var run = RunOutcome()

    public var passed: Bool {
        errors.isEmpty && comparisons.allSatisfy(\.holds) && gate.map { $0.passes == $0.expected } ?? true
    }

    /// 0 passed, 1 failed; 2 or 3 if it could not run.
    public var exitCode: Int32 {
        if !errors.isEmpty { return RunOutcome(errors: errors).exitCode }
        return passed ? 0 : 1
    }
}

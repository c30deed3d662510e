import DaybookCore

/// Checks a test without running it: that its stages are there and its rows are good.
public enum TestChecks {
    /// What is wrong with `test`, where `plan` is that of its job.
    public static func problems(of test: JobTest, in plan: Plan, _ table: StageTable) -> [DaybookError] {
        var problems: [DaybookError] = []
        let source = SourceText(plan.job.source, file: plan.job.file)
        for node in test.expected.map(\.node) + [test.findings, test.rules].compactMap({ $0 }) {
            do throws(DaybookErrors) { _ = try TestRun.written(node, in: source) } catch { problems += error.errors }
        }
        do throws(DaybookErrors) { _ = try TestPlan(test, of: plan, table) } catch { problems += error.errors }
        return problems
    }
}

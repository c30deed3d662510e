import DaybookCore

/// The report for people who were not there: one page with the verdict, the rules and every finding in its line.
public struct HTMLReporter: Reporter {
    public static let name = "html"
    public static let summary = "One page with the verdict, the rules and the findings in their lines."
    public static let logForm = LogText.Form.markup

    public init(_ style: TerminalStyle) {}

    public func report(_ run: RunReport) -> String { RunPage(run).markup }
}

import DaybookEngine

/// A form in which a run can be reported: text for people, JSON for programs, annotations for a pull request.
///
/// Every form is made from the same `RunReport`. Adding one takes a file with its type and a line in
/// `ReporterTable.builtIn`.
public protocol Reporter: Sendable {
    /// The name that `--report` takes.
    static var name: String { get }
    /// What it is good for, in one sentence.
    static var summary: String { get }
    /// Whether every finding that was put into words stands in it.
    static var isComplete: Bool { get }
    /// Whether it leaves out what rules tolerate, unless `--report NAME:all` asks for it.
    static var leavesOutTolerated: Bool { get }

    /// What the report is made of, for a log whose reader looks for commands.
    static var logForm: LogText.Form { get }

    init(_ style: TerminalStyle)

    /// The whole report, ending with a line break.
    func report(_ run: RunReport) -> String

    /// The report of several runs that one command made, in their order.
    func report(_ runs: [RunReport]) -> String

    /// Whether it is a document of one run, so that it cannot be that of several.
    static var isOfOneRun: Bool { get }

    /// What belongs at the end of a file that the surroundings of the run name; nil for most forms.
    func appendix(_ run: RunReport) -> ReportAppendix?
}

extension Reporter {
    public static var isComplete: Bool { false }
    public static var leavesOutTolerated: Bool { false }
    public static var logForm: LogText.Form { .prose }
    public static var isOfOneRun: Bool { false }

    public func report(_ runs: [RunReport]) -> String { runs.map { report($0) }.joined(separator: "\n") }

    public func appendix(_ run: RunReport) -> ReportAppendix? { nil }

    /// Whether each line of the report stands alone, so that reports of several runs can be printed one by one.
    package static var isToldInLines: Bool { logForm == .prose || logForm == .commands }
}

/// The forms of report that a command knows, by name.
public struct ReporterTable: Sendable {
    public let reporters: [any Reporter.Type]

    public init(_ reporters: [any Reporter.Type]) { self.reporters = reporters }

    public static let builtIn = ReporterTable([
        TextReporter.self,
        JSONReporter.self,
        GitHubReporter.self,
        GitLabReporter.self,
        SARIFReporter.self,
        JUnitReporter.self,
        HTMLReporter.self,
        MailReporter.self,
        BadgeReporter.self,
    ])

    public var names: [String] { reporters.map { $0.name } }

    public subscript(name: String) -> (any Reporter.Type)? { reporters.first { $0.name == name } }
}

import DaybookCore

/// A form in which a run can be reported: text for people, JSON for programs.
///
/// Every form is made from the same `RunReport`. Adding one takes a file with its type and a line in
/// `ReporterTable.builtIn`.
public protocol Reporter: Sendable {
    /// The name that `--report` takes.
    static var name: String { get }
    /// What it is good for, in one sentence.
    static var summary: String { get }

    init(_ style: TerminalStyle)

    /// The whole report, ending with a line break.
    func report(_ run: RunReport) -> String
}

/// The forms of report that a command knows, by name.
public struct ReporterTable: Sendable {
    public let reporters: [any Reporter.Type]

    public init(_ reporters: [any Reporter.Type]) { self.reporters = reporters }

    public static let builtIn = ReporterTable([
        TextReporter.self,
        JSONReporter.self,
    ])

    public var names: [String] { reporters.map { $0.name } }

    public subscript(name: String) -> (any Reporter.Type)? { reporters.first { $0.name == name } }
}

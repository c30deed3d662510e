import DaybookCore

/// The profiles of some files, and the forms in which they are told.
public struct ProfileReport: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case text, json, html
    }

    let tables: [ProfiledTable]
    /// Parts of files that could not be read, and why; one sentence each.
    public let leftOut: [String]
    let observed: ObservedJob

    public func told(as format: Format, style: TerminalStyle = .plain) -> String {
        switch format {
        case .text: ProfileText(style).text(of: tables)
        case .json: ProfileJSON.text(of: tables)
        case .html: ProfilePage.text(of: tables)
        }
    }

    /// A job that checks that the files are as they are today. It was run on them.
    ///
    /// - Parameter command: the command line that asks, for the first comment of the job.
    public func rules(command: String) throws(DaybookErrors) -> String {
        try ProfileRules(tables, command: command).text(triedBy: observed)
    }
}

import DaybookBytes

/// Where a run takes place, as far as its reports care: the repository around it, and what a CI service asks for.
public struct ReportSurroundings: Sendable {
    /// The directory that paths in reports start from: absolute, without links.
    public var root: String
    /// The file to which GitHub wants the summary of a step added.
    public var stepSummary: String?

    /// - Parameters:
    ///   - directory: The directory of the job file.
    ///   - variable: Looks up a variable of the environment.
    public init(around directory: String, _ variable: (String) -> String?) {
        let inner = FilePath.canonical(directory)
        // A variable that was left behind by something else must not bend the paths of a repository elsewhere.
        let named = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].compactMap(variable).filter { !$0.isEmpty }
            .map(FilePath.canonical)
        root =
            named.first { ReportSurroundings.tail(of: inner, below: $0) != nil }
            ?? ReportSurroundings.repository(around: inner) ?? FilePath.canonical(".")
        stepSummary = variable("GITHUB_STEP_SUMMARY").flatMap { $0.isEmpty ? nil : $0 }
    }

    package init(root: String, stepSummary: String? = nil) {
        self.root = root
        self.stepSummary = stepSummary
    }

    /// The nearest directory that holds `.git`, which in a linked work tree is a file.
    private static func repository(around directory: String) -> String? {
        var place = directory
        for _ in 0..<64 {
            if (try? FileStatus.of(FilePath.join(place, ".git"))) != nil { return place }
            if place == "/" { return nil }
            place = FilePath.directory(of: place)
        }
        return nil
    }

    /// `samples/a.csv` for a file in the repository, whichever way `path` leads there; nil for one outside.
    ///
    /// What the links lead to counts first, since that is what the repository holds.
    package func path(inRepository path: String) -> String? {
        let here = FilePath.canonical(".")
        return ReportSurroundings.tail(of: FilePath.canonical(path), below: root)
            ?? ReportSurroundings.tail(of: FilePath.tidied(FilePath.join(here, path)), below: root)
    }

    /// The part of `path` below `root`; empty for the root itself.
    private static func tail(of path: String, below root: String) -> String? {
        if path == root { return "" }
        let start = root == "/" ? root : root + "/"
        return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : nil
    }
}

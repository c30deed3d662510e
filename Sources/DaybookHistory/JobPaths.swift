import DaybookBytes
import DaybookEngine
import DaybookReports

/// How a history keeps the paths of its jobs.
///
/// A job below the directory that holds the state directory is kept by its path from there: a project that is moved as a whole, or is
/// found at another place in a container, goes on with its history. Other jobs are kept by their whole path.
struct JobPaths {
    /// With a slash at its end.
    private let base: String

    /// - Parameter file: the history, whose state directory is the one that it stands in.
    init(inHistory file: String) {
        let directory = FilePath.canonical(FilePath.join(FilePath.directory(of: file), ".."))
        base = directory == "/" ? directory : directory + "/"
    }

    /// The path that is kept of a job whose path is `path`; empty for a job from standard input.
    func kept(_ path: String) -> String {
        guard path.hasPrefix(base) else { return path }
        return String(path.dropFirst(base.count))
    }

    /// The whole path of a job of which `path` is kept.
    func whole(_ path: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/") else { return path }
        return base + path
    }

    /// The path by which a job file is asked for, without secrets; empty for a job from standard input. A job file that is a link is known by
    /// where the link is, which is also where its paths begin: a cluster that mounts a job switches the link with every change.
    static func path(of jobFile: String, _ mask: SecretMask) -> String {
        jobFile == "-" ? "" : mask.masking(FilePath.place(of: jobFile))
    }
}

extension RunReport {
    /// The path by which the history knows the job.
    var historyPath: String { JobPaths.path(of: jobFile, mask) }
}

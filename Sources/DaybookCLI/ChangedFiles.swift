import DaybookBytes
import DaybookEngine
import Foundation

/// The files of a repository that a change touches.
struct ChangedFiles {
    /// The canonical path of the working tree.
    let root: String
    /// Their paths from the root.
    let names: [String]
    /// Those among them that the commit does not have.
    let new: Set<String>

    /// Whether a run of a job may end otherwise for the change: the job file or a file that it reads is another.
    ///
    /// A job that cannot be read counts, since its run tells why, and so does one that stands outside of the repository. Of
    /// files that git does not follow, nobody knows whether they changed, and they do not count.
    func touch(_ job: String, _ options: JobOptions) -> Bool {
        let file = FilePath.canonical(job)
        guard job != "-", file.hasPrefix(root + "/"), !names.contains(String(file.dropFirst(root.count + 1))) else {
            return true
        }
        let reading = JobReading(job, options, repeats: true)
        guard let plan = reading.plan else { return true }
        // Options name further files, such as models.
        let words = String(decoding: reading.bytes, as: UTF8.self)
        if names.contains(where: { words.contains(FilePath.name(of: $0)) }) { return true }
        return plan.inputs(from: reading.directory).contains { input in
            names.contains { name in
                let path = FilePath.join(root, name)
                return input.pattern.wouldFind(path)
                    || input.companions.contains {
                        path.hasSuffix($0) && input.pattern.wouldFind(String(path.dropLast($0.count)))
                    }
            }
        }
    }
}

extension Plan {
    /// Whether a run leaves anything behind: outputs, rejects, a published directory.
    var writes: Bool {
        stages.contains { $0.target != nil } || job.rejects?.path != nil || job.publish != nil
            || !job.containers.isEmpty || job.stages.contains { $0.rejects?.path != nil }
    }

    /// Why a run has to be kept in the history; nil where nothing of it matters to the next.
    var needsHistory: DaybookError? {
        guard takesNewOnly || stages.contains(where: { $0.since != nil }) else { return nil }
        return DaybookError(
            "needs-history",
            "the job reads what is new since its last run, and '--no-history' would keep nothing of this one",
            hint: "run it without '--no-history'"
        )
    }

    /// What the sources of the plan read, with the endings of files that belong to them.
    func inputs(from directory: String) -> [(pattern: PathPattern, companions: [String])] {
        stages.flatMap { stage -> [(PathPattern, [String])] in
            guard case .source(let source) = stage.role else { return [] }
            return source.paths.filter { !$0.isStandardStream }.map {
                (PathPattern($0.text, from: directory), source.companions)
            }
        }
    }
}

import DaybookBytes

/// Compares the output paths of a job with one another, with the base files of its outputs, and with its inputs.
///
/// A plan compares paths as written, so that `validate` finds errors before any file exists. A run repeats the checks
/// with real paths, which only a run knows.
struct OutputChecks {
    let plan: Plan
    /// Normalises all spellings of a path to one text.
    let key: (String) -> String

    private var rejects: [PathText] { plan.rejectPaths }
    private var targets: [(path: PathText, target: SinkTarget)] {
        plan.stages.compactMap { stage in
            guard !stage.isIdle, let target = stage.target, let path = target.path else { return nil }
            return (path, target)
        }
    }

    /// All output paths, and whether each output keeps its previous content.
    var outputs: [(path: PathText, isExtended: Bool)] {
        rejects.map { ($0, false) } + targets.map { ($0.path, $0.target.growth != nil) }
    }

    /// Outputs with the same path, which would overwrite each other; not outputs that can share a path, such as tables
    /// of one database.
    var duplicates: [DaybookError] {
        let written = rejects.map { (path: $0, target: SinkTarget($0)) } + targets
        var seen: [String: [(path: PathText, target: SinkTarget)]] = [:]
        return written.compactMap { output in
            let path = output.path
            let key = path.isStandardStream ? path.text : key(path.text)
            let others = seen[key, default: []]
            seen[key, default: []].append(output)
            let other = others.first { !output.target.shares(with: $0.target) }
            return other.map { .outputTwice(path.text, $0.path.text).located(at: path.place) }
        }
    }

    /// Outputs whose base is another output of the job: they would get the rows that the previous run left there.
    var bases: [DaybookError] {
        let written = Set((rejects + targets.map(\.path)).filter { !$0.isStandardStream }.map { key($0.text) })
        return targets.compactMap { path, target in
            guard let base = target.base?.path, key(base.text) != key(path.text), written.contains(key(base.text))
            else { return nil }
            return DaybookError(
                "base-is-output",
                "'\(base.text)' is another output of this job, and '\(path.text)' would start from what the last run left there",
                at: base.place,
                hint:
                    "start from a file that this job does not write; or write '\(path.text)' in a second job that runs after it"
            )
        }
    }

    /// Outputs that match the path of an input: the next run would read them. Those in the directory that the job
    /// publishes are left to `PublishingChecks`.
    var inputs: [DaybookError] {
        let patterns = plan.stages.compactMap(\.source).flatMap(\.patterns).filter { !$0.isStandardStream }
        return outputs.compactMap { output, isExtended in
            guard !output.isStandardStream, !output.text.hasPrefix("/dev/"),
                plan.job.publish.flatMap({ Publication.rest(of: output.text, below: $0.text) }) == nil
            else { return nil }
            let pattern = patterns.first {
                // If one path is absolute and the other relative, only the run can compare them.
                $0.text.hasPrefix("/") == output.text.hasPrefix("/")
                    && PathPattern($0.text).wouldFind(FilePath.canonical(output.text), unlessNamed: isExtended)
            }
            return pattern.map { .outputIsRead(output.text, by: $0.text).located(at: output.place) }
        }
    }
}

extension OutputChecks {
    /// Checks of real paths.
    init(_ plan: Plan, in directory: String) {
        self.init(plan: plan) { FilePath.canonical(FilePath.join(directory, $0)) }
    }
}

extension DaybookError {
    static func outputTwice(_ path: String, _ other: String) -> DaybookError {
        let message = "two outputs go to '\(path)'\(other == path ? "" : ", also written as '\(other)'")"
        return DaybookError("output-twice", message, hint: "give each output a path of its own")
    }

    /// Error for an output among the inputs of the next run.
    static func outputIsRead(_ path: String, by pattern: String) -> DaybookError {
        DaybookError(
            "output-is-input",
            path == pattern ? "'\(path)' is also read" : "'\(path)' is also read, as '\(pattern)' stands for it",
            hint: "write to another path, and keep what patterns read apart from what is written"
        )
    }
}

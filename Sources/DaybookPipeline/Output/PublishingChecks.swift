import DaybookCore

/// What a job that publishes a directory may write, and where.
enum PublishingChecks {
    /// What is wrong with the key itself: it must name a directory that can become a link.
    static func problem(of publish: PathText) -> DaybookError? {
        if let foreign = OutputName.foreign(publish.text, "a directory to publish", at: publish.place) {
            return foreign
        }
        guard !["", ".", "..", "-"].contains(FilePath.name(of: Publication.withoutSlash(publish.text))) else {
            return DaybookError(
                "bad-publish",
                "expected the path of a directory as 'directory', found '\(publish.text)'",
                at: publish.place,
                hint: "name the directory that readers look into, such as '../out'"
            )
        }
        return nil
    }

    /// The outputs that do not lie below the directory, and the reject files that do.
    static func problems(of publish: PathText, outputs: [PathText], rejects: [PathText]) -> [DaybookError] {
        let directory = publish.text
        var problems: [DaybookError] = []
        for output in outputs where output.text != "-" {
            guard Publication.rest(of: output.text, below: directory) == nil else { continue }
            problems.append(
                DaybookError(
                    "output-outside",
                    "'\(output.text)' is not written as a path below '\(directory)', the directory that the job publishes",
                    at: output.place,
                    hint: "write it as '\(FilePath.join(directory, inner(output.text, of: directory)))'"
                )
            )
        }
        for path in rejects where Publication.rest(of: path.text, below: directory) != nil {
            let beside = FilePath.join(FilePath.directory(of: FilePath.tidied(directory)), FilePath.name(of: path.text))
            problems.append(
                DaybookError(
                    "rejects-inside",
                    "'\(path.text)' lies below '\(directory)', which holds only what has passed its gates",
                    at: path.place,
                    hint: "rejects are also written when a gate fails; write them beside it, as "
                        + "'\(beside.hasPrefix("./") ? String(beside.dropFirst(2)) : beside)'"
                )
            )
        }
        return problems
    }

    /// What is to stand behind the directory: all behind its name where the path has that, `sub/a.csv` of `out/sub/a.csv`.
    private static func inner(_ path: String, of directory: String) -> String {
        let parts = FilePath.tidied(path).split(separator: "/")
        let name = FilePath.name(of: FilePath.tidied(directory))
        if let place = parts.dropLast().firstIndex(of: Substring(name)) {
            return parts[(place + 1)...].joined(separator: "/")
        }
        return path.hasPrefix("/") || parts.first == ".." ? FilePath.name(of: path) : parts.joined(separator: "/")
    }
}

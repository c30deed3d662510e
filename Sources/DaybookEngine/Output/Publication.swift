import DaybookBytes

/// Directory that a job publishes, and the new one of a run that replaces it.
///
/// Readers use `out`, a symbolic link to `.out.<run-id>` beside it. A run writes its outputs to its own directory under
/// their final names, and its commit switches the link, which is one rename. The previous directory stays until the
/// next run, for readers that have already followed the link.
package struct Publication {
    /// Directory as the job writes it, and its base.
    package let publish: PathText
    package let base: String
    /// Name of the job; nil if unknown.
    package let job: String?
    /// Link for readers.
    package let link: String
    /// Directory that this run fills.
    package let directory: String

    package var written: String { publish.text }

    /// Head of a line for a directory that the run made though no output is in it. No name has a bare tab.
    static let directoryHead = "directory\t"

    /// List of a directory's job and outputs. Only these files are removed; files from other programs stay.
    static let listName = ".daybook-outputs"

    /// Name of the directory that `run` makes for the link `name`.
    package static func name(of name: String, _ run: RunID) -> String { ".\(name).\(run)" }

    /// Refuses to replace anything but a link of an earlier run of the job.
    package init(_ publish: PathText, from base: String, of job: String?, run: RunID) throws(DaybookError) {
        (self.publish, self.base, self.job) = (publish, base, job)
        link = Publication.link(of: publish, from: base)
        directory = FilePath.join(FilePath.directory(of: link), Publication.name(of: FilePath.name(of: link), run))
        try check()
    }

    /// Checks again: another job may have published since the run began.
    package func check() throws(DaybookError) { try Publication.check(publish, from: base, of: job) }

    /// The link itself, with no other link in its path.
    package static func link(of publish: PathText, from base: String) -> String {
        let place = FilePath.join(base, PublishedDirectory.withoutSlash(publish.text))
        return FilePath.join(FilePath.canonical(FilePath.directory(of: place)), FilePath.name(of: place))
    }

    /// Path through the link, for a path below the directory that a job publishes; nil for any other path.
    package static func visible(_ path: String, in publish: PathText?, from base: String) -> String? {
        guard let publish, let rest = rest(of: path, below: publish.text) else { return nil }
        return FilePath.join(link(of: publish, from: base), rest)
    }

    /// Checks the path where a job publishes, and throws if it cannot publish there.
    package static func check(_ publish: PathText, from base: String, of job: String?) throws(DaybookError) {
        let link = link(of: publish, from: base)
        let shown = FilePath.shown(publish.text, from: base)
        let found: FileStatus?
        do { found = try FileStatus.of(link, followingLinks: false) } catch { throw .cannotWrite(shown, error) }
        guard let found else { return }
        guard found.isLink, let target = FilePath.link(at: link) else {
            throw .machine(
                "cannot-publish",
                "cannot publish '\(shown)': it is a \(found.isDirectory ? "directory" : "file"), "
                    + "and 'publish' makes it a link that each run switches",
                hint: "move it away first, as in 'mv \(shown) \(shown).before', or name another directory"
            ).located(at: publish.place)
        }
        guard run(of: target, for: FilePath.name(of: link)) != nil else {
            throw .machine(
                "cannot-publish",
                "cannot publish '\(shown)': it is a link to '\(target)', which no run has made",
                hint: "remove the link first, or name another directory"
            ).located(at: publish.place)
        }
        let list = FilePath.join(FilePath.join(FilePath.directory(of: link), target), listName)
        guard let job, let other = jobName(inList: list), other != job else { return }
        throw .machine(
            "cannot-publish",
            "cannot publish '\(shown)': it was published by job '\(other)', and this is '\(job)'",
            hint: "give each job a directory of its own; where it is the same job by a new name, remove the link first"
        ).located(at: publish.place)
    }

    /// Head of a list. No output name has a bare tab, and lists of older versions have no such line.
    var listHead: String { job.map { "job\t\(PathField.written($0))\n" } ?? "" }

    /// Job that published a directory; nil if its list does not name a job.
    private static func jobName(inList list: String) -> String? {
        guard let head = (try? WholeFile.text(of: list))?.split(separator: "\n").first, head.hasPrefix("job\t")
        else { return nil }
        return PathField.read(head.dropFirst(4))
    }

    /// Run that made the directory `name` for the link `link`; nil for any other name.
    package static func run(of name: String, for link: String) -> RunID? {
        let head = ".\(link)."
        return name.hasPrefix(head) ? RunID(name.dropFirst(head.count)) : nil
    }

    /// Whether the link of a run's directory points to the directory.
    static func isCurrent(_ directory: String) -> Bool {
        let name = FilePath.name(of: directory)
        guard let dot = name.dropFirst().lastIndex(of: "."), dot > name.startIndex else { return false }
        let link = FilePath.join(FilePath.directory(of: directory), String(name[..<dot].dropFirst()))
        return FilePath.link(at: link) == name
    }

    /// Place of an output with the job's path `path`.
    package func place(of path: String) -> String {
        FilePath.join(directory, Publication.rest(of: path, below: written) ?? FilePath.name(of: path))
    }

    /// `2026/a.csv` for `../out/2026/a.csv` below `../out`; nil for a path outside.
    package static func rest(of path: String, below directory: String) -> String? {
        let head = FilePath.tidied(directory) + "/"
        let path = FilePath.tidied(path)
        guard path.utf8.starts(with: head.utf8), path.utf8.count > head.utf8.count else { return nil }
        return String(decoding: path.utf8.dropFirst(head.utf8.count), as: UTF8.self)
    }

    package var list: String { FilePath.join(directory, Publication.listName) }

    // MARK: - Directories of other runs

    /// Removes the directories that readers no longer need: all but the new one and the previous one.
    ///
    /// Files that the run did not write stay, and so does their directory. Failures are not errors: the outputs are in
    /// place, and the next run tries again.
    ///
    /// - Parameter previous: name of the previously published directory.
    func removeOlder(but previous: String?) {
        let parent = FilePath.directory(of: directory)
        let kept = [FilePath.name(of: directory), previous]
        for name in (try? DirectoryListing.names(in: parent)) ?? [] where !kept.contains(name) {
            guard Publication.run(of: name, for: FilePath.name(of: link)) != nil else { continue }
            Publication.remove(FilePath.join(parent, name))
        }
    }

    private static func remove(_ directory: String) {
        // A live run has locked its directory.
        guard let opened = try? Descriptor(opening: directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
            (try? opened.lock()) == true
        else { return }
        // A run that was killed early has no list; then only an empty directory is removed.
        let list = try? WholeFile.text(of: FilePath.join(directory, listName))
        var directories: Set<String> = []
        for line in (list ?? "").split(separator: "\n") {
            let isDirectory = line.hasPrefix(directoryHead)
            let rest = isDirectory ? line.dropFirst(directoryHead.utf8.count) : line
            guard !rest.contains("\t"), let path = PathField.read(rest), !path.hasPrefix("/") else { continue }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            guard !parts.contains(".."), !parts.contains("") else { continue }
            let above = (1..<parts.count).map { FilePath.join(directory, parts[..<$0].joined(separator: "/")) }
            // A link to another directory comes from another program, and nothing is removed through it. A directory
            // that is not there was removed by a run that was killed meanwhile.
            let found = above.map { try? FileStatus.of($0, followingLinks: false) }
            guard found.allSatisfy({ $0?.isDirectory != false }) else { continue }
            let place = FilePath.join(directory, path)
            if isDirectory { directories.insert(place) } else { unlink(place) }
            directories.formUnion(above)
        }
        // Deepest first: a longer path is never above a shorter one.
        for inner in directories.sorted(by: { $0.utf8.count > $1.utf8.count }) { rmdir(inner) }
        let rest = (try? DirectoryListing.names(in: directory)) ?? []
        guard rest.allSatisfy({ $0 == listName }), rest.isEmpty == (list == nil) else { return }
        unlink(FilePath.join(directory, listName))
        rmdir(directory)
    }
}

/// Checks of the outputs of a job that publishes a directory.
enum PublishingChecks {
    /// Outputs outside of the directory, and reject files and inputs inside it.
    static func problems(of publish: PathText, in plan: Plan) -> [DaybookError] {
        let directory = publish.text
        let containers = plan.job.containers
        let inputs = plan.stages.compactMap(\.source).flatMap(\.paths) + containers.map(\.from)
        let readAnew = inputs.first { Publication.rest(of: $0.text, below: directory) != nil }
        var problems = [readAnew.map { DaybookError.published($0.text, in: publish) }].compactMap(\.self)
        problems += self.problems(of: containers, below: publish)
        for output in plan.sinkPaths + containers.map(\.place) where output.text != "-" {
            guard Publication.rest(of: output.text, below: directory) == nil else { continue }
            problems.add(
                "output-outside",
                "'\(output.text)' is not written as a path below '\(directory)', the directory that the job publishes",
                at: output.place,
                hint: "write it as '\(FilePath.join(directory, inner(output.text, of: directory)))'"
            )
        }
        for path in plan.rejectPaths where Publication.rest(of: path.text, below: directory) != nil {
            let beside = FilePath.join(FilePath.directory(of: FilePath.tidied(directory)), FilePath.name(of: path.text))
            problems.add(
                "rejects-inside",
                "'\(path.text)' lies below '\(directory)', which holds only what has passed its gates",
                at: path.place,
                hint: "rejects are also written when a gate fails; write them beside it, as "
                    + "'\(beside.hasPrefix("./") ? String(beside.dropFirst(2)) : beside)'"
            )
        }
        return problems
    }

    /// Two copies of containers in one place, and copies into themselves.
    private static func problems(of containers: [Container], below publish: PathText) -> [DaybookError] {
        var seen: [String: Container] = [:]
        return containers.compactMap { container in
            let (place, from) = (FilePath.tidied(container.place.text), FilePath.tidied(container.from.text))
            if Publication.rest(of: publish.text, below: from) != nil || from == FilePath.tidied(publish.text) {
                return DaybookError(
                    "container-in-itself",
                    "'\(publish.text)' lies in '\(container.from.text)', which would be copied into itself",
                    at: container.to.place,
                    hint: "copy to a directory beside it"
                )
            }
            guard let other = seen.updateValue(container, forKey: place) else { return nil }
            return DaybookError(
                "output-twice",
                "'\(other.from.text)' and '\(container.from.text)' would both be copied to '\(place)'",
                at: container.to.place,
                hint: "give each a place of its own, by the name of its value: 'to: \"out/${user:name}\"'"
            )
        }
    }

    /// Outputs in parts outside of a directory that a run can publish as a whole.
    static func problems(ofPartsIn plan: Plan) -> [DaybookError] {
        plan.stages.compactMap { stage in
            guard let target = stage.target, target.isInParts, let path = target.path,
                plan.job.publish == nil || path.text == "-"
            else { return nil }
            return DaybookError(
                "parts-unpublished",
                "'\(path.text)' is to be in parts, and only a directory that the job publishes changes them all at once",
                at: path.place,
                hint: "write it below one, and add 'publish: { directory: \(exampleDirectory(for: path.text)) }'"
            )
        }
    }

    private static func exampleDirectory(for path: String) -> String {
        let directory = path.contains("/") ? FilePath.directory(of: FilePath.tidied(path)) : ""
        return ["", ".", "..", "/"].contains(directory) ? "out" : directory
    }

    /// Path inside the directory: the rest after its name if the path contains the name, `sub/a.csv` for
    /// `out/sub/a.csv`.
    private static func inner(_ path: String, of directory: String) -> String {
        let parts = FilePath.tidied(path).split(separator: "/")
        let name = FilePath.name(of: FilePath.tidied(directory))
        if let place = parts.dropLast().firstIndex(of: Substring(name)) {
            return parts[(place + 1)...].joined(separator: "/")
        }
        return path.hasPrefix("/") || parts.first == ".." ? FilePath.name(of: path) : parts.joined(separator: "/")
    }
}

extension DaybookError {
    /// Error for an input in the directory that a job publishes: the next run would no longer find it there.
    static func published(_ input: String, in publish: PathText) -> DaybookError {
        DaybookError(
            "output-is-input",
            "'\(input)' is read from '\(publish.text)', which the job publishes anew",
            at: publish.place,
            hint: "keep what is read apart from what is written"
        )
    }
}

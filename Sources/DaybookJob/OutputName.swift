import DaybookBytes

/// Path of an output file: a literal path, not a pattern, outside of state directories.
package enum OutputName {
    /// Error for a path that does not name one file, or that is not allowed for outputs; nil for a valid path.
    package static func problem(_ text: String, _ subject: String, at place: SourcePlace? = nil) -> DaybookError? {
        foreign(text, subject, at: place) ?? pattern(text, subject, at: place)
    }

    /// Error for a path that means something else elsewhere, or that is in a state directory.
    package static func foreign(_ text: String, _ subject: String, at place: SourcePlace? = nil) -> DaybookError? {
        if let hint = ForeignPath.hint(for: text) {
            let message = "'\(text)' is no path here, and \(subject) needs one"
            return DaybookError("output-is-no-path", message, at: place, hint: hint)
        }
        guard FilePath.tidied(text).split(separator: "/").contains(Substring(JobFile.state)) else { return nil }
        return inState(text, at: place)
    }

    /// The same for a path on the command line, which may lead into a state directory by a link.
    package static func foreignPlace(_ path: String, _ subject: String) -> DaybookError? {
        if let problem = foreign(path, subject) { return problem }
        let (here, place) = (
            FilePath.canonical(".").split(separator: "/"), FilePath.canonical(path).split(separator: "/")
        )
        let below = place.starts(with: here) ? place.dropFirst(here.count) : place[...]
        return below.contains(Substring(JobFile.state)) ? inState(path) : nil
    }

    /// Error for an output that would overwrite the state of later runs.
    package static func inState(_ text: String, at place: SourcePlace? = nil) -> DaybookError {
        DaybookError(
            "output-in-state",
            "'\(text)' lies in the state directory, where runs keep their own files",
            at: place,
            hint: "write to another directory"
        )
    }

    private static func pattern(_ text: String, _ subject: String, at place: SourcePlace?) -> DaybookError? {
        guard let mark = mark(in: text) else { return nil }
        return DaybookError(
            "output-is-a-pattern",
            "'\(text)' is a pattern, for it holds '\(mark)', and \(subject) is one file",
            at: place,
            hint: "name the file; only inputs are named by patterns"
        )
    }

    /// Character that makes a path a pattern among inputs.
    private static func mark(in text: String) -> String? {
        if let mark = text.first(where: { "*?[".contains($0) }) { return String(mark) }
        return Braces.expand(text).map { $0.count > 1 } ?? true ? "{" : nil
    }
}

/// The directory that a job publishes, as it is written.
package enum PublishedDirectory {
    /// Problem of the key itself: it must name a directory that can become a link.
    static func problem(of publish: PathText) -> DaybookError? {
        if let foreign = OutputName.foreign(publish.text, "a directory to publish", at: publish.place) {
            return foreign
        }
        guard !["", ".", "..", "-"].contains(FilePath.name(of: withoutSlash(publish.text))) else {
            return DaybookError(
                "bad-publish",
                "expected the path of a directory as 'directory', found '\(publish.text)'",
                at: publish.place,
                hint: "name the directory that readers look into, such as '../out'"
            )
        }
        return nil
    }

    /// `../out` for `../out/`.
    package static func withoutSlash(_ path: String) -> String {
        let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
        return end.map { String(path[...$0]) } ?? ""
    }

    /// Directory to publish for containers of which the job does not say it: the one that has them all.
    static func directory(for containers: [Container]) -> PathText? {
        guard let first = containers.first else { return nil }
        var common = FilePath.directory(of: FilePath.tidied(first.place.text)).split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        for container in containers.dropFirst() {
            let parts = FilePath.tidied(container.place.text).split(separator: "/", omittingEmptySubsequences: false)
            common = Array(zip(common, parts.dropLast()).prefix { $0 == $1 }.map(\.0))
        }
        return PathText(common.joined(separator: "/"), at: first.to.place)
    }
}

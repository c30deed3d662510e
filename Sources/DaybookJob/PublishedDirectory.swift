import DaybookBytes

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

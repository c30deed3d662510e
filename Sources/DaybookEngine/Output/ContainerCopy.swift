import DaybookBytes

extension OutputTransaction {
    /// Copies a container to where the run publishes. The outputs are complete.
    func copy(_ container: Container, from base: String) throws(DaybookError) -> RunOutcome.Copied {
        guard let publication else { preconditionFailure("a job with containers publishes") }
        let target = publication.place(of: container.place.text)
        // A link may lead to the container, and none of its own is followed.
        let source = FilePath.canonical(FilePath.join(base, container.from.text))
        guard (try? FileStatus.of(source))??.isDirectory == true else {
            let message = "there is no directory '\(container.from.text)' to copy"
            let hint = "'from' under 'container' names the directory of an app's files"
            throw DaybookError("container-not-found", message, at: container.from.place, hint: hint, blame: .machine)
        }
        for missing in OutputTarget.missingDirectories(above: target) { try make(missing, for: container.to.text) }
        var copy = DirectoryCopy(
            note: { [file] path, isDirectory throws(DaybookError) in
                try file.note(isDirectory ? .directory(path) : .file(path))
            },
            isCancelled: state.isCancelled
        )
        defer { adopt(copy) }
        do throws(DaybookError) { try copy.copy(source, to: target) } catch {
            throw error.located(at: container.from.place)
        }
        return RunOutcome.Copied(
            from: container.from.text,
            to: container.place.text,
            files: copy.files.count,
            bytes: copy.byteCount
        )
    }
}

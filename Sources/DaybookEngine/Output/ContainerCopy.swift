import DaybookBytes

extension OutputTransaction {
    /// Copies a container to where the run publishes. The outputs are complete.
    func copy(_ container: Container, from base: String) throws(DaybookError) -> RunOutcome.Copied {
        guard let publication else { preconditionFailure("a job with containers publishes") }
        let target = publication.place(of: container.place.text)
        // A link may lead to the container, and none of its own is followed.
        let source = FilePath.canonical(FilePath.join(base, container.from.text))
        if ZipPath.isArchive(source) { return try pack(container, source, target) }
        guard (try? FileStatus.of(source))??.isDirectory == true else {
            let message = "there is no directory and no zip archive '\(container.from.text)' to copy"
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

    /// Writes a zip archive anew with the outputs inside it. All other files keep their packed bytes.
    private func pack(
        _ container: Container,
        _ source: String,
        _ target: String
    ) throws(DaybookError) -> RunOutcome.Copied {
        let inside = target + "/"
        let files = outputs.filter { $0.target.isPublished && $0.target.path.hasPrefix(inside) }
        for missing in OutputTarget.missingDirectories(above: target) { try make(missing, for: container.to.text) }
        let temporary = target + ".new"
        try file.note(.file(target))
        try file.note(.file(temporary))
        copied.append(temporary)
        for output in files { try output.flush() }
        do throws(SystemFailure) {
            let new = files.map { (name: String($0.target.path.dropFirst(inside.count)), $0.descriptor) }
            let (count, bytes) = try ZipArchive.copy(source, to: temporary, with: new, isCancelled: state.isCancelled)
            try put(temporary, over: target, holding: files)
            return RunOutcome.Copied(
                from: container.from.text,
                to: container.place.text,
                files: count,
                bytes: bytes
            )
        } catch {
            if error == .cancelled { throw .interrupted }
            let message = "cannot copy '\(container.from.text)': \(error.reason)"
            throw DaybookError("cannot-copy", message, at: container.from.place, hint: error.remedy, blame: .machine)
        }
    }

    /// Puts an archive in the place of the directory with the outputs that it holds.
    private func put(_ archive: String, over target: String, holding files: [OutputFile]) throws(SystemFailure) {
        for output in files { unlink(output.temporary) }
        for directory in madeDirectories.reversed() where (directory + "/").hasPrefix(target + "/") { rmdir(directory) }
        guard rename(archive, target) == 0 else { throw .last }
        copied.removeAll { $0 == archive }
        copied.append(target)
        packed.formUnion(files.map(\.target.path))
    }
}

import DaybookBytes
import DaybookEngine

/// Writes what is told about a run to a file that the command line names.
public enum ReportFile {
    /// Finds out whether `write` could do its work, and leaves everything as it is.
    package static func check(_ path: String) throws(DaybookError) {
        do throws(SystemFailure) {
            if let found = try FileStatus.of(path) {
                if found.isDirectory { throw SystemFailure(EISDIR) }
                if found.isStream {
                    guard access(path, W_OK) == 0 else { throw .last }
                    return
                }
                // A rename would replace a file that its owner has protected.
                guard access(path, W_OK) == 0 else { throw .last }
            }
            // Only making the file tells: a superuser may write anywhere, and still not on a read-only disk. Directories
            // that are missing are made when there is something to put into them.
            let real = FilePath.canonical(path)
            let trial = temporary(for: OutputTarget.missingDirectories(above: real).first ?? real)
            _ = try Descriptor(opening: trial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            unlink(trial)
        } catch { throw .cannotWrite(path, error) }
    }

    /// The same for a file that must be none of those that are read.
    public static func check(_ path: String, against inputs: [String]) throws(DaybookError) {
        try check(path)
        let target = FilePath.canonical(path)
        for input in inputs {
            let files = (try? PathPattern(input).expand()) ?? []
            guard files.contains(where: { FilePath.canonical($0.path) == target }) else { continue }
            throw DaybookError("output-is-input", "'\(path)' is also read", hint: "write to another path")
        }
    }

    /// Replaces the file as a whole; a pipe or a device gets the bytes as they are.
    ///
    /// - Parameter isCancelled: Ends a wait for the reader of a pipe.
    public static func write(
        _ bytes: Bytes,
        to path: String,
        isCancelled: () -> Bool = { false }
    ) throws(DaybookError) {
        do throws(SystemFailure) {
            if let found = try FileStatus.of(path) {
                if found.isDirectory { throw SystemFailure(EISDIR) }
                if found.isStream {
                    let stream = try WaitingStream.open(path, isCancelled: isCancelled) {}
                    return try stream.writeAll(bytes, isCancelled: isCancelled)
                }
            }
            let real = FilePath.canonical(path)
            try OutputTarget.makeDirectories(above: real)
            try WholeFile.replace(real, with: bytes, by: temporary(for: real))
        } catch {
            if error.number == EPIPE { return }
            throw .cannotWrite(path, error)
        }
    }

    /// Adds to the end of a file that others write to as well, in one piece.
    public static func add(_ appendix: ReportAppendix) throws(DaybookError) {
        do throws(SystemFailure) {
            let file = try Descriptor(opening: appendix.file, O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_NONBLOCK)
            let status = try file.status()
            if status.isDirectory { throw SystemFailure(EISDIR) }
            let size = status.isRegularFile ? status.size : 0
            let fitting = [appendix.text, appendix.brief].first { size + $0.utf8.count <= appendix.limit }
            if let fitting { try file.writeAll(Bytes(fitting)) }
        } catch { throw .cannotWrite(appendix.file, error) }
    }

    /// A name beside `path` that nobody else uses.
    private static func temporary(for path: String) -> String {
        FilePath.join(FilePath.directory(of: path), ".daybook-report-\(getpid())")
    }
}

/// Text that a form of report adds to a file which others write to as well.
public struct ReportAppendix: Sendable {
    public var file: String
    var text: String
    /// The text to add where the whole would be too much.
    var brief: String
    /// How large the file may become, in bytes; nothing is added that would make it larger.
    var limit: Int
}

import DaybookBytes

/// Reads job files; `-` is standard input.
public enum JobFile {
    /// Name of the state directory beside a job.
    package static let state = ".daybook"

    /// Size limit of a read, above the parser's own limit, so that the parser refuses larger jobs.
    private static let limit = 256 << 20

    /// Base directory of the paths of the job at `path`, which also contains the job's state.
    ///
    /// Standard input and a shell's `<(…)` have no directory of their own. Their base is the working directory.
    public static func directory(of path: String) -> String {
        let isOfKernel = ["/dev/fd/", "/dev/std", "/proc/"].contains(where: path.hasPrefix)
        return isOfKernel ? "." : FilePath.directory(of: path)
    }

    /// `nightly` for `jobs/nightly.yaml`.
    package static func name(of file: String) -> String {
        let name = FilePath.name(of: file)
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            return name == "-" ? "standard-input" : name
        }
        return String(name[..<dot])
    }

    /// Bytes of the file at `path`. A path without a file is a mistake in the command, not a failure of the machine.
    ///
    /// - Parameter isCancelled: Ends a wait for the writer of a pipe.
    public static func read(
        _ path: String,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(DaybookError) -> [UInt8] {
        do throws(SystemFailure) {
            let file =
                path == "-"
                ? Descriptor(borrowing: STDIN_FILENO)
                : try Descriptor(opening: path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
            return try file.readAll(upTo: limit, isCancelled).array
        } catch {
            switch error.number {
            case ENOENT, ENOTDIR: throw notFound(path)
            case EISDIR where path != "-":
                throw DaybookError(
                    "job-is-a-directory",
                    "'\(path)' is a directory, not a job",
                    hint: "name a job file in it"
                )
            default: throw .cannotRead(path == "-" ? "standard input" : path, error)
            }
        }
    }

    /// Replaces a job file that still contains `old` by `new`: atomically, with its permissions, at the end of links.
    public static func replace(_ path: String, holding old: [UInt8], by new: [UInt8]) throws(DaybookError) {
        guard try read(path) == old else {
            let message = "'\(path)' was changed meanwhile, and is left as it is"
            throw .machine("job-changed", message, hint: "run the command again")
        }
        let real = FilePath.canonical(path)
        let temporary = FilePath.join(FilePath.directory(of: real), ".daybook-job-\(getpid())")
        do throws(SystemFailure) {
            guard access(real, W_OK) == 0 else { throw .last }
            let status = try FileStatus.of(real)
            do throws(SystemFailure) {
                let file = try Descriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
                try file.writeAll(Bytes(new))
                if let status { file.takeOver(status) }
                try file.flush()
                try WholeFile.put(temporary, over: real)
                try WholeFile.flushDirectory(FilePath.directory(of: real))
            } catch {
                if error.number != EEXIST { unlink(temporary) }
                throw error
            }
        } catch { throw .cannotWrite(path, error) }
    }

    /// Error for a missing job file at `path`, with the name of a similar file.
    public static func notFound(_ path: String) -> DaybookError {
        var error = InputNotFound(path, from: "", isPattern: false).error
        error.code = "job-not-found"
        error.message = "there is no job file '\(path)'"
        if let target = FilePath.link(at: path) {
            error.message = "'\(path)' is a link that leads to no job file; it points to '\(target)'"
            error.hint = "let the link point to a job file, or name one"
        }
        error.blame = .job
        return error
    }
}

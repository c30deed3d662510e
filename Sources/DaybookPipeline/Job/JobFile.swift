import DaybookCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads job files; `-` is standard input.
public enum JobFile {
    /// More bytes than the parser takes from any job, so that it is the one to refuse them.
    private static let limit = 256 << 20

    /// The bytes of the file at `path`. A path that names no file is a mistake in the command, not of the machine.
    public static func read(_ path: String) throws(DaybookError) -> [UInt8] {
        do throws(SystemFailure) {
            let file =
                path == "-" ? Descriptor(borrowing: STDIN_FILENO) : try Descriptor(opening: path, O_RDONLY | O_NOCTTY)
            return try read(file)
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

    private static func read(_ file: Descriptor) throws(SystemFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        let step = 1 << 16
        while bytes.count < limit {
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: step))
            let got = bytes.withUnsafeMutableBytes { room -> Result<Int, SystemFailure> in
                do throws(SystemFailure) {
                    return .success(try file.readSome(into: UnsafeMutableRawBufferPointer(rebasing: room[start...])))
                } catch { return .failure(error) }
            }
            bytes.removeLast(step - (try got.get()))
            if bytes.count == start { break }
        }
        return bytes
    }

    private static func notFound(_ path: String) -> DaybookError {
        var error = InputNotFound(path, from: "", isPattern: false).error
        error.code = "job-not-found"
        error.message = "there is no job file '\(path)'"
        error.blame = .job
        return error
    }
}

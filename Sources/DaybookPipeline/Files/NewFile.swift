import DaybookCore

/// A file that must not be there yet.
public enum NewFile {
    /// Refuses a path at which something stands, before any work is done for it.
    public static func check(_ path: String) throws(DaybookError) {
        let found: FileStatus?
        do { found = try FileStatus.of(path, followingLinks: false) } catch { throw .cannotWrite(path, error) }
        if found != nil { throw taken(path) }
    }

    /// Writes `text` to a new file; what somebody has put there meanwhile stays.
    public static func write(_ text: String, to path: String) throws(DaybookError) {
        do throws(SystemFailure) {
            let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            do throws(SystemFailure) {
                try file.writeAll(Bytes(text))
                try file.flush()
            } catch {
                unlink(path)
                throw error
            }
        } catch {
            if error.number == EEXIST { throw taken(path) }
            throw .cannotWrite(path, error)
        }
    }

    private static func taken(_ path: String) -> DaybookError {
        DaybookError(
            "file-exists",
            "there is a file '\(path)' already",
            hint: "name another file, or remove that one first"
        )
    }
}

/// A call of the operating system that failed, by its `errno`.
package struct SystemFailure: Error, Equatable, CustomStringConvertible {
    package var number: Int32
    /// The reason in words, where the number does not tell it.
    private var detail: String?

    package init(_ number: Int32, _ detail: String? = nil) { (self.number, self.detail) = (number, detail) }

    /// The failure of the last call on this thread.
    package static var last: SystemFailure { SystemFailure(errno) }

    /// The run was cancelled while a call waited.
    package static var cancelled: SystemFailure { SystemFailure(ECANCELED) }

    package var description: String { reason }

    /// The reason in plain words: lower case, without a full stop.
    package var reason: String {
        if let detail { return detail }
        return switch number {
        case ENOENT: "there is no such file or directory"
        case EACCES, EPERM: "permission denied"
        case EISDIR: "it is a directory"
        case ENOTDIR: "a part of the path is not a directory"
        case EEXIST: "something else than a regular file stands there"
        case ENOSPC: "no space left on the disk"
        case EDQUOT: "the disk quota is used up"
        case EFBIG: "the file would be larger than the file system or the limit on file sizes allows"
        case EROFS: "the file system is mounted read-only"
        case EIO: "the disk reported an input/output error"
        case EMFILE, ENFILE: "too many files are open"
        case ENAMETOOLONG: "the name is too long"
        case ELOOP: "the symbolic links lead in a circle"
        case ENXIO: "it is a socket, or a device that is not there"
        case ETXTBSY: "it is a program that is running"
        default: String(cString: strerror(number)).loweredFirst
        }
    }

    /// What to do about it, if that is known.
    package var remedy: String? {
        switch number {
        case EACCES, EPERM: "look at its permissions and those of its directory, or run as another user"
        case ENOSPC, EDQUOT: "free some space, or write to another disk"
        case EFBIG: "raise the limit (ulimit -f), or write to another disk"
        case EROFS: "write to another place, or mount the file system for writing"
        case EIO: "look at the kernel's log (dmesg); the disk or the network share may be failing"
        case EBADMSG: "fetch the archive again, or unpack it with another program and name the directory"
        case EMFILE, ENFILE: "raise the limit on open files (ulimit -n)"
        default: nil
        }
    }
}

extension DaybookError {
    package static func cannotRead(_ path: String, _ failure: SystemFailure) -> DaybookError {
        failed("cannot-read", "cannot read '\(path)'", failure)
    }

    package static func cannotWrite(_ path: String, _ failure: SystemFailure) -> DaybookError {
        failed("cannot-write", "cannot write '\(path)'", failure)
    }

    /// The state directory does not let itself be used.
    package static func cannotKeepState(_ path: String, _ failure: SystemFailure) -> DaybookError {
        let hint = "name another place with --state DIR"
        return failed("cannot-keep-state", "cannot use the state directory at '\(path)'", failure, hint: hint)
    }

    /// - Parameter hint: what to do where the failure itself has no remedy.
    private static func failed(
        _ code: Code,
        _ what: String,
        _ failure: SystemFailure,
        hint: String? = nil
    ) -> DaybookError {
        if failure == .cancelled { return .interrupted }
        return .machine(code, "\(what): \(failure.reason)", hint: failure.remedy ?? hint)
    }
}

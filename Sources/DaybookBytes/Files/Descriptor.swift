import Foundation

/// One open file descriptor, closed when its owner releases it.
///
/// Every call is repeated after a signal (EINTR). The descriptor is not inherited by child processes.
package final class Descriptor {
    package private(set) var number: Int32
    private let isOwned: Bool
    private var isLocked = false

    /// Opens `path`; `flags` get `O_CLOEXEC` added.
    package init(opening path: String, _ flags: Int32, mode: mode_t = 0o666) throws(SystemFailure) {
        var opened = uninterrupted { open(path.systemPath, flags | O_CLOEXEC, mode) }
        if opened < 0 {
            let isRead = flags & (O_ACCMODE | O_DIRECTORY) == O_RDONLY
            guard isRead, errno == ENOTDIR else { throw .last }
            opened = try ZipPath.open(path)
        }
        number = opened
        isOwned = true
    }

    /// Borrows a descriptor that its owner closes, such as standard input.
    package init(borrowing number: Int32) {
        self.number = number
        isOwned = false
    }

    deinit { shut() }

    /// Closes it now; again is harmless.
    package func shut() {
        // A child process has a copy of each descriptor until its program begins, and would keep the lock for so long.
        if isLocked { flock(number, LOCK_UN) }
        isLocked = false
        if isOwned, number >= 0 { close(number) }
        number = -1
    }

    /// The file's type, size and times.
    package func status() throws(SystemFailure) -> FileStatus {
        var found = stat()
        guard fstat(number, &found) == 0 else { throw .last }
        return FileStatus(found)
    }

    /// Waits until a pipe, terminal or device has bytes, or its end.
    package func waitForBytes(_ isCancelled: () -> Bool) throws(SystemFailure) {
        while true {
            var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            // Each wait is so short, so that cancellation is checked in between.
            let ready = poll(&waiting, 1, 100)
            if ready > 0 { return }
            if ready < 0, errno != EINTR { throw .last }
            if isCancelled() { throw .cancelled }
        }
    }

    /// Appends the available bytes, at most `count`, to `bytes`; returns 0 at the end.
    package func read(_ count: Int, into bytes: Bytes) throws(SystemFailure) -> Int {
        let got = uninterrupted { bytes.append(upTo: count, from: number) }
        guard got >= 0 else { throw .last }
        return got
    }

    /// Reads the next block, at most 1 MiB, into `block`, replacing its content; false at the end.
    package func readBlock(into block: Bytes) throws(SystemFailure) -> Bool {
        block.removeAll()
        return try read(1 << 20, into: block) > 0
    }

    /// All remaining bytes, unless they exceed `limit`; then a little more than that.
    ///
    /// - Parameter isCancelled: Ends a wait for the writer of a pipe.
    package func readAll(upTo limit: Int, _ isCancelled: () -> Bool = { false }) throws(SystemFailure) -> Bytes {
        let (status, block) = (try status(), 64 << 10)
        // A small file is read at once, and one byte more tells its end, without a larger buffer.
        let isSmall = status.isRegularFile && status.size < block
        let bytes = isSmall ? Bytes(capacity: status.size + 1) : Bytes()
        while bytes.count <= limit {
            if status.isStream { try waitForBytes(isCancelled) }
            let left = status.size + 1 - bytes.count
            if try read(isSmall && left > 0 ? left : block, into: bytes) == 0 { break }
        }
        return bytes
    }

    /// The regular file at `path`, for reading; nil for anything else.
    package static func plainFile(at path: String) -> Descriptor? {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK),
            (try? file.status())?.isRegularFile == true
        else { return nil }
        return file
    }

    /// The file at `path` for reading by Foundation; nil if it cannot be opened.
    package static func handle(of path: String) -> FileHandle? {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK) else { return nil }
        let number = fcntl(file.number, F_DUPFD_CLOEXEC, 0)
        return number < 0 ? nil : FileHandle(fileDescriptor: number, closeOnDealloc: true)
    }

    /// Lets the process have as many files open as the system allows it.
    package static func raiseLimit() {
        #if canImport(Darwin)
            let files = RLIMIT_NOFILE
        #else
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(files, &limit)
    }

    /// Gives the file the owner, group and permissions of the file it is to replace. Only root may change the owner.
    package func takeOver(_ old: FileStatus, permissions: mode_t = 0o777) {
        // The owner first, for changing the owner clears permissions.
        if old.owner != geteuid() || old.group != getegid() { _ = fchown(number, old.owner, old.group) }
        _ = fchmod(number, old.mode & permissions)
    }

    /// At most `count` bytes from `offset` on, without moving the file position; empty if they cannot be read.
    package func bytes(at offset: Int = 0, count: Int) -> ArraySlice<UInt8> {
        let bytes = Bytes(capacity: count)
        _ = bytes.append(upTo: count, from: number, at: offset)
        return bytes.array[...]
    }

    /// Writes all of `bytes`, however many calls that takes; waits where the other end is not ready.
    ///
    /// - Parameters:
    ///   - isCancelled: Ends the wait, with `SystemFailure.cancelled`.
    ///   - onWritten: Called after each call that wrote something.
    package func writeAll(
        _ bytes: Bytes,
        isCancelled: () -> Bool = { false },
        onWritten: () -> Void = {}
    ) throws(SystemFailure) {
        var place = 0
        try writeRest(of: bytes, from: &place, isCancelled: isCancelled, onWritten: onWritten)
    }

    /// Writes `bytes` from `place` on, and moves `place` behind the written bytes, even after an error.
    ///
    /// - Parameter send: writes some bytes, as the system's `write` does, and returns how many; tests replace it.
    package func writeRest(
        of bytes: Bytes,
        from place: inout Int,
        send: (Bytes, Range<Int>, Int32) -> Int = { $0.send($1, to: $2) },
        isCancelled: () -> Bool = { false },
        onWritten: () -> Void = {}
    ) throws(SystemFailure) {
        while place < bytes.count {
            let written = send(bytes, place..<bytes.count, number)
            if written >= 0 {
                place += written
                onWritten()
            } else if errno == EAGAIN {
                if isCancelled() { throw .cancelled }
                var waiting = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, 100)
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    /// Waits until the written data is on the disk: the bytes and the metadata to find them again.
    package func flush() throws(SystemFailure) {
        #if os(Linux)
            let result = uninterrupted { fdatasync(number) }
        #else
            let result = uninterrupted { fsync(number) }
        #endif
        // A pipe or a device has nothing to flush, and some network shares do not offer it.
        guard result == 0 || [EINVAL, ENOTSUP, EROFS].contains(errno) else { throw .last }
    }

    /// Locks the file for this open descriptor; false if another process has the lock.
    ///
    /// The lock is released when the descriptor is closed, also by `kill -9`.
    package func lock() throws(SystemFailure) -> Bool {
        let isFree = uninterrupted { flock(number, LOCK_EX | LOCK_NB) } == 0
        if !isFree, errno != EWOULDBLOCK { throw .last }
        if isFree { isLocked = true }
        return isFree
    }

    /// Waits for the lock until it is free, or until `isCancelled` ends that with `SystemFailure.cancelled`.
    package func lock(unless isCancelled: () -> Bool) throws(SystemFailure) {
        // A call that waits in the kernel restarts after a signal, so it could not be cancelled.
        var pause: useconds_t = 1_000
        while try !lock() {
            if isCancelled() { throw .cancelled }
            usleep(pause)
            pause = min(50_000, pause * 2)
        }
    }
}

/// The result of a system call, which is repeated as long as signals interrupt it.
func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// A pipe, terminal or device for writing, opened so that no call waits for its reader in the kernel.
///
/// A named pipe without a reader, or whose reader has stopped reading, blocks a writer for ever. Here the wait can be
/// cancelled: `SystemFailure.cancelled`.
package enum WaitingStream {
    /// Opens the stream at `path` for writing, and waits for its reader.
    ///
    /// - Parameter onWait: called once, if that takes longer than a second.
    package static func open(
        _ path: String,
        isCancelled: () -> Bool,
        onWait: () -> Void
    ) throws(SystemFailure) -> Descriptor {
        var pauses = 0
        while true {
            do {
                return try Descriptor(opening: path, O_WRONLY | O_NONBLOCK | O_NOCTTY)
            } catch {
                // The error of a pipe without a reader, and of a missing device.
                guard error.number == ENXIO, try FileStatus.of(path)?.isPipe == true else { throw error }
            }
            if isCancelled() { throw .cancelled }
            if pauses == 50 { onWait() }
            pauses += 1
            usleep(20_000)
        }
    }

    /// Standard output. A pipe is reopened if the system allows it, for flags set on this end would also apply to every
    /// other process that has it.
    package static func standardOutput() throws(SystemFailure) -> Descriptor {
        let borrowed = Descriptor(borrowing: STDOUT_FILENO)
        #if os(Linux)
            guard try borrowed.status().isPipe else { return borrowed }
            do {
                return try Descriptor(opening: "/proc/self/fd/\(STDOUT_FILENO)", O_WRONLY | O_NONBLOCK | O_NOCTTY)
            } catch {
                if error.number == ENXIO { throw SystemFailure(EPIPE) }
            }
        #endif
        return borrowed
    }
}

/// A pipe, terminal or device that bytes are written to, opened such that no call waits for its reader in the kernel.
///
/// A named pipe without a reader, and one whose reader has stopped reading, keep a writer waiting for ever. Here it can be
/// told to give up: `SystemFailure.cancelled`.
package enum WaitingStream {
    /// Opens the stream at `path` for writing, and waits for its reader.
    ///
    /// - Parameter onWait: told once, when that takes longer than a second.
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
                // What a pipe without a reader answers, and a device that is not there.
                guard error.number == ENXIO, try FileStatus.of(path)?.isPipe == true else { throw error }
            }
            if isCancelled() { throw .cancelled }
            if pauses == 50 { onWait() }
            pauses += 1
            usleep(20_000)
        }
    }

    /// Standard output. A pipe is opened anew where the system lets it, for what is set on this end of it would also hold
    /// for every other process that has it.
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

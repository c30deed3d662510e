import CSpawn
import DaybookBytes

/// A program that a notice starts: without a shell, in its own process group, for a bounded time.
struct CommandNotice {
    /// How long a program may take.
    static let limit = Duration.seconds(30)
    /// How many bytes of its output are kept, to explain a failure.
    private static let keptBytes = 4_096

    /// The program, looked up along PATH where it is a bare name, and its arguments.
    let words: [String]
    /// The directory it starts in: that of the job, where all paths of a job start.
    let directory: String
    var limit = CommandNotice.limit

    /// Runs the program to its end with additional variables, and `input` as its standard input.
    func run(_ variables: [String: String], input: Bytes) throws(DaybookError) {
        let child: ChildProcess
        do throws(SystemFailure) {
            child = try ChildProcess(words, in: directory, CommandNotice.environment(with: variables))
        } catch { throw failure(error.number == ENOENT ? "there is no such program" : error.reason) }
        let end = ContinuousClock.now + limit
        var (kept, given) = ([UInt8](), 0)
        while true {
            child.exchange(input, from: &given, into: &kept, atMost: CommandNotice.keptBytes)
            if let status = child.ended() {
                guard status != 0 else { return }
                // The last words may still be on their way.
                child.exchange(input, from: &given, into: &kept, atMost: CommandNotice.keptBytes)
                let last = String(decoding: kept, as: UTF8.self).split(separator: "\n").last.map { ": \($0)" } ?? ""
                throw failure(CommandNotice.displayText(status) + last.shortened(to: 300))
            }
            if ContinuousClock.now >= end {
                child.end()
                throw failure("it was stopped after \(limit.components.seconds) seconds")
            }
        }
    }

    private func failure(_ reason: String) -> DaybookError { .notSent("command \(words[0].quotedForMessage)", reason) }

    /// How a process ended, as `waitpid` tells it.
    private static func displayText(_ status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0 ? "it ended with exit code \((status >> 8) & 0xFF)" : "signal \(signal) ended it"
    }

    private static func environment(with variables: [String: String]) -> [String] {
        var all: [String] = []
        var place = environ
        while let entry = place.pointee {
            let text = String(cString: entry)
            // Variables of an earlier run, if a notice has started this one.
            if !variables.keys.contains(where: { text.hasPrefix($0 + "=") }) { all.append(text) }
            place += 1
        }
        return all + variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.filter { $0 != "\0" })" }
    }
}

/// A process in its own group, with pipes to its standard input, and from its standard output and error together.
package final class ChildProcess {
    private let process: pid_t
    private var input: Int32
    private var output: Int32
    private var isReaped = false

    init(_ words: [String], in directory: String, _ environment: [String]) throws(SystemFailure) {
        let (inputs, outputs) = (try ChildProcess.makePipe(), try ChildProcess.makePipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        _ = daybook_start_in(&actions, directory)
        posix_spawn_file_actions_adddup2(&actions, inputs.read, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outputs.write, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outputs.write, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child must not inherit what this process ignores or blocks.
        var (defaults, none) = (sigset_t(), sigset_t())
        sigfillset(&defaults)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let failure = ChildProcess.withCStrings(words) { words in
            ChildProcess.withCStrings(environment) { environment in
                var started = pid_t()
                let code = posix_spawnp(&started, words[0]!, &actions, &attributes, words, environment)
                return (code, started)
            }
        }
        close(inputs.read)
        close(outputs.write)
        (process, input, output) = (failure.1, inputs.write, outputs.read)
        guard failure.0 == 0 else {
            isReaped = true
            throw SystemFailure(failure.0)
        }
        // A child that neither reads nor writes must not block this process.
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if input >= 0 { close(input) }
        if output >= 0 { close(output) }
        if !isReaped { end() }
    }

    /// Waits a moment, then writes and reads as much as the pipes allow.
    func exchange(_ bytes: Bytes, from place: inout Int, into kept: inout [UInt8], atMost most: Int) {
        if place == bytes.count { closeInput() }
        // poll skips a negative number.
        var waiting = [
            pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
        ]
        poll(&waiting, 2, 20)
        if waiting[0].revents != 0 {
            let written = bytes.send(place..<min(place + 65_536, bytes.count), to: input)
            if written >= 0 { place += written } else if errno != EAGAIN, errno != EINTR { closeInput() }
        }
        if waiting[1].revents != 0 {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = read(output, &buffer, buffer.count)
            if count > 0 {
                // The end of the output is the most useful.
                kept = Array((kept + buffer[..<count]).suffix(most))
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                close(output)
                output = -1
            }
        }
    }

    private func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// The exit status of `waitpid`; nil while the process runs.
    func ended() -> Int32? {
        var status: Int32 = 0
        guard waitpid(process, &status, WNOHANG) == process else { return nil }
        isReaped = true
        return status
    }

    /// Kills the whole group.
    func end() {
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        isReaped = true
    }

    private static func makePipe() throws(SystemFailure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// C strings: addresses, with a null after the last.
    package static func withCStrings<Result>(
        _ texts: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

import DaybookBytes

/// A program that is started to tell somebody: without a shell, in a process group of its own, for a bounded time.
struct CommandNotice {
    /// How long a program may take.
    static let limit = Duration.seconds(30)
    /// How many bytes of what it says are kept, to tell why it failed.
    private static let keptBytes = 4_096

    /// The program, looked up along PATH where it is a bare name, and its arguments.
    let words: [String]
    /// The directory that it starts in: that of the job, where all paths of a job start.
    let directory: String
    var limit = CommandNotice.limit

    /// Runs it to its end with variables beside those of this process, and `input` as its standard input.
    func run(_ variables: [String: String], input: Bytes) throws(DaybookError) {
        let child: ChildProcess
        do throws(SystemFailure) {
            child = try ChildProcess(words, in: directory, CommandNotice.environment(with: variables))
        } catch {
            throw failure(error.number == ENOENT ? "there is no such program" : error.reason)
        }
        let end = ContinuousClock.now + limit
        var kept: [UInt8] = []
        var given = 0
        while true {
            child.exchange(input, from: &given, into: &kept, atMost: CommandNotice.keptBytes)
            if let status = child.ended() {
                guard status != 0 else { return }
                // What it said last may still be on its way.
                child.exchange(input, from: &given, into: &kept, atMost: CommandNotice.keptBytes)
                let last = String(decoding: kept, as: UTF8.self).split(separator: "\n").last.map { ": \($0)" } ?? ""
                throw failure(CommandNotice.spoken(status) + last.shortened(to: 300))
            }
            if ContinuousClock.now >= end {
                child.end()
                throw failure("it was stopped after \(limit.components.seconds) seconds")
            }
        }
    }

    private func failure(_ reason: String) -> DaybookError { .notSent("command \(words[0].quotedForMessage)", reason) }

    /// How a process ended, as `waitpid` tells it.
    private static func spoken(_ status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0 ? "it ended with exit code \((status >> 8) & 0xFF)" : "signal \(signal) ended it"
    }

    private static func environment(with variables: [String: String]) -> [String] {
        var all: [String] = []
        var place = environ
        while let entry = place.pointee {
            let text = String(cString: entry)
            // Of an earlier run, where this one was itself started by a notice.
            if !variables.keys.contains(where: { text.hasPrefix($0 + "=") }) { all.append(text) }
            place += 1
        }
        return all + variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.filter { $0 != "\0" })" }
    }
}

import Synchronization

/// Ctrl-C, SIGTERM, the end of the terminal and that of the allowed CPU time: the first asks the run to stop, which leaves the old outputs; the second ends the process at once.
///
/// Signals that come together are one: `timeout` sends its own to the process and to its group.
enum Interruption {
    private static let signals = Atomic<Int>(0)

    /// When the first came, in milliseconds of the clock that is never put back.
    private static let first = Atomic<Int>(0)
    private static let together = 500

    /// Whether a signal has come. Asked often.
    static var isRequested: Bool { signals.load(ordering: .relaxed) > 0 }

    /// Begins to listen. A signal that the process was started to ignore, as `nohup` does, stays ignored.
    static func listen() {
        // Touched here, so that the handler never is the first to need it.
        precondition(signals.load(ordering: .relaxed) >= 0 && first.load(ordering: .relaxed) >= 0)
        // Some parents, such as programs that start this one from a dispatch queue, hand on a mask that holds signals
        // back; then nothing could stop the run.
        var wanted = sigset_t()
        sigemptyset(&wanted)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGXCPU] {
            sigaddset(&wanted, number)
            let earlier = signal(number) { _ in Interruption.note() }
            if unsafeBitCast(earlier, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
        pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    }

    /// All that is done while a signal is handled: two counters, the clock, and the system call that ends the process.
    private static func note() {
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let now = clock.tv_sec * 1_000 + clock.tv_nsec / 1_000_000
        if signals.add(1, ordering: .relaxed).oldValue == 0 {
            first.store(now, ordering: .relaxed)
        } else if case let first = first.load(ordering: .relaxed), first > 0, now - first > together {
            _exit(3)
        }
    }
}

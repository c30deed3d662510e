import ArgumentParser
import DaybookEngine
import DaybookReports
import Foundation
import Synchronization

/// The two streams that a command speaks on: results on standard output, everything else on standard error.
enum Terminal {
    /// How texts on standard error look.
    static var style: TerminalStyle { style(of: STDERR_FILENO) }

    /// How texts on standard output look.
    static var outputStyle: TerminalStyle { style(of: STDOUT_FILENO) }

    /// There are colours on a terminal, unless somebody asked for none.
    private static func style(of descriptor: Int32) -> TerminalStyle {
        let hasColour = isatty(descriptor) == 1 && (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb"
        return TerminalStyle(hasColour: hasColour, width: width(of: descriptor))
    }

    /// How many columns a terminal has; nil for what is none, or does not tell.
    private static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// Puts something in the place of each standard stream that the parent closed.
    ///
    /// Otherwise the next file that is opened would take its number, and what is meant for a person would be written
    /// into it. What stands in for standard input and output can be neither read nor written, so that their use fails.
    static func occupyClosedStreams() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY)
        }
    }

    /// Writes a result, with a line break at its end. A reader that went away has read enough: the process ends well.
    ///
    /// - Parameter form: What the text is made of; nil for one that goes to a file as it is.
    static func print(_ text: String, as form: LogText.Form? = .prose) {
        var text = text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n"
        if form != nil || !outputIsFile { text = safe(text, form ?? .prose) }
        let failure = write(text, to: STDOUT_FILENO)
        guard failure != 0 else { return }
        if failure == EPIPE { exit(0) }
        if failure == ECANCELED { exit(3) }
        note("error: cannot write standard output: \(String(cString: strerror(failure)).lowercased()) [cannot-write]")
        exit(3)
    }

    /// Writes a result in the format that was asked for: text in the style of the terminal, and other formats as they are.
    static func print<Format: RawRepresentable<String>>(
        in format: Format,
        _ text: (TerminalStyle) throws -> String
    ) rethrows {
        let isText = ["text", "table"].contains(format.rawValue)
        print(try text(isText ? outputStyle : .plain), as: .of(format))
    }

    /// Writes a remark of a few words on standard error, broken to the width of the terminal.
    static func remark(_ text: String) { note(style.prose(text)) }

    /// Writes a message on standard error. When nobody can read it, nobody can be told.
    static func note(_ text: String, as form: LogText.Form = .prose) {
        guard !text.isEmpty else { return }
        _ = write(safe(text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n", form), to: STDERR_FILENO)
    }

    /// Tells of errors that stand in no job.
    static func complain(_ error: DaybookError) { note(ErrorRenderer(source: nil, style: style).render(error)) }

    /// Tells of something that did not hinder the command.
    static func warn(_ error: DaybookError) { note(ErrorRenderer(source: nil, style: style).render(warning: error)) }

    /// The same for several; the result ends the command with the exit code that they call for.
    static func ending(with errors: [DaybookError]) -> ExitCode {
        note(ErrorRenderer(source: nil, style: style).render(errors))
        return ExitCode(RunOutcome(errors: errors).exitCode)
    }

    /// Without what the runner of a CI service would take for a command of its own, where one may be reading.
    private static func safe(_ text: String, _ form: LogText.Form) -> String {
        LogText.isRead(variable) ? LogText.harmless(text, as: form) : text
    }

    /// Whether standard output is a plain file, which no runner reads.
    private static var outputIsFile: Bool {
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Writes on standard error without a line break.
    static func draw(_ text: String) { _ = write(text, to: STDERR_FILENO) }

    /// Whether a line on standard error can be drawn over.
    static var canDraw: Bool { isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb" }

    /// A variable of the environment.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Writes all of `text`; the number of the error, or 0.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        let bytes = Bytes(text)
        var place = 0
        while place < bytes.count {
            // A pipe that has room for anything takes so much without waiting for its reader.
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let isStopping = Interruption.isRequested
            // The last words of a run that was stopped are given a little time.
            if poll(&waiting, 1, isStopping ? 2000 : 100) == 0 {
                if isStopping { return ECANCELED }
                continue
            }
            let written = bytes.send(place..<min(place + 4096, bytes.count), to: descriptor)
            if written >= 0 { place += written } else if errno != EINTR, errno != EAGAIN { return errno }
        }
        return 0
    }
}

/// One line on the terminal that says how far a run has come; gone when the run is over.
final class ProgressBar: Sendable {
    private struct State {
        var nextDraw: ContinuousClock.Instant
        var isDrawn = false
        var pace = ProgressPace()
    }

    private let clock = ContinuousClock()
    private let begun: ContinuousClock.Instant
    private let state: Mutex<State>
    /// At most ten times a second, or drawing would be work of its own.
    private static let interval = Duration.milliseconds(100)

    init() {
        begun = clock.now
        state = Mutex(State(nextDraw: begun + ProgressBar.interval))
    }

    /// Shows progress with a few words before the stage.
    func showing(_ prefix: String) -> @Sendable (RunSettings.Progress) -> Void {
        { progress in
            var progress = progress
            progress.stage = prefix + progress.stage
            self.show(progress)
        }
    }

    func show(_ progress: RunSettings.Progress) {
        state.withLock { state in
            let now = clock.now
            guard now >= state.nextDraw else { return }
            state.nextDraw = now + ProgressBar.interval
            state.isDrawn = true
            state.pace.note(progress.bytes, at: (now - begun) / .seconds(1))
            let left = progress.total.flatMap { state.pace.left(of: $0) }
            // The last column stays free: behind it some terminals begin another line.
            let width = max(1, (Terminal.style.width ?? 80) - 1)
            Terminal.draw("\r\u{1B}[2K" + ProgressLine.text(progress, left: left, width: width))
        }
    }

    /// Takes the line away.
    func remove() {
        state.withLock { state in
            if state.isDrawn { Terminal.draw("\r\u{1B}[2K") }
            state.isDrawn = false
        }
    }
}

/// Ctrl-C, Ctrl-\, SIGTERM, the end of the terminal and that of the allowed CPU time: the first asks the run to stop, which
/// leaves the old outputs; the second ends the process at once.
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
        for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGXCPU] {
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

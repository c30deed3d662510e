import DaybookEngine
import DaybookReports
import Foundation
import Synchronization

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

import Foundation
import Synchronization

/// One line on the terminal that says how far a run has come; gone when the run is over.
final class ProgressBar: Sendable {
    private struct State {
        var nextDraw: ContinuousClock.Instant
        var isDrawn = false
    }

    /// Bytes of all inputs, where their files tell.
    private let total: Int?
    private let clock = ContinuousClock()
    private let state: Mutex<State>
    /// At most ten times a second, or drawing would be work of its own.
    private static let interval = Duration.milliseconds(100)

    init(total: Int?) {
        self.total = total
        state = Mutex(State(nextDraw: clock.now + ProgressBar.interval))
    }

    func show(_ progress: RunSettings.Progress) {
        state.withLock { state in
            let now = clock.now
            guard now >= state.nextDraw else { return }
            state.nextDraw = now + ProgressBar.interval
            state.isDrawn = true
            Terminal.draw(
                "\r\u{1B}[2K" + ProgressBar.line(progress, total: total, width: Terminal.width)
            )
        }
    }

    /// Takes the line away.
    func remove() {
        state.withLock { state in
            if state.isDrawn { Terminal.draw("\r\u{1B}[2K") }
            state.isDrawn = false
        }
    }

    /// `entries  ━━━━━━╌╌╌╌  62 %  189 MB of 305 MB`, not longer than `width`.
    static func line(_ progress: RunSettings.Progress, total: Int?, width: Int) -> String {
        let done = Spoken.size(progress.bytes)
        guard let total, total > 0, progress.bytes <= total else {
            return String("\(progress.stage)  \(done)".prefix(max(0, width - 1)))
        }
        let share = Double(progress.bytes) / Double(total)
        let cells = 30
        let full = Int(share * Double(cells))
        let bar = String(repeating: "━", count: full) + String(repeating: "╌", count: cells - full)
        let line = "\(progress.stage)  \(bar)  \(Int(share * 100)) %  \(done) of \(Spoken.size(total))"
        return String(line.prefix(max(0, width - 1)))
    }
}

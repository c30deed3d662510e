import DaybookEngine
import Foundation

/// How far a run has come, in one line of a terminal.
package enum ProgressLine {
    /// Longer names are cut.
    private static let nameWidth = 32

    /// `entries  ━━━━━━╌╌╌╌  62 %  189 MB of 305 MB  about 40 s left`, less of it where the terminal is narrow.
    ///
    /// - Parameters:
    ///   - left: how long it still takes, in words.
    ///   - width: how many columns the line may take.
    package static func text(_ progress: RunSettings.Progress, left: String? = nil, width: Int) -> String {
        let name = Prose.cut(PrintableText.of(progress.stage), to: nameWidth)
        let done = DisplayText.size(progress.bytes)
        guard let total = progress.total, total > 0, progress.bytes <= total else {
            return Prose.cut("\(name)  \(done)", to: width)
        }
        let share = Double(progress.bytes) / Double(total)
        let percent = "\(Int(share * 100)) %"
        let size = "\(done) of \(DisplayText.size(total))"
        let end = left.map { [$0] } ?? []
        let forms = [
            [name, bar(share, 30), percent, size] + end,
            [name, bar(share, 10), percent, size] + end,
            [name, bar(share, 10), percent] + end,
            [name, percent] + end,
            [name, percent],
        ].map { $0.joined(separator: "  ") }
        return forms.first { Prose.width(of: $0) <= width }
            ?? Prose.cut(name, to: max(0, width - percent.count - 2)) + "  " + percent
    }

    private static func bar(_ share: Double, _ cells: Int) -> String {
        let full = Int(share * Double(cells))
        return String(repeating: "━", count: full) + String(repeating: "╌", count: cells - full)
    }
}

/// How fast a reader goes on, and about how long it still takes.
///
/// Older figures weigh less, so that the answer follows the data without jumping.
package struct ProgressPace {
    /// The bytes of the last few seconds, by the time in which they came.
    private var rate: Double?
    private var last: (bytes: Int, at: Double)?

    /// After so many seconds the past weighs about a third.
    private static let memory = 6.0
    /// Data come in bursts, of which several fit into so many seconds.
    private static let shortest = 1.0
    /// Before so many seconds, or so small a share, nobody can tell.
    private static let soonest = 2.0
    private static let least = 0.02

    package init() {}

    /// Notes how many bytes are read after so many seconds.
    package mutating func note(_ bytes: Int, at seconds: Double) {
        guard let before = last, bytes >= before.bytes else {
            (last, rate) = ((bytes, seconds), bytes > 0 && seconds > 0 ? Double(bytes) / seconds : nil)
            return
        }
        let time = seconds - before.at
        guard time >= ProgressPace.shortest else { return }
        let now = Double(bytes - before.bytes) / time
        rate = rate.map { $0 + (now - $0) * (1 - exp(-time / ProgressPace.memory)) } ?? now
        last = (bytes, seconds)
    }

    /// `about 40 s left`; nil before that can be told, and when all is read.
    package func left(of total: Int) -> String? {
        guard let last, let rate, rate > 0, last.bytes < total, last.at >= ProgressPace.soonest,
            Double(last.bytes) >= ProgressPace.least * Double(total)
        else { return nil }
        let seconds = Double(total - last.bytes) / rate
        // What takes days by the pace of a moment is not known.
        guard seconds < 48 * 3_600 else { return nil }
        return "about \(ProgressPace.displayText(seconds)) left"
    }

    /// Coarser the further away it is: an end that comes nearer changes what is read, and nothing else does.
    private static func displayText(_ seconds: Double) -> String {
        let rounded = { (unit: Double) in max(1, Int((seconds / unit).rounded(.up))) * Int(unit) }
        if seconds <= 10 { return "\(rounded(1)) s" }
        if seconds <= 55 { return "\(rounded(5)) s" }
        let minutes = rounded(60) / 60
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }
}

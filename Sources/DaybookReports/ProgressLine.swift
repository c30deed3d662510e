import DaybookEngine

/// How far a run has come, in one line of a terminal.
package enum ProgressLine {
    /// A name that is longer leaves no room for what changes.
    private static let nameWidth = 32

    /// `entries  ━━━━━━╌╌╌╌  62 %  189 MB of 305 MB  about 40 s left`, less of it where the terminal is narrow.
    ///
    /// - Parameters:
    ///   - left: how long it still takes, in words.
    ///   - width: how many columns the line may take.
    package static func text(_ progress: RunSettings.Progress, left: String? = nil, width: Int) -> String {
        let name = Prose.cut(PrintableText.of(progress.stage), to: nameWidth)
        let done = Spoken.size(progress.bytes)
        guard let total = progress.total, total > 0, progress.bytes <= total else {
            return Prose.cut("\(name)  \(done)", to: width)
        }
        let share = Double(progress.bytes) / Double(total)
        let percent = "\(Int(share * 100)) %"
        let size = "\(done) of \(Spoken.size(total))"
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

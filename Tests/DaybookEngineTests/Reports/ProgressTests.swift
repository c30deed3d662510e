import Testing

@testable import DaybookContracts
@testable import DaybookEngine
@testable import DaybookReports

/// How far a run has come, in a line that is never longer than the terminal.
@Suite struct ProgressTests {
    private func progress(_ bytes: Int, of total: Int?, _ stage: String = "entries") -> RunSettings.Progress {
        RunSettings.Progress(stage: stage, bytes: bytes, total: total)
    }

    @Test func `what matters least is left out first`() {
        let half = progress(152_500_000, of: 305_000_000)
        let text = { (width: Int) in ProgressLine.text(half, left: "about 40 s left", width: width) }
        #expect(text(199).hasPrefix("entries  ━━━━━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌  50 %  152 MB of 305 MB  about 40 s left"))
        #expect(text(79) == "entries  ━━━━━╌╌╌╌╌  50 %  152 MB of 305 MB  about 40 s left")
        #expect(text(59) == "entries  ━━━━━╌╌╌╌╌  50 %  about 40 s left")
        #expect(text(30) == "entries  50 %  about 40 s left")
        #expect(text(20) == "entries  50 %")
        #expect(text(10) == "ent…  50 %")
        #expect(ProgressLine.text(progress(1_000, of: nil), width: 79) == "entries  1.0 kB")
        // A file that grew while it was read.
        #expect(ProgressLine.text(progress(3_000, of: 2_000), width: 79) == "entries  3.0 kB")
    }

    @Test func `no line is wider, whatever a stage is called`() {
        let names = [
            "", "a", String(repeating: "긴이름", count: 40), "with\u{1B}[31m colour", String(repeating: "x", count: 500),
        ]
        for name in names {
            for width in [1, 5, 9, 20, 59, 79, 199] {
                for total in [nil, 0, 2_000_000] {
                    let line = ProgressLine.text(
                        progress(1_000_000, of: total, name),
                        left: "about 3 min left",
                        width: width
                    )
                    if width >= 9 { #expect(Prose.width(of: line) <= width, "\(line)") }
                    #expect(!line.contains("\u{1B}"))
                }
            }
        }
    }

    @Test func `how long it takes is told once it can be known, and settles`() {
        var pace = ProgressPace()
        let total = 1_000_000
        var told: [String?] = []
        // Ten thousand bytes a second, read in bursts: the pace of a moment says nothing.
        for tenth in 1...900 {
            let bursts = tenth / 5 * 5_000
            pace.note(bursts, at: Double(tenth) / 10)
            told.append(pace.left(of: total))
        }
        #expect(told.prefix(19).allSatisfy { $0 == nil })
        #expect(told[200] == "about 2 min left")
        // From 20 s on it is never far off, and says little that is new.
        var changes = 0
        for (before, after) in zip(told[200...], told[201...]) where before != after { changes += 1 }
        #expect(changes < 30, "\(changes)")
        #expect(told[899] == "about 15 s left")
        pace.note(total, at: 101)
        #expect(pace.left(of: total) == nil)
    }

    @Test func `a pace without end is not told`() {
        var pace = ProgressPace()
        pace.note(30, at: 10)
        #expect(pace.left(of: 1_000) == "about 6 min left")
        pace.note(30, at: 200)
        #expect(pace.left(of: 1_000) == nil)
    }
}

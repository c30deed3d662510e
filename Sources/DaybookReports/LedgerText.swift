/// The ledger as a table: what became of every row, stage by stage.
struct LedgerText {
    let run: RunReport
    let style: TerminalStyle

    func lines() -> [String] {
        let ledger = run.outcome.ledger
        var table = TextTable([.left, .right, .right, .right, .right, .right, .right])
        table.add(["stage", "in", "out", "rejected", "dropped", "folded", "made"])
        let idle = Set(run.outcome.idleStages)
        for line in ledger {
            guard !idle.contains(line.id) else {
                table.add([printable(line.id)] + [String](repeating: "–", count: 6))
                continue
            }
            table.add(
                [printable(line.id), Spoken.count(line.rowsIn), Spoken.count(line.rowsOut)]
                    + [line.rejected, line.droppedCount, line.folded, line.made].map {
                        $0 == 0 ? "–" : Spoken.count($0)
                    }
            )
        }
        var lines = table.lines()
        lines[0] = style.bold(lines[0])
        for line in ledger where !line.dropped.isEmpty {
            lines.append("  \(printable(line.id)) dropped: \(named(line.dropped))")
        }
        for line in ledger where !line.added.isEmpty {
            lines.append("  \(printable(line.id)) made: \(named(line.added))")
        }
        for line in ledger where !line.skipped.isEmpty {
            lines.append("  \(printable(line.id)) skipped: \(named(line.skipped)), which are no rows")
        }
        for intake in run.outcome.intakes { lines += told(of: intake) }
        for line in ledger where !line.filled.isEmpty {
            lines.append("  \(printable(line.id)) filled: \(named(line.filled)), where values were missing")
        }
        lines.append(balance)
        return lines
    }

    private func told(of intake: RunOutcome.Intake) -> [String] {
        let name = printable(intake.stage)
        var lines = intake.absent.map { "  \(name) found no file '\(printable($0))', which is optional" }
        if intake.taken > 0, intake.taken == intake.files {
            lines.append("  \(name) found nothing new: \(Spoken.count(intake.files, "file")), all taken before")
        } else if intake.taken > 0 {
            lines.append("  \(name) left out \(intake.taken) of \(Spoken.count(intake.files, "file")), taken before")
        }
        return lines
    }

    private func printable(_ text: String) -> String { PrintableText.of(run.mask.masking(text)) }

    private func named(_ counts: [String: Int]) -> String {
        // The names stand as their stages chose them, so no number has to agree with a plural.
        counts.sorted { $0.key < $1.key }.map { "\(printable($0.key)) \(Spoken.count($0.value))" }
            .joined(separator: ", ")
    }

    private var balance: String {
        guard run.outcome.hasEnded else { return "  the run was not finished, so the book is not closed" }
        let idle = run.outcome.idleStages
        if !idle.isEmpty {
            let names = Spoken.list(idle.map { "'\(printable($0))'" })
            return "  \(names) did not run, so the book is not closed"
        }
        let read = run.outcome.ledger.filter { run.isSource($0.id) }.reduce(0) { $0 + $1.rowsIn }
        let all = read == 1 ? "and it is accounted for" : "every one accounted for"
        return "  the book balances: \(Spoken.count(read, "row")) read, \(all)"
    }
}

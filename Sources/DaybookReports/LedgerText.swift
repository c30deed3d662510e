import DaybookEngine

/// The ledger as a table: what became of every row, stage by stage.
struct LedgerText {
    let run: RunReport
    let style: TerminalStyle
    private let ledger: [LedgerLine]

    init(run: RunReport, style: TerminalStyle) {
        (self.run, self.style, ledger) = (run, style, run.ledgerAsWritten.lines)
    }

    func lines() -> [String] { table + remarks.map(style.prose) }

    // MARK: - Numbers

    private static let none = "–"
    private static let names = ["in", "out", "rejected", "dropped", "folded", "made"]

    /// All columns; where the terminal is too narrow, those in which something stands; and else number under number.
    private var table: [String] {
        let all = Array(LedgerText.names.indices)
        let rows = ledger.map(cells)
        let lines = lines(of: all, rows)
        guard isTooWide(lines) else { return lines }
        let filled = all.filter { column in column < 2 || rows.contains { $0[column] != LedgerText.none } }
        let fewer = self.lines(of: filled, rows)
        return isTooWide(fewer) ? stacked(rows) : fewer
    }

    private func isTooWide(_ lines: [String]) -> Bool {
        guard let width = style.width else { return false }
        return lines.contains { Prose.width(of: $0) > width }
    }

    private func cells(of line: LedgerLine) -> [String] {
        guard !run.outcome.idleStages.contains(line.id) else {
            return [String](repeating: LedgerText.none, count: LedgerText.names.count)
        }
        let others = [line.rejected, line.droppedCount, line.folded, line.made].map {
            $0 == 0 ? LedgerText.none : DisplayText.count($0)
        }
        let hasFailed = run.outcome.gates.contains { !$0.passed }
        let rejected = line.rejected == 0 ? others[0] : hasFailed ? style.error(others[0]) : style.warning(others[0])
        return [DisplayText.count(line.rowsIn), DisplayText.count(line.rowsOut), rejected] + others.dropFirst()
    }

    private func lines(of columns: [Int], _ rows: [[String]]) -> [String] {
        var table = TextTable([.left] + columns.map { _ in .right })
        table.add(["stage"] + columns.map { LedgerText.names[$0] })
        for (line, cells) in zip(ledger, rows) { table.add([run.printable(line.id)] + columns.map { cells[$0] }) }
        return table.lines(heading: style.bold)
    }

    /// Each stage over its numbers; zeros are left out.
    private func stacked(_ rows: [[String]]) -> [String] {
        var table = TextTable([.left, .right])
        let shown = rows.map { cells in cells.indices.filter { $0 < 2 || cells[$0] != LedgerText.none } }
        for (cells, columns) in zip(rows, shown) {
            for column in columns { table.add([LedgerText.names[column], cells[column]]) }
        }
        var numbers = table.lines(indent: "    ")[...]
        var lines: [String] = []
        for (line, columns) in zip(ledger, shown) {
            let width = (style.width ?? .max) - 2
            lines.append("  \(style.bold(Prose.cut(run.printable(line.id), to: width)))")
            lines += numbers.prefix(columns.count)
            numbers = numbers.dropFirst(columns.count)
        }
        return lines
    }

    // MARK: - Words

    /// Rows dropped, made, skipped, filled and mended by name, and whether the ledger balances.
    private var remarks: [String] {
        func counted(_ word: String, _ counts: (LedgerLine) -> [String: Int], _ end: String = "") -> [String] {
            ledger.filter { !counts($0).isEmpty }.map {
                "  \(run.printable($0.id)) \(word): \(named(counts($0)))\(end)"
            }
        }
        return counted("dropped", \.dropped) + counted("made", \.added)
            + counted("skipped", \.skipped, ", which are no rows") + run.outcome.intakes.flatMap(remarks)
            + counted("filled", \.filled, ", where values were missing") + counted("mended", \.mended)
            + [repetition, copies].compactMap(\.self)
            + run.outcome.keptOutputs.map { "  \(run.printable($0.id)) is left as it was: \($0.reason)" } + [balance]
    }

    /// `for each of 20: alice, bob, carol and 17 more`.
    private var repetition: String? {
        guard run.values.count > 1 else { return nil }
        let names = run.values.prefix(3).map { run.printable($0.shortened(to: 40)) }
        let more = run.values.count > 3 ? ["\(DisplayText.count(run.values.count - 3)) more"] : []
        return "  each line is the sum of \(DisplayText.count(run.values.count)): \(DisplayText.list(names + more))"
    }

    /// `copied 31 files (4.2 MB) of 20 containers beside the outputs`.
    private var copies: String? {
        let copied = run.outcome.copied
        guard !copied.isEmpty else { return nil }
        let (files, bytes) = copied.reduce((0, 0)) { ($0.0 + $1.files, $0.1 + $1.bytes) }
        let containers = DisplayText.count(copied.count, "container")
        return
            "  copied \(DisplayText.count(files, "file")), \(DisplayText.size(bytes)), of \(containers) beside the outputs"
    }

    private func remarks(on intake: RunOutcome.Intake) -> [String] {
        let name = run.printable(intake.stage)
        var lines = intake.absent.map { "  \(name) found no file '\(run.printable($0))', which is optional" }
        if intake.taken > 0, intake.taken == intake.files {
            let others = intake.leftOut
            let which =
                others == 0
                ? "all taken before"
                : "\(others == intake.files ? "" : "\(intake.files - others) taken before, ")\(others) left out"
            lines.append("  \(name) found nothing new: \(DisplayText.count(intake.files, "file")), \(which)")
        } else if !intake.days.isEmpty {
            let days =
                intake.days.prefix(3).map(\.description)
                + (intake.days.count > 3 ? ["\(intake.days.count - 3) more"] : [])
            // Copies are named one by one.
            let others = intake.taken - intake.leftOut
            let rest =
                others == 0
                ? ""
                : "; \(others) of \(DisplayText.count(intake.files, "file")) \(others == 1 ? "is" : "are") of other days"
            lines.append(
                "  \(name) read \(intake.days.count == 1 ? "the day" : "the days") \(DisplayText.list(days))\(rest)"
            )
        } else if intake.taken > 0 {
            let known = intake.taken - intake.leftOut
            let which =
                intake.leftOut == 0 ? "taken before" : known == 0 ? "which came again" : "\(known) taken before"
            lines.append(
                "  \(name) left out \(intake.taken) of \(DisplayText.count(intake.files, "file")), \(which)"
            )
        }
        // One or two that are read among many are what the reader looks for.
        if intake.taken > 0, (1...2).contains(intake.reasons.count) {
            lines += intake.reasons.map { "  \(name) read '\(run.printable($0.name))': \(run.printable($0.reason))" }
        }
        lines += intake.remarks.prefix(3).map { "  \(name) \(run.printable($0))" }
        if intake.remarks.count > 3 {
            lines.append("  \(name) did so with \(DisplayText.count(intake.remarks.count - 3, "more file"))")
        }
        if let since = intake.since {
            lines.append("  \(name) read rows with '\(run.printable(since.column))' \(remark(on: since))")
        }
        return lines
    }

    /// `after 2026-03-01; 1,204 rows lie before`.
    private func remark(on since: SinceReading) -> String {
        let bound = run.printable(since.bound.displayText.shortened(to: 80))
        guard let before = since.before else {
            return "\(bound); what lies before was not counted, for that takes too long"
        }
        let overlap =
            since.bound.isInclusive
            ? nil
            : since.overlap.map { overlap in
                " (of those that may be read again, \(overlap.again.displayText) as \(overlap.again == 1 ? "it was" : "they were"), \(overlap.changed.displayText) changed and "
                    + "\(overlap.late.displayText) late, which \(overlap.changed + overlap.late == 1 ? "is" : "are") read)"
            }
        return "\(bound); \(DisplayText.count(before, "row lies", "rows lie")) before\(overlap ?? "")"
    }

    private func named(_ counts: [String: Int]) -> String {
        // The names stand as their stages chose them, so no number has to agree with a plural.
        counts.sorted { $0.key < $1.key }.map { "\(run.printable($0.key)) \(DisplayText.count($0.value))" }
            .joined(separator: ", ")
    }

    private var balance: String {
        guard run.outcome.hasEnded else { return "  the run was not finished, so the ledger is not closed" }
        let idle = run.outcome.idleStages
        if !idle.isEmpty {
            let names = DisplayText.list(idle.map { "'\(run.printable($0))'" })
            return "  \(names) did not run, so the ledger is not closed"
        }
        let all = run.rowsRead == 1 ? "and it is accounted for" : "every one accounted for"
        return "  the ledger balances: \(DisplayText.count(run.rowsRead, "row")) read, \(all)"
    }
}

import DaybookDelimited
import DaybookEngine
import DaybookReports

/// The history in words, or in the forms that programs read.
public struct HistoryPages: Sendable {
    /// How a list of runs is printed.
    public enum Format: String, Sendable, CaseIterable {
        case text, json, csv, html
    }

    /// How a single run, or what changed, is printed.
    public enum Page: String, Sendable, CaseIterable {
        case text, json, html
    }

    private let style: TerminalStyle

    public init(_ style: TerminalStyle) { self.style = style }

    // MARK: - Lists

    /// Runs, the latest first. `older` is how many more there are.
    public func list(_ runs: [ListedRun], older: Int, _ format: Format) -> String {
        switch format {
        case .text: text(of: runs, older)
        case .json: JSONDocument.text(of: JSONValue.list(runs.map(json)))
        case .csv: csv(of: runs)
        case .html: RunListPage(runs: runs, older: older).markup.printable
        }
    }

    private func text(of runs: [ListedRun], _ older: Int) -> String {
        guard !runs.isEmpty else { return "no runs\n" }
        let rows = runs.map { run in
            [
                run.run, PrintableText.of(run.job), run.asOf ?? "–", HistoryPages.ending(run.exitCode),
                DisplayText.count(run.rowsRead), run.rejected == 0 ? "–" : DisplayText.count(run.rejected),
                HistoryPages.duration(run.seconds),
            ]
        }
        let head = ["run", "job", "as of", "ended", "rows read", "rejected", "took"]
        let table = TextTable([.left, .left, .left, .left, .right, .right, .right], [head] + rows)
        var lines = table.lines(heading: style.bold)
        for index in runs.indices where runs[index].exitCode != 0 { lines[index + 1] = style.error(lines[index + 1]) }
        if older > 0 { lines.append("  and \(DisplayText.count(older)) earlier; '--last N' shows more") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func json(_ run: ListedRun) -> JSONValue {
        [
            "run": .text(run.run), "job": .text(run.job), "path": .text(run.path), "as_of": JSONValue(run.asOf),
            "started": .text(Instant.text(run.started)), "seconds": .decimal(run.seconds),
            "exit_code": .number(run.exitCode), "rows_read": .number(run.rowsRead), "rejected": .number(run.rejected),
        ]
    }

    private func csv(of runs: [ListedRun]) -> String {
        func text(_ key: (ListedRun) -> String) -> Column {
            let texts = runs.map(key)
            var column = TextColumn(texts, at: texts.indices)
            column.missing = Mask(count: texts.count) { texts[$0].isEmpty }
            return .text(column)
        }
        func whole(_ key: (ListedRun) -> Int) -> Column { .integers(Values(runs.map { Int64(key($0)) })) }
        let columns = [
            ("run", text(\.run)), ("job", text(\.job)), ("path", text(\.path)), ("as_of", text { $0.asOf ?? "" }),
            ("started", text { Instant.text($0.started) }), ("seconds", .decimals(Values(runs.map(\.seconds)))),
            ("exit_code", whole(\.exitCode)), ("rows_read", whole(\.rowsRead)), ("rejected", whole(\.rejected)),
        ]
        let schema = Schema(columns.map { Field($0, $1.kind) })
        let writer = CSVRowWriter(CSVWriteSettings())
        let page = writer.header(schema)
        page.append(writer.write(Batch(schema, columns.map(\.1), count: runs.count, provenance: .made)).bytes)
        return page.text(0..<page.count)
    }

    // MARK: - Pages

    /// The record of one run.
    public func page(_ record: RunRecord, _ format: Page) -> String {
        switch format {
        case .text: text(of: record)
        case .json: JSONDocument.text(of: record)
        case .html: RunRecordPage(record).markup.printable
        }
    }

    /// The changes from one run to another.
    ///
    /// - Parameter rows: the changed rows of each output, in words and as JSON.
    public func page(
        _ difference: RunDifference,
        rows: [(lines: [String], json: JSONValue)] = [],
        _ format: Page
    ) -> String {
        switch format {
        case .text: text(of: difference, rows.map(\.lines))
        case .json: JSONDocument.text(of: json(difference, rows.map(\.json)))
        case .html: RunDifferencePage(difference: difference, rows: rows.map(\.lines)).markup.printable
        }
    }

    private func text(of record: RunRecord) -> String {
        let path = record.path.isEmpty ? "" : " (\(record.path))"
        let facts = [
            ["job", record.job + path], ["as of", record.asOf ?? "–"], ["started", Instant.text(record.started)],
            ["took", HistoryPages.duration(record.seconds)],
            ["ended", "\(HistoryPages.ending(record.exitCode)) (\(record.exitCode))"], ["daybook", record.version],
        ]
        let params = record.params.sorted { $0.key < $1.key }.map { ["param \($0.key)", $0.value] }
        let heads = TextTable([.left, .left], facts + params).lines().map { PrintableText.of($0) }
        return HistoryPages.joined([
            [style.bold("run \(record.run)")] + heads,
            record.errors.map {
                "  \(style.error("error:")) \(PrintableText.of($0.message)) [\(PrintableText.of($0.code))]"
            },
            ledger(of: record),
            (record.measures ?? []).map { measure in
                let days = measure.daysText.map { "; \($0)" } ?? ""
                return
                    "  \(PrintableText.of(measure.title)): \(PrintableText.of(measure.text)) (\(PrintableText.of(measure.stage)))\(days)"
            },
            record.rules.map { "  \($0.verdict) '\(PrintableText.of($0.rule))': \(PrintableText.of($0.result))" },
            record.findings.map { tally in
                let column = tally.column.map { " in '\(PrintableText.of($0))'" } ?? ""
                let stage = PrintableText.of(tally.stage)
                return "  \(DisplayText.count(tally.count)) × \(tally.code)\(column) by '\(stage)' (\(tally.severity))"
            },
            files("inputs", record.inputs), files("outputs", record.outputs), (record.notices ?? []).map(notice),
        ])
    }

    private func notice(_ notice: RunRecord.Notice) -> String {
        let target = PrintableText.of(notice.target)
        guard let reason = notice.reason else { return "  told the \(target)" }
        return "  \(style.warning("not told:")) \(target): \(PrintableText.of(reason))"
    }

    private func ledger(of record: RunRecord) -> [String] {
        guard !record.stages.isEmpty else { return [] }
        let rows = record.stages.map { stage in
            let others = [stage.rejected, stage.dropped.values.reduce(0, +), stage.folded, stage.made]
            return [PrintableText.of(stage.id), DisplayText.count(stage.rowsIn), DisplayText.count(stage.rowsOut)]
                + others.map { $0 == 0 ? "–" : DisplayText.count($0) }
        }
        let head = ["stage", "in", "out", "rejected", "dropped", "folded", "made"]
        let table = TextTable([.left, .right, .right, .right, .right, .right, .right], [head] + rows)
        return table.lines(heading: style.bold)
    }

    private func files(_ title: String, _ files: [RunRecord.File]) -> [String] {
        guard !files.isEmpty else { return [] }
        let rows = files.map { [PrintableText.of($0.path), DisplayText.count($0.bytes), $0.xxh128 ?? "–"] }
        let table = TextTable([.left, .right, .left], [[title, "bytes", "xxh128"]] + rows)
        return table.lines(heading: style.bold)
    }

    private func text(of difference: RunDifference, _ rows: [[String]]) -> String {
        let (earlier, later) = (difference.earlier.run, difference.later.run)
        var blocks = [[style.bold("from \(earlier) to \(later)")]]
        for part in difference.parts where !part.changes.isEmpty {
            let same = part.same == 0 ? "" : ", \(DisplayText.count(part.same)) as before"
            var lines = ["\(part.title): \(DisplayText.count(part.changes.count, "change"))\(same)"]
            for change in part.changes {
                let name = PrintableText.of(change.name)
                switch (change.before.map(PrintableText.of), change.after.map(PrintableText.of)) {
                case (nil, let after): lines.append("  + \(name)  \(after ?? "")")
                case (let before, nil): lines.append("  - \(name)  \(before ?? "")")
                case (let before?, let after?): lines.append("  ~ \(name)  \(before) → \(after)")
                }
            }
            blocks.append(lines)
        }
        if difference.isEmpty { blocks.append(["nothing changed"]) }
        return HistoryPages.joined(blocks + rows)
    }

    private func json(_ difference: RunDifference, _ rows: [JSONValue]) -> JSONValue {
        let parts = difference.parts.map { part in
            let changes = part.changes.map { change -> JSONValue in
                ["name": .text(change.name), "before": JSONValue(change.before), "after": JSONValue(change.after)]
            }
            return (part.title, ["changes": .list(changes), "same": .number(part.same)] as JSONValue)
        }
        return [
            "from": .text(difference.earlier.run), "to": .text(difference.later.run),
            "parts": .map(Dictionary(parts) { first, _ in first }), "rows": .list(rows),
        ]
    }

    private static func joined(_ blocks: [[String]]) -> String {
        blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    static func duration(_ seconds: Double) -> String {
        DisplayText.duration(UInt64(max(0, min(seconds, 1e9)) * 1_000_000_000))
    }

    static func ending(_ code: Int) -> String {
        switch code {
        case 0: "done"
        case 1: "gate failed"
        case 2: "job wrong"
        default: "machine failed"
        }
    }
}

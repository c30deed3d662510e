import DaybookReports

extension PlanExplanation {
    /// The form of an explanation.
    public enum Format: String, Sendable, CaseIterable {
        case text, json, mermaid, svg, html
    }

    public func told(as format: Format, style: TerminalStyle = .plain) -> String {
        switch format {
        case .text: text(style)
        case .json: JSONDocument.text(of: json)
        case .mermaid: mermaid
        case .svg: flow.svg(title: "The way of the rows of \(job), as planned")
        case .html: page
        }
    }

    private func text(_ style: TerminalStyle) -> String {
        var lines = [
            "\(style.bold(job)), as of \(asOf)\(timezone.map { ", in \($0)" } ?? " (UTC, the job names no timezone)")"
        ]
        if !params.isEmpty {
            let values = params.map { [$0.name, $0.value + ($0.isSet ? "  (by --set)" : "")] }
            lines += ["", style.bold("Params")] + TextTable([.left, .left], values).lines()
        }
        lines += ["", style.bold("Stages")] + (repetition.map { ["  \(PrintableText.of($0))"] } ?? [])
        for (number, stage) in stages.enumerated() {
            let name = stage.id == stage.type ? style.bold(stage.type) : "\(style.bold(stage.id)), by \(stage.type)"
            // Numbers are aligned at their last digits, so that titles have one column.
            let figure = String(number + 1)
            let gap = String(repeating: " ", count: String(stages.count).count - figure.count)
            let blank = String(repeating: " ", count: String(stages.count).count + 4)
            lines.append("  \(gap)\(figure). \(name)")
            lines += rows(of: stage).flatMap { title, text in
                let title = title + String(repeating: " ", count: 8 - title.count)
                // Text to be copied stays on one line.
                let first = "\(blank)\(style.faint(title)) "
                if stage.likelyDates.contains(where: { $0.addition == text }) { return [first + text] }
                return StageText.wrapped(text, first: first, rest: blank + String(repeating: " ", count: 9), style)
            }
        }
        lines += ["", style.bold("Gates")]
        let gates = stages.compactMap { stage in
            stage.allow.map { "  \(stage.id): of the rows that enter it, \(GateText.allowed($0)) may be rejected" }
        }
        lines += gates.map(style.prose)
        let others = gates.isEmpty ? "all stages" : "all other stages"
        var isByImport = false
        if case .share = allow { isByImport = stages.count { $0.role == "source" } > 1 }
        let rows = isByImport ? "each import reads" : "are read"
        lines.append(style.prose("  \(others): of the rows that \(rows), \(GateText.allowed(allow)) may be rejected"))
        if let rejects { lines += ["", style.bold("Rejects"), "  to \(rejects)"] }
        if !surroundings.isEmpty { lines += ["", style.bold("State and order")] }
        lines += surroundings.map { style.prose("  \($0)") }
        if let publish { lines += ["", style.bold("Publishes"), "  \(publish), a link that each run switches"] }
        if !notices.isEmpty { lines += ["", style.bold("Notices")] }
        lines += notices.map { style.prose("  on \($0.events.joined(separator: ", ")): \($0.whom)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func rows(of stage: Stage) -> [(String, String)] {
        var rows: [(String, String)] = []
        if stage.role == "source" {
            rows.append(("reads", PlanExplanation.listed(stage.files)))
            let told = [("unseen", stage.unseen), ("takes", stage.takes), ("since", stage.since)]
            rows += told.compactMap { title, text in text.map { (title, $0) } }
        } else {
            rows.append(("reads", stage.reads.joined(separator: ", ")))
        }
        rows.append(stage.output.map { ("writes", $0) } ?? ("columns", columns(of: stage, colon: ":")))
        let described = stage.role == "sink" ? stage.written : stage.columns
        for column in described where stage.role == "source" || stage.role == "sink" {
            if let description = column.description { rows.append(("means", "\(column.name): \(description)")) }
        }
        if !stage.wronglyDescribed.isEmpty {
            rows.append(("note", "describes \(stage.wronglyDescribed.joined(separator: ", ")), which it does not have"))
        }
        if !stage.replaced.isEmpty { rows.append(("replaces", stage.replaced.joined(separator: ", "))) }
        if !stage.checked.isEmpty {
            let columns = stage.checked.map { "\($0.name):\($0.kind.rawValue)" }.joined(separator: ", ")
            rows.append(("checks", "\(columns), which nobody reads"))
        }
        if !stage.kept.isEmpty { rows.append(("keeps", "\(stage.kept.joined(separator: ", ")), as they stand")) }
        if !stage.skipped.isEmpty { rows.append(("skips", stage.skipped.joined(separator: ", "))) }
        for likely in stage.likelyDates { rows += [("note", likely.displayText), ("add", likely.addition)] }
        if let rejects = stage.rejects { rows.append(("rejects", "to \(rejects)")) }
        return rows
    }

    /// Which of its files an import reads; nil for all.
    static func takes(_ intake: FileIntake) -> String? {
        if let day = intake.day {
            let told =
                day.pattern.map { "a name tells its day as '\($0.text)'" } ?? "a row tells its day in '\(day.column)'"
            return "all files of each day that has a new one; \(told)"
        }
        return intake.isNewOnly ? "of these files, those that no run which passed has taken" : nil
    }

    /// Where runs keep their state, and what has to come before one.
    var surroundings: [String] {
        let others = predecessors.map { "'\($0)'" }
        let order: [String?] = [
            others.isEmpty ? nil : "after a run of \(DisplayText.list(others)) for this day that passed",
            catchesUp ? "makes up each day since the last that passed" : nil,
            state.map { "state in \($0)" }, keep.map { "keeps \($0)" },
        ]
        return order.compactMap(\.self) + awaited.map { "waits for \($0.path) until \($0.until)" }
    }

    private var json: JSONValue {
        let params = params.map { ($0.name, ["value": .text($0.value), "set": .flag($0.isSet)] as JSONValue) }
        let notify = notices.map { notice -> JSONValue in
            let events = notice.events.map(JSONValue.text)
            return ["on": .list(events), "to": .text(notice.target), "note": JSONValue(notice.remark)]
        }
        return [
            "job": .text(job), "as_of": .text(asOf.description), "timezone": JSONValue(timezone),
            "params": .map(Dictionary(params) { $1 }), "allow": .text(allow.written), "rejects": JSONValue(rejects),
            "for_each": JSONValue(repetition), "publish": JSONValue(publish), "state": JSONValue(state),
            "keep": JSONValue(keep), "after": .texts(predecessors),
            "wait_for": .list(awaited.map { ["path": .text($0.path), "until": .text($0.until)] }),
            "notify": .list(notify),
            "stages": .list(stages.map(PlanExplanation.json)),
        ]
    }

    private static func json(_ stage: Stage) -> JSONValue {
        func columns(_ columns: [Column]) -> JSONValue {
            .list(
                columns.map { column in
                    JSONValue(withoutNulls: [
                        "name": .text(column.name), "kind": .text(column.kind.rawValue),
                        "description": JSONValue(column.description),
                        "from": column.steps.isEmpty ? .null : .texts(column.steps.map(\.displayText)),
                    ])
                }
            )
        }
        let dates = stage.likelyDates.map { likely -> JSONValue in
            ["column": .text(likely.column), "evidence": .text(likely.evidence), "add": .text(likely.addition)]
        }
        var map: [String: JSONValue] = [
            "id": .text(stage.id), "stage": .text(stage.type), "role": .text(stage.role),
            "reads": .texts(stage.reads), "files": .texts(stage.files), "unseen": JSONValue(stage.unseen),
            "columns": columns(stage.columns), "open": .flag(stage.isOpen), "kept": .texts(stage.kept),
            "skipped": .texts(stage.skipped), "checked": columns(stage.checked),
            "likely_dates": .list(dates), "replaced": .texts(stage.replaced),
            "output": JSONValue(stage.output), "allow": JSONValue(stage.allow?.written),
            "rejects": JSONValue(stage.rejects),
        ]
        if stage.takes != nil { map["new_only"] = true }
        if !stage.written.isEmpty { map["written"] = columns(stage.written) }
        if let since = stage.since { map["since"] = .text(since) }
        return .map(map)
    }

    /// A flowchart for pages that show Mermaid.
    private var mermaid: String {
        var lines = ["flowchart TD"]
        let links = self.links
        for (number, stage) in stages.enumerated() {
            let name = stage.id == stage.type ? stage.type : "\(stage.id)<br/>\(stage.type)"
            lines.append("    s\(number)[\"\(PlanExplanation.quoted(name))\"]")
            if stage.role == "source" {
                let (files, count) = (stage.files, stage.files.count)
                let shown = count > 3 ? files.prefix(2) + ["… and \(count - 2) more"] : files[...]
                let text = PlanExplanation.quoted(shown.joined(separator: "<br/>"))
                lines.append("    in\(number)[/\"\(text)\"/] --> s\(number)")
            }
            for link in links where link.to == number {
                lines.append("    s\(link.from) \(link.isOfRejects ? "-. rejects .->" : "-->") s\(number)")
            }
            if let output = stage.output {
                lines.append("    s\(number) --> out\(number)[/\"\(PlanExplanation.quoted(output))\"/]")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func quoted(_ text: String) -> String { text.replacingScalars("\"", with: "#quot;") }
}

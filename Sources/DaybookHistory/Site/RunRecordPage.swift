import DaybookBytes
import DaybookEngine
import DaybookPages
import DaybookReports

/// The page of one run: how it ended and why, its measures and rules, the way of the rows, and its files.
struct RunRecordPage {
    /// The pages and files that the page links to.
    struct Surroundings {
        /// The page of the job.
        var job: String?
        /// The page of the previous run.
        var earlier: String?
        /// The page of the next run.
        var later: String?
        /// The days of the data that the run made, and their pages.
        var days: [(day: CalendarDay, page: String)] = []
        /// The address of a file of the run, if the file is unchanged.
        var file: (RunRecord.File) -> String? = { _ in nil }
    }

    /// Rows of a table that the page shows at most.
    private static let mostRows = 500
    /// Days of the data that it links to at most.
    private static let mostDays = 31

    private let record: RunRecord
    private let surroundings: Surroundings

    init(_ record: RunRecord, _ surroundings: Surroundings = Surroundings()) {
        (self.record, self.surroundings) = (record, surroundings)
    }

    var markup: HTML {
        let sections = [errors, measures, rules, findings, ledger, inputs, outputs, about].compactMap(\.self)
        return Site.page(
            "\(record.job) · \(record.asOf ?? record.run)",
            kicker: kicker,
            heading: record.job,
            below: "<p class=\"soft\">\(day)the run \(record.run)</p>\n",
            links: sections.map(\.link),
            main: tiles + neighbours + sections.map(\.markup).joined()
        )
    }

    private var kicker: HTML {
        guard let job = surroundings.job else { return "Daybook run" }
        return "<a href=\"\(job)\">Daybook · all runs of the job</a>"
    }

    private var day: HTML {
        guard let day = record.asOf else { return "" }
        return "As of <time datetime=\"\(day)\">\(day)</time>, "
    }

    private var neighbours: HTML {
        let pages = [(surroundings.earlier, "← the run before"), (surroundings.later, "the run after →")]
        let links = pages.compactMap { href, words -> HTML? in href.map { "<a href=\"\($0)\">\(words)</a>" } }
        let line: HTML = "<p class=\"soft\">\(links.joined(separator: " · "))</p>\n"
        return "\(line, if: !links.isEmpty)\(madeDays)"
    }

    private var madeDays: HTML {
        guard !surroundings.days.isEmpty else { return "" }
        let shown = surroundings.days.suffix(RunRecordPage.mostDays)
        let links = shown.map { day, page -> HTML in "<a href=\"\(page)\">\(day)</a>" }
        let more: HTML = "\(Figure.counted(surroundings.days.count - shown.count, "earlier day")), "
        return
            "<p class=\"soft\">It read \(more, if: surroundings.days.count > shown.count)\(links.joined(separator: ", "))</p>\n"
    }

    private var tiles: HTML {
        let failed = record.rules.count { $0.verdict == Verdict.failed.rawValue }
        var tiles = [
            ("Ended", HistoryPages.ending(record.exitCode), record.exitCode == 0 ? "good" : "bad"),
            ("Rows read", Figure.grouped(record.rowsRead), ""),
            ("Rows rejected", Figure.grouped(record.rejected), record.rejected > 0 ? "bad" : ""),
        ]
        if !record.rules.isEmpty {
            let count = "\(Figure.grouped(failed)) of \(Figure.grouped(record.rules.count))"
            tiles.append(("Rules failed", count, failed > 0 ? "bad" : ""))
        }
        return PageParts.tiles(tiles + [("Took", HistoryPages.duration(record.seconds), "")])
    }

    // MARK: Sections

    private var errors: PageSection? {
        let items = record.errors.map { error -> HTML in
            "<li><span class=\"bad\">\(error.message)</span> <span class=\"soft\">[\(error.code)]</span></li>"
        }
        guard !items.isEmpty else { return nil }
        return PageSection(id: "errors", heading: "Errors", body: "<ul>\n\(items.joined(separator: "\n"))\n</ul>\n")
    }

    private var measures: PageSection? {
        let rows = (record.measures ?? []).map { measure -> HTML in
            let days: HTML = measure.daysText.map { "<span class=\"words\">\($0)</span>" } ?? ""
            return
                "<th scope=\"row\">\(measure.title)\(days)</th><td class=\"num\">\(measure.text)</td><td>\(measure.stage)</td>"
        }
        return table("measures", "Measures", ["Measure", "#Value", "Shown by"], rows)
    }

    /// Failed rules first.
    private var rules: PageSection? {
        let order: [Verdict] = [.failed, .warned, .unjudged, .passed]
        let ranks = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1.rawValue, $0) })
        let sorted = record.rules.enumerated().sorted {
            (ranks[$0.element.verdict] ?? 0, $0.offset) < (ranks[$1.element.verdict] ?? 0, $1.offset)
        }
        let rows = sorted.map { _, rule -> HTML in
            let bad = rule.verdict == Verdict.failed.rawValue
            return """
                <td class="one\(" bad", if: bad)">\(rule.verdict)</td>\
                <th scope="row">\(rule.rule)<span class="words">\(rule.type)</span><span class="words">in \(rule.stage)</span></th>\
                <td>\(String(rule.result.prefix(400)))</td>\(PageTable.number(rule.rows))\(PageTable.number(rule.failing))
                """
        }
        return table("rules", "Rules", ["Verdict", "Rule", "Result", "#Rows", "#Failing"], rows)
    }

    private var findings: PageSection? {
        let rows = record.findings.map { tally -> HTML in
            """
            <th scope="row">\(tally.code)</th>\(PageTable.number(tally.count))<td class="one">\(tally.severity)</td>\
            <td>\(tally.column ?? "")</td><td>\(tally.rule ?? "")</td><td>\(tally.stage)</td>
            """
        }
        return table("findings", "Findings", ["Finding", "#Count", "Severity", "Column", "Rule", "Stage"], rows)
    }

    private var ledger: PageSection? {
        guard !record.stages.isEmpty else { return nil }
        return PageSection(id: "ledger", heading: "Ledger", body: record.ledger(about: "").body)
    }

    private var inputs: PageSection? { files("inputs", "Inputs", record.inputs) }

    private var outputs: PageSection? { files("outputs", "Outputs", record.outputs) }

    private func files(_ id: String, _ title: String, _ files: [RunRecord.File]) -> PageSection? {
        let rows = files.map { file -> HTML in
            let name: HTML =
                surroundings.file(file).map { "<a href=\"\($0)\">\(PageParts.path(file.path))</a>" }
                ?? PageParts.path(file.path)
            return """
                <th scope="row" class="path">\(name)</th>\(PageTable.number(file.bytes))<td class="code">\(file.xxh128 ?? "")</td>
                """
        }
        return table(id, title, ["File", "#Bytes", "XXH128"], rows)
    }

    /// Facts about the run as a whole.
    private var about: PageSection? {
        var facts: [(String, HTML)] = [
            ("Job", record.path.isEmpty ? "from standard input" : PageParts.path(record.path)),
            ("Started", "\(Instant.text(record.started))"), ("Exit code", "\(record.exitCode)"),
            ("Daybook", "\(record.version)"),
        ]
        if let digest = record.digest { facts.append(("SHA-256 of the job", "\(digest)")) }
        facts += record.params.sorted { $0.key < $1.key }.map { ("Param \($0.key)", "\($0.value)") }
        facts += (record.notices ?? []).map { notice in
            guard let reason = notice.reason else { return ("Told", "\(notice.target)") }
            return ("Not told", "<span class=\"bad\">\(notice.target), \(reason)</span>")
        }
        return PageSection(id: "run", heading: "The run", body: HTMLDrawing.facts(facts))
    }

    /// Nil without rows.
    private func table(_ id: String, _ title: String, _ heads: [String], _ rows: [HTML]) -> PageSection? {
        guard !rows.isEmpty else { return nil }
        let more = rows.count - RunRecordPage.mostRows
        let note: HTML = "<p class=\"note\">And \(Figure.grouped(more)) more, as 'daybook history show' tells.</p>\n"
        let table = PageTable.markup(heads, Array(rows.prefix(RunRecordPage.mostRows)), label: "\(id)-h")
        return PageSection(id: id, heading: title, body: "\(table)\(note, if: more > 0)")
    }
}

extension RunRecord {
    /// How the run ended, as a strip shows it.
    package var ending: RunStrip.Ending {
        switch exitCode {
        case 0: rules.contains { $0.verdict == Verdict.warned.rawValue } ? .warned : .passed
        case 1: .failed
        default: .broken
        }
    }

    /// `2026-11-21: done, 4,183 rows read, 3 rejected`.
    var summary: String {
        let counts =
            exitCode > 1
            ? ""
            : ", \(DisplayText.count(rowsRead, "row")) read, \(rejected == 0 ? "none" : DisplayText.count(rejected)) rejected"
        return "\(asOf ?? Instant.text(started)): \(HistoryPages.ending(exitCode))\(counts)"
    }
}

extension RuleStrips {
    /// How a rule ended, as a strip shows it.
    static func ending(_ verdict: String) -> RunStrip.Ending {
        Verdict(rawValue: verdict).flatMap { RunStrip.Ending(rawValue: $0.rawValue) } ?? .broken
    }
}

extension RunRecord {
    /// The ledger with the way of the rows.
    ///
    /// - Parameter about: the first sentence about the run.
    func ledger(about: String) -> HTMLLedger {
        HTMLLedger(
            lines: stages.map(\.line),
            links: FlowDrawing.links(among: stages.map { ($0.id, $0.reads ?? []) }),
            about: about
        )
    }
}

extension RunRecord.Stage {
    fileprivate var line: LedgerLine {
        var line = LedgerLine(id: id, stage: type, isSource: isSource)
        (line.rowsIn, line.rowsOut, line.rejected, line.folded, line.made) = (rowsIn, rowsOut, rejected, folded, made)
        (line.added, line.dropped, line.skipped) = (added, dropped, skipped)
        return line
    }
}

/// Finds the outputs that are still as their runs wrote them, and links to them.
struct OutputLinks {
    /// The run that wrote each place last.
    private var newest: [String: RunRecord.File] = [:]
    /// Directory of the pages, without links.
    private let directory: String

    /// - Parameter records: runs of one job, the latest first.
    init(_ records: [RunRecord], from directory: String) {
        self.directory = directory
        for record in records {
            for file in record.outputs where file.path != "-" {
                let place = OutputLinks.place(of: file, record)
                if newest[place] == nil { newest[place] = file }
            }
        }
    }

    /// The address of an output, seen from the pages; nil if its bytes have changed.
    func href(of file: RunRecord.File, _ record: RunRecord) -> String? {
        let place = OutputLinks.place(of: file, record)
        // A later run may have replaced the file; equal bytes count as the same file.
        guard place.hasPrefix("/"), file.path != "-", newest[place] == file,
            let status = (try? FileStatus.of(place)) ?? nil, status.isRegularFile, status.size == file.bytes
        else { return nil }
        return OutputLinks.address(of: place, from: directory)
    }

    /// Where a run wrote an output: seen from the directory of its job, without resolving links, which may change.
    private static func place(of file: RunRecord.File, _ record: RunRecord) -> String {
        FilePath.tidied(FilePath.join(record.path.isEmpty ? "" : FilePath.directory(of: record.path), file.path))
    }

    /// The relative address of a file, whatever its name holds.
    static func address(of place: String, from directory: String) -> String {
        let to = place.split(separator: "/")
        let from = directory.split(separator: "/")
        let same = zip(to, from).prefix { $0 == $1 }.count
        let parts = Array(repeating: "..", count: from.count - same) + to[same...].map { encoded(String($0)) }
        return parts.joined(separator: "/")
    }

    /// Escapes all bytes but letters, digits and a few signs, such as `%20`.
    private static func encoded(_ name: String) -> String {
        name.systemPath.dropLast().reduce(into: "") { text, character in
            let byte = UInt8(bitPattern: character)
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII,
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-._".unicodeScalars.contains(scalar)
            {
                text.unicodeScalars.append(scalar)
            } else {
                text += "%" + byte.padded(to: 2, radix: 16, uppercase: true)
            }
        }
    }
}

/// The page of what changed from one run to another.
struct RunDifferencePage {
    let difference: RunDifference
    /// The changed rows of each output, in lines.
    let rows: [[String]]

    var markup: HTML {
        let changed = difference.parts.filter { !$0.changes.isEmpty }
        let sections = changed.map(section) + [rowSection].filter { !$0.isEmpty }
        let (earlier, later) = (difference.earlier, difference.later)
        let (from, to) = (RunDifferencePage.name(of: earlier), RunDifferencePage.name(of: later))
        return Site.page(
            "\(later.job) · Changes",
            kicker: "Daybook changes",
            heading: later.job,
            below: "<p class=\"soft\">From \(from) to \(to)</p>\n",
            links: sections.map(\.link),
            main: sections.isEmpty ? "<p>Nothing changed.</p>\n" : sections.map(\.markup).joined()
        )
    }

    private static func name(of record: RunRecord) -> HTML {
        let day: HTML = record.asOf.map { " of <time datetime=\"\($0)\">\($0)</time>" } ?? ""
        return "the run \(record.run)\(day)"
    }

    private func section(_ part: RunDifference.Part) -> PageSection {
        let id = part.title.replacing(" ", with: "-")
        let rows = part.changes.map { change -> HTML in
            "<th scope=\"row\">\(change.name)</th>\(cell(change.before))\(cell(change.after))"
        }
        let same: HTML = "<p class=\"note\">\(Figure.grouped(part.same)) as before.</p>\n"
        let table = PageTable.markup(["", "Before", "After"], rows, label: "\(id)-h", isWhole: true)
        return PageSection(
            id: id,
            heading: "\(part.title.raisedFirst): \(Figure.counted(part.changes.count, "change"))",
            body: "\(table)\(same, if: part.same > 0)"
        )
    }

    private func cell(_ value: String?) -> HTML {
        guard let value else { return "<td class=\"gap\"><span>none</span></td>" }
        return "<td>\(value)</td>"
    }

    private var rowSection: PageSection {
        let blocks = rows.map { lines -> HTML in "<pre class=\"told\">\(lines.joined(separator: "\n"))</pre>\n" }
        return PageSection(id: "changed-rows", heading: "Rows of outputs", body: blocks.joined())
    }
}

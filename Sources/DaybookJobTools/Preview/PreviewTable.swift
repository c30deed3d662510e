import DaybookEngine
import DaybookReports

/// The rows of a preview, and the forms in which they are printed.
public struct PreviewTable: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case table, csv, json
    }

    package let schema: Schema
    package let batches: [Batch]
    /// What no cell and no name may show.
    package let mask: SecretMask

    public var count: Int { batches.reduce(0) { $0 + $1.count } }

    public func text(as format: Format, style: TerminalStyle = .plain) -> String {
        switch format {
        case .table: table(style)
        case .csv: csv
        case .json: json
        }
    }

    /// Calls `body` with the column of each field and the row.
    private func forEachRow(_ body: ([Column], Int) -> Void) {
        for batch in batches {
            // By name, so that a batch whose columns stand in another order would still read right.
            let columns = schema.fields.compactMap { field in
                batch.schema.index(of: field.name).map { batch.columns[$0] }
            }
            guard columns.count == schema.fields.count else {
                preconditionFailure("a batch has the columns of its plan")
            }
            for row in 0..<batch.count { body(columns, row) }
        }
    }

    /// A cell as it may be shown; nil for a missing one.
    private func shown(_ column: Column, _ row: Int) -> String? { column.spoken(row).map(mask.masking) }

    /// Columns under each other, with their kinds. A missing value is `–` and an empty text `""`.
    private func table(_ style: TerminalStyle) -> String {
        let isNumber = schema.fields.map { $0.kind == .integer || $0.kind == .decimal }
        var table = TextTable(isNumber.map { $0 ? .right : .left })
        table.add(schema.fields.map { PrintableText.of(mask.masking($0.name)) })
        table.add(schema.fields.map(\.kind.rawValue))
        forEachRow { columns, row in
            table.add(
                columns.map { column in
                    guard let text = shown(column, row) else { return "–" }
                    return text.isEmpty ? "\"\"" : PrintableText.of(text.shortened(to: 60))
                }
            )
        }
        var lines = table.lines(indent: "")
        lines[0] = style.bold(lines[0])
        lines[1] = style.faint(lines[1])
        return lines.joined(separator: "\n") + "\n"
    }

    private var csv: String {
        var lines = [schema.names.map { CSVSpelling.of(mask.masking($0)) }.joined(separator: ",")]
        forEachRow { columns, row in
            lines.append(columns.map { shown($0, row).map(CSVSpelling.of) ?? "" }.joined(separator: ","))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One object a line, the columns in their order.
    private var json: String {
        let out = Bytes()
        forEachRow { columns, row in
            out.append("{")
            for (index, column) in columns.enumerated() {
                if index > 0 { out.append(",") }
                out.append(jsonString: mask.masking(schema.fields[index].name))
                out.append(":")
                guard let plain = column.spoken(row) else {
                    out.append("null")
                    continue
                }
                let text = mask.masking(plain)
                // With a mark in it, it is no number any more.
                switch text == plain ? column.kind : .text {
                case .integer, .flag, .json: out.append(text)
                // A decimal that is no number cannot stand in JSON.
                case .decimal where Double(text)?.isFinite == true: out.append(text)
                case .text, .day, .instant, .decimal: out.append(jsonString: text)
                }
            }
            out.append("}\n")
        }
        return out.text(0..<out.count)
    }
}

/// How a text stands in a line of CSV, where nothing is a missing value.
enum CSVSpelling {
    static func of(_ text: String) -> String {
        let isPlain = !text.isEmpty && !text.unicodeScalars.contains { "\",\r\n".unicodeScalars.contains($0) }
        return isPlain ? text : "\"\(text.replacingScalars("\"", with: "\"\""))\""
    }
}

/// What is said below the rows of a preview: whether there are more, and what was found on the way.
public enum PreviewNotes {
    public static func text(_ result: Preview.Result, _ run: RunReport, style: TerminalStyle) -> String {
        let rows = Spoken.count(result.rows.count, "row")
        var run = run
        run.outcome = result.outcome
        let findings = FindingText(run: run, style: style).lines()
        let rejected = result.outcome.ledger.reduce(0) { $0 + $1.rejected }
        var line = result.isWhole ? "\(rows), and there are no more" : "the first \(rows)"
        line += "; \(Spoken.count(rejected)) rejected so far, nothing was written"
        return (findings + [line]).joined(separator: "\n") + "\n"
    }
}

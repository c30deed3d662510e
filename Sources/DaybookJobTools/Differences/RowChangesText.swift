import DaybookDelimited
import DaybookEngine
import DaybookReports

/// What changed from one table to another, in words, as JSON and as Markdown.
public struct RowChangesText {
    private let changes: RowChanges
    let output: String

    /// - Parameter output: the path of the output, masked.
    public init(_ changes: RowChanges, of output: String) { (self.changes, self.output) = (changes, output) }

    private func count(_ sort: RowChanges.Sort) -> Int { changes.counts[sort] ?? 0 }

    private var sorts: [RowChanges.Sort] {
        switch changes.pairing {
        case .whole: [.came, .went]
        case .position: [.changed]
        case .columns: [.came, .went, .changed]
        }
    }

    /// `by id, which was found`, and how many rows of each sort there are.
    var summary: (by: String, counts: String) {
        let by =
            switch changes.pairing {
            case .whole: ""
            case .position: "by their order"
            case .columns(let keys): "by \(keys.joined(separator: ", "))"
            }
        // A row with other columns is not as before.
        let isWhole = changes.columnsGone.isEmpty && changes.columnsNew.isEmpty && changes.renamed.isEmpty
        let same = isWhole ? "as before" : "the same in the columns of both"
        var counts = sorts.map { "\(DisplayText.count(count($0))) \($0.rawValue)" }
        counts.append("\(DisplayText.count(changes.same)) \(same)")
        return (by, counts.joined(separator: ", ") + (changes.isReordered ? ", in another order" : ""))
    }

    /// Cells as CSV spells them.
    public var lines: [String] {
        let (by, counts) = summary
        var lines = ["rows of \(output)\(by.isEmpty ? "" : " ")\(by): \(counts)"]
        lines += columns.map { "  \($0.mark) \($0.text)" }
        for row in changes.shown { lines.append(line(of: row)) }
        for sort in sorts {
            let rest = count(sort) - changes.shown.count { $0.sort == sort }
            if rest > 0 { lines.append("  and \(DisplayText.count(rest)) more that \(sort.rawValue)") }
        }
        if changes.isKeyFound, changes.pairing == .whole, count(.came) > 0, count(.went) > 0 {
            lines.append("  no key was found, so a row that changed is one that went and one that came")
        }
        return lines.map { PrintableText.of($0) }
    }

    /// What is to say of columns.
    var columns: [(mark: String, text: String)] {
        var told: [(mark: String, text: String)] = []
        if !changes.columnsLost.isEmpty { told.append(("-", "columns \(changes.columnsLost.joined(separator: ", "))")) }
        if !changes.columnsNew.isEmpty { told.append(("+", "columns \(changes.columnsNew.joined(separator: ", "))")) }
        told += changes.renamed.map { ("~", "column \($0.from) is called \($0.to)") }
        told += changes.kinds.map { ("~", "column \($0.column) held \($0.from.rawValue) and holds \($0.to.rawValue)") }
        if changes.repeats > 0 {
            let isOne = changes.repeats == 1
            let rows = "\(DisplayText.count(changes.repeats, "row")) \(isOne ? "has" : "have")"
            let keys = DisplayText.list(changes.keys, "and")
            told.append(("+", "\(rows) the \(keys) of a row above, and \(isOne ? "counts" : "count") as come"))
        }
        told += changes.unreadRecords.map {
            ("!", "line \($0.line) \($0.isLater ? "after" : "before") could not be read: \($0.message)")
        }
        let unread = changes.unread - changes.unreadRecords.count
        if unread > 0 { told.append(("!", "\(DisplayText.count(unread, "record")) more could not be read")) }
        guard !cells.isEmpty else { return told }
        let all = RowChangesText.list(cells.map { "\($0.name) \($0.text)" })
        let isPart = changes.cells.rows < count(.changed)
        let of = isPart ? ", of \(DisplayText.count(changes.cells.rows)) of the changed rows" : ""
        return told + [("~", "cells: \(all)\(of)")]
    }

    /// The columns with changed cells, most changed first.
    private var cells: [(name: String, text: String)] {
        changes.cells.columns.sorted { $0.count > $1.count }.map { column in
            let manner =
                switch column.manner {
                // Of one number, a factor says nothing.
                case .times(let factor) where column.count > 1: " (each × \(RowChangesText.number(factor)))"
                case .form(let form): " (only \(form))"
                case .times, nil: ""
                }
            return (column.name, DisplayText.count(column.count) + manner)
        }
    }

    private static func number(_ number: Double) -> String {
        number == number.rounded() && number.magnitude < 1e15 ? String(Int(number)) : String(number)
    }

    private func line(of row: RowChanges.Shown) -> String {
        let (named, changed) = parts(of: row)
        return switch row.sort {
        case .came: "  + \(named)\(place(of: row))"
        case .went: "  - \(named)\(place(of: row))"
        case .changed: "  ~ \(named)  \(changed)\(place(of: row))"
        }
    }

    /// What a row holds; of a changed one its key, and its cells that changed.
    private func parts(of row: RowChanges.Shown) -> (named: String, changed: String) {
        guard row.sort == .changed else { return (text(of: row.sort == .came ? row.after : row.before), "") }
        let keys = changes.columns.indices.filter { changes.keys.contains(changes.columns[$0]) }
        let others = changes.columns.indices.filter { !keys.contains($0) && differs(row, $0) }
        let number = row.position.map { ["record \($0):"] } ?? []
        let named = number + keys.map { "\(changes.columns[$0])=\(cell(row.after, $0))" }
        let changed = others.map { "\(changes.columns[$0]): \(cell(row.before, $0)) → \(cell(row.after, $0))" }
        return (named.joined(separator: " "), RowChangesText.list(changed))
    }

    /// `  (line 3, before 2)`.
    private func place(of row: RowChanges.Shown) -> String {
        switch row.lines {
        case (let before?, let after?): "  (line \(after)\(before == after ? "" : ", before \(before)"))"
        case (let before?, nil): "  (line \(before) before)"
        case (nil, let after?): "  (line \(after))"
        case (nil, nil): ""
        }
    }

    private func text(of cells: [String?]?) -> String {
        let all = changes.columns.indices.map { "\(changes.columns[$0])=\(cell(cells, $0))" }
        return RowChangesText.list(all, separator: " ")
    }

    /// Some of what there may be hundreds of, with the number of the others.
    private static func list(_ all: [String], separator: String = ", ") -> String {
        DisplayText.first(50, of: all, separator: separator, isGrouped: true)
    }

    /// The longest cell in a line, in characters.
    private static let mostShown = 200

    /// A cell as in CSV, different for missing cells and empty texts.
    private func cell(_ cells: [String?]?, _ column: Int) -> String {
        cells?[column].map { CSVSpelling.of($0.shortened(to: RowChangesText.mostShown)) } ?? ""
    }

    /// Whether a cell has other bytes; texts that are composed otherwise differ.
    private func differs(_ row: RowChanges.Shown, _ column: Int) -> Bool {
        row.before?[column].map { Array($0.utf8) } != row.after?[column].map { Array($0.utf8) }
    }

    // MARK: Comments on a change

    /// A heading, a summary, what is to say of columns, and a table of rows.
    public var markdown: String {
        let (by, counts) = summary
        var text = "### \(MarkdownText.escaped(output))\n\n\(counts)\(by.isEmpty ? "" : "; rows meet \(by)").\n"
        if !columns.isEmpty {
            text += "\n" + columns.map { "- \(MarkdownText.escaped($0.text))\n" }.joined()
        }
        guard !changes.shown.isEmpty else { return text }
        text += "\n| | line | row | what changed |\n| --- | ---: | --- | --- |\n"
        for row in rows {
            let cells = [row.named, row.changed].map(MarkdownText.escaped).joined(separator: " | ")
            text += "| \(row.sort) | \(row.line) | \(cells) |\n"
        }
        if more > 0 { text += "\nand \(DisplayText.count(more)) more.\n" }
        return text
    }

    /// The rows that are shown: what became of each, its line, and what it is called or holds.
    var rows: [(sort: String, line: String, named: String, changed: String)] {
        changes.shown.map { row in
            let line = (row.lines.after ?? row.lines.before).map(String.init) ?? ""
            let (named, changed) = parts(of: row)
            return (row.sort.rawValue, line, named, changed)
        }
    }

    /// How many more rows changed than are shown.
    var more: Int { sorts.reduce(0) { $0 + count($1) } - changes.shown.count }

    /// How many rows there are of each sort.
    var tiles: [(words: String, count: Int, isLoss: Bool)] {
        [("Rows before", changes.rows.before, false), ("Rows now", changes.rows.after, false)]
            + sorts.map { ("Rows that \($0.rawValue)", count($0), $0 == .went) }
    }

    /// The cells without any changes.
    public var json: JSONValue {
        let rows = changes.shown.map { row -> JSONValue in
            JSONValue(withoutNulls: [
                "sort": .text(row.sort.rawValue), "record": JSONValue(row.position), "before": map(row.before),
                "after": map(row.after), "line_before": JSONValue(row.lines.before),
                "line_after": JSONValue(row.lines.after),
            ])
        }
        let cells = changes.cells.columns.map { column -> JSONValue in
            let (name, count) = (JSONValue.text(column.name), JSONValue.number(column.count))
            return switch column.manner {
            case .times(let factor): ["column": name, "cells": count, "times": .decimal(factor)]
            case .form(let text): ["column": name, "cells": count, "only": .text(text)]
            case nil: ["column": name, "cells": count]
            }
        }
        let unread = changes.unreadRecords.map { record -> JSONValue in
            let file = record.isLater ? "after" : "before"
            return ["file": .text(file), "line": .number(record.line), "message": .text(record.message)]
        }
        return [
            "output": .text(output), "key": .texts(changes.keys), "came": .number(count(.came)),
            "went": .number(count(.went)), "changed": .number(count(.changed)), "same": .number(changes.same),
            "rows_before": .number(changes.rows.before), "rows_after": .number(changes.rows.after),
            "reordered": .flag(changes.isReordered), "unread": .number(changes.unread),
            "unread_records": .list(unread),
            "repeated_keys": .number(changes.repeats),
            "columns_gone": .texts(changes.columnsLost), "columns_new": .texts(changes.columnsNew),
            "columns_renamed": .list(changes.renamed.map { ["from": .text($0.from), "to": .text($0.to)] }),
            "kinds_changed": .list(
                changes.kinds.map {
                    ["column": .text($0.column), "from": .text($0.from.rawValue), "to": .text($0.to.rawValue)]
                }
            ),
            "cells_changed": .list(cells), "rows": .list(rows),
        ]
    }

    private func map(_ cells: [String?]?) -> JSONValue {
        guard let cells else { return .null }
        return .map(Dictionary(zip(changes.columns, cells.map { JSONValue($0) })) { first, _ in first })
    }
}

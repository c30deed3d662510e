import DaybookJob
import DaybookReports
import Foundation

extension DiffLimit {
    /// What was found of a subject: so many things, of so many where they are rows or cells, and in words.
    private typealias Found = (number: Double, all: Int?, words: String)

    /// Why tables that changed so are beyond the limit; nil where they are not.
    public func fault(in changes: [RowChanges], filesGone: [String]) -> DaybookError? {
        let found = found(in: changes, filesGone: filesGone)
        guard found.number > (isShare ? most * Double(found.all ?? 0) : most) else { return nil }
        var message = found.words
        if let all = found.all {
            let noun = subject == .cellsChanged ? "cell" : "row"
            let share = all > 0 ? ", \(DiffLimit.percent(found.number / Double(all)))" : ""
            message = "\(DisplayText.count(Int(found.number), noun)) \(found.words)\(share)"
        }
        return .data("diff-limit", "\(message), and the limit is '\(written)'")
    }

    private func found(in changes: [RowChanges], filesGone: [String]) -> Found {
        let rowsBefore = changes.reduce(0) { $0 + $1.rows.before }
        func rows(_ sort: RowChanges.Sort) -> Found {
            let count = changes.reduce(0) { $0 + ($1.counts[sort] ?? 0) }
            return (Double(count), rowsBefore, sort.rawValue)
        }
        func names(_ noun: String, _ names: [String], _ verb: String) -> Found {
            let shown = DisplayText.first(10, of: names)
            let subject = names.count == 1 ? "\(noun) \(shown) is" : "\(noun)s \(shown) are"
            return (Double(names.count), nil, "\(subject) \(verb)")
        }
        let gone = changes.flatMap { $0.columnsLost + $0.renamed.map(\.from) }
        let kinds = changes.flatMap(\.kinds)
        switch subject {
        case .columnsGone: return names("column", gone, "gone")
        case .columnsNew: return names("column", changes.flatMap { $0.columnsNew + $0.renamed.map(\.to) }, "new")
        case .kindChanged: return names("column", kinds.map(\.column), "of another kind")
        case .filesGone: return names("file", filesGone, "gone")
        case .rowsRemoved: return rows(.went)
        case .rowsAdded: return rows(.came)
        case .rowsChanged: return rows(.changed)
        case .cellsChanged:
            let cells = changes.reduce(0.0) { $0 + $1.changedCells }
            let all = changes.reduce(0) { $0 + $1.rows.before * $1.columns.count }
            return (cells.rounded(), all, "changed")
        case .notAppended:
            let gone = gone.map { "column \($0) is gone" } + filesGone.map { "file \($0) is gone" }
            let lost = [RowChanges.Sort.went, .changed].map(rows).filter { $0.number > 0 }
                .map { "\(DisplayText.count(Int($0.number), "row")) \($0.words)" }
            return (Double(gone.count + lost.count), nil, (gone + lost).joined(separator: "; "))
        case .breaking:
            // Who reads any numbers also reads whole ones.
            let others = kinds.filter { !($0.from == .decimal && $0.to == .integer) }
            let broken =
                filesGone.map { "file \($0) is gone" } + gone.map { "column \($0) is gone" }
                + others.map { "column \($0.column) held \($0.from.rawValue) and holds \($0.to.rawValue)" }
            return (Double(broken.count), nil, broken.prefix(10).joined(separator: "; "))
        }
    }

    /// Why no limit can be held against some tables: their records are not all known.
    public static func unjudged(_ tables: TablePairs, _ changes: [RowChanges]) -> [DaybookError] {
        zip(tables.pairs, changes).filter { $1.unread > 0 }.map { pair, changes in
            let records = DisplayText.count(changes.unread, "record")
            let message = "\(records) of \(pair.name) could not be read, so not all differences are known"
            return .data("unread-records", message, hint: "mend the file; findings of a gate name the lines")
        }
    }

    private static func percent(_ share: Double) -> String {
        let tenths = (share * 1_000).rounded() / 10
        return tenths == 0 ? "less than 0.1 %" : "\(tenths) %"
    }
}

extension RowChanges {
    /// How many cells changed; an estimate where not all changed rows were looked into.
    fileprivate var changedCells: Double {
        guard cells.rows > 0 else { return 0 }
        return Double(cells.count) * Double(counts[.changed] ?? 0) / Double(cells.rows)
    }
}

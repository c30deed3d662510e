/// An oddity of a column, in words that follow its name: ` is always 'KR'`.
struct Suspicion: Sendable {
    /// The number of the column in its table.
    var column: Int
    var text: String

    /// All oddities of a table: empty and constant columns, mixed kinds, repeated keys, outliers, and then the notes.
    static func all(in columns: [ColumnFacts]) -> [Suspicion] {
        let looks: [(ColumnFacts) -> [String]] = [
            { [empty($0), constant($0)].compactMap(\.self).map { " \($0)" } },
            { [mixed($0)].compactMap(\.self).map { " \($0)" } },
            { [repeatedKey($0), farOff($0), nearlyEmpty($0)].compactMap(\.self).map { " \($0)" } },
            { $0.notes.map { ": \($0)" } },
        ]
        return looks.flatMap { look in
            columns.enumerated().flatMap { index, column in look(column).map { Suspicion(column: index, text: $0) } }
        }
    }

    private static func empty(_ column: ColumnFacts) -> String? {
        guard column.rows > 0, column.present == 0 else { return nil }
        return column.rows == 1
            ? "has no value in the only row" : "has no value in any of \(DisplayText.count(column.rows, "row"))"
    }

    private static func constant(_ column: ColumnFacts) -> String? {
        guard column.present > 1, column.distinct.isExact, column.distinct.count == 1, let value = column.top.first
        else { return nil }
        let rest = column.missing > 0 ? ", where it has a value" : ""
        return "is always \(displayText(value))\(rest)"
    }

    /// Nearly all values of one kind, and some of another.
    private static func mixed(_ column: ColumnFacts) -> String? {
        // The notes on dates and numbers say more.
        guard column.days == nil, column.notes.isEmpty else { return nil }
        let kinds = column.kinds.filter { $0.kind != .gap && $0.kind != .empty }
        guard kinds.count > 1, let first = kinds.first, first.kind != .text else { return nil }
        let found = Set(kinds.map(\.kind))
        let alike: [Set<ValueForm.Kind>] = [
            [.integer, .decimal, .code], [.day, .instant], [.integer, .decimal, .flag],
        ]
        guard !alike.contains(where: found.isSubset(of:)) else { return nil }
        let counts = kinds.map { "\(DisplayText.count($0.count)) \($0.kind.displayText)" }
        return "holds values of several kinds: \(DisplayText.list(counts))"
    }

    /// Nearly unique values.
    private static func repeatedKey(_ column: ColumnFacts) -> String? {
        let repeats = column.present - column.distinct.count
        guard column.present >= 50, column.distinct.isExact, repeats > 0, column.mayBeKey,
            RuleFinder.isFew(repeats, of: column.present), column.numbers == nil || KeyWords.are(in: column.name)
        else { return nil }
        let example = column.top.first.flatMap { top -> String? in
            guard column.undercount == 0, top.count > 1 else { return nil }
            return "; \(displayText(top)) comes \(top.count == 2 ? "twice" : DisplayText.count(top.count, "time"))"
        }
        let all = "\(DisplayText.count(column.distinct.count)) of \(DisplayText.count(column.present)) values differ"
        return "looks like a key that repeats: \(all)\(example ?? "")"
    }

    private static func farOff(_ column: ColumnFacts) -> String? {
        guard let far = column.outliers, !column.isIdentifier else { return nil }
        let ends = [
            far.least.map { "the least is \(DisplayText.number($0))" },
            far.most.map { "the most is \(DisplayText.number($0))" },
        ]
        let core = "\(DisplayText.number(far.core.lowerBound)) to \(DisplayText.number(far.core.upperBound))"
        return "has \(DisplayText.count(far.count, "number")) far from all others (\(core)): "
            + ends.compactMap(\.self).joined(separator: ", ")
    }

    private static func nearlyEmpty(_ column: ColumnFacts) -> String? {
        guard column.present > 0, column.rows >= 50, RuleFinder.isFew(column.present, of: column.rows)
        else { return nil }
        return "has a value in only \(DisplayText.count(column.present)) of \(DisplayText.count(column.rows, "row"))"
    }

    private static func displayText(_ value: ColumnFacts.Top) -> String {
        value.text.isEmpty
            ? "an empty text" : "'\(value.text.shortened(to: 60))\(value.isCut && value.text.count <= 60 ? "…" : "")'"
    }
}

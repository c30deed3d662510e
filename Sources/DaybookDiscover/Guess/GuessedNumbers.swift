/// The number formats of a table: one for all columns if possible, otherwise one for each group of columns.
package struct GuessedNumbers {
    private struct Entry {
        var format: NumberFormat
        var columns: [String]
        var reason: String
        /// Whether a column has decimals, and whether one has groups; without them the mark may change.
        var hasDecimals: Bool
        var hasGroups = false
    }

    private var entries: [Entry] = []

    /// Whether a column has a format of its own.
    func covers(_ column: String) -> Bool { entries.contains { $0.columns.contains(column) } }

    mutating func add(
        _ column: String,
        _ format: NumberFormat,
        because reason: String,
        hasDecimals: Bool,
        isGrouped: Bool
    ) {
        var new = Entry(format: format, columns: [column], reason: reason, hasDecimals: hasDecimals)
        new.hasGroups = isGrouped
        for index in entries.indices {
            guard let both = GuessedNumbers.joined(entries[index], new) else { continue }
            entries[index] = both
            return
        }
        entries.append(new)
    }

    /// One entry for the columns of two, if one format means the same for both.
    private static func joined(_ first: Entry, _ second: Entry) -> Entry? {
        if first.hasDecimals, second.hasDecimals, first.format.decimal != second.format.decimal { return nil }
        if first.hasGroups, second.hasGroups, first.format.thousands != second.format.thousands { return nil }
        if first.hasGroups, second.hasGroups, first.format.groups != second.format.groups { return nil }
        var both = first
        if second.hasDecimals { both.format.decimal = second.format.decimal }
        if second.hasGroups {
            (both.format.thousands, both.format.groups) = (second.format.thousands, second.format.groups)
        }
        both.hasDecimals = first.hasDecimals || second.hasDecimals
        both.hasGroups = first.hasGroups || second.hasGroups
        if !both.hasDecimals { both.format.decimal = both.format.thousands == .point ? .comma : .point }
        guard both.format.decimal != both.format.thousands else { return nil }
        // An amount in euros is a finding in a column of dollars.
        let currencies = [first, second].map(\.format.currency).filter { !$0.isEmpty }
        guard Set(currencies).count <= 1 else { return nil }
        both.format.currency = currencies.first ?? []
        both.columns += second.columns
        // A sample with both marks tells more.
        if second.hasDecimals && second.hasGroups, !(first.hasDecimals && first.hasGroups) {
            both.reason = second.reason
        }
        return both
    }

    /// The option of an import.
    ///
    /// - Parameter decimals: its columns that are decimals.
    func option(besides decimals: [String]) -> SuggestedOption? {
        guard let first = entries.first else { return nil }
        // A format for people would change decimals that a machine wrote.
        let isForAll = entries.count == 1 && decimals.allSatisfy(first.columns.contains)
        let maps = entries.map { entry -> SuggestedValue in
            let format = entry.format
            return [
                "decimal": .text(format.decimal.text), "thousands": format.thousands.map { .text($0.text) },
                "groups": format.groups == .three ? nil : .plain(format.groups.rawValue),
                "currency": format.currency.isEmpty ? nil : .texts(format.currency),
                "columns": isForAll ? nil : .texts(entry.columns),
            ]
        }
        let value = maps.count == 1 ? maps[0] : .list(maps)
        return SuggestedOption("number_format", value, because: DisplayText.list(entries.map(\.reason)))
    }
}

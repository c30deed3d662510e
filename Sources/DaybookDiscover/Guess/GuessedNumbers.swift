/// How the numbers of a table are written, put together from its columns: one format for all where one does, else one for each sort of
/// column.
package struct GuessedNumbers {
    private struct Entry {
        var format: NumberFormat
        var columns: [String]
        var reason: String
        /// Whether a column has decimals, and whether one has groups; else the marks are free.
        var hasDecimals: Bool
        var hasGroups: Bool
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Whether a column has a format of its own.
    func covers(_ column: String) -> Bool { entries.contains { $0.columns.contains(column) } }

    mutating func add(
        _ column: String,
        _ format: NumberFormat,
        because reason: String,
        hasDecimals: Bool,
        isGrouped: Bool
    ) {
        let new = Entry(
            format: format,
            columns: [column],
            reason: reason,
            hasDecimals: hasDecimals,
            hasGroups: isGrouped
        )
        for index in entries.indices {
            guard let both = GuessedNumbers.joined(entries[index], new) else { continue }
            entries[index] = both
            return
        }
        entries.append(new)
    }

    /// One format for the columns of two, where each of them means the same in it.
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
        // In a column of dollars an amount in euros is a finding.
        let currencies = [first, second].map(\.format.currency).filter { !$0.isEmpty }
        guard Set(currencies).count <= 1 else { return nil }
        both.format.currency = currencies.first ?? []
        both.columns += second.columns
        // What tells both marks is worth more than what tells one.
        if second.hasDecimals && second.hasGroups, !(first.hasDecimals && first.hasGroups) {
            both.reason = second.reason
        }
        return both
    }

    /// The option of an import that reads `decimals`, those of its columns that are decimals.
    func option(besides decimals: [String]) -> SuggestedOption? {
        guard let first = entries.first else { return nil }
        // A decimal that a machine wrote means something else in the format of people.
        let isForAll = entries.count == 1 && decimals.allSatisfy(first.columns.contains)
        if isForAll {
            return SuggestedOption("number_format", .map(GuessedNumbers.options(first)), because: first.reason)
        }
        let maps = entries.map { entry in
            GuessedNumbers.options(entry) + [SuggestedOption("columns", .texts(entry.columns))]
        }
        return SuggestedOption(
            "number_format",
            maps.count == 1 ? .map(maps[0]) : .list(maps.map { .map($0) }),
            because: DisplayText.list(entries.map(\.reason))
        )
    }

    private static func options(_ entry: Entry) -> [SuggestedOption] {
        let format = entry.format
        var options = [SuggestedOption("decimal", .text(format.decimal.text))]
        if let mark = format.thousands { options.append(SuggestedOption("thousands", .text(mark.text))) }
        if format.groups != .three { options.append(SuggestedOption("groups", .plain(format.groups.rawValue))) }
        if !format.currency.isEmpty {
            options.append(SuggestedOption("currency", .texts(format.currency)))
        }
        return options
    }
}

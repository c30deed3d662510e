/// What is asked of groups without making rows of them.
extension GroupSummary {
    /// How many groups there are.
    package func groupCount(_ scratch: any Scratch) throws(DaybookError) -> Int {
        let (groups, nothing) = (groups, nothing)
        return try scratch.map(Parts.count) { (part) throws(DaybookError) in
            try GroupTable(nothing, of: groups.part(part)).count
        }.reduce(0, +)
    }

    /// Calls `body` with the days of every group, which are the first that is known of it, in no particular order.
    ///
    /// - Parameters:
    ///   - fields: the columns that tell groups apart.
    ///   - met: a number by which groups are in the order in which they were met.
    ///   - name: gives the values that tell the group apart.
    package func forEachDays(
        of fields: [Field],
        _ body: (_ met: Int, _ days: DayRuns, _ name: () -> String) -> Void
    ) throws(DaybookError) {
        for part in 0..<Parts.count {
            let table = try GroupTable(nothing, of: groups.part(part))
            guard let days = table.values.first as? DaySets else { throw ByteReader.damaged }
            var columns: [Column]?
            for group in 0..<table.count {
                body(table.met[group], days.sets[group]) {
                    if columns == nil {
                        let keys = KeyColumns(fields, rows: table.count)
                        keys.fill(table.keys)
                        columns = keys.columns.map { $0.column() }
                    }
                    return (columns ?? []).map { "'\($0.spoken(group) ?? "")'" }.joined(separator: ", ")
                }
            }
        }
    }
}

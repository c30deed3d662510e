import DaybookReports

/// Two profiles beside each other, what has changed most first.
struct ProfileComparison: Sendable {
    /// One table that is in both.
    struct Table: Sendable {
        let old: KeptProfile.Table
        let new: KeptProfile.Table
        /// Columns of which one has changed, the one that changed most first.
        var changed: [ColumnComparison] = []
        var unchanged: [String] = []
        /// Columns with other values of which nothing else has changed.
        var alike: [String] = []
        /// Columns that are only there now, and those that only were.
        var came: [KeptProfile.Column] = []
        var went: [KeptProfile.Column] = []

        var isChanged: Bool {
            !changed.isEmpty || !alike.isEmpty || !came.isEmpty || !went.isEmpty || old.rows != new.rows
        }
        /// By how much the rows differ, in words.
        var rowChange: String {
            old.rows == new.rows ? "" : ColumnComparison.relative(Double(old.rows), Double(new.rows))
        }
    }

    private(set) var tables: [Table] = []
    /// Tables that are only there now, and those that only were.
    private(set) var came: [KeptProfile.Table] = []
    private(set) var went: [KeptProfile.Table] = []

    init(_ old: KeptProfile, _ new: KeptProfile) {
        // The only tables there are belong together, whatever their files are called.
        if old.tables.count == 1, new.tables.count == 1 {
            tables = [ProfileComparison.compare(old.tables[0], new.tables[0])]
            return
        }
        var left = Dictionary(grouping: old.tables.indices) { old.tables[$0].title }
        for table in new.tables {
            if let index = left[table.title]?.first {
                left[table.title]?.removeFirst()
                tables.append(ProfileComparison.compare(old.tables[index], table))
            } else {
                came.append(table)
            }
        }
        let rest = Set(left.values.joined())
        went = old.tables.indices.filter(rest.contains).map { old.tables[$0] }
    }

    private static func compare(_ old: KeptProfile.Table, _ new: KeptProfile.Table) -> Table {
        var table = Table(old: old, new: new)
        var left = Dictionary(grouping: old.columns.indices) { old.columns[$0].name }
        for column in new.columns {
            guard let index = left[column.name]?.first else {
                table.came.append(column)
                continue
            }
            left[column.name]?.removeFirst()
            let both = ColumnComparison(old.columns[index], of: old.rows, column, of: new.rows)
            if both.isChanged {
                table.changed.append(both)
            } else if both.hasOtherValues {
                table.alike.append(column.name)
            } else {
                table.unchanged.append(column.name)
            }
        }
        let rest = Set(left.values.joined())
        table.went = old.columns.indices.filter(rest.contains).map { old.columns[$0] }
        // Of equal changes, in the order of the columns.
        table.changed = table.changed.enumerated()
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element)
        return table
    }

    /// What is gone, as a sentence; nil where all columns and tables are still there.
    var lost: String? {
        let columns = tables.flatMap { table in table.went.map { (table.new.title, $0.name) } }
        var parts: [String] = []
        if !columns.isEmpty {
            let names = columns.prefix(10).map { "'\($0.1)'" }
            let more = columns.count > 10 ? " and \(Spoken.count(columns.count - 10)) more" : ""
            parts.append("\(columns.count == 1 ? "a column is" : "columns are") gone: \(Spoken.list(names))\(more)")
        }
        if !went.isEmpty {
            parts.append(
                "\(went.count == 1 ? "a table is" : "tables are") gone: \(Spoken.list(went.prefix(10).map { "'\($0.title)'" }))"
            )
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    func told(as format: ProfileReport.Format, style: TerminalStyle) -> String {
        switch format {
        case .text: ComparisonText(style).text(of: self)
        case .json: ComparisonJSON.text(of: self)
        case .html: ComparisonPage.text(of: self)
        }
    }
}

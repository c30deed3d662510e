import DaybookTables

/// Columns of a rule, and those of another stage that they are compared with, in the same order.
struct ReferredColumns: Sendable {
    let columns: [ColumnName]
    let reference: ColumnReference
    let sideColumns: [ColumnName]

    /// Reads `columns` for a rule that has read `column` and `in`.
    ///
    /// - Parameter use: what happens to the values, as the help says it: `are looked up`.
    init(
        _ reference: ColumnReference,
        of rule: String,
        _ column: ColumnName?,
        use: String,
        reading options: inout OptionReader
    ) {
        let columns: [ColumnName]? = options.optional(
            "columns",
            help: "Columns whose values \(use) together, in the place of 'column'."
        )
        self.reference = reference
        self.columns = columns ?? column.map { [$0] } ?? []
        sideColumns = columns == nil ? [reference.column] : reference.columns
        switch (column, columns) {
        case (nil, nil): options.refuse("in", "'\(rule)' needs 'column' or 'columns'")
        case (_?, _?): options.refuse("columns", "'column' and 'columns' say the same", hint: "leave 'column' out")
        case (nil, let columns?) where columns.isEmpty: options.refuse("columns", "'columns' names no column")
        case (nil, let columns?) where columns.count != sideColumns.count:
            let named = "\(sideColumns.count) \(sideColumns.count == 1 ? "column" : "columns")"
            options.refuse("in", "'in' names \(named), and 'columns' \(columns.count)")
        default: break
        }
        options.refuseRepeats(of: self.columns, in: "columns")
    }

    /// The column that findings point to; nil where several are compared, for the wrong one is unknown.
    var target: ColumnName? { columns.count == 1 ? columns[0] : nil }

    /// Refuses a column of the other stage that does not exist, or has another kind. The input schema may be unknown.
    func check(_ input: Schema?, against side: Schema) throws(DaybookError) {
        for (column, other) in zip(columns, sideColumns) {
            guard let there = try side.requiring(other), let here = input?[column], here.kind != there.kind else {
                continue
            }
            throw DaybookError(
                "wrong-kind",
                "column '\(column)' holds \(here.kind.rawValue), and \(reference.stage.stage).\(other) holds \(there.kind.rawValue)",
                at: other.place,
                hint: "values of two kinds are never equal; cast one of them first"
            )
        }
    }

    /// The keys of the other stage, numbered by their first rows. A row with a missing value has none.
    ///
    /// - Parameters:
    ///   - limit: the most memory that the keys may take, and what `onNew` counts.
    ///   - hint: what to do about more.
    ///   - onNew: called with the row of each new key; returns how many bytes it keeps.
    func keys(
        of side: BuildSide,
        limit: Int,
        hint: String,
        onNew: (Batch, Int) -> Int = { _, _ in 0 }
    ) throws(DaybookError) -> KeyIndex {
        var (keys, kept) = (KeyIndex(), 0)
        try side.rows.forEachBatch { (batch) throws(DaybookError) in
            let rows = RowKeys(batch, by: sideColumns)
            for row in 0..<rows.count where !rows.gaps.isMissing(row) {
                let count = keys.count
                _ = rows.withKey(row) { keys.number(of: $0, rows.hashes[row]) }
                if keys.count > count { kept += onNew(batch, row) }
            }
            guard keys.footprint + kept <= limit else {
                let most = "\(limit >> 20 >= 1024 ? "\(limit >> 30) GiB" : "\(limit >> 20) MiB")"
                let message = "the different keys of '\(reference.stage.stage)' take more than \(most) of memory"
                throw DaybookError.machine("lookup-too-large", message, hint: hint)
            }
        }
        return keys
    }
}

/// A column of another stage, or several, as an option: `vocabulary.name`, `vocabulary.[name, colour]`.
struct ColumnReference: OptionValue {
    let stage: BuildSideReference
    let column: ColumnName
    let written: String

    /// The columns of a list in brackets, or the single column.
    var columns: [ColumnName] {
        guard column.text.hasPrefix("["), column.text.hasSuffix("]") else { return [column] }
        return column.text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false).map { name in
            ColumnName(String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()), at: column.place)
        }
    }

    static var kind: OptionKind { .text }
    static var placeholder: ColumnReference {
        ColumnReference(stage: BuildSideReference("placeholder", at: nil), column: .placeholder, written: "placeholder")
    }

    private init(stage: BuildSideReference, column: ColumnName, written: String) {
        (self.stage, self.column, self.written) = (stage, column, written)
    }

    init(reading node: OptionNode) throws(DaybookError) {
        // An id has no dot, so the text behind the first dot is the column, except for the word for rejects.
        let text = node.text ?? ""
        var parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw node.expected("a stage and its column such as vocabulary.name")
        }
        let readsRejects = parts[1].hasPrefix("rejects.")
        if readsRejects { parts[1] = parts[1].dropFirst("rejects.".count) }
        guard !parts[1].isEmpty else { throw node.expected("a stage and its column such as vocabulary.rejects.value") }
        stage = BuildSideReference(String(parts[0]), readsRejects: readsRejects, at: node.place)
        column = ColumnName(String(parts[1]), at: node.place)
        written = text
    }
}

import DaybookTables

/// Every value has to exist in a column of another stage, or every combination of values in its columns. A row with a
/// missing value in one of the columns passes.
struct RefersTo: ReferringRowRule {
    static let name = "refers_to"
    static let summary =
        "Every value of a column stands in a column of another stage, or the values of several in one row of it."

    let columns: [ColumnName]
    let reference: ColumnReference
    /// The columns of the other stage, in the order of `columns`.
    let sideColumns: [ColumnName]

    /// The keys of the other stage.
    struct Known: Sendable {
        fileprivate var keys = KeyIndex()
        /// The same values as texts, if they are few.
        fileprivate var nearest: NearestNames?
    }

    init(reading options: inout OptionReader) {
        let column: ColumnName? = options.optional("column", help: "Column whose values are looked up.")
        let columns: [ColumnName]? = options.optional(
            "columns",
            help: "Columns whose values are looked up together, in the place of 'column'."
        )
        reference = options.read(
            "in",
            help:
                "The stage and its column: vocabulary.name, or with 'columns' as many: vocabulary.[name, colour]. The stage is read "
                + "to its end before any row comes."
        )
        self.columns = columns ?? column.map { [$0] } ?? []
        sideColumns = columns == nil ? [reference.column] : reference.columns
        switch (column, columns) {
        case (nil, nil): options.refuse("in", "'refers_to' needs 'column' or 'columns'")
        case (_?, _?): options.refuse("columns", "'column' and 'columns' say the same", hint: "leave 'column' out")
        case (nil, let columns?) where columns.isEmpty: options.refuse("columns", "'columns' names no column")
        case (nil, let columns?) where columns.count != sideColumns.count:
            let named = "\(sideColumns.count) \(sideColumns.count == 1 ? "column" : "columns")"
            options.refuse("in", "'in' names \(named), and 'columns' \(columns.count)")
        default: break
        }
        options.refuseRepeats(of: self.columns, in: "columns")
    }

    var side: BuildSideReference? { reference.stage }
    // With several columns, the wrong one is unknown.
    var target: ColumnName? { columns.count == 1 ? columns[0] : nil }
    var finding: Finding.Kind { finding(among: nil) }
    private func finding(among nearest: NearestNames?) -> Finding.Kind {
        columns.count == 1
            ? Finding.Kind("not-found", "{value} does not stand in \(reference.written)", allowed: nearest)
            : Finding.Kind("not-found", "no row of \(reference.written) has these values", showing: columns.map(\.text))
    }
    var complaint: String {
        columns.count == 1
            ? "have a value in '\(columns[0])' that does not stand in \(reference.written)"
            : "have values in \(columns.map { "'\($0)'" }.joined(separator: " and ")) that no row of \(reference.written) has"
    }

    func check(_ input: Schema) throws(DaybookError) {
        for column in columns { try input.requiringComparable(column) }
    }

    /// Refuses a column that does not exist, or has another kind.
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

    /// Memory limit for the looked-up keys, in bytes.
    private static var memoryLimit: Int { 1 << 30 }

    func known(of side: BuildSide) throws(DaybookError) -> Known {
        var known = Known()
        try side.rows.forEachBatch { (batch) throws(DaybookError) in
            let keys = RowKeys(batch, by: sideColumns)
            for row in 0..<keys.count where !keys.gaps.isMissing(row) {
                _ = keys.withKey(row) { known.keys.number(of: $0, keys.hashes[row]) }
            }
            guard known.keys.footprint <= Self.memoryLimit else {
                let message = "the different keys of '\(reference.stage.stage)' take more than 1 GiB of memory"
                let hint = "look them up with join_rows and 'kind: anti' instead, which goes to disk"
                throw DaybookError.machine("lookup-too-large", message, hint: hint)
            }
        }
        known.nearest = try NearestNames(of: side, in: sideColumns)
        return known
    }

    func breaches(in batch: Batch, _ known: Known) -> [Breach] {
        let keys = RowKeys(batch, by: columns)
        let numbers = known.keys.find(keys)
        let broken = Mask(count: numbers.count) { numbers[$0] < 0 && !keys.gaps.isMissing($0) }
        return [Breach(finding(among: known.nearest), in: target, broken)]
    }

    static let examples: [StageExample] = [
        .passing(
            "every emotion stands in the vocabulary, or is told where it does not",
            options: "rules: [{ refers_to: { column: emotion, in: vocabulary.name } }]",
            rows: """
                date:day,emotion:text
                2026-03-01,행복해
                2026-03-02,기뻐
                2026-03-03,
                """,
            beside: "name:text,meaning:text\n우울해,gloomy\n행복해,happy",
            findings: ["2 emotion not-found"]
        ),
        .passing(
            "several columns are looked up together, in one row of the other stage",
            options: """
                rules:
                  - refers_to:
                      columns: [shop, shelf]
                      in: vocabulary.[shop, place]
                """,
            rows: """
                shop:text,shelf:integer
                서울,1
                부산,1
                서울,2
                ,2
                """,
            beside: "place:integer,shop:text\n1,서울\n2,부산\n2,서울",
            findings: ["2 - not-found"]
        ),
        StageExample(
            "as many columns are named on both sides",
            options: "rules: [{ refers_to: { columns: [shop, shelf], in: 'vocabulary.[shop]' } }]",
            input: "shop:text,shelf:integer",
            refused: "'in' names 1 column, and 'columns' 2"
        ),
        StageExample(
            "the stage and its column are both named",
            options: "rules: [{ refers_to: { column: emotion, in: vocabulary } }]",
            input: "emotion:text",
            refused: "'in': expected a stage and its column such as vocabulary.name, found 'vocabulary'"
        ),
    ]
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

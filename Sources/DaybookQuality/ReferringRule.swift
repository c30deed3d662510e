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
    private(set) var stage = BuildSideReference("placeholder", at: nil)
    private(set) var column = ColumnName.placeholder
    private(set) var written = "placeholder"

    /// The columns of a list in brackets, or the single column.
    var columns: [ColumnName] {
        guard column.text.hasPrefix("["), column.text.hasSuffix("]") else { return [column] }
        return column.text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false).map { name in
            ColumnName(String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()), at: column.place)
        }
    }

    static var kind: OptionKind { .text }
    static var placeholder: ColumnReference { ColumnReference() }

    private init() {}

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

/// A rule that looks values up in another stage, which the engine reads completely before the first row.
protocol ReferringRule: CheckRule {
    /// The rule's knowledge of that stage's rows.
    associatedtype Known: Sendable

    /// The referenced stage; nil if the job gives none.
    var side: BuildSideReference? { get }
    /// The columns that the rule needs of that stage.
    var sideColumns: [ColumnName] { get }

    /// Refuses columns that do not fit together. The input schema may be unknown.
    func check(_ input: Schema?, against side: Schema) throws(DaybookError)
    func known(of side: BuildSide) throws(DaybookError) -> Known
}

/// A stage as an option: `orders`, or `orders.rejects`.
struct StageReference: OptionValue {
    private(set) var side = BuildSideReference("placeholder", at: nil)
    private(set) var written = "placeholder"

    static var kind: OptionKind { .text }
    static var placeholder: StageReference { StageReference() }

    private init() {}

    init(reading node: OptionNode) throws(DaybookError) {
        let text = node.text ?? ""
        // An id has no dot.
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !text.isEmpty, parts.count == 1 || (parts.count == 2 && parts[1] == "rejects" && !parts[0].isEmpty) else {
            throw node.expected("the id of a stage, such as orders or orders.rejects")
        }
        side = BuildSideReference(String(parts[0]), readsRejects: parts.count == 2, at: node.place)
        written = text
    }
}

/// The stages that rules refer to, each once.
struct RuleReferences: Sendable {
    private let referring: [any ReferringRule]
    let sides: [BuildSideReference]

    init(_ rules: [any CheckRule]) {
        // A reference that could not be read has no place, and has an error already.
        referring = rules.compactMap { $0 as? any ReferringRule }.filter { $0.side?.place != nil }
        sides = referring.compactMap(\.side).reduce(into: []) { sides, side in
            if !sides.contains(where: { $0.isSame(as: side) }) { sides.append(side) }
        }
    }

    /// The columns that rules need of a side.
    func columns(ofSide side: Int) -> ColumnSet {
        ColumnSet(referring.filter { number(of: $0) == side }.flatMap(\.sideColumns))
    }

    /// Refuses a rule whose columns the other stage lacks; an unreadable stage is not checked.
    func check(_ rule: any CheckRule, of inputs: StageInputs) throws(DaybookError) {
        guard let rule = rule as? any ReferringRule, let reference = rule.side, let side = number(of: rule) else {
            return
        }
        guard let schema = inputs.sides[side] else {
            let message = "the stage '\(reference.stage)' did not run"
            throw DaybookError(DaybookError.unreadStage, message, at: reference.place)
        }
        try rule.check(inputs.schema, against: schema)
    }

    /// A rule's knowledge of the stage that it refers to; nil for a rule that refers to none.
    func known(by rule: any CheckRule, of rows: [BuildSide]) throws(DaybookError) -> (any Sendable)? {
        guard let rule = rule as? any ReferringRule, let side = number(of: rule) else { return nil }
        return try rule.known(of: rows[side])
    }

    private func number(of rule: any ReferringRule) -> Int? {
        rule.side.flatMap { side in sides.firstIndex { $0.isSame(as: side) } }
    }
}

extension BuildSideReference {
    /// Whether both references read the same rows.
    fileprivate func isSame(as other: BuildSideReference) -> Bool {
        stage == other.stage && readsRejects == other.readsRejects
    }
}

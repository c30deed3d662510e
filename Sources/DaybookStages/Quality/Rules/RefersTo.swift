/// Every value has to stand in a column of another stage. A missing value refers to nothing, and breaks nothing.
struct RefersTo: ValueRule {
    static let name = "refers_to"
    static let summary = "Every value of a column stands in a column of another stage."

    let column: ColumnName
    let reference: ColumnReference
    /// The values of the other column; nil as long as nobody has read them.
    private var known: KeyIndex?

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column whose values are looked up.")
        reference = options.read(
            "in",
            help: "The stage and its column: vocabulary.name. The stage is read to its end before any row comes."
        )
    }

    var finding: Finding.Kind { Finding.Kind("not-found", "{value} does not stand in \(reference.written)") }
    var columns: [ColumnName] { [column] }
    var complaint: String { "have a value in '\(column)' that does not stand in \(reference.written)" }

    func check(_ input: Schema) throws(DaybookError) {
        try input.requiringComparable(column)
    }

    /// Refuses a column that is not there, or holds values of another kind.
    func check(_ input: Schema?, against side: Schema) throws(DaybookError) {
        let there = try side.requiring(reference.column)
        guard let there, let here = input?[column], here.kind != there.kind else { return }
        throw DaybookError(
            "wrong-kind",
            "column '\(column)' holds \(here.kind.rawValue), and \(reference.written) holds \(there.kind.rawValue)",
            at: reference.column.place,
            hint: "values of two kinds are never equal; cast one of them first"
        )
    }

    func knowing(_ side: BuildSide) -> RefersTo {
        var known = KeyIndex()
        for batch in side.batches {
            let keys = RowKeys(batch, by: [reference.column])
            for row in 0..<keys.count where !keys.gaps.isMissing(row) {
                _ = keys.withKey(row) { known.number(of: $0, keys.hashes[row]) }
            }
        }
        var result = self
        result.known = known
        return result
    }

    func broken(in batch: Batch) -> Mask {
        guard let known else { preconditionFailure("a rule was asked before the stage that it refers to was read") }
        let keys = RowKeys(batch, by: [column])
        let numbers = known.find(keys)
        return Mask(count: numbers.count) { numbers[$0] < 0 && !keys.gaps.isMissing($0) }
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
            beside: """
                name:text,meaning:text
                우울해,gloomy
                행복해,happy
                """,
            findings: ["2 emotion not-found"]
        ),
        StageExample(
            "the stage and its column are both named",
            options: "rules: [{ refers_to: { column: emotion, in: vocabulary } }]",
            input: "emotion:text",
            refused: "'in': expected a stage and its column such as vocabulary.name, found 'vocabulary'"
        ),
    ]
}

/// A column of another stage, as an option: `vocabulary.name`.
struct ColumnReference: OptionValue {
    let stage: BuildSideReference
    let column: ColumnName
    let written: String

    static var kind: OptionKind { .text }
    static var placeholder: ColumnReference {
        ColumnReference(stage: BuildSideReference("placeholder", at: nil), column: .placeholder, written: "placeholder")
    }

    private init(stage: BuildSideReference, column: ColumnName, written: String) {
        (self.stage, self.column, self.written) = (stage, column, written)
    }

    init(reading node: OptionNode) throws(DaybookError) {
        // An id has no dot, so what stands behind the first one is the column, but for the word that means rejects.
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

import DaybookTables

/// Every value has to exist in a column of another stage, or every combination of values in its columns. A row with a
/// missing value in one of the columns passes.
struct RefersTo: ReferringRule {
    static let name = "refers_to"
    static let summary =
        "Every value of a column stands in a column of another stage, or the values of several in one row of it."

    private let referred: ReferredColumns

    /// The keys of the other stage.
    struct Known: Sendable {
        fileprivate var keys: KeyIndex
        /// The same values as texts, if they are few.
        fileprivate var nearest: NearestNames?
    }

    init(reading options: inout OptionReader) {
        let column: ColumnName? = options.optional("column", help: "Column whose values are looked up.")
        let reference: ColumnReference = options.read(
            "in",
            help:
                "The stage and its column: vocabulary.name, or with 'columns' as many: vocabulary.[name, colour]. The stage is read "
                + "to its end before any row comes."
        )
        referred = ReferredColumns(reference, of: Self.name, column, use: "are looked up", reading: &options)
    }

    var columns: [ColumnName] { referred.columns }
    var sideColumns: [ColumnName] { referred.sideColumns }
    var side: BuildSideReference? { referred.reference.stage }
    var target: ColumnName? { referred.target }
    var finding: Finding.Kind { finding(among: nil) }
    private func finding(among nearest: NearestNames?) -> Finding.Kind {
        let other = referred.reference.written
        return columns.count == 1
            ? Finding.Kind("not-found", "{value} does not stand in \(other)", hint: nearest?.hint)
            : Finding.Kind("not-found", "no row of \(other) has these values", showing: columns.map(\.text))
    }
    var complaint: String {
        let other = referred.reference.written
        return columns.count == 1
            ? "have a value in \(columns.quoted) that does not stand in \(other)"
            : "have values in \(columns.quoted) that no row of \(other) has"
    }

    func check(_ input: Schema) throws(DaybookError) {
        for column in columns { try input.requiringComparable(column) }
    }

    func check(_ input: Schema?, against side: Schema) throws(DaybookError) { try referred.check(input, against: side) }

    func known(of side: BuildSide) throws(DaybookError) -> Known {
        let hint = "look them up with join_rows and 'kind: anti' instead, which goes to disk"
        let keys = try referred.keys(of: side, limit: 1 << 30, hint: hint)
        return Known(keys: keys, nearest: try NearestNames(of: side, in: sideColumns))
    }

    /// The rows whose values do not stand in the other stage, of which `known` is known.
    func breaches(in batch: Batch, _ known: (any Sendable)?) -> [Breach] {
        guard let known = known as? Known else { preconditionFailure("a rule was handed what another knows") }
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

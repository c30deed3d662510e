import DaybookTables

/// Turns all rows that are equal in some columns into one row, with a column for each value of another column.
///
/// The job lists the new columns, since later stages are checked before the first row. Rows come out sorted by the
/// columns `rows`, missing values last. Input rows wait in memory up to a limit and then on disk, so their number is
/// not limited. Missing values in the columns `rows` form a group like any other.
public struct PivotRows: FoldStage {
    enum Others: String, OptionChoice { case reject, drop }
    enum Duplicate: String, OptionChoice {
        case reject, first, last, sum

        static let otherWords = ["refuse": "reject", "error": "reject", "add": "sum"]
    }

    let rows: [ColumnName]
    let columns: ColumnName
    let values: ColumnName
    let names: PivotNames
    let others: Others
    let duplicate: Duplicate
    private let sort: SortRows

    static let othersName = "not among 'are'"
    var keys: [SortKey] { rows.map { SortKey(column: $0) } }

    public init(reading options: inout OptionReader) {
        rows = options.read("rows", help: "Columns whose values make a row: one for each that differs.")
        columns = options.read("columns", help: "Column whose values become columns.")
        values = options.read("values", help: "Column whose values go into them.")
        names = options.read(
            "are",
            help: "The values that become columns, in their order: a list, or a map from each to the column's name."
        )
        others = options.read(
            "others",
            default: .reject,
            help: "What becomes of a row whose value is not listed, or is missing: reject it, or drop it by name."
        )
        duplicate = options.read(
            "on_duplicate",
            default: .reject,
            help:
                "What to do with a second value for one place: reject its row, keep the first or the last, or sum them."
        )
        sort = SortRows(by: rows.map { SortKey(column: $0) }, memoryLimit: 256 << 20)
        if rows.isEmpty, options.isWritten("rows"), options.problems.isEmpty {
            options.refuse("rows", "'rows' names no column")
        }
        let read = rows + [columns, values]
        for (index, column) in read.enumerated() where options.problems.isEmpty && read[..<index].contains(column) {
            options.refuse(index < rows.count ? "rows" : "columns", "the column '\(column)' is named twice")
        }
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        try input.requireKeys(rows)
        var result = input.having(rows)
        try input.requiring(columns, .text, .integer, .flag, .day)
        if duplicate == .sum {
            let hint = "put cast_columns before this stage to make numbers of text"
            try input.requiring(values, ColumnKind.numbers, hint: hint)
        } else {
            _ = try input.requiring(values)
        }
        for entry in names.entries {
            guard !rows.contains(where: { $0.text == entry.name }) else {
                let message = "there is a column named '\(entry.name)' already"
                let hint = "'rows' names it; give this one another name: { \(entry.value): other_name }"
                throw DaybookError("column-exists", message, at: entry.place, hint: hint)
            }
            if let kind = input[values]?.kind {
                result.fields.append(Field(entry.name, kind))
            } else {
                result.isOpen = true
            }
        }
        return result
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { ColumnSet(rows + [columns, values]) }

    public func partial(of batch: Batch, reporting findings: inout Findings) throws(DaybookError) -> SortedRuns {
        let deciding = batch[columns]
        let places = names.places(in: deciding)
        var leftOut = Mask(count: batch.count)
        let unlisted = findings.token(.unlistedValue, in: columns)
        let missing = findings.token(.missingValue, in: columns)
        for row in 0..<batch.count where places[row] < 0 {
            leftOut.insert(row)
            if others == .drop {
                findings.drop(row, as: Self.othersName)
            } else {
                findings.reject(row, deciding.missing.isMissing(row) ? missing : unlisted)
            }
        }
        if duplicate == .sum, case .decimals(let numbers) = batch[values] {
            let notFinite = findings.token(.notADecimal, in: values)
            for row in 0..<batch.count
            where !leftOut[row] && !numbers.elements[row].isFinite && !numbers.missing.isMissing(row) {
                leftOut.insert(row)
                findings.reject(row, notFinite)
            }
        }
        // Only the columns that are needed wait for the end, with the target column of each row's value.
        let read = rows + [values]
        let rows = batch.replacing(
            Schema(read.compactMap { batch.schema[$0] } + [Field("", .integer)]),
            read.map { batch[$0] } + [.integers(Values(places))]
        )
        var nothing = Findings()
        return try sort.partial(of: rows.leavingOut(leftOut), reporting: &nothing)
    }

    public func merge(_ later: SortedRuns, into earlier: inout SortedRuns, scratch: any Scratch) throws(DaybookError) {
        try sort.merge(later, into: &earlier, scratch: scratch)
    }

    public func finish(_ partial: SortedRuns?, _ output: FoldOutput) throws(DaybookError) {
        guard let partial, partial.foldedRows > 0 else { return }
        var table = PivotTable(self, output.schema)
        let rows = output.redirected { (late) throws(DaybookError) in try table.add(try late.rows(), output.emit) }
        try sort.finish(partial, rows)
        try table.finish(output.emit)
    }

    public func separates(_ column: ColumnName) -> Bool { rows.contains(column) }

    public static let description = StageDescription(
        name: "pivot_rows",
        summary: "Make columns of the values of a column, with one row for all rows that belong together.",
        details: """
            The columns are those of 'rows' and then one for each value in 'are'; rows come out sorted by the columns of 'rows'. A place \
            for which there is no value is missing; fill_missing can fill it. A second value for a place is rejected unless \
            'on_duplicate' says otherwise; a missing value is none. A value that 'are' does not list is rejected, or dropped and \
            counted. Rows beyond the memory wait on disk.
            """,
        examples: [
            StageExample(
                "one row a day with a column for each emotion",
                options: """
                    rows: date
                    columns: emotion
                    values: count
                    are: [행복해, 우울해]
                    """,
                input: """
                    date:day,emotion:text,count:integer
                    2026-03-02,우울해,4
                    2026-03-01,행복해,3
                    2026-03-02,행복해,1
                    2026-03-03,행복해,
                    2026-03-03,기뻐,2
                    2026-03-02,우울해,5
                    2026-03-04,,2
                    """,
                output: """
                    date:day,행복해:integer,우울해:integer
                    2026-03-01,3,
                    2026-03-02,1,4
                    2026-03-03,,
                    """,
                findings: ["5 emotion unlisted-value", "6 우울해 second-value", "7 emotion missing-value"]
            ),
            StageExample(
                "values can be summed, columns renamed, and what is not listed dropped",
                options: """
                    rows: [year, who]
                    columns: done
                    values: hours
                    are: { true: hours_done, false: hours_left }
                    others: drop
                    on_duplicate: sum
                    """,
                input: """
                    year:integer,who:text,done:flag,hours:decimal
                    2026,민아,true,0.1
                    2026,민아,true,0.2
                    2026,민아,false,3
                    2025,,false,1
                    2026,민아,,9
                    """,
                output: """
                    year:integer,who:text,hours_done:decimal,hours_left:decimal
                    2025,,,1
                    2026,민아,0.30000000000000004,3
                    """,
                findings: ["5 - dropped as not among 'are'"]
            ),
            StageExample(
                "of several values the last can be kept",
                options: "rows: id\ncolumns: key\nvalues: value\nare: [colour, size]\non_duplicate: last",
                input: """
                    id:integer,key:text,value:text
                    1,colour,red
                    1,colour,blue
                    1,size,12
                    1,size,
                    """,
                output: "id:integer,colour:text,size:text\n1,blue,12"
            ),
            StageExample(
                "a column may not have the name of another",
                options: "rows: id\ncolumns: key\nvalues: value\nare: [id]",
                input: "id:integer,key:text,value:text",
                refused: "there is a column named 'id' already"
            ),
        ]
    )
}

extension Finding.Kind {
    static let unlistedValue = Finding.Kind("unlisted-value", "{value} is none of the values that become columns")
    static let secondPivotValue = Finding.Kind("second-value", "{value} is a second value for its row and column")
}

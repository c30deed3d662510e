import DaybookDates
import DaybookExpressions

/// Computes columns from expressions, in order: new columns, or with `replace` new values of existing columns.
///
/// A later expression sees the new values of the columns above it.
///
/// Every expression is computed for every row, even if no later stage reads its column: the rejected rows must not
/// depend on later stages.
public struct DeriveColumns: TransformStage, ColumnReplacing {
    let derived: [(column: ColumnName, expression: ExpressionText)]
    let replaces: Bool
    private let context: OptionReader.Context
    private let zone: ZoneRules?

    public init(reading options: inout OptionReader) {
        replaces = options.read(
            "replace",
            default: false,
            help: "Whether the columns are there already, and are written over in their places."
        )
        let map: OptionMap<ExpressionText> = options.readBare(
            "columns",
            help: "Each column, and the expression that gives its values."
        )
        if map.entries.isEmpty { options.refuse("columns", "'columns' names no column") }
        derived = map.entries.map { (ColumnName($0.key, at: $0.place), $0.value) }
        context = options.context
        zone = derived.first { $0.expression.needsZone }?.expression.zone(reading: &options)
    }

    public var replacedColumns: [ColumnName] { replaces ? derived.map(\.column) : [] }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        var result = input
        for (column, text) in derived {
            if replaces { try requireOld(column, in: result) }
            let expression = try text.checked(against: result, context: context, zone: zone)
            if let kind = expression.kind {
                let source = source(of: expression, in: column).flatMap { result[$0]?.source }
                result =
                    try replaces
                    ? result.addingOrReplacing(column, kind, source: source) : add(column, kind, source, to: result)
            } else if !expression.isUnknown {
                let message = "'\(column)' is always missing, and so has no kind"
                let hint = "write to_text(missing), or to_integer(missing) for a column of numbers"
                throw DaybookError("wrong-kind", message, at: text.place, hint: hint)
            } else if replaces {
                // From here on, only the data decides the column's kind.
                result = result.with(result.fields.filter { $0.name != column.text })
            } else {
                _ = try add(column, .text, nil, to: result)
            }
        }
        return result
    }

    private func add(
        _ column: ColumnName,
        _ kind: ColumnKind,
        _ source: String?,
        to schema: Schema
    ) throws(DaybookError) -> Schema {
        do throws(DaybookError) {
            return try schema.adding(column, kind, source: source)
        } catch {
            var error = error
            error.hint = "'replace: true' writes columns over that are there; else choose another name"
            throw error
        }
    }

    private func requireOld(_ column: ColumnName, in schema: Schema) throws(DaybookError) {
        do throws(DaybookError) {
            _ = try schema.requiring(column)
        } catch {
            var error = error
            error.hint = [error.hint, "a new column needs a stage without 'replace'"].compactMap { $0 }.joined(
                separator: "; "
            )
            throw error
        }
    }

    /// The column in the file that findings about the values point to: the column itself if the expression reads its
    /// old values, else the only column that the expression reads.
    private func source(of expression: Expression, in column: ColumnName) -> ColumnName? {
        if replaces, expression.columnNames.contains(column) { return column }
        return expression.columnNames.count == 1 ? expression.columnNames[0] : nil
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet {
        var made: [ColumnName] = []
        // A column keeps its position only if the input has it.
        var read = replacedColumns
        for (column, expression) in derived {
            read += expression.columnNames.filter { !made.contains($0) }
            made.append(column)
        }
        return wanted.making(made, from: read)
    }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        var result = batch
        // The input bounds the length of texts. Bounded by each other, texts could double with each column.
        let given = derived.flatMap(\.expression.columnNames).filter { batch.schema.index(of: $0) != nil }
        for (column, text) in derived {
            let schema = result.schema
            let expression = ExpressionText.promised { () throws(DaybookError) in
                try text.checked(against: schema, context: context, zone: zone)
            }
            let outcome = expression.outcome(result, boundedBy: given, of: batch)
            if let rows = outcome.uncomputableRows {
                let token = findings.token(.notComputable("'\(column)'"), in: column)
                rows.forEachRow { findings.reject($0, token) }
            }
            result = result.setting(column, to: outcome.column, from: source(of: expression, in: column))
        }
        return result
    }

    public static let description = StageDescription(
        name: "derive_columns",
        summary: "Compute columns from expressions.",
        details: """
            Each new column is named with its expression, under 'columns' or without that word; a later one may use an earlier column. With \
            'replace: true' the columns are there already and are written over in their places; a later expression sees their new values. A value that is computed \
            from a missing one is missing. A row in which an expression divides by 0, or comes to a number too large, is rejected: \
            nullif(days, 0) makes such a divisor missing instead. Text that does not convert is missing, as in \
            to_integer('n/a'); is missing finds it.
            """,
        examples: [
            StageExample(
                "columns are computed one after another, and may use those above",
                options: """
                    age: days_between(date, as_of)
                    week: div(age, 7)
                    label: case when age = 0 then 'today' when age > 0 then to_text(age) || ' days ago' end
                    """,
                input: """
                    date:day
                    2026-11-21
                    2026-11-01

                    2026-12-24
                    """,
                output: """
                    date:day,age:integer,week:integer,label:text
                    2026-11-21,0,0,today
                    2026-11-01,20,2,20 days ago
                    ,,,
                    2026-12-24,-33,-4,
                    """
            ),
            StageExample(
                "what is text in the file becomes a number where it can",
                options: """
                    n: to_integer(count)
                    share: "coalesce(n, 0) / 4"
                    "한 줄": trim(upper(note))
                    """,
                input: "count:text,note:text\n3, ok\nn/a,",
                output: """
                    count:text,note:text,n:integer,share:decimal,한 줄:text
                    3, ok,3,0.75,OK
                    n/a,,,0,
                    """
            ),
            StageExample(
                "the columns may stand under 'columns', as in other stages",
                options: """
                    columns:
                      week: div(days, 7)
                      rest: days - week * 7
                    """,
                input: "days:integer\n16",
                output: "days:integer,week:integer,rest:integer\n16,2,2"
            ),
            StageExample(
                "a division by 0 rejects the row, unless the divisor is said to be missing then",
                options: "safe: total / nullif(days, 0)\nmean: total / days",
                input: "total:integer,days:integer\n9,2\n9,0\n9,",
                output: "total:integer,days:integer,safe:decimal,mean:decimal\n9,2,4.5,4.5\n9,,,",
                findings: ["2 mean not-computable"]
            ),
            StageExample(
                "with 'replace: true' columns are written over in their places, and later expressions see what they became",
                options: """
                    replace: true
                    region: upper(region)
                    price: to_decimal(price) / pieces
                    label: region || ' ' || to_text(price)
                    """,
                input: """
                    region:text,price:text,pieces:integer,label:text
                    eu,3,2,old
                    us,1,0,old
                    ,,,old
                    """,
                output: "region:text,price:decimal,pieces:integer,label:text\nEU,1.5,2,EU 1.5\n,,,",
                findings: ["2 price not-computable"]
            ),
            StageExample(
                "a column that is there already stays as it is, unless the stage says 'replace: true'",
                options: "count: to_integer(count)",
                input: "count:text\n3",
                refused: "there is a column named 'count' already"
            ),
            StageExample(
                "what is to be replaced has to be there",
                options: "replace: true\nreigon: upper(region)",
                input: "region:text\neu",
                refused: "no column named 'reigon'"
            ),
            StageExample(
                "a function that does not exist is refused with the nearest name",
                options: "n: lenght(note)",
                input: "note:text\na",
                refused: "there is no function 'lenght'"
            ),
        ]
    )
}

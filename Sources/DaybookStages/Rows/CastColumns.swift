/// Converts columns to other kinds, and rejects values that the new kind cannot hold.
///
/// Nothing is guessed. A text is a number only if all of it is. A decimal becomes a whole number only if it is one. A
/// whole number, also one in text, becomes a decimal only if no digit is lost. Only decimals in text are rounded, to
/// the nearest double. Missing values stay missing. A column that already has the kind passes, so casting twice equals
/// once.
public struct CastColumns: TransformStage {
    enum OnError: String, OptionChoice {
        case reject, missing

        static let otherWords = ["null": "missing", "coerce": "missing", "raise": "reject"]
    }

    let columns: OptionMap<CastTarget>
    let flags: FlagSpellings?
    let decimalComma: Bool
    let numbers: NumberFormats
    let onError: OnError

    private var names: [ColumnName] { columns.entries.map { ColumnName($0.key, at: $0.place) } }

    public init(reading options: inout OptionReader) {
        flags = options.optional(
            "flags",
            help:
                "What is written for true and what for false, as { true: [yes, 1], false: [no, 0] }; else true and false."
        )
        decimalComma = options.read(
            "decimal_comma",
            default: false,
            help: "Whether decimals in text have a comma where others have a point."
        )
        numbers = options.readNumberFormats()
        onError = options.read(
            "on_error",
            default: .reject,
            help: "What becomes of a value that does not fit: reject its row, or make it missing with a warning."
        )
        columns = options.readBare(
            "columns",
            help: "Each column, and what it is to hold: text, integer, decimal, flag or day."
        )
        if columns.entries.isEmpty { options.refuse("columns", "'columns' names no column") }
        // Unreadable columns have an error already, so further checks are skipped.
        guard options.problems.isEmpty else { return }
        if flags != nil, !columns.entries.contains(where: { $0.value == .flag }) {
            options.refuse("flags", "'flags' has no meaning, since no column is to hold flags")
        }
        if options.isWritten("decimal_comma"), !columns.entries.contains(where: { $0.value == .decimal }) {
            options.refuse("decimal_comma", "'decimal_comma' has no meaning, since no column is to hold decimals")
        }
        if options.isWritten("decimal_comma"), options.isWritten("number_format") {
            let hint = "leave 'decimal_comma' out; 'number_format: { decimal: \",\" }' says the same"
            options.refuse("decimal_comma", "'number_format' says how decimals are written", hint: hint)
        }
        let wanted = columns.entries.filter { $0.value == .integer || $0.value == .decimal }
        options.refuse(numbers, unlessOf: wanted.map(\.key))
    }

    public func schema(after input: Schema) throws(DaybookError) -> Schema {
        var cast: [Field] = []
        for (name, entry) in zip(names, columns.entries) {
            let field = try input.requiring(name)
            if let kind = field?.kind { try check(name, kind, entry.value) }
            cast.append(Field(name.text, entry.value.columnKind, source: field?.source))
        }
        var result = input
        result.addOrReplace(cast)
        return result
    }

    private func check(_ name: ColumnName, _ kind: ColumnKind, _ target: CastTarget) throws(DaybookError) {
        let hint: String?
        switch (kind, target) {
        case (_, .text), (.text, _), (.json, _), (.integer, .integer), (.integer, .decimal), (.decimal, .decimal),
            (.decimal, .integer), (.flag, .flag), (.flag, .integer), (.day, .day):
            return
        case (.integer, .flag):
            if flags != nil { return }
            hint = "say which numbers they are: 'flags: { true: 1, false: 0 }'"
        case (_, .day), (.instant, _): hint = "normalise_dates makes days of instants and of numbers"
        default: hint = nil
        }
        let message = "column '\(name)' holds \(kind.rawValue), which does not become \(target.rawValue)"
        throw DaybookError("wrong-kind", message, at: name.place, hint: hint)
    }

    public func columns(neededFor wanted: ColumnSet) -> ColumnSet { wanted.making(names, from: names) }

    public func process(_ batch: Batch, reporting findings: inout Findings) -> Batch {
        let made = zip(names, columns.entries).map { name, entry in
            let reader = numbers.format(of: name.text).map(NumberReader.init)
            var cast = ColumnCast(flags: flags ?? .plain, numbers: reader, decimalComma: decimalComma)
            let column = cast.cast(batch[name], to: entry.value)
            return Batch.NewColumn(name, handleFailures(column, batch[name], cast, name, &findings), from: name)
        }
        var result = batch
        result.set(made)
        return result
    }

    /// Rejects the failed rows, or makes their values missing.
    private func handleFailures(
        _ column: Column,
        _ old: Column,
        _ cast: ColumnCast,
        _ name: ColumnName,
        _ findings: inout Findings
    ) -> Column {
        guard !cast.failures.isEmpty else { return column }
        var gaps = column.missing
        for failure in cast.failures {
            let row = Int(failure)
            var kind = CastFault(cast, row, old, column.kind).kind(column.kind, from: old.kind)
            if onError == .reject {
                findings.reject(row, findings.token(kind, in: name))
            } else {
                kind = Finding.Kind(kind.code, kind.message + ", and became missing", severity: .warning)
                findings.warn(row, findings.token(kind, in: name))
                gaps.insert(row, of: column.count)
            }
        }
        return onError == .missing ? column.with(missing: gaps) : column
    }

    public static let description = StageDescription(
        name: "cast_columns",
        summary: "Make numbers, flags and days of text, and other kinds of each other.",
        details: """
            A text becomes a number, a flag or a day such as 2026-11-21 only if all of it is one; other dates are the work of \
            normalise_dates. The columns stand under 'columns' or without that word. Marks between thousands are not guessed at, since they may be decimal points: 'number_format' says what \
            they are. A decimal becomes a whole number only if it is one, and a whole number, also one in text, a decimal only if no digit is lost; \
            decimals in text are rounded to the nearest 64-bit number, which has 15 to 17 digits. A flag becomes 1 or 0. Everything becomes text as export_csv writes it. A value that does not fit is rejected, or becomes missing with a \
            warning. Missing stays missing.
            """,
        examples: [
            StageExample(
                "text becomes numbers, days and flags, and what is none is rejected",
                options: "columns: { count: integer, price: decimal, when: day, done: flag }",
                input: """
                    count:text,price:text,when:text,done:text
                    007,0.5,2026-11-21,true
                    ,,,
                    many,1,2026-11-21,true
                    1,"1,5",2026-11-21,false
                    "1,234",1,2026-11-21,true
                    1,1,21.11.2026,true
                    1,1,2026-11-21,yes
                    """,
                output: """
                    count:integer,price:decimal,when:day,done:flag
                    7,0.5,2026-11-21,true
                    ,,,
                    """,
                findings: [
                    "3 count not-an-integer", "4 price decimal-comma", "5 count grouped-number", "6 when not-a-day",
                    "7 done not-a-flag",
                ]
            ),
            StageExample(
                "flags can be spelt in other ways, decimals have a comma, and what does not fit can become missing",
                options: """
                    columns: { done: flag, price: decimal }
                    flags: { true: [예, "y"], false: [아니요, "n"] }
                    decimal_comma: true
                    on_error: missing
                    """,
                input: """
                    done:text,price:text
                    예,"1,5"
                    n,-2
                    Y,"1.234,5"
                    아니요,1.5
                    """,
                output: """
                    done:flag,price:decimal
                    true,1.5
                    false,-2
                    ,
                    false,
                    """,
                findings: ["3 done not-a-flag", "3 price grouped-number", "4 price not-a-number"]
            ),
            StageExample(
                "numbers are read as people write them, where 'number_format' says how",
                options: """
                    columns: { price: decimal, share: decimal, count: integer }
                    number_format:
                      - { thousands: "'", currency: [CHF, Fr.] }
                      - { decimal: ",", percent: keep, columns: share }
                    """,
                input: """
                    price:text,share:text,count:text
                    CHF 1'234.50,"12,5 %",1'000
                    12.50-,7,-3
                    Fr. 1’000’000,7%,12
                    1'23.50,7,1
                    € 3,7,1
                    1,7,"1,000"
                    """,
                output: """
                    price:decimal,share:decimal,count:integer
                    1234.5,12.5,1000
                    -12.5,7,-3
                    1000000,7,12
                    """,
                findings: ["4 price not-a-number", "5 price not-a-number", "6 count not-an-integer"]
            ),
            StageExample(
                "in India, the groups before the last three digits are of two",
                options: """
                    amount: decimal
                    number_format: { thousands: ",", groups: indian, currency: [₹, Rs.] }
                    """,
                input: """
                    amount:text
                    "₹ 12,34,567.50"
                    "Rs. 1,00,000"
                    "99,999"
                    "1,234,567"
                    """,
                output: "amount:decimal\n1234567.5\n100000\n99999",
                findings: ["4 amount not-a-number"]
            ),
            StageExample(
                "the columns may stand there without 'columns', beside the other options",
                options: "done: flag\nflags: { true: 1, false: 0 }",
                input: "done:text\n1\n0",
                output: "done:flag\ntrue\nfalse"
            ),
            StageExample(
                "between kinds nothing is lost in silence",
                options: "columns: { whole: integer, exact: decimal, done: integer, day: text, mixed: integer }",
                input: """
                    whole:decimal,exact:integer,done:flag,day:day,mixed:json
                    3,9007199254740992,true,2026-11-21,12
                    -0.0,-1,false,,\"\"\"12\"\"\"
                    3.5,1,true,,1
                    3,9007199254740993,true,,1
                    3,1,true,,[1]
                    """,
                output: """
                    whole:integer,exact:decimal,done:integer,day:text,mixed:integer
                    3,9007199254740992.0,1,2026-11-21,12
                    0,-1,0,,12
                    """,
                findings: ["3 whole not-an-integer", "4 exact inexact-decimal", "5 mixed not-an-integer"]
            ),
            StageExample(
                "an instant has no day without a time zone",
                options: "columns: { at: day }",
                input: "at:instant",
                refused: "column 'at' holds instant, which does not become day"
            ),
        ]
    )
}

extension Finding.Kind {
    /// The value has a mark that a number format would explain; `evidence` is the format that it suggests.
    static func groupedNumber(_ evidence: NumberEvidence?) -> Finding.Kind {
        Finding.Kind(
            "grouped-number",
            "{value} has a mark between its digits that may group thousands or begin decimals",
            mend: mend(of: evidence)
        )
    }
    static let decimalCommaFound = Finding.Kind(
        "decimal-comma",
        "{value} has a comma where a decimal point was expected; 'decimal_comma: true' reads it",
        mend: "say how numbers are written: 'number_format: { decimal: \",\" }', or 'decimal_comma: true'"
    )
    static let notAFlagSpelling = Finding.Kind(
        "not-a-flag",
        "{value} is not one of the words for true or false",
        mend: "name the words that are written here with 'flags'"
    )
}

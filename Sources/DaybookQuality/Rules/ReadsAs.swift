import DaybookDates

/// Every text reads as a value of another kind. A column of that kind passes.
struct ReadsAs: ValueRule, ColumnRule {
    /// The kinds that text can be read as without a format.
    enum Kind: String, OptionChoice {
        case integer, decimal, day, flag, instant

        static var otherWords: [String: String] { ColumnKind.otherWords.filter { Kind(rawValue: $0.value) != nil } }
    }

    static let name = "type"
    static let summary = "Every text of a column reads as a whole number, a number, a day, an instant or a flag."

    let column: ColumnName
    let kind: Kind
    let numbers: NumberFormat?

    init(reading options: inout OptionReader) {
        column = options.read("column", help: "Column of text.")
        kind = options.read(
            "is",
            help: "What every value reads as: as cast_columns would read it, or an instant with its offset."
        )
        numbers = options.readNumberFormat()
        if ![.integer, .decimal].contains(kind) {
            options.refuse(
                "number_format",
                without: "is: decimal",
                hint: "\(kind == .instant ? "an" : "a") \(kind.rawValue) is no number"
            )
        }
    }

    var finding: Finding.Kind {
        if let numbers { return .unreadable(.other, as: kind == .integer ? .integer : .decimal, by: numbers) }
        return switch kind {
        case .integer: .notAnInteger
        case .decimal: .notADecimal
        case .day: .notADay
        case .flag: .notAFlag
        case .instant: Finding.Kind("not-an-instant", "{value} is not an instant such as 2026-11-21T05:00:00Z")
        }
    }

    var complaint: String {
        let displayText =
            switch kind {
            case .integer: "a whole number"
            case .decimal: "a number"
            case .day: "a day"
            case .flag: "true or false"
            case .instant: "an instant"
            }
        return "have a value in '\(column)' that is not \(displayText)"
    }

    func check(_ input: Schema) throws(DaybookError) {
        guard let found = input[column]?.kind, found != .text else { return }
        let isThatKind = found.rawValue == kind.rawValue || (kind == .decimal && found == .integer)
        guard !isThatKind else { return }
        throw DaybookError("wrong-kind", "column '\(column)' holds \(found.rawValue), not text", at: column.place)
    }

    func broken(in batch: Batch) -> Mask {
        guard case .text(let text) = batch.column(column) else { return Mask(count: batch.count) }
        if let numbers {
            let reader = NumberReader(numbers)
            return kind == .integer ? text.rows { reader.integer($0) == nil } : text.rows { reader.decimal($0) == nil }
        }
        return switch kind {
        case .integer: text.rows { CellReading.integer($0) == nil }
        case .decimal: text.rows { CellReading.keptDecimal($0) == nil }
        case .day: text.rows { CellReading.day($0) == nil }
        case .flag: text.rows { CellReading.flag($0) == nil }
        case .instant: text.rows { ReadInstant(iso: $0) == nil }
        }
    }

    /// A number that is too large or has too many digits has a finding of its own, as has each fault against a format.
    func breaches(in batch: Batch) -> [Breach] {
        let broken = broken(in: batch)
        guard kind == .integer || kind == .decimal, case .text(let text) = batch.column(column), broken.setCount > 0
        else { return [Breach(finding, in: column, broken)] }
        if let numbers { return breaches(of: text, broken, numbers) }
        if kind == .decimal { return breaches(of: text, broken) }
        let tooLarge = text.rows { CellReading.isTooLargeInteger($0) }
        guard tooLarge.setCount > 0 else { return [Breach(finding, in: column, broken)] }
        return [
            Breach(finding, in: column, broken.subtracting(tooLarge)),
            Breach(.integerTooLarge, in: column, tooLarge),
        ]
    }

    private func breaches(of text: TextColumn, _ broken: Mask) -> [Breach] {
        CellReading.DecimalFault.allCases.compactMap { fault in
            let rows = text.rows { CellReading.fault(ofDecimal: $0) == fault }.intersection(broken)
            return rows.setCount > 0 || fault == .other ? Breach(.notADecimal(fault), in: column, rows) : nil
        }
    }

    private func breaches(of text: TextColumn, _ broken: Mask, _ numbers: NumberFormat) -> [Breach] {
        let reader = NumberReader(numbers)
        let kind: ColumnKind = kind == .integer ? .integer : .decimal
        var faults = [NumberReader.Fault](repeating: .other, count: text.count)
        broken.forEachRow { row in faults[row] = text.withCell(row) { reader.fault(of: $0, as: kind) } }
        return NumberReader.Fault.allCases.compactMap { fault in
            let rows = Mask(count: text.count) { broken[$0] && faults[$0] == fault }
            return rows.setCount > 0 || fault == .other
                ? Breach(.unreadable(fault, as: kind, by: numbers), in: column, rows) : nil
        }
    }

    static let examples: [StageExample] = [
        .passing(
            "numbers are judged as people write them, where 'number_format' says how",
            options: """
                rules:
                  - type: { column: amount, is: decimal, number_format: { decimal: ",", thousands: "." } }
                """,
            rows: """
                amount:text
                "1.234,56"
                "12,50-"
                1234.56
                € 3

                12 %
                """,
            findings: ["3 amount not-a-number", "4 amount not-a-number", "6 amount not-a-number"]
        ),
        .passing(
            "text that reads as no whole number is told, and stays text",
            options: "rules: [{ type: { column: count, is: integer } }]",
            rows: """
                count:text
                007
                3.0
                n/a

                -12
                """,
            findings: ["2 count not-an-integer", "3 count not-an-integer"]
        ),
        .passing(
            "days, numbers and flags are read as they stand in CSV",
            options: """
                rules:
                  - type: { column: date, is: day }
                  - type: { column: mean, is: decimal }
                  - type: { column: done, is: flag }
                """,
            rows: """
                date:text,mean:text,done:text
                2026-02-28,0.5,true
                2026-02-30,"1,5",yes
                """,
            findings: ["2 date not-a-day", "2 mean not-a-number", "2 done not-a-flag"]
        ),
        .passing(
            "an instant says its offset; a local time is none",
            options: "rules: [{ type: { column: at, is: instant } }]",
            rows: """
                at:text
                2026-11-21T05:00:00Z
                2026-11-21T14:00:00.5+09:00
                2026-11-21T05:00:00
                2026-11-21

                """,
            findings: ["3 at not-an-instant", "4 at not-an-instant"]
        ),
    ]
}

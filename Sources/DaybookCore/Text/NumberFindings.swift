extension Finding.Kind {
    /// What a cell is told that is no number of a format.
    package static func unreadable(
        _ fault: NumberReader.Fault,
        as kind: ColumnKind,
        by format: NumberFormat
    ) -> Finding.Kind {
        let isWhole = kind == .integer
        func failing(_ message: String, mend: String? = nil) -> Finding.Kind {
            isWhole
                ? Finding.Kind("not-an-integer", message, mend: mend)
                : Finding.Kind("not-a-number", message, mend: mend)
        }
        switch fault {
        case .other:
            let sample = isWhole ? format.wholeSample : format.sample
            return failing("{value} is not a \(isWhole ? "whole number" : "number") written as \(sample)")
        case .groups:
            let size = format.groups == .three ? "of three" : "of two and, at the end, of three"
            return failing(
                "{value} has digits in groups that are not \(size), as in \(isWhole ? format.wholeSample : format.sample)",
                mend: "'number_format' may have the marks the wrong way round"
            )
        case .currency:
            return failing(
                "{value} has a currency that 'number_format' does not name",
                mend: "name what may stand beside the digits in 'number_format', such as 'currency: [€, EUR]'"
            )
        case .percent:
            return failing(
                "{value} has a percent sign, of which 'number_format' says nothing",
                mend: "'percent: divide' in 'number_format' makes 0.12 of 12 %, and 'percent: keep' makes 12 of it"
            )
        case .tooLarge: return isWhole ? .integerTooLarge : .decimalTooLarge
        case .inexact: return .inexactDecimal
        case .tooSmall: return .decimalTooSmall
        case .fraction: return failing("{value} is not a whole number")
        }
    }

    /// How a job is told to read such a number, where no format was given.
    package static func mend(of evidence: NumberEvidence?) -> String {
        if let evidence, let format = evidence.format { return "say how numbers are written: '\(format.option)'" }
        return "say how numbers are written: 'number_format: { decimal: \",\", thousands: \".\" }' reads 1.234,56, and "
            + "'number_format: { thousands: \",\" }' reads 1,234.56"
    }
}

extension TextColumn {
    /// The column read as numbers of a format, with every cell that is none rejected.
    func reading(
        _ kind: ColumnKind,
        by format: NumberFormat,
        named name: ColumnName,
        reporting findings: inout Findings
    ) -> Column {
        let reader = NumberReader(format)
        func reject(_ row: Int, _ cell: Cell) {
            let kind = Finding.Kind.unreadable(reader.fault(of: cell, as: kind), as: kind, by: format)
            findings.reject(row, findings.token(kind, in: name))
        }
        if kind == .integer {
            return .integers(
                mapValues(filler: Int64(0)) { row, cell in
                    if let value = reader.integer(cell) { return value }
                    reject(row, cell)
                    return 0
                }
            )
        }
        return .decimals(
            mapValues(filler: 0.0) { row, cell in
                if let value = reader.decimal(cell) { return value }
                reject(row, cell)
                return 0
            }
        )
    }
}

extension Finding.Kind {
    public static let notAnInteger = Finding.Kind("not-an-integer", "{value} is not a whole number")
    public static let integerTooLarge = Finding.Kind(
        "not-an-integer",
        "{value} is too large for a whole number, which has 64 bits"
    )
    public static let notADecimal = Finding.Kind("not-a-number", "{value} is not a number")
    public static let decimalTooLarge = Finding.Kind(
        "not-a-number",
        "{value} is too large for a decimal, which has 64 bits"
    )
    public static let inexactDecimal = Finding.Kind(
        "inexact-decimal",
        "{value} has more digits than a decimal can hold"
    )
    public static let decimalTooSmall = Finding.Kind(
        "inexact-decimal",
        "{value} is too close to 0 for a decimal, which has 64 bits"
    )
    /// The finding for a cell that is no decimal.
    public static func notADecimal(_ fault: CellReading.DecimalFault) -> Finding.Kind {
        switch fault {
        case .other: .notADecimal
        case .tooLarge: .decimalTooLarge
        case .inexact: .inexactDecimal
        case .tooSmall: .decimalTooSmall
        }
    }
    /// Reported if the options cannot describe how numbers are written.
    public static let commaInNumber = Finding.Kind(
        "not-a-number",
        "{value} is not a number: a comma stands in it",
        mend: Finding.Kind.mend(of: nil) + "; or leave the column text"
    )
    public static let notAFlag = Finding.Kind("not-a-flag", "{value} is not true or false")
    public static let notADay = Finding.Kind("not-a-day", "{value} is not a date such as 2026-11-21")
}

extension TextColumn {
    /// The column read as `kind`; every unreadable cell is rejected.
    ///
    /// `instant` and `json` are not read here: one needs a time zone, the other a parser. `format` describes how
    /// numbers are written, if it differs from what `CellReading` reads.
    public func reading(
        _ kind: ColumnKind,
        by format: NumberFormat? = nil,
        named name: ColumnName,
        reporting findings: inout Findings
    ) -> Column {
        if let format, kind == .integer || kind == .decimal {
            return reading(kind, by: format, named: name, reporting: &findings)
        }
        switch kind {
        case .text, .json, .instant: return .text(self)
        case .integer:
            let token = findings.token(.notAnInteger, in: name)
            let values = mapValues(filler: Int64(0)) { row, cell in
                if let value = CellReading.integer(buffered: cell) { return value }
                let isTooLarge = CellReading.isTooLargeInteger(cell)
                findings.reject(row, isTooLarge ? findings.token(.integerTooLarge, in: name) : token)
                return 0
            }
            return .integers(values)
        case .decimal:
            let token = findings.token(.notADecimal, in: name)
            let values = mapValues(filler: 0.0) { row, cell in
                if let value = CellReading.keptDecimal(cell) { return value }
                let fault = CellReading.fault(ofDecimal: cell)
                if fault != .other {
                    findings.reject(row, findings.token(.notADecimal(fault), in: name))
                } else if cell.contains(UInt8(ascii: ",")), cell.contains(where: { $0 >= 48 && $0 <= 57 }) {
                    findings.reject(row, findings.token(.commaInNumber, in: name))
                } else {
                    findings.reject(row, token)
                }
                return 0
            }
            return .decimals(values)
        case .flag:
            let token = findings.token(.notAFlag, in: name)
            return .flags(reading(filler: false, token, &findings) { CellReading.flag($0) })
        case .day:
            let token = findings.token(.notADay, in: name)
            return .days(reading(filler: 0, token, &findings) { CellReading.day($0) })
        }
    }

    private func reading<Element>(
        filler: Element,
        _ token: Finding.Token,
        _ findings: inout Findings,
        _ read: (Cell) -> Element?
    ) -> Values<Element> {
        mapValues(filler: filler) { row, cell in
            if let value = read(cell) { return value }
            findings.reject(row, token)
            return filler
        }
    }
}

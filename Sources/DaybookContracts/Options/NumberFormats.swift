/// The formats of the numbers that a stage reads: one for all, or several for the columns that each names.
///
/// A format without `columns` applies to the columns that no other format names. Two formats in one file are common:
/// money as people write it, and rates from a machine.
public struct NumberFormats: Sendable {
    package private(set) var entries: [(format: NumberFormat, columns: [ColumnName])] = []

    package func format(of column: String) -> NumberFormat? {
        (entries.first { $0.columns.contains { $0.text == column } } ?? entries.first { $0.columns.isEmpty })?.format
    }
}

extension NumberFormats: OptionValue {
    /// One of several formats, with the columns that it names.
    private struct Entry: OptionObject {
        let format: NumberFormat
        let columns: [ColumnName]?

        static let title = NumberFormat.title
        static let example = NumberFormat.example
        static var placeholder: Entry { Entry(format: .placeholder, columns: nil) }
        var written: String { format.written }

        private init(format: NumberFormat, columns: [ColumnName]?) { (self.format, self.columns) = (format, columns) }

        init(reading fields: inout OptionFields) throws(DaybookError) {
            format = try NumberFormat(reading: &fields)
            columns = try fields.optional(
                "columns",
                help: "The columns that are written so; left out, all those that no other format names."
            )
        }
    }

    public static var kind: OptionKind { .list(of: Entry.kind) }
    public static var placeholder: NumberFormats { NumberFormats() }

    public init(reading node: OptionNode) throws(DaybookError) {
        for item in node.list ?? [node] {
            let entry = try Entry(reading: item)
            let columns = entry.columns
            if let columns, columns.isEmpty {
                throw DaybookError("bad-option", "'columns' names no column", at: item.place)
            }
            for column in columns ?? [] where entries.contains(where: { $0.columns.contains(column) }) {
                throw DaybookError("bad-option", "'\(column)' has two formats", at: column.place)
            }
            if columns == nil, entries.contains(where: \.columns.isEmpty) {
                throw DaybookError(
                    "bad-option",
                    "two formats name no columns",
                    at: item.place,
                    hint: "name the columns of all formats but one with 'columns'"
                )
            }
            entries.append((entry.format, columns ?? []))
        }
    }

    public var written: String { entries.count == 1 ? entries[0].format.written : entries.map(\.format).written }
}

extension NumberFormat.Groups: OptionChoice {
    public static var otherWords: [String: String] { ["3": "three", "lakh": "indian", "two": "indian"] }
}

extension NumberFormat.Percent: OptionChoice {}

extension NumberFormat: OptionObject {
    /// The option for this format, as a job writes it.
    package var option: String { "number_format: \(written)" }

    public static var title: String { "a number format" }
    public static var example: String? { "write { decimal: \",\", thousands: \".\" }" }
    public static var placeholder: NumberFormat { NumberFormat() }

    public init(reading fields: inout OptionFields) throws(DaybookError) {
        self.init()
        var help = "What stands before the decimals: a point or a comma."
        if let node = fields.written("decimal", .text, default: ".", help: help) {
            guard let mark = node.text.flatMap(NumberMark.init), mark == .point || mark == .comma else {
                throw node.expected("\".\" or \",\"")
            }
            decimal = mark
        }
        help = "What stands between groups of digits: point, comma, apostrophe, space, _ or none."
        if let node = fields.written("thousands", .text, default: "none", help: help) {
            thousands = try NumberFormat.thousands(node)
        }
        groups = try fields.read(
            "groups",
            default: .three,
            help: "How many digits a group has: three, or two before the last three as in India."
        )
        percent = try fields.read(
            "percent",
            default: .refuse,
            help:
                "What a percent sign means: that this is no number, nothing (12 % is 12), or hundredths (12 % is 0.12)."
        )
        help = "What may stand before or behind the digits, such as [€, EUR]; anything else is refused."
        if let node = fields.written("currency", .list(of: .text), default: "[]", help: help) {
            currency = try NumberFormat.currency(node)
        }
        if thousands == decimal {
            throw DaybookError(
                "bad-option",
                "'\(decimal.text)' stands both between groups and before the decimals",
                at: fields.node.place,
                hint: decimal == .point
                    ? "where points group digits, write 'decimal: \",\"' too"
                    : "write 'decimal: \".\"', or another mark for 'thousands'"
            )
        }
        if groups == .indian, thousands == nil {
            throw DaybookError("bad-option", "'groups' has no meaning without 'thousands'", at: fields.node.place)
        }
    }

    private static let marks: [String: NumberMark] = [
        "point": .point, "comma": .comma, "space": .space, "apostrophe": .apostrophe,
    ]

    private static func thousands(_ node: OptionNode) throws(DaybookError) -> NumberMark? {
        if node.text == "none" { return nil }
        guard let mark = node.text.flatMap({ marks[$0] ?? NumberMark($0) }) else {
            throw node.expected("\".\", \",\", \"'\", space, _ or none")
        }
        return mark
    }

    private static func currency(_ node: OptionNode) throws(DaybookError) -> [String] {
        let texts = try [String](reading: node)
        for text in texts {
            let taken = "0123456789-+()% \u{A0}\u{202F}\u{2009}\u{2212}"
            guard !text.isEmpty, text.utf8.count <= 32, !text.contains(where: taken.contains) else {
                throw DaybookError(
                    "bad-option",
                    "'\(text)' cannot stand beside a number: a currency is a sign or a word such as € or EUR, without spaces, digits and signs",
                    at: node.place
                )
            }
        }
        return texts
    }

    public var written: String {
        var parts = ["decimal: \"\(decimal.text)\""]
        if let thousands { parts.append("thousands: \"\(thousands.text)\"") }
        if groups != .three { parts.append("groups: \(groups.rawValue)") }
        if percent != .refuse { parts.append("percent: \(percent.rawValue)") }
        if !currency.isEmpty { parts.append("currency: [\(currency.joined(separator: ", "))]") }
        return "{ \(parts.joined(separator: ", ")) }"
    }
}

extension OptionReader {
    private static let help =
        "How numbers are written, as { decimal: \",\", thousands: \".\" } for 1.234,56; else as 1234.56 only."

    /// Reads the format of the numbers of one column.
    package mutating func readNumberFormat() -> NumberFormat? { optional("number_format", help: OptionReader.help) }

    /// Reads the formats of numbers that people wrote.
    package mutating func readNumberFormats() -> NumberFormats {
        optional("number_format", help: OptionReader.help) ?? .placeholder
    }

    /// Refuses formats for columns outside `numbers`, the columns that are read as numbers.
    package mutating func refuse(_ formats: NumberFormats, unlessOf numbers: [String]) {
        guard isWritten("number_format") else { return }
        if numbers.isEmpty {
            refuse(
                "number_format",
                "'number_format' has no meaning, since no column is to hold numbers",
                hint: "name them: 'columns: { price: decimal }'"
            )
        }
        for column in formats.entries.flatMap(\.columns) where !numbers.contains(column.text) && !numbers.isEmpty {
            refuse(
                DaybookError(
                    "bad-option",
                    "'number_format' names '\(column)', which is not to hold numbers",
                    at: column.place,
                    hint: NearestName.hint(for: column.text, among: numbers)
                        ?? "say that it is a number: '\(column): decimal'"
                )
            )
        }
    }
}

extension Finding.Kind {
    /// The finding for a cell that is no number of a format.
    package static func unreadable(
        _ fault: NumberReader.Fault,
        as kind: ColumnKind,
        by format: NumberFormat
    ) -> Finding.Kind {
        let isWhole = kind == .integer
        func failing(_ message: String, mend: String? = nil) -> Finding.Kind {
            Finding.Kind(isWhole ? "not-an-integer" : "not-a-number", message, mend: mend)
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

    /// The hint about how to read such a number, if no format was given.
    package static func mend(of evidence: NumberEvidence?) -> String {
        if let evidence, let format = evidence.format { return "say how numbers are written: '\(format.option)'" }
        return "say how numbers are written: 'number_format: { decimal: \",\", thousands: \".\" }' reads 1.234,56, and "
            + "'number_format: { thousands: \",\" }' reads 1,234.56"
    }

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
    /// The column read as numbers of a format; all other cells are rejected.
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
        if kind == .integer { return .integers(reading(filler: 0, { reader.integer($0) }, orElse: reject)) }
        return .decimals(reading(filler: 0, { reader.decimal($0) }, orElse: reject))
    }

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
            let values = reading(filler: 0, CellReading.integer(buffered:)) { row, cell in
                let isTooLarge = CellReading.isTooLargeInteger(cell)
                findings.reject(row, isTooLarge ? findings.token(.integerTooLarge, in: name) : token)
            }
            return .integers(values)
        case .decimal:
            let token = findings.token(.notADecimal, in: name)
            func read(_ cell: Cell) -> Double? { CellReading.keptDecimal(cell) }
            let values = reading(filler: 0, read) { row, cell in
                let fault = CellReading.fault(ofDecimal: cell)
                if fault != .other {
                    findings.reject(row, findings.token(.notADecimal(fault), in: name))
                } else if cell.contains(UInt8(ascii: ",")), cell.contains(where: { $0 >= 48 && $0 <= 57 }) {
                    findings.reject(row, findings.token(.commaInNumber, in: name))
                } else {
                    findings.reject(row, token)
                }
            }
            return .decimals(values)
        case .flag:
            let token = findings.token(.notAFlag, in: name)
            return .flags(reading(filler: false, { CellReading.flag($0) }) { row, _ in findings.reject(row, token) })
        case .day:
            let token = findings.token(.notADay, in: name)
            return .days(reading(filler: 0, { CellReading.day($0) }) { row, _ in findings.reject(row, token) })
        }
    }

    @inline(__always)
    private func reading<Element>(
        filler: Element,
        _ read: (Cell) -> Element?,
        orElse reject: (_ row: Int, _ cell: Cell) -> Void
    ) -> Values<Element> {
        mapValues(filler: filler) { row, cell in
            if let value = read(cell) { return value }
            reject(row, cell)
            return filler
        }
    }
}

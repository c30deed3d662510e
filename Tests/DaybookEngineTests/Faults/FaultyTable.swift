import DaybookTestSupport
import Testing

@testable import DaybookContracts

/// A table of diary entries with faults at known places, and what is known of each.
struct FaultyTable {
    /// How the file is written.
    struct Layout: Sendable, CustomTestStringConvertible {
        var name: String
        var delimiter: Unicode.Scalar = ","
        var quotesAll = false
        var lineEnd = "\n"
        var hasHeader = true
        /// The columns in their order; the note may be of several lines.
        var columns: [Column] = [.id, .date, .emotion, .note, .count, .colour]
        /// As the job names it; nil for UTF-8.
        var encoding: String?
        /// Notes of several lines among 100.
        var longNotes = 15
        var testDescription: String { name }
    }

    enum Column: String, CaseIterable, Sendable { case id, date, emotion, note, count, colour }

    enum Fault: String, CaseIterable {
        case missingDelimiter = "missing delimiter"
        case extraDelimiter = "extra delimiter"
        case quoteInCell = "quote inside a bare cell"
        case openingQuote = "quote opens a bare cell"
        case closingQuote = "quote ends a bare cell"
        case closingRemoved = "closing quote left out"
        case openingRemoved = "opening quote left out"
        case singleInnerQuote = "quote inside a quoted cell"
        case notText = "bytes that are no text"
        case badDate = "bad date"
        case badColour = "bad colour"
        case badNumber = "bad number"

        enum Family: String, CaseIterable { case delimiters, quotes, encoding, values }

        var family: Family {
            switch self {
            case .missingDelimiter, .extraDelimiter: .delimiters
            case .quoteInCell, .openingQuote, .closingQuote, .closingRemoved, .openingRemoved, .singleInnerQuote:
                .quotes
            case .notText: .encoding
            case .badDate, .badColour, .badNumber: .values
            }
        }
    }

    /// A fault and its place: physical line and column, from 1, in characters.
    struct Known {
        var fault: Fault
        var line: Int
        var column: Int
        /// The lines of the row that has the fault.
        var lines: ClosedRange<Int>
        var row: Int
    }

    private(set) var known: [Known] = []
    /// The numbers of the rows that have no fault.
    private(set) var fine: Set<Int> = []
    /// The scalars of the file; those from U+E000 on stand for bytes that are not text.
    private(set) var scalars: [Unicode.Scalar] = []
    let layout: Layout
    let rows: Int
    private var line = 1

    /// Makes a table of `rows` rows, `faults` of which have one fault each.
    init(_ layout: Layout, rows: Int, faults: Int, _ random: inout SeededGenerator) {
        self.layout = layout
        self.rows = rows
        if layout.hasHeader {
            let names = layout.columns.map { Array($0.rawValue.unicodeScalars) }
            append(FaultyRow(names.map { layout.quotesAll ? ["\""] + $0 + ["\""] : $0 }, layout))
        }
        var faulty = Set<Int>()
        while faulty.count < faults { faulty.insert(Int.random(in: 0..<rows, using: &random)) }
        for row in 0..<rows {
            var made = FaultyRow(cells(of: row, &random), layout)
            guard faulty.contains(row) else {
                fine.insert(row)
                append(made)
                continue
            }
            // Not every row has what a fault needs; another row, or another fault, then has to do.
            var found: (fault: Fault, at: Int)?
            while found == nil {
                let fault = Fault.allCases.randomElement(using: &random)!
                if fault == .notText, layout.encoding == "utf-16" { continue }
                var spoilt = FaultyRow(cells(of: row, &random), layout)
                if let at = spoilt.spoil(by: fault, &random) {
                    found = (fault, at)
                    made = spoilt
                }
            }
            if let found {
                let (line, column) = made.place(of: found.at)
                let lines = self.line...self.line + made.lineCount - 1
                known.append(
                    Known(fault: found.fault, line: self.line + line, column: column, lines: lines, row: row)
                )
            }
            append(made)
        }
    }

    private mutating func append(_ row: FaultyRow) {
        scalars += row.scalars
        scalars += Array(layout.lineEnd.unicodeScalars)
        line += row.lineCount
    }

    private func cells(of row: Int, _ random: inout SeededGenerator) -> [[Unicode.Scalar]] {
        layout.columns.map { column in
            let text: String =
                switch column {
                case .id: String(row)
                case .date:
                    "20\(Int.random(in: 10...26, using: &random))-0\(Int.random(in: 1...9, using: &random))-"
                        + "\(Int.random(in: 10...28, using: &random))"
                case .emotion: FaultyTable.emotions.randomElement(using: &random)!
                // A quoted empty cell is an empty text, which is no number.
                case .count where !layout.quotesAll && Int.random(in: 0..<8, using: &random) == 0: ""
                case .count: String(Int.random(in: 0...300, using: &random))
                case .colour:
                    "#" + String(Int.random(in: 0x100000...0xFFFFFF, using: &random), radix: 16, uppercase: true)
                case .note: note(&random)
                }
            let scalars = Array(text.unicodeScalars)
            let mustQuote = scalars.contains { $0 == layout.delimiter || $0 == "\"" || $0 == "\n" }
            // People and programs quote cells that need no quotes, too, but not those that hold nothing.
            let isQuoted =
                layout.quotesAll || mustQuote || (!scalars.isEmpty && Int.random(in: 0..<40, using: &random) == 0)
            guard isQuoted else { return scalars }
            return ["\""] + scalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] } + ["\""]
        }
    }

    private static let emotions = ["행복해", "사랑해", "좋아해", "당황해", "속상해", "우울해", "심심해", "따분해", "심란해"]

    /// What people write: nothing, a few words, a sentence with a comma, speech, several lines.
    private func note(_ random: inout SeededGenerator) -> String {
        func sentence() -> String {
            let words = (0..<Int.random(in: 1...7, using: &random)).map { _ in
                FaultyTable.words.randomElement(using: &random)!
            }
            return words.joined(separator: " ")
        }
        let kind = Int.random(in: 0..<100, using: &random)
        if kind < layout.longNotes {
            let lines = (0..<Int.random(in: 2...4, using: &random)).map { line in
                Int.random(in: 0..<(line == 0 ? 60 : 6), using: &random) == 0 ? "" : sentence()
            }
            return lines.joined(separator: layout.lineEnd)
        }
        return switch kind % 8 {
        case 0, 1: ""
        case 2: "\(sentence())\(layout.delimiter) \(sentence())"
        case 3: "\(sentence()) \"\(sentence())\" \(sentence())"
        default: sentence()
        }
    }

    private static let words = [
        "오늘은", "비가", "왔다", "친구를", "만나서", "커피", "2잔", "산책", "회사", "늦게", "잤다", "rain,", "walk", "at 7:30", "ok", "—",
        "집에서", "영화", "3편", "다시", "시작", "(나중에)", "50%", "A/B", "저녁;", "맛있다!",
    ]
}

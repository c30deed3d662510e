import DaybookTestSupport

@testable import DaybookContracts

/// One row as it stands in the file, which can be spoilt at a place that is then known.
struct FaultyRow {
    private var cells: [[Unicode.Scalar]]
    private let layout: FaultyTable.Layout
    private(set) var scalars: [Unicode.Scalar] = []

    init(_ cells: [[Unicode.Scalar]], _ layout: FaultyTable.Layout) {
        self.cells = cells
        self.layout = layout
        join()
    }

    private mutating func join() { scalars = Array(cells.joined(separator: [layout.delimiter])) }

    /// How many physical lines the row takes.
    var lineCount: Int { scalars.count { $0 == "\n" } + 1 }

    /// The line, from 0, and the column, from 1, of a place in the row.
    func place(of at: Int) -> (line: Int, column: Int) {
        let before = scalars[..<min(at, scalars.count)]
        let start = (before.lastIndex(of: "\n") ?? -1) + 1
        return (before.count { $0 == "\n" }, at - start + 1)
    }

    /// Where a cell begins.
    private func start(_ cell: Int) -> Int { cells[..<cell].reduce(0) { $0 + $1.count + 1 } }

    private func isQuoted(_ cell: Int) -> Bool { cells[cell].first == "\"" }

    /// Spoils the row and gives the place of the fault, or nil when the row has nothing that could be spoilt so.
    mutating func spoil(by fault: FaultyTable.Fault, _ random: inout SeededGenerator) -> Int? {
        let bare = cells.indices.filter { !isQuoted($0) && !cells[$0].isEmpty }
        let quoted = cells.indices.filter { isQuoted($0) }
        switch fault {
        case .missingDelimiter:
            let cell = Int.random(in: 0..<cells.count - 1, using: &random)
            // Between two quoted cells, and beside an empty one, what is left may be a proper cell.
            guard !(isQuoted(cell) && isQuoted(cell + 1)) else { return nil }
            let at = start(cell + 1) - 1
            scalars.remove(at: at)
            return at
        case .extraDelimiter:
            if Bool.random(using: &random), let cell = bare.randomElement(using: &random), cells[cell].count > 1 {
                // Inside a cell, as in 12,000.
                let at = start(cell) + Int.random(in: 1..<cells[cell].count, using: &random)
                scalars.insert(layout.delimiter, at: at)
                return at
            }
            // Behind a cell, where it makes an empty one, or behind them all.
            let cell = Int.random(in: 1...cells.count, using: &random)
            let at = cell == cells.count ? scalars.count : start(cell)
            scalars.insert(layout.delimiter, at: at)
            return at
        case .quoteInCell:
            guard let cell = bare.randomElement(using: &random), cells[cell].count > 1 else { return nil }
            return insertQuote(at: start(cell) + Int.random(in: 1..<cells[cell].count, using: &random))
        case .openingQuote:
            guard let cell = bare.randomElement(using: &random) else { return nil }
            return insertQuote(at: start(cell))
        case .closingQuote:
            guard let cell = bare.randomElement(using: &random) else { return nil }
            return insertQuote(at: start(cell) + cells[cell].count)
        case .closingRemoved:
            // What is left out of place is the quote that opens, also when its cell ends some lines further down.
            guard let cell = quoted.randomElement(using: &random), cells[cell].count > 2 else { return nil }
            scalars.remove(at: start(cell) + cells[cell].count - 1)
            return start(cell)
        case .openingRemoved:
            // And here the one that closes.
            guard let cell = quoted.randomElement(using: &random), cells[cell].count > 2 else { return nil }
            guard !cells[cell].dropFirst().dropLast().contains("\"") else { return nil }
            scalars.remove(at: start(cell))
            return start(cell) + cells[cell].count - 2
        case .singleInnerQuote:
            guard let cell = quoted.randomElement(using: &random), cells[cell].count > 4 else { return nil }
            let at = start(cell) + Int.random(in: 2..<cells[cell].count - 2, using: &random)
            // Beside another quote it would make a proper pair, and between CR and LF a line end of its own.
            guard ![scalars[at - 1], scalars[at]].contains("\""), scalars[at - 1] != "\r" else { return nil }
            return insertQuote(at: at)
        case .notText:
            guard let cell = bare.randomElement(using: &random) else { return nil }
            let at = start(cell) + Int.random(in: 0...cells[cell].count, using: &random)
            scalars.insert("\u{E0FF}", at: at)
            return at
        case .badDate: return replace(.date, ["2026-13-01", "2026-02-30", "soon", "03/04", "2026-1-1x"], &random)
        case .badColour: return replace(.colour, ["EC007F", "#EC007", "#EC00ZF", "pink", "#EC007F0"], &random)
        case .badNumber: return replace(.count, ["many", "1O", "12.5", "1 000", "0x1F"], &random)
        }
    }

    private mutating func insertQuote(at place: Int) -> Int {
        scalars.insert("\"", at: place)
        return place
    }

    private mutating func replace(
        _ column: FaultyTable.Column,
        _ values: [String],
        _ random: inout SeededGenerator
    ) -> Int? {
        guard let cell = layout.columns.firstIndex(of: column) else { return nil }
        let value = Array(values.randomElement(using: &random)!.unicodeScalars)
        cells[cell] = isQuoted(cell) ? ["\""] + value + ["\""] : value
        join()
        return start(cell)
    }
}
